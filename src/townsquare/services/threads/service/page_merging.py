"""The job that merges a page into another one with comments. It resumes after a crash.

Comments are in the bucket of their page, so that they get new ids; the old ids lead to the new ones (decision
027). A step moves the first comments that are left.
"""

from datetime import timedelta
from typing import Any

from townsquare.clock import day_of
from townsquare.keyspace import carried_bucket, derived_id, mint_id
from townsquare.kit.paging import page_up
from townsquare.services.threads import keys
from townsquare.services.threads.models.pages import Merged
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import BadPage
from townsquare.services.threads.scripts.merging import EndMerge, FollowMergedPage, MergePage, MoveComment
from townsquare.services.threads.service.comments import PageAddress
from townsquare.services.threads.service.moderation_log import log_entry
from townsquare.services.threads.service.sites import require_admin
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

SHARE = 50
VOTES_SHARE = 500  # of one comment
PATIENCE = 2.0  # seconds that the caller waits for the job
VIEW_DAYS = 90


class PageMerges:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        jobs.register(keys.MERGE_PAGE_JOB, self._step, rests=True)

    async def merge(self, viewer: Viewer, page: PageAddress, into: PageAddress) -> Merged:
        """Move all comments of a page to another one. Its URL leads there from now on."""
        require_admin(viewer)
        if page.id == into.id:
            raise BadPage("Both URLs lead to the same page")
        now = self._store.clock.now_ms()
        job = await self._store.run(
            MergePage(
                page_id=page.id,
                site_id=viewer.site_id,
                into_id=into.id,
                job=mint_id(carried_bucket(page.id)),
                entry=log_entry(viewer, "merge_page", page.id, now, f"{page.url} into {into.url}"),
            )
        )
        return Merged(finished=await self._jobs.run_within(job, PATIENCE) == "done")

    async def _step(self, args: dict[str, Any]) -> int:
        page_id, into_id, job = args["page_id"], args["into_id"], args["job"]
        record = await self._store.get(keys.page(page_id))
        if record is not None and record.merging == job:
            done = await self._move_followers(page_id, into_id)
            done = done or await self._move_comments(page_id, into_id, job)
            if done:
                return done
        await self._store.run(EndMerge(page_id=page_id, into_id=into_id, job=job, days=self._days()))
        return 1

    def _days(self) -> list[str]:
        """The recent days that can have a count of views."""
        today = day_of(self._store.clock.now_ms())
        return [(today - timedelta(days=ago)).isoformat() for ago in range(VIEW_DAYS + 1)]

    async def _move_followers(self, page_id: str, into_id: str) -> int:
        """Move the followers first, because new comments may arrive meanwhile."""
        mailing = await self._store.call("HMGET", keys.page_mailing(page_id), "job", "ids")
        if all(mailing):  # a job is queueing mail to them
            await self._jobs.run(mailing[0].decode())
        found = await self._store.call("SRANDMEMBER", keys.page_followers(page_id), SHARE)
        for user_id in found:
            await self._store.run(
                FollowMergedPage(user_id=user_id.decode(), page_id=page_id, into_id=into_id)
            )
        return len(found)

    async def _move_comments(self, page_id: str, into_id: str, job: str) -> int:
        found = await page_up(self._store, keys.page_all(page_id), None, SHARE)
        places = await self._with_parents(page_id, [one.member for one in found])
        for id, (_, parent_id, answers) in sorted(places.items(), key=lambda place: place[1][0]):
            await self._store.run(
                MoveComment(
                    page_id=page_id,
                    comment_id=id,
                    job=job,
                    into_id=into_id,
                    new_id=merged_id(into_id, id),
                    parent_id=merged_id(into_id, parent_id) if parent_id else None,
                    answers=merged_id(into_id, answers) if answers else None,
                    votes_share=VOTES_SHARE,
                )
            )
        return len(places)

    async def _with_parents(
        self, page_id: str, ids: list[str]
    ) -> dict[str, tuple[int, str | None, str | None]]:
        """These comments and their ancestors on this page, with depth, parent and answered comment."""
        places: dict[str, tuple[int, str | None, str | None]] = {}
        unread = ids
        while unread:
            asked = [("HMGET", keys.comment(id), "depth", "parent_id", "answers", "page_id") for id in unread]
            above = []
            for id, (depth, parent, answers, of_page) in zip(
                unread, await self._store.pipeline(asked), strict=True
            ):
                if of_page not in (None, page_id.encode()):
                    continue
                if of_page is None and id not in ids:
                    continue  # it has moved
                parent_id = parent.decode() if parent else None
                places[id] = (int(depth or 0), parent_id, answers.decode() if answers else None)
                if parent_id and parent_id not in places:
                    above.append(parent_id)
            unread = [id for id in dict.fromkeys(above) if id not in places]
        return places


def merged_id(into_id: str, comment_id: str) -> str:
    """The id of a comment after the merge. It is derived, so that a repeated step gets the same id."""
    return derived_id("merged", into_id, comment_id, bucket=carried_bucket(into_id))
