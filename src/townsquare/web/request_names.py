"""Names in a request: alternative names of fields for earlier clients, and names without effect."""

from collections.abc import Iterable, Mapping

from townsquare.web.body import Body
from townsquare.web.query import Pairs


class RequestNames:
    """`single` names take one value, `many` may be repeated; for `never_empty` an empty text is no value."""

    def __init__(
        self,
        aliases: Mapping[str, str],
        single: Iterable[str],
        many: Iterable[str],
        never_empty: Iterable[str],
    ) -> None:
        self.aliases = aliases
        self._single = frozenset(single)
        self._known = self._single | frozenset(many)
        self._never_empty = frozenset(never_empty)

    def with_field_names(self, body: Body | None, query: Pairs) -> tuple[Body | None, Pairs]:
        """The request with our own names; if a JSON body has both, ours counts."""
        if body is not None:
            if body.values is None:
                body = body._replace(pairs=self._pairs_with_field_names(body.pairs))
            elif not self.aliases.keys().isdisjoint(body.values):
                values = {self.aliases.get(name, name): value for name, value in body.values.items()}
                ours = {name: value for name, value in body.values.items() if name not in self.aliases}
                body = body._replace(values=values | ours)
        return body, self._pairs_with_field_names(query)

    def unknown(self, body: Body | None, query: Pairs) -> tuple[str, ...]:
        """Names that no field has, each once."""
        names = [name for name, _ in query]
        if body is not None:
            names += body.names()
        if self._known.issuperset(names):
            return ()
        return tuple(dict.fromkeys(name for name in names if self.aliases.get(name, name) not in self._known))

    def unread(self, body: Body | None, query: Pairs) -> tuple[str, ...]:
        """Names without effect, each once: unknown, empty or repeated."""
        if body is None:
            distinct = {name for name, _ in query}
            if len(distinct) == len(query) and distinct <= self._known:
                return self._empty(query)
        names, texts = [name for name, _ in query], query
        if body is not None:
            texts = query + body.pairs
            own = list(body.names())
            names += own if body.values is None else sorted(own, key=self._known.__contains__)
        unread, read = dict[str, None](), set[str]()
        for name in reversed(names):  # the last counts, the body after the query
            ours = self.aliases.get(name, name)
            if ours not in self._known or (ours in read and ours in self._single):
                unread[name] = None
            read.add(ours)
        return tuple(unread | dict.fromkeys(self._empty(texts)))

    def _empty(self, pairs: Pairs) -> tuple[str, ...]:
        never_empty, aliases = self._never_empty, self.aliases
        return tuple([name for name, text in pairs if not text and aliases.get(name, name) in never_empty])

    def _pairs_with_field_names(self, pairs: Pairs) -> Pairs:
        if all(name not in self.aliases for name, _ in pairs):
            return pairs
        return [(self.aliases.get(name, name), text) for name, text in pairs]
