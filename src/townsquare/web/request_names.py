"""Names in a request: alternative names of fields for earlier clients, and names without effect."""

from collections.abc import Iterable, Mapping

from townsquare.web.body import Body
from townsquare.web.query import Pairs


class RequestNames:
    """`single` names take one value, `many` may be repeated; for `never_empty` an empty text is no value."""

    def __init__(
        self, also: Mapping[str, str], single: Iterable[str], many: Iterable[str], never_empty: Iterable[str]
    ) -> None:
        self.also = also
        self._single = frozenset(single)
        self._known = self._single | frozenset(many)
        self._never_empty = frozenset(never_empty)

    def in_ours(self, body: Body | None, query: Pairs) -> tuple[Body | None, Pairs]:
        """The request with our own names; if a JSON body has both, ours counts."""
        if body is not None:
            if body.values is None:
                body = body._replace(pairs=self._pairs_in_ours(body.pairs))
            elif not self.also.keys().isdisjoint(body.values):
                values = {self.also.get(name, name): said for name, said in body.values.items()}
                ours = {name: said for name, said in body.values.items() if name not in self.also}
                body = body._replace(values=values | ours)
        return body, self._pairs_in_ours(query)

    def unknown(self, body: Body | None, query: Pairs) -> tuple[str, ...]:
        """Names that no field has, each once."""
        said = [name for name, _ in query]
        if body is not None:
            said += body.names()
        if self._known.issuperset(said):
            return ()
        return tuple(dict.fromkeys(name for name in said if self.also.get(name, name) not in self._known))

    def unread(self, body: Body | None, query: Pairs) -> tuple[str, ...]:
        """Names without effect, each once: unknown, empty or repeated."""
        if body is None:
            names_said = {name for name, _ in query}
            if len(names_said) == len(query) and names_said <= self._known:
                return self._empty(query)
        said, texts = [name for name, _ in query], query
        if body is not None:
            texts = query + body.pairs
            names = list(body.names())
            said += names if body.values is None else sorted(names, key=self._known.__contains__)
        unread, read = dict[str, None](), set[str]()
        for name in reversed(said):  # the last counts, the body after the query
            ours = self.also.get(name, name)
            if ours not in self._known or (ours in read and ours in self._single):
                unread[name] = None
            read.add(ours)
        return tuple(unread | dict.fromkeys(self._empty(texts)))

    def _empty(self, pairs: Pairs) -> tuple[str, ...]:
        never_empty, also = self._never_empty, self.also
        return tuple([name for name, text in pairs if not text and also.get(name, name) in never_empty])

    def _pairs_in_ours(self, pairs: Pairs) -> Pairs:
        if all(name not in self.also for name, _ in pairs):
            return pairs
        return [(self.also.get(name, name), text) for name, text in pairs]
