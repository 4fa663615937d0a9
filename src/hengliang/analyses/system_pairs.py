"""Paired tests of two systems: signed ranks, sign test, McNemar, permutation, and equivalence.

`JudgedPairs` are a machine's judgements, paired by item; `RatedPairs` people's ratings, of which each counts once or,
to repeat what papers do, once for every system that gave the response. Each says which values of two systems belong
together and which tests may look at them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
import polars as pl

from hengliang.analyses.clustered import mean_with_interval
from hengliang.analyses.observations import (
    COPIES,
    UNIQUE,
    SharedRatings,
    copies,
    observations,
    parts_of,
    rated_responses,
)
from hengliang.analyses.system_differences import CONVENTIONS, ONE_RATER, system_difference
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual, both
from hengliang.statistics import permutation
from hengliang.statistics.contingency import mcnemar
from hengliang.statistics.conventions import Convention, with_sensitivity
from hengliang.statistics.equivalence import Equivalence, against_margin, tost_paired_means
from hengliang.statistics.ranks import sign
from hengliang.statistics.ranks import wilcoxon as signed_ranks
from hengliang.statistics.resampling import Resampling, describe_interval
from hengliang.statistics.results import Effect, Sidedness, TestResult, checksum

__all__ = ["COPIES", "MEAN", "TESTS", "UNIQUE", "Asked", "Found", "JudgedPairs", "RatedPairs", "Refused", "SystemPairs"]

MEAN = "mean difference"
EQUIVALENCE = "equivalence"
TESTS: Mapping[str, str] = {
    "signed ranks": "signed-rank",
    "sign": "sign",
    "mcnemar": "mcnemar",
    "permutation": "paired-permutation",
}
"""The tests of pairs, and what their results are called."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of every comparison: everything that can change a number, besides the values."""

    tests: tuple[str, ...]
    alternative: Sidedness = "two-sided"
    alpha: float = 0.05
    level: float = 0.95
    draws: int = 2000
    permutations: int = 9999
    seed: int = 1
    margin: float | None = None

    def settings(self, first: str, second: str) -> dict[str, Any]:
        """Return the settings that all tests of pairs share."""
        return {
            "names": (first, second),
            "alternative": self.alternative,
            "alpha": self.alpha,
            "level": self.level,
        }

    def resampling(self, level: float) -> Resampling:
        """Return how intervals are made."""
        return Resampling(self.draws, self.seed, level)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a test could not be run, on how many pairs, and how many had no value."""

    reason: Bilingual
    counts: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference over items, with its interval and without a test."""

    names: tuple[str, str]
    effect: Effect
    n: int
    n_missing: int
    data: str

    test: ClassVar[str] = ""
    notes: ClassVar[tuple[Bilingual, ...]] = ()

    def sentence(self) -> Bilingual:
        """Return the difference with its interval."""
        first, second = self.names
        return Bilingual(
            f"{first} minus {second}, mean over {self.n} items: {self.effect}.",
            f"{first}减{second}，{self.n} 个条目的平均：{self.effect}。",
        )

    def signature(self) -> Signature:
        """Return how the difference was made and the checksum of the data."""
        return Signature.of(hengliang=version(), statistic=MEAN, method=self.effect.method, data=self.data)

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give the difference as an estimate."""
        effect, line = self.effect, str(self.signature())
        yield Estimate(
            analysis, dict(by or {}), MEAN, effect.value, effect.low, effect.high, n=self.n, n_missing=self.n_missing,
            method=effect.method, signature=line,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """What one test says about two systems; `corrected` ones are members of a family."""

    first: str
    second: str
    test: str
    ratings: str
    result: TestResult | Equivalence | Difference | Refused
    corrected: bool = True

    @property
    def label(self) -> str:
        """What the comparison is called: the difference is the first minus the second."""
        return f"{self.first} − {self.second}"

    @property
    def place(self) -> dict[str, str]:
        """Where its numbers stand in a table."""
        kind = {"ratings": self.ratings} if self.ratings else {}
        return {"test": self.test, **kind, "system": self.first, "reference": self.second}


class SystemPairs(Protocol):
    """Values of systems that can be compared two at a time."""

    @property
    def systems(self) -> list[str]:
        """The systems, by name."""
        ...

    def compare(self, first: str, second: str, asked: Asked) -> Iterator[Found]:
        """Give what each test says about two systems."""
        ...


def _attempt(
    function: Callable[..., TestResult], conventions: Sequence[Convention], *data: Any, **settings: Any
) -> TestResult | Refused:
    """Run a test with its sensitivity, or say why these data do not allow it."""
    try:
        return with_sensitivity(function, conventions, *data, **settings)
    except UserError as error:
        return Refused(both(error.problem))


def _tested(pairs: pl.DataFrame, test: str, first: str, second: str, asked: Asked) -> TestResult | Refused:
    """Put pairs (columns first, second, and cluster or item and rater for the permutation) to one test."""
    columns = pairs["first"].to_numpy(), pairs["second"].to_numpy()
    settings = asked.settings(first, second)
    if test == "signed ranks":
        result = _attempt(signed_ranks.signed_rank_test, signed_ranks.CONVENTIONS, *columns, **settings)
    elif test == "sign":
        result = _attempt(sign.sign_test, sign.CONVENTIONS, *columns, **settings)
    elif test == "mcnemar":
        result = _attempt(_mcnemar, mcnemar.CONVENTIONS, pairs["first"], pairs["second"], **settings)
    else:
        ways = {"items": pairs["cluster"], "raters": pairs["rater"] if "rater" in pairs.columns else None}
        test_settings = {**settings, **ways, "draws": asked.permutations, "seed": asked.seed}
        result = _attempt(permutation.paired_permutation, permutation.CONVENTIONS, *columns, **test_settings)
    complete = pairs.drop_nulls(["first", "second"]).height
    return replace(result, counts=(complete, pairs.height - complete)) if isinstance(result, Refused) else result


def _mcnemar(first: pl.Series, second: pl.Series, **settings: Any) -> TestResult:
    for values in (first, second):
        others = values.drop_nulls().filter(~values.drop_nulls().is_in([0.0, 1.0]))
        if len(others):
            raise UserError(
                f"McNemar's test takes 0 and 1, and {others[0]:g} is a value.",
                remedy="Use signed ranks or sign for other values, and for means over seeds.",
            )
    return mcnemar.mcnemar_pairs(first.to_list(), second.to_list(), success=1.0, **settings)


# --- a machine's judgements -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """The mean judgement of each system on each item, with the cluster that the item belongs to."""

    means: pl.DataFrame
    unit: str

    @classmethod
    def of(cls, tables: Tables, measure: str, part: tuple[str, ...] = (), cluster: str = "") -> JudgedPairs:
        """Take the judgements of a run; seeds, respondents and parts of an item are averaged."""
        parts = parts_of(tables, measure)
        if len(parts) > 1 and not part:
            raise unknown_name(f"part of '{measure}'", "", parts, remedy=f"Name one: part={parts[0]!r}")
        rows = observations(tables, measure, columns=[cluster] if cluster else [], parts=part)
        unit = cluster or "item"
        rows = rows.with_columns(cluster=pl.col(unit))
        if rows["cluster"].null_count():
            item = rows.filter(pl.col("cluster").is_null())["item"][0]
            raise UserError(
                f"The attribute '{cluster}' is empty for the item '{item}'.", valid="Every item belongs to a cluster."
            )
        means = rows.group_by("system", "item", "cluster").agg(pl.col("value").mean())
        return cls(means.sort("system", "item"), unit)

    @property
    def systems(self) -> list[str]:
        """The systems, by name."""
        return sorted(self.means["system"].drop_nulls().unique().to_list())

    def pairs(self, first: str, second: str) -> pl.DataFrame:
        """Return the items that either system owed an answer to, with what was said of both."""
        sides = [
            self.means.filter(pl.col("system") == system).select("item", "cluster", pl.col("value").alias(name))
            for system, name in ((first, "first"), (second, "second"))
        ]
        return sides[0].join(sides[1], on=["item", "cluster"], how="full", coalesce=True).sort("item")

    def compare(self, first: str, second: str, asked: Asked) -> Iterator[Found]:
        """Give the mean difference, the tests, and the difference against the margin."""
        pairs = self.pairs(first, second)
        yield Found(first, second, MEAN, "", self._difference(pairs, (first, second), asked), corrected=False)
        for test in asked.tests:
            yield Found(first, second, TESTS[test], "", _tested(pairs, test, first, second, asked))
        if asked.margin is not None:
            yield Found(first, second, EQUIVALENCE, "", self._held(pairs, (first, second), asked), corrected=False)

    def _effect(self, pairs: pl.DataFrame, level: float, asked: Asked) -> tuple[Effect, int]:
        complete = pairs.with_columns(difference=pl.col("first") - pl.col("second")).drop_nulls("difference")
        how = asked.resampling(level)
        intervals = mean_with_interval(complete["difference"], complete["cluster"], how)
        if intervals is None:
            raise UserError("There is no item that both systems were judged on.")
        low, high = (None if np.isnan(bound[0]) else float(bound[0]) for bound in (intervals.low, intervals.high))
        method = f"mean paired difference by item; {describe_interval(how, intervals, self.unit)}"
        return Effect(MEAN, "MD", float(intervals.value[0]), low, high, level, method, bounded=False), complete.height

    def _difference(self, pairs: pl.DataFrame, names: tuple[str, str], asked: Asked) -> Difference | Refused:
        try:
            effect, n = self._effect(pairs, asked.level, asked)
        except UserError as error:
            return Refused(both(error.problem), (0, pairs.height))
        data = checksum(pairs["first"].to_numpy(), pairs["second"].to_numpy())
        return Difference(names, effect, n, pairs.height - n, data)

    def _held(self, pairs: pl.DataFrame, names: tuple[str, str], asked: Asked) -> Equivalence | Refused:
        try:
            # An interval of this level is as strict as two one-sided tests at α.
            effect, n = self._effect(pairs, 1 - 2 * asked.alpha, asked)
            equivalence = against_margin(effect, asked.margin or 0.0, names=names)
        except UserError as error:
            return Refused(both(error.problem), (0, pairs.height))
        return replace(equivalence, n=n, n_missing=pairs.height - n)


# --- people's ratings -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class RatedPairs:
    """People's ratings and who gave the responses, to be compared with each rating once, with copies, or both."""

    shared: SharedRatings
    kinds: tuple[str, ...] = (UNIQUE,)

    @classmethod
    def of(
        cls, tables: Tables, measure: str, part: tuple[str, ...] = (), kinds: tuple[str, ...] = (UNIQUE,)
    ) -> RatedPairs:
        """Take the ratings of a run."""
        if len(part) > 1:
            raise UserError(f"Ratings of {len(part)} parts cannot be compared together.", valid="One part.")
        return cls(rated_responses(tables, measure, *part), kinds)

    @property
    def systems(self) -> list[str]:
        """The systems, by name."""
        return self.shared.systems

    def pairs(self, first: str, second: str) -> pl.DataFrame:
        """Return the ratings by the same rater of the same item, copies of one rating among them."""
        rows = copies(self.shared)
        sides = []
        for system, name in ((first, "first"), (second, "second")):
            self.shared.responses_of(system)  # refuses a system with two responses to one item
            own = rows.filter(pl.col("system") == system)
            sides.append(own.select("item", "rater", pl.col("value").alias(name)))
        both_sides = sides[0].join(sides[1], on=["item", "rater"], how="full", coalesce=True)
        return both_sides.with_columns(cluster="item").sort("item", "rater")

    def compare(self, first: str, second: str, asked: Asked) -> Iterator[Found]:
        """Give what each kind of ratings says."""
        for kind in self.kinds:
            yield from (self._unique if kind == UNIQUE else self._copied)(first, second, asked)

    def _unique(self, first: str, second: str, asked: Asked) -> Iterator[Found]:
        result = self._difference(first, second, asked, asked.level)
        yield Found(first, second, "system-difference", UNIQUE, result)
        if asked.margin is not None:
            yield Found(first, second, EQUIVALENCE, UNIQUE, self._held(first, second, asked), corrected=False)

    def _difference(self, first: str, second: str, asked: Asked, level: float) -> TestResult | Refused:
        settings = {**asked.settings(first, second), "level": level}
        del settings["names"]
        settings |= {"draws": asked.draws, "permutations": asked.permutations, "seed": asked.seed}
        return _attempt(system_difference, CONVENTIONS, self.shared, first, second, **settings)

    def _held(self, first: str, second: str, asked: Asked) -> Equivalence | Refused:
        result = self._difference(first, second, asked, 1 - 2 * asked.alpha)
        if isinstance(result, Refused):
            return result
        try:
            equivalence = against_margin(result.effect(MEAN), asked.margin or 0.0, names=(first, second))
        except UserError as error:
            return Refused(both(error.problem), (result.n, result.n_missing))
        alone = tuple(note for note in result.notes if note == ONE_RATER)
        return replace(equivalence, n=result.n, n_missing=result.n_missing, notes=alone)

    def _copied(self, first: str, second: str, asked: Asked) -> Iterator[Found]:
        pairs = self.pairs(first, second)
        for test in asked.tests:
            result = _tested(pairs, test, first, second, asked)
            if isinstance(result, TestResult):
                result = replace(result, conventions={**result.conventions, "ratings": "with copies"})
            yield Found(first, second, TESTS[test], COPIES, result)
        if asked.margin is None:
            return
        names, columns = (first, second), (pairs["first"].to_numpy(), pairs["second"].to_numpy())
        equivalence: Equivalence | Refused
        try:
            equivalence = tost_paired_means(*columns, margin=asked.margin, names=names, alpha=asked.alpha)
        except UserError as error:
            equivalence = Refused(both(error.problem))
        yield Found(first, second, EQUIVALENCE, COPIES, equivalence, corrected=False)
