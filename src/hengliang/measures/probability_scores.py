"""How much probability did the system give to the right answer, and how much to the others?

    log loss          −ln max(p(gold), floor), in nats; 0 is best
    Brier             Σ over classes of (p − [class is gold])², from 0 (best) to 2 [1]
    gold probability  p(gold)
    confidence        p of the first choice

A ranking names its best choices only. The probability that it does not give away is spread evenly over the `classes`
that it does not name, so that every class has one. A gold answer that is neither named nor a class has probability 0;
the floor keeps its log loss finite, and is the millionth to which rankings are rounded.

[1] Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly Weather Review 78.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.judging import first_problem, judgements, with_gold, with_seed
from hengliang.core.records import JUDGEMENT_SCHEMA, ResponseKind
from hengliang.core.registry import register
from hengliang.core.signature import Signature, digest
from hengliang.core.terms import Bilingual
from hengliang.materials.classifier_inventory import own_classifiers
from hengliang.systems.classifier_choosers.rankings import DIGITS

PARTS = ("log loss", "Brier", "gold probability", "confidence")
FLOOR = 10.0**-DIGITS
NO_PROBABILITY = "the ranking holds something that is no probability"
TOO_MUCH = "the probabilities of the ranking sum to more than 1"
TWICE = "the ranking names a label twice"

_SLACK = 1e-3
"""By how much the sum of a ranking's rounded probabilities may exceed 1."""


@register("probability scores")
class ProbabilityScores(Measure):
    """Log loss and Brier score of each ranking, the probability of the gold answer, and that of the first choice.

    `classes` are the answers that are possible; none named means the classifiers of our own inventory. A system that
    gives labels without probabilities has no such scores. Several seeds of one system are named apart.
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("ranking",)
    title = Bilingual("Probability scores", "概率评分")

    def __init__(
        self,
        parts: Sequence[str] = PARTS,
        classes: Sequence[str] = (),
        floor: float = FLOOR,
        name: str = "probability",
    ) -> None:
        self.parts = (parts,) if isinstance(parts, str) else tuple(parts)
        self.classes = tuple(classes)
        self.floor = floor
        self.name = name

    def signature(self) -> Signature:
        """Return the arguments, and the classes by their content."""
        return super().signature().and_(spread=digest(*self._classes()))

    def _classes(self) -> list[str]:
        named = self.classes or tuple(classifier.form for classifier in own_classifiers())
        return sorted(pl.Series(named, dtype=pl.String).str.normalize("NFC").unique().to_list())

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one judgement for each answer of each system and seed, and each part."""
        for part in self.parts:
            if part not in PARTS:
                raise unknown_name("probability score", part, PARTS)
        if not 0 < self.floor < 1:
            raise UserError(f"The floor {self.floor} is no probability.", valid="0 < floor < 1, for example 1e-6.")
        found = _with_scores(with_gold(items, responses), self._classes(), self.floor)
        judge = f"unnamed probability spread over classes, floor {self.floor:g}"
        frames = [
            judgements(found, self.name, judge, value=part, part=part, scored_system=with_seed()) for part in self.parts
        ]
        return pl.concat([pl.DataFrame(schema=JUDGEMENT_SCHEMA), *frames])


def _with_scores(found: pl.DataFrame, classes: Sequence[str], floor: float) -> pl.DataFrame:
    """Add a column for each part, and the problem of a ranking whose numbers are no probabilities."""
    found = found.with_row_index("row")
    sums = _sums(found, classes)
    found = found.join(sums, on="row", how="left", maintain_order="left")
    problem = first_problem(
        (pl.col("problem") != "", pl.col("problem")),
        (pl.col("broken"), NO_PROBABILITY),
        (pl.col("twice"), TWICE),
        (pl.col("mass") > 1 + _SLACK, TOO_MUCH),
    )
    left = (1 - pl.col("mass")).clip(0.0)
    unnamed = len(classes) - pl.col("named_classes")
    each = pl.when(unnamed > 0).then(left / unnamed).otherwise(0.0)
    is_class = pl.col("gold").is_in(classes)
    gold = pl.when(pl.col("names_gold")).then("gold_mass").when(is_class).then(each).otherwise(0.0)
    return found.with_columns(problem=problem, each=each, unnamed=unnamed, p=gold).with_columns(
        (-pl.col("p").clip(floor, 1.0).log()).alias("log loss"),
        (pl.col("squares") + pl.col("unnamed") * pl.col("each") ** 2 - 2 * pl.col("p") + 1).clip(0.0).alias("Brier"),
        pl.col("p").alias("gold probability"),
        pl.col("first").alias("confidence"),
    )


def _sums(found: pl.DataFrame, classes: Sequence[str]) -> pl.DataFrame:
    """Return what the scores of each answered ranking are made of."""
    pieces = found.filter(pl.col("problem") == "").select("row", "gold", "content").explode("content").unnest("content")
    pieces = pieces.with_columns(pl.col("label").str.normalize("NFC"))
    p, is_gold = pl.col("probability"), pl.col("label") == pl.col("gold")
    return pieces.group_by("row").agg(
        broken=(p.is_null() | p.is_nan() | (p < 0) | (p > 1)).any(),
        twice=pl.col("label").is_duplicated().any(),
        mass=p.sum(),
        squares=(p * p).sum(),
        first=p.first(),
        names_gold=is_gold.any(),
        gold_mass=p.filter(is_gold).sum(),
        named_classes=pl.col("label").is_in(classes).sum().cast(pl.Int64),
    )


def probability_scores(
    parts: Sequence[str] = PARTS, *, classes: Sequence[str] = (), floor: float = FLOOR, name: str = "probability"
) -> ProbabilityScores:
    """Judge the probabilities that a system gives to its choices."""
    return ProbabilityScores(parts, classes, floor, name)
