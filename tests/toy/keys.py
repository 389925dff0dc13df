"""A small service that only tests use: every kind of key and every relation, on as few keys as can be."""

from typing import Annotated

import msgspec

from townsquare.keyspace import (
    DELETE,
    HOUR,
    Counts,
    Groups,
    Indexes,
    Keyspace,
    Matching,
    Mirrors,
    Orders,
    Owns,
    Pairs,
    Record,
    Registry,
    Role,
    Visibility,
    about,
    bucket_of,
    by_script,
    carried_by,
    fixed,
    sliding,
)
from townsquare.store.keys import system

toy = Keyspace("toy", "People, their notes and whom they follow.")

Minted = Annotated[str, Matching(r"[0-9a-f-]{33}[0-9a-f]{3}")]
HOME = "person:{name}"


class Note(msgspec.Struct):
    id: str
    author: str
    author_display: str
    text: str
    likes_count: int = 0
    tags: list[str] = []
    answers: str | None = None
    deleting: str | None = None


def home_of(name: str) -> str:
    return bucket_of(HOME.format(name=name))


class Person(msgspec.Struct, kw_only=True):
    name: str
    display: Annotated[str, about("how others see the name")]
    joined_at: Annotated[int, about("ms", Visibility.SYSTEM)]
    email: Annotated[str | None, about(visibility=Visibility.PRIVATE)] = None
    city: str | None = None
    follows_count: Annotated[int, about(visibility=Visibility.SYSTEM)] = 0
    followers_count: Annotated[int, about(visibility=Visibility.SYSTEM)] = 0
    notes_count: Annotated[int, about(visibility=Visibility.SYSTEM)] = 0
    deleting: Annotated[str | None, about("the job that deletes this person", Visibility.SECRET)] = None


@toy.hash("person:{name}", record=Person, home=HOME)
def person(name: str) -> None:
    """A person."""


@toy.set("person:{name}:follows", home=HOME)
def follows(name: str) -> None:
    """Whom this person follows."""


@toy.set("person:{name}:followers", home=HOME)
def followers(name: str) -> None:
    """Who follows this person."""


@toy.set("person:{name}:notes", home=HOME)
def person_notes(name: str) -> None:
    """Ids of this person's notes."""


@toy.set("person:{name}:praises", home=HOME)
def praises(name: str) -> None:
    """Ids of notes that this person has praised."""


@toy.counter("person:{name}:visits:{visitor}", home=HOME, lifetime=sliding(HOUR))
def visits(name: str, visitor: str) -> None:
    """How often a visitor looked lately."""


@toy.json(Note, "note:{id}", home=carried_by("id"))
def note(id: Minted) -> None:
    """A note, in the bucket of its author."""


@toy.set("note:{id}:likes", home=carried_by("id"))
def note_likes(id: Minted) -> None:
    """Who likes a note."""


@toy.packed_floats("note:{id}:vector", home=carried_by("id"))
def note_vector(id: Minted) -> None:
    """What a note is about, as numbers."""


@toy.hyperloglog("note:{id}:readers", home=carried_by("id"))
def note_readers(id: Minted) -> None:
    """About how many have read a note."""


@toy.string("email:{email}", home="email:{email}")
def email(email: str) -> None:
    """Whose email this is."""


@toy.set("city:{city}:people", home="city:{city}")
def city_people(city: str) -> None:
    """Who lives in a city."""


@toy.sorted_set("people:joined", home="people")
def people_joined() -> None:
    """Everybody by the time of joining."""


@toy.set("tag:{tag}:notes", home="tag:{tag}")
def tag_notes(tag: str) -> None:
    """Ids of the notes with a tag."""


@toy.string("preview:{id}", home=carried_by("id"), lifetime=fixed(HOUR), role=Role.CACHE)
def preview(id: Minted) -> None:
    """A note as HTML."""


def is_staying(record: Record) -> bool:
    return not record.get("deleting")


@toy.channel("square:{name}", home="square:{name}")
def square_channel(name: str) -> None:
    """What is said on one square."""


toy.relate(
    Counts(person, "follows_count", follows),
    Counts(person, "followers_count", followers),
    Counts(person, "notes_count", person_notes),
    Counts(note, "likes_count", note_likes),
    Indexes(email, person, owner="name", params={"email": "email"}),
    Groups(city_people, person, member="name", params={"city": "city"}, where=is_staying),
    Groups(
        person_notes,
        note,
        member="id",
        params={"name": "author"},
        with_owner=DELETE,
        removal=by_script("drop_note"),
    ),
    Groups(tag_notes, note, member="id", params={"tag": "tags"}),
    Orders(people_joined, person, member="name", score="joined_at", where=is_staying),
    Mirrors(note, "author_display", person, "display", params={"name": "author"}),
    Pairs(
        follows, followers, remove_left=by_script("drop_follow"), remove_right=by_script("remove_follower")
    ),
    Owns(person, (follows, followers, person_notes, praises)),
    Owns(note, (note_likes, note_vector, note_readers)),
)

REGISTRY = Registry([system, toy])
