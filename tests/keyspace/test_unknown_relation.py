import pytest

from townsquare.keyspace import DeclarationError
from townsquare.keyspace.key_relations import key_relations
from townsquare.keyspace.relations import Relation


def test_a_relation_that_nothing_derives_from_is_refused() -> None:
    class Resembles(Relation):
        """One that check, repair and deletion would ignore."""

    with pytest.raises(DeclarationError, match="Resembles"):
        key_relations([Resembles()])
