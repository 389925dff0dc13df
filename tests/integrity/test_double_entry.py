from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st

from townsquare.integrity.double_entry import SUMS, HashSums

entries = st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=3)), unique=True)


def sums(ours: list[Hashable], theirs: list[Hashable]) -> HashSums:
    both = HashSums()
    both.add(ours)
    both.subtract(theirs)
    return both


@given(entries)
def test_what_both_sides_say_balances_in_any_order(said: list[Hashable]) -> None:
    both = sums(said, said[::-1])
    assert both.balanced
    assert not any(map(both.doubts, said))


@given(entries, entries)
def test_what_one_side_says_alone_is_doubted(ours: list[Hashable], theirs: list[Hashable]) -> None:
    both = sums(ours, theirs)
    assert all(map(both.doubts, set(ours) ^ set(theirs)))
    assert both.balanced == (set(ours) == set(theirs))


def test_what_is_said_twice_on_one_side_is_doubted() -> None:
    assert sums(["a", "a", "b"], ["a", "b"]).doubts("a")


def test_a_fault_leaves_most_of_the_rest_undoubted() -> None:
    said: list[Hashable] = list(map(str, range(SUMS)))
    both = sums(said, said[1:])
    assert both.doubts("0")
    assert sum(map(both.doubts, said)) < SUMS / 100
