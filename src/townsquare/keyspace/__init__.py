"""What keys exist: kinds, patterns, lifetimes, homes, relations. Pure Python, no I/O."""

from townsquare.keyspace.buckets import bucket_of, carried_bucket, carried_by, derived_id, mint_id
from townsquare.keyspace.declare import (
    AnyDeclared,
    AnyKey,
    DeclarationError,
    Declared,
    Key,
    Keyspace,
    Migration,
)
from townsquare.keyspace.kinds import Field, Visibility
from townsquare.keyspace.layout import Layout
from townsquare.keyspace.lifetimes import DAY, END_OF_DAY, HOUR, MINUTE, fixed, sliding
from townsquare.keyspace.parts import BadPart, Matching, Url
from townsquare.keyspace.records import about, reader
from townsquare.keyspace.registry import Registry
from townsquare.keyspace.relations import (
    BY_SERVICE,
    DELETE,
    Counts,
    Describes,
    Expires,
    Groups,
    Indexes,
    Mirrors,
    Orders,
    Owns,
    Pairs,
    Record,
    Refers,
    Relation,
    Represents,
    Sums,
    Value,
    by_script,
)
from townsquare.roles import Role

__all__ = [
    "BY_SERVICE",
    "DAY",
    "DELETE",
    "END_OF_DAY",
    "HOUR",
    "MINUTE",
    "AnyDeclared",
    "AnyKey",
    "BadPart",
    "Counts",
    "DeclarationError",
    "Declared",
    "Describes",
    "Expires",
    "Field",
    "Groups",
    "Indexes",
    "Key",
    "Keyspace",
    "Layout",
    "Matching",
    "Migration",
    "Mirrors",
    "Orders",
    "Owns",
    "Pairs",
    "Record",
    "Refers",
    "Registry",
    "Relation",
    "Represents",
    "Role",
    "Sums",
    "Url",
    "Value",
    "Visibility",
    "about",
    "bucket_of",
    "by_script",
    "carried_bucket",
    "carried_by",
    "derived_id",
    "fixed",
    "mint_id",
    "reader",
    "sliding",
]
