"""How far does one recogniser find what another finds?

Precision, recall and F1 by type on exact spans: an entity counts as found when both give the same stretch the same
type. Texts about which either has a problem are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from hengliang.core.labelling.recognisers import ENTITY_TYPES, Recogniser, recognise_safely
from hengliang.core.labelling.spans import LabelledSpans

ALL = "all"
"""The row about entities of every type together."""


@dataclass(frozen=True, slots=True, eq=False)
class EntityAgreement:
    """What one recogniser finds of what a reference finds.

    `by_type` has a row a type that either gives, in the order of the eighteen, and then the row `all`; the columns are
    type, reference, found, both, precision, recall and f1, of which the last three are missing where they are not
    defined. `texts` were compared and `left_out` were not, because one of the two has a problem with them.
    """

    by_type: pl.DataFrame
    texts: int
    left_out: int


def entity_agreement(found: LabelledSpans, reference: LabelledSpans) -> EntityAgreement:
    """Compare the entities that were found in some texts with those that a reference has for the same texts."""
    if len(found) != len(reference):
        raise ValueError(f"{len(found)} texts are compared with {len(reference)}")
    both: Counter[str] = Counter()
    given: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    texts = 0
    for row, problems in enumerate(zip(found.problems, reference.problems, strict=True)):
        if any(problems):
            continue
        texts += 1
        here, there = set(found.of(row)), set(reference.of(row))
        given.update(kind for _, _, kind in here)
        expected.update(kind for _, _, kind in there)
        both.update(kind for _, _, kind in here & there)
    kinds = sorted({*given, *expected}, key=_order)
    rows = [(kind, expected[kind], given[kind], both[kind]) for kind in kinds]
    rows.append((ALL, expected.total(), given.total(), both.total()))
    return EntityAgreement(_with_rates(rows), texts, len(found) - texts)


def compare_recognisers(recogniser: Recogniser, reference: Recogniser, contents: Sequence[str]) -> EntityAgreement:
    """Let two recognisers read the same texts and compare what they find."""
    return entity_agreement(recognise_safely(recogniser, contents), recognise_safely(reference, contents))


def _order(kind: str) -> tuple[int, str]:
    known = list(ENTITY_TYPES)
    return (known.index(kind) if kind in ENTITY_TYPES else len(known), kind)


def _with_rates(rows: list[tuple[str, int, int, int]]) -> pl.DataFrame:
    schema = {"type": pl.String, "reference": pl.Int64, "found": pl.Int64, "both": pl.Int64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    reference, found, both = pl.col("reference"), pl.col("found"), pl.col("both")
    return table.with_columns(
        precision=pl.when(found > 0).then(both / found),
        recall=pl.when(reference > 0).then(both / reference),
        f1=pl.when(reference + found > 0).then(2 * both / (reference + found)),
    )
