"""Which of some names or ids are in lists of a viewer; of most lists memory knows that they are empty."""

from collections.abc import Sequence

from townsquare.services.social.records import ViewerList
from townsquare.store.commands import Command
from townsquare.store.near import RecordRead
from townsquare.store.store import Store

Scores = Sequence[float | None]  # for each name or id; None: it is not in the list


class ListLookup:
    """`commands` ask what is not known; `scores` reads the replies to them."""

    def __init__(self, store: Store, lists: Sequence[tuple[ViewerList, Sequence[str]]]) -> None:
        known = iter(store.recall([one.size for one, _ in lists if one.size is not None]))
        sizes = [next(known) if one.size is not None else None for one, _ in lists]
        self.commands: list[Command | RecordRead[int]] = []
        self._wanted: list[tuple[int, int]] = []  # of each list: how many are looked for, replies to come
        for (one, members), size in zip(lists, sizes, strict=True):
            asked = len(self.commands)
            if members and size != 0:
                self.commands.append(("ZMSCORE", one.key, *members))
                if size is None and one.size is not None:
                    self.commands.append(one.size)
            self._wanted.append((len(members), len(self.commands) - asked))

    def scores(self, replies: Sequence[object]) -> list[Scores]:
        found: list[Scores] = []
        place = 0
        for members, coming in self._wanted:
            found.append(replies[place] if coming else [None] * members)  # type: ignore[arg-type]
            place += coming
        return found
