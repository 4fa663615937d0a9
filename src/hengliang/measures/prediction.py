"""Is what a suite predicts true of a model, and by how many nats?

`prediction` says of each set and each formula whether it holds (1) or not (0); `surprisal_difference` says by how much,
the margin of the formula, positive where it holds. A formula with `>` or `<` whose sides are equal does not hold; it is
labelled a tie, so that ties are reported, and a coin with a seed can settle it as in [1].

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, section 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, get_args

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.closure import outside_signatures
from hengliang.core.errors import unknown_name
from hengliang.core.judging import UNSETTLED, judgements
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual
from hengliang.core.views import View
from hengliang.language_models.regions import Edges
from hengliang.materials.suites.formulas import FAILURE, SUCCESS, TIE
from hengliang.measures.formula_values import verdicts

Ties = Literal["failure", "coin"]
"""A tie does not satisfy `>` and counts as a failure, or a fair coin with a seed decides."""

JUDGE = "formula"
"""Who judges in the judgements of both measures."""
WON, LOST = "tie won", "tie lost"
LABELS = {SUCCESS: "success", FAILURE: "failure", TIE: UNSETTLED}
"""What a judgement is called; a tie that a coin has settled is `tie won` or `tie lost`."""


def toss(seed: int, *names: str) -> float:
    """Toss one fair coin, known by its names: 1 or 0."""
    return float(int(digest("coin", str(seed), *names), 16) % 2)


@register("prediction")
class PredictionMeasure(Measure):
    """Whether each prediction of a suite holds for each set and model; seeds of a model are judged apart.

    `edges` says what becomes of a unit of the model that crosses the edge of a region (`hengliang.…regions.Edges`).
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("units",)
    title = Bilingual("Prediction", "预测")

    def __init__(
        self, ties: Ties = "failure", coin_seed: int = 0, edges: Edges = "refuse", name: str = "prediction"
    ) -> None:
        self.ties = ties
        self.coin_seed = coin_seed
        self.edges = edges
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return a judgement about each set, model and prediction: 1 or 0, and a label (`LABELS`)."""
        if self.ties not in get_args(Ties):
            raise unknown_name("treatment of ties", self.ties, get_args(Ties))
        found = verdicts(items, responses, self.edges)
        label = pl.col("outcome").replace_strict(LABELS, default=None, return_dtype=pl.String)
        found = found.with_columns(label=label, value=(pl.col("outcome") == SUCCESS).cast(pl.Float64))
        if self.ties == "coin":
            coin = pl.Series(self._coins(found), dtype=pl.Float64)
            settled = pl.when(coin == 1).then(pl.lit(WON)).when(coin == 0).then(pl.lit(LOST))
            found = found.with_columns(value=pl.coalesce(coin, "value"), label=pl.coalesce(settled, "label"))
        return _judgements(found, self.name, label="label")

    @outside_signatures("a view shows judgements and makes none")
    def views(
        self, items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], judgements: pl.DataFrame
    ) -> Sequence[View]:
        """Return the items that models fail, word by word; of several measures of this kind, the first shows them."""
        from hengliang.report.suite_item_building import prediction_measure
        from hengliang.report.suite_items import suite_views
        from hengliang.report.suite_items_html import failing_items_view

        judged = judgements.filter(pl.col("judge") == JUDGE)
        if "units" not in responses or prediction_measure(judged) != self.name:
            return ()
        suites = suite_views(items, responses["units"], judged, edges=self.edges)
        return [failing_items_view(suites)] if suites else ()

    def _coins(self, found: pl.DataFrame) -> list[float | None]:
        """Toss for each tie by its own name, so that no other row and no order can change it."""
        return [
            toss(self.coin_seed, *names) if label == LABELS[TIE] else None
            for *names, label in found.select("set", "scored_system", "part", "label").iter_rows()
        ]


@register("surprisal difference")
class SurprisalDifference(Measure):
    """By how many nats each prediction of a suite holds; negative where it does not."""

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("units",)
    title = Bilingual("Surprisal difference", "惊异度差")

    def __init__(self, edges: Edges = "refuse", name: str = "surprisal difference") -> None:
        self.edges = edges
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return the margin of each prediction for each set and model."""
        return _judgements(verdicts(items, responses, self.edges), self.name, value="margin")


def _judgements(found: pl.DataFrame, measure: str, value: str = "value", label: str | None = None) -> pl.DataFrame:
    """Return the judgements about sets, which have no status of their own but reasons why they are not judged."""
    return judgements(
        found,
        measure,
        JUDGE,
        value=value,
        label=label,
        problem="reason",
        part=pl.col("part"),
        about="set",
        scored_system="scored_system",
    )


def prediction(
    ties: Ties = "failure", *, coin_seed: int = 0, edges: Edges = "refuse", name: str = "prediction"
) -> PredictionMeasure:
    """Judge whether what the suites predict holds for each model."""
    return PredictionMeasure(ties, coin_seed, edges, name)


def surprisal_difference(edges: Edges = "refuse", *, name: str = "surprisal difference") -> SurprisalDifference:
    """Judge by how many nats what the suites predict holds."""
    return SurprisalDifference(edges, name)
