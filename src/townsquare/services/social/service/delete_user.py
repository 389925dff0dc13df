"""A user goes: from everybody's sight at once, from everywhere else by a job in small shares."""

from townsquare.services.social.keys import user
from townsquare.services.social.service.profiles import valid_username
from townsquare.store.coordination.deletion import Deletion


class UserDeletion:
    def __init__(self, deletion: Deletion) -> None:
        self._deletion = deletion

    async def begin(self, username: str) -> str:
        """Take the user out of everybody's sight and start the job that removes the rest; its id."""
        return await self._deletion.begin(user(valid_username(username)))

    async def delete(self, username: str) -> None:
        """Delete the user and return when nothing of it is left."""
        await self._deletion.delete(user(valid_username(username)))

    async def share(self, username: str) -> int:
        """One share of a deletion; 0 when there is no such user any more."""
        return await self._deletion.share(user(valid_username(username)))
