"""What keyspace believes about Redis, asked of Redis."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.keyspace.test_layout import of_id, of_text
from tests.keyspace.test_parts import texts
from tests.support.engines import Cluster, Node
from townsquare.keyspace import Layout, mint_id
from townsquare.keyspace.buckets import ALL_BUCKETS, SLOT_OF_BUCKET
from townsquare.keyspace.parts import Component, Integer, Part, Text
from townsquare.store.scripts.folder import SHARED

ENCODE = (SHARED / "include" / "encode.lua").read_text()
WHITESPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2005\u200a\u2028\u2029\u202f\u205f\u3000"

on_a_real_engine = settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def evaluate(data_node: Node) -> Any:
    with closing(data_node.client()) as client:
        yield lambda script, *arguments: client.eval(script, 0, *arguments)


@pytest.mark.parametrize("part", [Text(), Component()])
@on_a_real_engine
@given(text=texts)
@example(text=WHITESPACE)
@example(text="a:b{c}d%e/f?g=h&i~j_k-l.m")
@example(text="\x00\x7f\u200b\ufeff東京 🎈")
@example(text="".join(chr(code) for code in range(1, 0x180)))
def test_lua_encodes_text_exactly_as_python(evaluate: Callable[..., bytes], part: Part, text: str) -> None:
    script = f"{ENCODE}\nreturn {part.lua.format('ARGV[1]')}"
    assert evaluate(script, text).decode() == part.encode(text)


@on_a_real_engine
@given(number=st.integers(-(2**53), 2**53))
def test_lua_writes_integers_exactly_as_python(evaluate: Callable[..., bytes], number: int) -> None:
    script = f"return {Integer.lua.format('tonumber(ARGV[1])')}"
    assert evaluate(script, number).decode() == Integer().encode(number)


def test_every_bucket_is_in_the_slot_that_redis_computes(cluster: Cluster) -> None:
    with closing(cluster.nodes[0].client()) as client, client.pipeline(transaction=False) as pipeline:
        for bucket in ALL_BUCKETS:
            pipeline.cluster("KEYSLOT", f"prod:some:{{{bucket}}}:text:a")
        slots = pipeline.execute()
    assert slots == [SLOT_OF_BUCKET[bucket] for bucket in ALL_BUCKETS]


def test_a_layout_knows_the_slot_of_a_key(cluster: Cluster) -> None:
    layout = Layout("prod", clustered=True)
    for key in (of_text("a"), of_text("{b}"), of_id(mint_id("3ff"))):
        assert layout.slot(key) == cluster.nodes[0].ask("CLUSTER", "KEYSLOT", layout.name(key))
