"""Judges many rows by their rules in one round trip. It is not one moment, so faults are only suspicions."""

from collections.abc import Iterable, Sequence

from townsquare.integrity.rules.rule import Row, Rule, Suspicion, faults
from townsquare.integrity.store_reader import StoreReader

Judgement = tuple[Sequence[Rule], Sequence[Row]]  # rules that read the same, and the rows to judge by them


async def suspicions(reader: StoreReader, judgements: Iterable[Judgement]) -> list[Suspicion]:
    asked = [(rules, rows, rules[0].reads(rows)) for rules, rows in judgements if rows]
    replies = iter(await reader.read_columns([column for _, _, columns in asked for column in columns]))
    found: list[Suspicion] = []
    for rules, rows, columns in asked:
        answers = [next(replies) for _ in columns]
        for rule in rules:
            found += [Suspicion(rule, row) for row, _ in faults(rule, rows, answers)]
    return found
