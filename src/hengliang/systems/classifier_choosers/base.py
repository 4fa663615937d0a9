"""What must a system do to choose classifiers?

It answers one question: given a sentence, the place in it where a classifier is wanted, and the noun it belongs to,
which classifiers fit, the best first, and how probable is each? Everything else is derived from that.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

import polars as pl

from hengliang.core.base_classes import System, answer_schema
from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, examine, general_promises
from hengliang.core.errors import UserError
from hengliang.core.records import CONTENT_TYPES, Choice, ResponseKind
from hengliang.core.registry import make
from hengliang.systems.classifier_choosers.conformance import chooser_promises
from hengliang.systems.classifier_choosers.slots import SLOT_SCHEMA, slots_of

RANKING = CONTENT_TYPES["ranking"]

Rankings = pl.Series | Sequence[Sequence[Choice]]


class ClassifierChooser(System):
    """A system that fills classifier slots: derive from it, write `choose`, and everything else follows."""

    role: ClassVar[str] = "classifier chooser"
    kind: ClassVar[ResponseKind] = "ranking"
    top: int | None = None
    """How many classifiers a ranking names at most; None: all that are possible, and their probabilities sum to 1."""

    @abstractmethod
    def choose(self, slots: pl.DataFrame) -> Rankings:
        """Return one ranking a slot, in their order: classifiers with their probabilities, the best first.

        `slots` has the columns `sentence` (unsegmented, without the classifier), `slot` (the byte offset in its UTF-8
        where the classifier goes) and `noun` (the head noun, empty if it is not known). The rankings are lists of
        `Choice`, or a polars Series of the type `CONTENT_TYPES["ranking"]`. An empty ranking means: no answer.
        The probabilities sum to 1, or to less where `top` says that only the best are named.
        """

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return one row an item; an item without a usable slot fails with the reason, an empty ranking is missing."""
        slots = slots_of(items)
        asked = slots.filter(pl.col("problem") == "")
        chosen = self.ranked(asked) if asked.height else pl.Series([], dtype=RANKING)
        found = asked.select("row").with_columns(content=chosen, empty=chosen.list.len() == 0)
        none, failed = pl.col("empty").fill_null(False), pl.col("problem") != ""
        answers = slots.join(found, on="row", how="left", maintain_order="left").with_columns(
            item=items["id"],
            content=pl.when(none.not_()).then("content"),
            status=pl.when(failed).then(pl.lit("failed")).when(none).then(pl.lit("missing")).otherwise(pl.lit("ok")),
            reason=pl.when(none).then(pl.lit("the chooser gave no classifier")).otherwise("problem"),
        )
        return answers.select(list(answer_schema("ranking")))

    def ranked(self, slots: pl.DataFrame) -> pl.Series:
        """Return what `choose` gives as a Series of rankings, whichever form that has; no answer is an empty one."""
        chosen = _series(self.choose(slots.select(list(SLOT_SCHEMA))), self)
        if len(chosen) != slots.height:
            raise UserError(
                f"The classifier chooser '{self.name}' returned {len(chosen)} rankings for {slots.height} slots.",
                remedy=f"Return one ranking a slot, in order, then try: hengliang check {self.name}",
            )
        return chosen

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a classifier chooser on itself."""
        return examine([*general_promises(self), *chooser_promises(self)])


def _series(rankings: Rankings, chooser: ClassifierChooser) -> pl.Series:
    if not isinstance(rankings, pl.Series):
        rows = [
            [{"label": choice.label, "probability": choice.probability} for choice in ranking] for ranking in rankings
        ]
        return pl.Series(rows, dtype=RANKING)
    if rankings.dtype != RANKING:
        raise UserError(
            f"The classifier chooser '{chooser.name}' returned a Series of the type {rankings.dtype}.",
            valid=f"Valid: {RANKING}, or lists of Choice.",
            remedy=f"Mend its method choose, then try: hengliang check {chooser.name}",
        )
    return rankings.fill_null([]) if rankings.null_count() else rankings


def chooser(name: str, /, **options: object) -> ClassifierChooser:
    """Return the classifier chooser of this name, ours or a plug-in's, made with these options.

    >>> chooser("GE").name
    'GE'
    """
    return make("classifier chooser", name, ClassifierChooser, options)
