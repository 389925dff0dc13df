"""Keys in every shape that a judgement distinguishes and that the toy service does not have."""

from datetime import date

from townsquare.keyspace import (
    DAY,
    Field,
    Groups,
    Indexes,
    Keyspace,
    Mirrors,
    Orders,
    Owns,
    Pairs,
    Record,
    Registry,
    fixed,
)
from townsquare.store.keys import system

some = Keyspace("some", "Keys in every shape that a judgement distinguishes.")


@some.hash("user:{id}", Field("mail"), Field("other_mail"), Field("rank"), home="user:{id}")
def user(id: str) -> None:
    """A user."""


@some.hash("bot:{id}", Field("mail"), Field("rank"), Field("seen"), home="bot:{id}")
def bot(id: str) -> None:
    """A bot."""


@some.string("mail:{mail}", home="mail:{mail}")
def mail(mail: str) -> None:
    """Whose address this is: a user's or a bot's."""


@some.string("session:{id}:{token}", home="user:{id}", lifetime=fixed(DAY))
def session(id: str, token: str) -> None:
    """A session."""


@some.set("sessions:{id}", home="user:{id}", lifetime=fixed(DAY))
def sessions(id: str) -> None:
    """Sessions of a user."""


@some.string("session:{id}:{token}:seen", home="user:{id}", lifetime=fixed(DAY))
def session_seen(id: str, token: str) -> None:
    """When a session was last used."""


@some.set("friends:{id}", home="user:{id}")
def friends(id: str) -> None:
    """Friends, who are friends in turn."""


@some.sorted_set("watches:{id}", home="user:{id}")
def watches(id: str) -> None:
    """Whom a user watches, since when."""


@some.sorted_set("watchers:{id}", home="user:{id}")
def watchers(id: str) -> None:
    """Who watches a user, since when."""


@some.set("blocks:{id}", home="user:{id}")
def blocks(id: str) -> None:
    """Whom a user blocks."""


@some.sorted_set("ranks", home="ranks")
def ranks() -> None:
    """Users and bots that have a rank, by it."""


@some.counter("bot:{id}:seen", home="bot:{id}")
def bot_seen(id: str) -> None:
    """How often a bot was seen."""


@some.set("with:sessions", home="sessions")
def with_sessions() -> None:
    """Users who have sessions."""


@some.set("out:{number}", home="number:{number}")
def ways_out(number: int) -> None:
    """Where ways lead to."""


@some.set("into:{number}", home="number:{number}")
def ways_into(number: int) -> None:
    """Where ways come from."""


@some.counter("visits:{day}", home="visits")
def visits(day: date) -> None:
    """Visits of one day."""


@some.set("days", home="days")
def visited_days() -> None:
    """Days that have visits."""


def has_rank(record: Record) -> bool:
    return int(record.get("rank") or 0) > 0


OF_USERS = Indexes(mail, user, owner="id", params={"mail": "mail"})
OF_USERS_TOO = Indexes(mail, user, owner="id", params={"mail": "other_mail"})
OF_BOTS = Indexes(mail, bot, owner="id", params={"mail": "mail"})
OF_SESSIONS = Groups(sessions, session, member="token")

some.relate(
    OF_USERS,
    OF_USERS_TOO,
    OF_BOTS,
    OF_SESSIONS,
    Groups(with_sessions, sessions, member="id"),
    Groups(visited_days, visits, member="day"),
    Orders(ranks, user, member="id", score="rank", where=has_rank),
    Orders(ranks, bot, member="id", score="rank", where=has_rank),
    Mirrors(bot, "seen", bot_seen),
    Owns(session, (session_seen,)),
    Owns(user, (watches, blocks)),
    Pairs(friends, friends),
    Pairs(watches, watchers),
    Pairs(ways_out, ways_into),
)

REGISTRY = Registry([system, some])
