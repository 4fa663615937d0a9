"""Does the kit catch a measure that breaks its promises?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
import pytest

from hengliang.classifiers import label_match
from hengliang.core import Bilingual, View
from hengliang.core.base_classes import Measure
from hengliang.core.records import JUDGEMENT_SCHEMA, ResponseKind, judgements_frame


class Judges(Measure):
    """Gives each answer the value that `value` says."""

    name = "judges"
    kinds = ("label",)

    def value(self, responses: pl.DataFrame) -> pl.Series:
        return pl.Series([1.0 if held == "ok" else None for held in responses["status"]], dtype=pl.Float64)

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        frame = responses.select(
            about="id",
            scored_system="system",
            measure=pl.lit("m"),
            part=pl.lit(""),
            judge_kind=pl.lit("machine"),
            judge=pl.lit("j"),
            value=pl.lit(self.value(responses)) if responses.height else pl.lit(None, dtype=pl.Float64),
            label=pl.lit(None, dtype=pl.String),
            status="status",
            reason="reason",
        )
        return frame.select(list(JUDGEMENT_SCHEMA))


class Zeroes(Judges):
    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        frame = super().judge(items, responses)
        return frame.with_columns(value=pl.col("value").fill_null(0.0), status=pl.lit("ok"))


class Ordered(Judges):
    def value(self, responses: pl.DataFrame) -> pl.Series:
        values = range(responses.height)
        return pl.Series([float(n) if s == "ok" else None for n, s in zip(values, responses["status"], strict=True)])


class Bare(Judges):
    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        return judgements_frame([]).drop("judge")


class Shown(Judges):
    def views(
        self, items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], judgements: pl.DataFrame
    ) -> Sequence[View]:
        text = Bilingual(f"{judgements.height} judgements", "评判")
        return [View("judged", "judged", text, "", text), View("others", "judged", text, "", text)]


def broken(measure: Measure) -> list[str]:
    return [finding.promise for finding in measure.conformance() if not finding.kept]


def test_good_measures_keep_their_promises() -> None:
    assert broken(Judges()) == []
    assert broken(label_match()) == []


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (Zeroes, "gives no value to what was not answered"),
        (Ordered, "does not look at the order of the answers"),
        (Bare, "gives a right judgement table"),
        (Shown, "has views that a report can show"),
    ],
)
def test_a_broken_promise_is_caught(kind: type[Measure], promise: str) -> None:
    assert promise in broken(kind())
