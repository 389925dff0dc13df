"""ThreadKit's own client: its calls under /threadkit/v1, over the same service."""

import secrets
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Content, Limit
from townsquare.kit.tokens import LONGEST_TOKEN
from townsquare.problems import Problem
from townsquare.routes import Routes
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.models import SignedIn
from townsquare.services.threads import problems
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.comments import Direction, Reason
from townsquare.services.threads.models.threadkit import (
    ThreadKitProfile,
    ThreadKitTokens,
    ThreadKitUser,
    TreeComment,
    WholeThread,
)
from townsquare.services.threads.routes.access import SiteAccess, client_of, site_of, viewer_of
from townsquare.services.threads.routes.comments import EDIT, VOTE
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.comments import page_address, signed_in
from townsquare.services.threads.service.submission import Submission
from townsquare.services.threads.service.whole_thread import tree_comment

CODES = Limit("threadkit_code", 20, 60)
SIGN_IN = Limit("threadkit_sign_in", 30, 60)
WORDS = {  # by which the client tells refusals apart
    "bad_api_key": "invalid api key",
    "origin_not_allowed": "origin is not allowed",
    "unauthorized": "unauthorized",
    "name_required": "Name required",
}


class KnownMethod(msgspec.Struct):
    id: str
    name: str
    type: Literal["otp", "oauth", "anonymous"]


class KnownMethods(msgspec.Struct):
    methods: list[KnownMethod]


class NothingAsked(msgspec.Struct):
    """The key says which site."""


class AnonymousName(msgspec.Struct):
    name: str | None = None


class CodeTarget(msgspec.Struct, kw_only=True):
    email: str | None = None
    phone: str | None = None

    @property
    def to(self) -> str:
        return self.email or self.phone or ""


class CodeWithName(CodeTarget, kw_only=True):
    code: Annotated[str, Meta(max_length=32)]
    name: str | None = None


class OldRefresh(msgspec.Struct):
    refresh_token: Annotated[str, Meta(max_length=LONGEST_TOKEN)]


class NameChosen(msgspec.Struct, kw_only=True):
    name: str | None = None
    avatar_url: str | None = None


class OfThreadKitUser(msgspec.Struct):
    id: str


class WholeThreadAsked(msgspec.Struct, kw_only=True):
    page_url: str
    sort: Literal["top", "new", "controversial", "old"] = "top"


class VotesAsked(msgspec.Struct):
    page_url: str


class VotesOnPage(msgspec.Struct):
    votes: dict[str, Direction]


class Posted(msgspec.Struct, kw_only=True):
    page_url: str
    content: str
    parent_path: Annotated[list[str], Meta(max_length=101)] = []


class PostedComment(msgspec.Struct):
    comment: TreeComment


class CommentOnPage(msgspec.Struct, kw_only=True):
    """The client says where a comment stands as well; its id is enough."""

    id: str
    page_url: str = ""
    path: Annotated[list[str], Meta(max_length=101)] = []


class Rewritten(CommentOnPage, kw_only=True):
    content: str


class OldVote(CommentOnPage, kw_only=True):
    direction: Direction


class OldVoted(msgspec.Struct):
    upvotes: int
    downvotes: int
    user_vote: Direction | None


class OldReport(CommentOnPage, kw_only=True):
    reason: Reason
    details: str | None = None


def plainly(problem: Problem, call: Call) -> Content:
    """An error as this client reads it."""
    words = WORDS.get(problem.code, problem.detail)
    headers = {"Retry-After": str(after)} if (after := problem.extra.get("retry_after")) else {}
    return Content(msgspec.json.encode({"error": words}), "application/json", problem.status, headers)


def threadkit_endpoints(threads: Threads, accounts: Accounts, access: SiteAccess) -> list[AnyEndpoint]:
    reads = Routes(
        "/threadkit/v1", tag="threads", auth=access.reading, open_to_any_origin=True, on_problem=plainly
    )
    writes = Routes(
        "/threadkit/v1", tag="threads", auth=access.writing, open_to_any_origin=True, on_problem=plainly
    )

    async def tokens(signed: SignedIn, name: str | None = None) -> ThreadKitTokens:
        user_id = signed.user.id
        record = await threads.commenters.get(user_id)
        if name:
            record = await threads.commenters.call_oneself(user_id, name=name)
        return ThreadKitTokens(
            token=signed.access_token, refresh_token=signed.refresh_token, user=user_of(record)
        )

    @reads.get("/auth/methods")
    async def threadkit_list_methods(call: Call, asked: NothingAsked) -> KnownMethods:
        """Which ways in the site offers, of those that this client knows."""
        offered, allowed = accounts.sign_in_methods(), site_of(call).settings.sign_in
        methods = []
        if offered.email_code and "code" in allowed:
            methods.append(KnownMethod("email", "Email", "otp"))
        if offered.sms_code and "code" in allowed:
            methods.append(KnownMethod("phone", "Phone", "otp"))
        if site_of(call).settings.anonymous and "anonymous" in allowed:
            methods.append(KnownMethod("anonymous", "Anonymous", "anonymous"))
        return KnownMethods(methods)

    @writes.post("/auth/anonymous", limit=SIGN_IN)
    async def threadkit_sign_in_anonymously(call: Call, given: AnonymousName) -> ThreadKitTokens:
        """Sign in without an account, with a name or without."""
        threads.sign_in.require(site_of(call), "anonymous")
        if given.name:
            threads.commenters.check_name(given.name)
        signed = await accounts.sign_in_anonymously(secrets.token_hex(16), client_of(call))
        return await tokens(signed, given.name)

    @writes.post("/auth/send-otp", limit=CODES, example={"email": "ann@example.org"})
    async def threadkit_send_code(call: Call, given: CodeTarget) -> Annotated[Content, "text/plain"]:
        """Send a code to an email address or a phone."""
        threads.sign_in.require(site_of(call), "code")
        await accounts.code.send(given.to, client_of(call))
        return Content(b"", "text/plain")

    @writes.post("/auth/verify-otp", limit=CODES, example={"email": "ann@example.org"})
    async def threadkit_verify_code(call: Call, given: CodeWithName) -> ThreadKitTokens:
        """Sign in with a code; who is new says a name, and the code stays valid until then."""
        threads.sign_in.require(site_of(call), "code")
        client = client_of(call)
        if given.name:
            threads.commenters.check_name(given.name)
        elif not await accounts.code.is_known(given.to, given.code, client):
            raise problems.NameRequired()
        return await tokens(await accounts.code.sign_in(given.to, given.code, client), given.name)

    @writes.post("/auth/refresh", limit=SIGN_IN)
    async def threadkit_refresh(call: Call, given: OldRefresh) -> ThreadKitTokens:
        """New tokens for a refresh token."""
        return await tokens(await accounts.sessions.refresh(given.refresh_token, client_of(call)))

    @reads.get("/users/me")
    async def threadkit_read_myself(call: Call, asked: NothingAsked) -> ThreadKitUser:
        """Who is signed in."""
        return user_of(await threads.commenters.get(signed_in(viewer_of(call))))

    @writes.put("/users/me")
    async def threadkit_change_myself(call: Call, given: NameChosen) -> ThreadKitUser:
        """Another name or picture."""
        user_id = signed_in(viewer_of(call))
        return user_of(
            await threads.commenters.call_oneself(user_id, name=given.name, avatar_url=given.avatar_url)
        )

    @reads.get("/users/{id}")
    async def threadkit_read_user(call: Call, asked: OfThreadKitUser) -> ThreadKitProfile:
        """A commenter as everybody may see them."""
        found = await threads.profiles.get(viewer_of(call), asked.id)
        return ThreadKitProfile(
            id=found.id,
            name=found.name,
            avatar_url=found.avatar_url,
            karma=found.karma,
            total_comments=found.total_comments,
            created_at=found.created_at,
        )

    @reads.get("/comments")
    async def threadkit_read_thread(call: Call, asked: WholeThreadAsked) -> WholeThread:
        """The comments of a page, up to a thousand."""
        site = site_of(call)
        page = await threads.pages.find(site, asked.page_url)
        return await threads.whole.read(viewer_of(call), site.settings, page.id, sort=asked.sort)

    @reads.get("/pages/my_votes")
    async def threadkit_read_votes(call: Call, asked: VotesAsked) -> VotesOnPage:
        """How one has voted on a page."""
        page = await threads.pages.find(site_of(call), asked.page_url)
        return VotesOnPage(await threads.whole.my_votes(viewer_of(call), page.id))

    @writes.post("/comments")
    async def threadkit_write_comment(call: Call, given: Posted) -> PostedComment:
        """Write a comment, or a reply to the last one of a path."""
        site = site_of(call)
        made = await threads.comments.create(
            viewer_of(call),
            site,
            page_address(site, given.page_url),
            given.content,
            parent_id=given.parent_path[-1] if given.parent_path else None,
            submission=Submission(solves_challenges=False, ip=call.ip, user_agent=call.user_agent),
        )
        return PostedComment(tree_comment(made.comment))

    @writes.put("/comments/{id}", limit=EDIT)
    async def threadkit_edit_comment(call: Call, given: Rewritten) -> TreeComment:
        """Another text for a comment of one's own."""
        return tree_comment(
            await threads.comments.edit(viewer_of(call), site_of(call), given.id, given.content)
        )

    @writes.delete("/comments/{id}", status=204)
    async def threadkit_delete_comment(call: Call, given: CommentOnPage) -> None:
        """Delete a comment of one's own; moderators delete any."""
        viewer = viewer_of(call)
        await threads.comments.delete(viewer, given.id, as_moderator=viewer.moderates)

    @writes.post("/comments/{id}/vote", limit=VOTE)
    async def threadkit_vote(call: Call, given: OldVote) -> OldVoted:
        """Vote, take a vote back, or switch it."""
        settings = site_of(call).settings
        voted = await threads.comments.vote(viewer_of(call), given.id, given.direction, settings=settings)
        return OldVoted(voted.upvotes, voted.downvotes, voted.my_vote)

    @writes.post("/comments/{id}/report", limit=VOTE, status=204)
    async def threadkit_report(call: Call, given: OldReport) -> None:
        """Tell the moderators about a comment."""
        await threads.comments.report(viewer_of(call), site_of(call), given.id, given.reason, given.details)

    return [*reads.endpoints, *writes.endpoints]


def user_of(record: CommenterRecord) -> ThreadKitUser:
    return ThreadKitUser(
        id=record.id,
        name=record.name,
        avatar_url=record.avatar_url,
        karma=record.karma,
        email_verified=record.email_verified,
        username_set=record.named or record.provider != "anonymous",
        created_at=record.created_at,
    )
