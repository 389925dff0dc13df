"""One module for each relation. This one selects the rules for the keys of a declaration."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from townsquare.integrity.rules.counts import CountsRule
from townsquare.integrity.rules.declared import rules_of_kind
from townsquare.integrity.rules.describes import DescribesRule
from townsquare.integrity.rules.expires import ExpiresRule
from townsquare.integrity.rules.indexes import IndexesRule, SpellingRule
from townsquare.integrity.rules.membership import MembershipRule
from townsquare.integrity.rules.mirrors import MirrorsRule
from townsquare.integrity.rules.owns import OwnsRule, belongs_rules
from townsquare.integrity.rules.pairs import PairsRule
from townsquare.integrity.rules.refers import RefersRule
from townsquare.integrity.rules.represents import RepresentedRule, RepresentsRule
from townsquare.integrity.rules.rule import Rule, Side, TwoSidedRule
from townsquare.integrity.rules.sums import sums_rules
from townsquare.keyspace import AnyDeclared, Expires, Pairs, Registry
from townsquare.keyspace.key_relations import KeyRelations, key_relations


@dataclass(frozen=True)
class DeclaredRules:
    """The rules for keys of one declaration."""

    groups: tuple[tuple[Rule, ...], ...]  # the rules of a group share their reads
    sides: tuple[Side, ...]  # entries of such keys in two-sided rules

    @property
    def walked(self) -> bool:
        """Whether such keys are collections whose members are entries of a rule."""
        return any(side.by_members for side in self.sides)


def rules_for(registry: Registry, claim_ms: int) -> dict[AnyDeclared, DeclaredRules]:
    """The rules of every declaration. An index that expires within `claim_ms` is a pending claim."""
    relations = key_relations(registry.relations)
    sides: dict[AnyDeclared, list[Side]] = defaultdict(list)
    for rule in two_sided_rules(registry, relations, claim_ms):
        for side in rule.sides():
            sides[side.declared].append(side)
    return {
        declared: DeclaredRules(
            tuple(grouped_by_reads(one_sided_rules(declared, relations, claim_ms))),
            tuple(sides[declared]),
        )
        for declared in registry
    }


def one_sided_rules(
    declared: AnyDeclared, relations: Mapping[AnyDeclared, KeyRelations], claim_ms: int
) -> Iterator[Rule]:
    its = relations[declared]
    yield ExpiresRule(Expires(declared), claim_ms if its.index_of else -1)
    yield from rules_of_kind(declared, its.derived, its.derived_fields)
    yield from map(CountsRule, its.counts)
    yield from sums_rules(its.sums, its.summed_by)
    yield from map(MirrorsRule, its.mirrors)
    yield from map(RepresentedRule, its.represented_by)
    yield from map(RepresentsRule, its.represents)
    yield from (SpellingRule(index) for index in its.indexed_by if index.spelling)
    yield from (OwnsRule(owns, relations[owns.owner]) for owns in its.owned_by if not owns.without_owner)
    yield from belongs_rules(declared, relations)


def two_sided_rules(
    registry: Registry, relations: Mapping[AnyDeclared, KeyRelations], claim_ms: int
) -> Iterator[TwoSidedRule]:
    for declared, its in relations.items():
        if its.index_of:
            yield IndexesRule(declared, its.index_of, claim_ms)
        yield from map(RefersRule, its.refers)
        yield from map(DescribesRule, its.describes)
        if its.collection_of:
            yield MembershipRule(declared, its.collection_of, owners_of(its))
    for relation in registry.relations:
        if isinstance(relation, Pairs):
            yield PairsRule(relation, owners_of(relations[relation.right]))


def owners_of(collection: KeyRelations) -> list[AnyDeclared]:
    """Records without which a collection must not exist."""
    return [owns.owner for owns in collection.owned_by if not owns.without_owner]


def grouped_by_reads(rules: Iterable[Rule]) -> Iterator[tuple[Rule, ...]]:
    groups: dict[object, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.same_reads, []).append(rule)
    return map(tuple, groups.values())
