"""Deleting a user: hidden from everybody at once, removed from everywhere by a job in small chunks."""

from townsquare.services.social.keys import user
from townsquare.services.social.usernames import valid_username
from townsquare.store.coordination.jobs import Jobs


class UserDeletion:
    def __init__(self, jobs: Jobs) -> None:
        self._deletion = jobs.deletion

    async def begin(self, username: str) -> str:
        """Hide the user from everybody and start the job that removes the rest; its id."""
        return await self._deletion.begin(user(valid_username(username)))

    async def delete_chunk(self, username: str) -> int:
        """One chunk of a deletion; 0 when there is no such user any more."""
        return await self._deletion.share(user(valid_username(username)))
