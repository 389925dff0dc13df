import pytest

from tests.support.squares import assert_clean
from townsquare.integrity.check import check
from townsquare.keyspace import AnyKey
from townsquare.services.analytics import keys
from townsquare.services.analytics.models import Rating, View, Wishlist
from townsquare.services.analytics.service import Analytics
from townsquare.store.store import Store

DAMAGE: dict[str, tuple[str, AnyKey, tuple[str | int, ...]]] = {
    "wrong score": ("ZADD", keys.top("viewed"), (99, "P")),
    "missing from a ranking": ("ZREM", keys.top("rated"), ("P",)),
    "stray in a ranking": ("ZADD", keys.top("wishlisted"), (5, "Nothing")),
    "wrong count": ("HSET", keys.product("P"), ("wishlists", 7)),
    "stray rating": ("ZADD", keys.rated_by("Q"), (5, "usr_9")),
    "missing wish": ("SREM", keys.wishlisted_by("P"), ("usr_1",)),
    "missing history": ("SREM", keys.viewed_user("usr_1"), ("P",)),
    "no lifetime": ("PERSIST", keys.journey("usr_1"), ()),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
async def test_damage_is_found_and_repaired(
    analytics: Analytics, store: Store, damage: tuple[str, AnyKey, tuple[str | int, ...]]
) -> None:
    for user_id in ("usr_1", "usr_2"):
        await analytics.record(
            [View(product="P"), Rating(product="P", stars=4), Wishlist(product="P")], user_id=user_id
        )
    command, key, args = damage
    await store.call(command, key, *args)

    assert (await check(store)).findings
    for _ in range(2):  # a repaired key can show what hung on it
        await check(store, repair=True)
    await assert_clean(store)
