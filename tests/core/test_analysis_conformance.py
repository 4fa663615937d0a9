"""Does the kit catch an analysis that breaks its promises?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang.analyses import accuracy
from hengliang.core.base_classes import Analysis, Layout
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.runs import Tables


class Counts(Analysis):
    name = "counts"

    def value(self, tables: Tables) -> float:
        return float(tables.items.height)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        return estimates_frame([Estimate("counts", {}, "items", self.value(tables), method="count", signature="a:b")])

    def layout(self) -> Layout:
        return Layout(rows=())


class First(Counts):
    def value(self, tables: Tables) -> float:
        return float(tables.items["block"][0])


class Unsigned(Counts):
    def estimate(self, tables: Tables) -> pl.DataFrame:
        return super().estimate(tables).with_columns(signature=pl.lit(""))


class Misnamed(Counts):
    def estimate(self, tables: Tables) -> pl.DataFrame:
        return super().estimate(tables).with_columns(analysis=pl.lit("other"))


class Choosy(Counts):
    def estimate(self, tables: Tables) -> pl.DataFrame:
        raise UserError("There is no measure 'fluency'.")


def broken(analysis: Analysis) -> list[str]:
    return [finding.promise for finding in analysis.conformance() if not finding.kept]


def test_good_analyses_keep_their_promises() -> None:
    assert broken(Counts()) == []
    assert broken(accuracy(draws=50)) == []
    assert broken(Choosy()) == []


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (First, "does not look at the order of rows"),
        (Unsigned, "says of every number how it was made"),
        (Misnamed, "gives a right estimate table"),
    ],
)
def test_a_broken_promise_is_caught(kind: type[Analysis], promise: str) -> None:
    assert promise in broken(kind())
