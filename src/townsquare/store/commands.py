"""A command as services give it, with a key, and as it is sent, with a name and a slot."""

from townsquare.keyspace import AnyKey, Layout
from townsquare.store.wire.cluster import Routed
from townsquare.store.wire.protocol import Arg

Command = tuple[str, AnyKey, *tuple[Arg, ...]]


def render(layout: Layout, command: Command) -> Routed:
    verb, key, *args = command
    return layout.slot(key), [verb, layout.name(key), *args]
