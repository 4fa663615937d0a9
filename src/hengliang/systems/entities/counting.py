"""How many entities of each type does each sentence have?

A system of the kind `counts`: it can stand in a study beside the language models, so that what a coarse representation
does to a score can be seen against what there was to replace. A sentence without entities is answered with no counts; a
sentence that the recogniser could not read has no answer.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import polars as pl

from hengliang.core.base_classes import System, answer_schema
from hengliang.core.labelling.recognisers import ENTITY_TYPES, Recogniser, recogniser
from hengliang.core.labelling.remembered_spans import remembered_entities
from hengliang.core.records import CONTENT_TYPES, ResponseKind
from hengliang.core.terms import Bilingual


class EntityCounts(System):
    """Counts the entities that a recogniser finds, in the order of `ENTITY_TYPES`; a type without any is left out."""

    kind: ClassVar[ResponseKind] = "counts"
    looks_at: ClassVar[tuple[str, ...] | None] = ()
    title = Bilingual("Entities by type", "各类实体数")

    def __init__(self, recogniser: Recogniser, name: str = "") -> None:
        self.recogniser = recogniser
        self.name = name or f"entities ({recogniser.name})"

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return how many entities of each type each item's content has."""
        # A model that replaces entities asks for the same ones; whoever comes second finds them in the cache.
        found = remembered_entities(self.recogniser, items["content"].to_list())
        counts = [
            None if problem else _counts(Counter(label for _, _, label in found.of(row)))
            for row, problem in enumerate(found.problems)
        ]
        answers = pl.DataFrame(
            {
                "item": items["id"],
                "content": pl.Series(counts, dtype=CONTENT_TYPES["counts"]),
                "reason": pl.Series(found.problems, dtype=pl.String),
            }
        )
        status = pl.when(pl.col("reason") == "").then(pl.lit("ok")).otherwise(pl.lit("failed"))
        return answers.with_columns(status=status).select(list(answer_schema("counts")))


def _counts(held: Counter[str]) -> list[dict[str, str | int]]:
    order = [*ENTITY_TYPES, *sorted(set(held) - set(ENTITY_TYPES))]
    return [{"kind": label, "count": held[label]} for label in order if held[label]]


def entity_counts(reference: str | Recogniser = "spacy") -> EntityCounts:
    """Count the entities that a recogniser, given by name or as it is, finds in each sentence."""
    return EntityCounts(recogniser(reference) if isinstance(reference, str) else reference)
