"""One-sample tests: Student's t, Wilcoxon's signed ranks and the sign test of a measure's mean against a number.

`one_sample("surprisal difference", by=("system", "class"))` tests the mean of each group against `mu` with Student's t,
and beside it with Wilcoxon's signed ranks and the sign test. What is judged several times is averaged first: an item
with four modifiers and three seeds is one observation, not twelve, for these twelve are not independent. Figure 4 of
[1] is such a test; the paper does not say what its observations are, so that `unit` offers all three.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, cast, get_args

import numpy as np
import polars as pl

from hengliang.analyses.comparison import CHOSEN, CONVENTION
from hengliang.analyses.observations import observations
from hengliang.analyses.outcomes import bilingual_reason
from hengliang.analyses.subsets import (
    Derived,
    Group,
    OpenTies,
    Where,
    as_names,
    column_titles,
    count_open_ties,
    counting_parts,
    grouped,
    level_titles,
    named_levels,
    of_materials,
    restricted,
    ties_sentence,
    with_derived,
    with_open_ties,
)
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.location_tests import LOCATION_TESTS, LocationTest, location_test
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, FamilyResult, family
from hengliang.statistics.results import Sidedness, TestResult, check_alpha, check_choice, check_sidedness, p_remark

Unit = Literal["cluster", "set", "judgement"]
"""What one observation is: the mean of a cluster, the mean of a set of items, or every single judgement."""

MEAN = "mean"
MEASURES: Mapping[str, Bilingual] = {"surprisal difference": Bilingual("surprisal difference", "惊异度差")}
STATISTICS: Mapping[str, StatisticLabel] = {
    MEAN: StatisticLabel(Bilingual("Mean", "平均值"), "number", 3),
    "t": StatisticLabel(Bilingual("t", "t"), "number", 2),
    "cohen-d": StatisticLabel(Bilingual("Cohen's d", "Cohen d"), "number", 2),
    "signed rank": StatisticLabel(Bilingual("Signed ranks, W₊", "符号秩 W₊"), "number", 1),
    "rank-biserial": StatisticLabel(Bilingual("Rank-biserial r", "秩二列相关 r"), "number", 2),
    "sign": StatisticLabel(Bilingual("Above, n₊", "高于者 n₊"), "integer", 0),
    "share": StatisticLabel(Bilingual("Share above", "高于者比例"), "number", 2),
    **{
        f"adjusted p, {test}": StatisticLabel(Bilingual(f"Adjusted p, {title.en}", f"校正后的 p（{title.zh}）"), "p")
        for test, title in LOCATION_TESTS.items()
    },
}
_OWN_EFFECTS = {"t": ("cohen-d",), "signed rank": ("rank-biserial",), "sign": ("share",)}
_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """The observations of a group and what the tests say of them; a test that could not be run has the reason."""

    group: Group
    values: np.ndarray
    n_missing: int
    results: Mapping[LocationTest, TestResult | str]

    def test(self, name: LocationTest) -> TestResult | None:
        """Return a result, if the test could be run."""
        result = self.results[name]
        return result if isinstance(result, TestResult) else None


@register("one-sample test")
class OneSample(Analysis):
    """Tests of the mean of a measure against one number, in each group of observations.

    `by`, `where`, `without` and `derived` are those of `hengliang.analyses.grouped_models`. `unit` is what one
    observation is: "cluster" averages seeds and parts within each set, then the sets of each `cluster` (an attribute
    of items); "set" stops before; "judgement" takes every judgement for independent of all others. `tests` are "t",
    "signed rank" and "sign". `ties` says what becomes of predictions that are ties ("half", "left out", "failure"), for
    example where `prediction` is tested against 0.5. The groups by one test are a family for `correction`.
    """

    explanation = Bilingual(
        "The mean with its interval by Student's t, and tests of whether it differs from the stated number. n counts "
        "observations that are taken for independent. Signed ranks take differences for symmetric; the sign test looks "
        "at directions only.",
        "给出平均值及其 t 区间，并检验其是否不同于给定数值。n 为视作独立的观测数。"
        "符号秩检验假定差值对称分布；符号检验只看方向。",
    )

    def __init__(
        self,
        measure: str = "surprisal difference",
        by: str | Sequence[str] = ("system", "class"),
        where: Where = _NONE,
        without: Where = _NONE,
        derived: Derived = MappingProxyType({}),
        part: str | Sequence[str] = (),
        mu: float = 0.0,
        tests: str | Sequence[str] = ("t", "signed rank", "sign"),
        unit: Unit = "cluster",
        cluster: str = "frame",
        alternative: Sidedness = "two-sided",
        ties: OpenTies = "half",
        correction: Correction = "none",
        level: float = 0.95,
        alpha: float = 0.05,
        name: str = "",
    ) -> None:
        self.measure = measure
        self.by = as_names(by)
        self.where = {column: named_levels(levels) for column, levels in where.items()}
        self.without = {column: named_levels(levels) for column, levels in without.items()}
        self.derived = {
            new: {old: dict(mapping) for old, mapping in sources.items()} for new, sources in derived.items()
        }
        self.part = as_names(part)
        self.mu = mu
        self.tests = cast(tuple[LocationTest, ...], as_names(tests))
        self.unit: Unit = unit
        self.cluster = cluster
        self.alternative: Sidedness = alternative
        self.ties: OpenTies = ties
        self.correction: Correction = correction
        self.level = level
        self.alpha = alpha
        self.name = name or f"one-sample test {measure}".strip()
        measure_title = MEASURES.get(measure, both(measure))
        self.title = Bilingual(f"Is the mean {measure_title.en} {mu:g}?", f"{measure_title.zh}的平均值是否为 {mu:g}？")

    def tested(self, tables: Tables) -> tuple[list[Tested], tuple[Bilingual, ...]]:
        """Return observations and tests of each group, and what is said of observations that are in none."""
        self._check()
        tables = restricted(with_derived(tables, self.derived), self.measure, self.where, self.without)
        parts = counting_parts(tables, self.measure, self.part)
        columns = [self.cluster] if self.unit == "cluster" else []
        observations(tables, self.measure, columns=columns, parts=parts)
        tables = with_open_ties(tables, self.measure, self.ties)
        grouping = grouped(tables, self.measure, self.by, parts)
        counts = [count_open_ties(group.tables, self.measure, parts) for group in grouping.groups]
        ties, judged = (sum(count[index] for count in counts) for index in (0, 1))
        remarks = (ties_sentence(ties, judged, self.ties),) if ties else ()
        return [self._tested(group, columns) for group in grouping.groups], (*remarks, *grouping.remarks)

    def _check(self) -> None:
        for test in self.tests:
            check_choice("test", test, get_args(LocationTest))
        check_choice("unit", self.unit, get_args(Unit))
        check_choice("correction", self.correction, tuple(CORRECTIONS))
        check_choice("ties", self.ties, get_args(OpenTies))
        check_sidedness(self.alternative)
        check_alpha(self.alpha)
        if not math.isfinite(self.mu):
            raise UserError(f"mu = {self.mu} is no number to test against.", valid="A finite number, usually 0.")

    def _tested(self, group: Group, columns: list[str]) -> Tested:
        parts = self.part or counting_parts(group.tables, self.measure)
        rows = observations(group.tables, self.measure, columns=columns, parts=parts)
        values, n_missing = self.observed(rows)
        measure_title = MEASURES.get(self.measure, both(self.measure))
        label = group.label
        subject = Bilingual(f"{measure_title.en} of {label.en}", f"{label.zh}的{measure_title.zh}")
        results: dict[LocationTest, TestResult | str] = {}
        for test in get_args(LocationTest):
            try:
                results[test] = location_test(
                    test, values, self.mu, subject, alternative=self.alternative, alpha=self.alpha, level=self.level
                )
            except UserError as error:
                results[test] = error.problem
        return Tested(group, values, n_missing, results)

    def observed(self, rows: pl.DataFrame) -> tuple[np.ndarray, int]:
        """Return one number for each unit, and how many units have none."""
        if self.unit == "judgement":
            values = rows["value"].drop_nulls()
            return values.to_numpy(), rows.height - len(values)
        last = self.cluster if self.unit == "cluster" else "set"
        empty = rows.filter(pl.col(last).is_null())
        if empty.height:
            raise UserError(
                f"The attribute '{last}' is empty for the set '{empty['set'][0]}'.",
                remedy="Name another attribute as cluster, or take every set by itself: unit='set'.",
            )
        means = rows.group_by(list(dict.fromkeys([last, "set"]))).agg(pl.col("value").mean())
        if self.unit == "cluster":
            # Means of means, so that a set with more seeds or parts has no more weight than its neighbours.
            means = means.sort(last, "set").group_by(last, maintain_order=True).agg(pl.col("value").mean())
        values = means.sort(last)["value"].drop_nulls()
        return values.to_numpy(), means.height - len(values)

    # --- estimates ----------------------------------------------------------------------------------------------------

    def conclude(self, tables: Tables) -> Conclusion:
        """Return mean, tests and effect sizes of each group, and what they say in words."""
        tested, remarks = self.tested(tables)
        rows = [row for group_tests in tested for row in self._rows(group_tests)]
        sentences = [self._unit_sentence(), *(self._said(group_tests) for group_tests in tested), *remarks]
        for test in self.tests if self.correction != "none" else ():
            corrected = self._family(tested, test)
            rows += self._adjusted(tested, test, corrected)
            title, family_sentence = LOCATION_TESTS[test], corrected.sentence()
            sentences.append(Bilingual(f"{title.en}: {family_sentence.en}", f"{title.zh}：{family_sentence.zh}"))
        if any(CONVENTION in row.by for row in rows):
            rows = [row if CONVENTION in row.by else replace(row, by={**row.by, CONVENTION: CHOSEN}) for row in rows]
        return Conclusion(estimates_frame(rows), tuple(sentences))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return mean, tests and effect sizes of each group."""
        return self.conclude(tables).estimates

    def _rows(self, one: Tested) -> Iterator[Estimate]:
        yield self._mean(one)
        for test in self.tests:
            result = one.results[test]
            if isinstance(result, str):
                yield replace(self._empty(one), statistic=test, method=f"no test: {result}")
                continue
            signature = str(self.signature().and_(result=result.signature()))
            for row in result.estimates(self.name, one.group.levels):
                if row.statistic == result.test:
                    yield replace(row, statistic=test, n_missing=one.n_missing, signature=signature)
                elif row.statistic in _OWN_EFFECTS[test]:
                    yield replace(row, n_missing=one.n_missing, signature=signature)

    def _empty(self, one: Tested) -> Estimate:
        return Estimate(
            self.name,
            one.group.levels,
            MEAN,
            None,
            n=len(one.values),
            n_missing=one.n_missing,
            method=f"mean, {self._unit_name().en} as observation",
            signature=str(self.signature()),
        )

    def _mean(self, one: Tested) -> Estimate:
        row, result = self._empty(one), one.results["t"]
        if not isinstance(result, TestResult):
            mean = float(one.values.mean()) if len(one.values) else None
            return replace(row, value=mean, method=f"{row.method}; no interval: {result}")
        effect = result.effect(MEAN)
        return replace(
            row, value=effect.value, low=effect.low, high=effect.high, method=f"{row.method}; {effect.method}"
        )

    def _family(self, found: Sequence[Tested], test: LocationTest) -> FamilyResult:
        members = [(group_tests.group.key, group_tests.test(test)) for group_tests in found]
        return family(members, method=self.correction, alpha=self.alpha)

    def _adjusted(self, found: Sequence[Tested], test: LocationTest, corrected: FamilyResult) -> list[Estimate]:
        signature = str(self.signature().and_(family=corrected.signature()))
        method = f"{CORRECTIONS[corrected.family.method].en}, family of {corrected.size}"
        name = f"adjusted p, {test}"
        return [
            Estimate(self.name, group_tests.group.levels, name, member.adjusted, method=method, signature=signature)
            for group_tests, member in zip(found, corrected.members, strict=True)
            if member.adjusted is not None
        ]

    # --- sentences ----------------------------------------------------------------------------------------------------

    def _unit_name(self) -> Bilingual:
        names = {
            "cluster": Bilingual(f"a {self.cluster}", f"每个 {self.cluster} "),
            "set": Bilingual("a set", "每个句组"),
            "judgement": Bilingual("a judgement", "每个判断"),
        }
        return names[self.unit]

    def _unit_sentence(self) -> Bilingual:
        unit = self._unit_name()
        how = {
            "cluster": Bilingual(
                ", the mean of its sets, each of which is the mean of its seeds and parts",
                "，取其各句组之平均，句组值为各种子与各部分之平均",
            ),
            "set": Bilingual(
                ", the mean of its seeds and parts; sets of one item are taken for independent, which makes p too "
                "small where they are not",
                "，取各种子与各部分之平均；同一条目的句组被视为相互独立，若不独立则 p 偏小",
            ),
            "judgement": Bilingual(
                ": seeds, parts and sets of one item are taken for independent, which makes p too small where they are "
                "not",
                "：同一条目的种子、部分与句组被视为相互独立，若不独立则 p 偏小",
            ),
        }[self.unit]
        return Bilingual(f"One observation is {unit.en}{how.en}.", f"{unit.zh}为一个观测{how.zh}。")

    def _said(self, one: Tested) -> Bilingual:
        """Say what the first test found, and beside it the p of the others."""
        ran = [result for result in map(one.test, self.tests) if result is not None]
        if not ran:
            label, reason = one.group.label, bilingual_reason(next((str(one.results[test]) for test in self.tests), ""))
            return Bilingual(f"{label.en}: no test ({reason.en})", f"{label.zh}：未作检验（{reason.zh}）")
        sentence = ran[0].sentence()
        beside = [(other.title, p_remark(other.p)) for other in ran[1:] if other.p is not None]
        if not beside:
            return sentence
        english = "; ".join(f"{title.en}: {p}" for title, p in beside)
        chinese = "；".join(f"{title.zh}：{p}" for title, p in beside)
        return Bilingual(f"{sentence.en} Beside it, {english}.", f"{sentence.zh}另有 {chinese}。")

    def layout(self) -> Layout:
        """Return groups as rows and numbers as columns; the figure shows the means with their intervals."""
        known = column_titles()
        factors = {name: known[name] for name in self.by if name in known}
        return Layout(
            rows=self.by,
            statistics=STATISTICS,
            factors={**factors, CONVENTION: Bilingual("Convention", "惯例")},
            levels={**level_titles(), CHOSEN: Bilingual("as chosen", "所选惯例")},
            figure_statistics=(MEAN,),
        )


GARDEN_PATHS = ("garden path object", "garden path subject")


def garden_path_effects(
    unit: Unit = "cluster",
    correction: Correction = "none",
    by: Sequence[str] = ("class", "system"),
    classes: Sequence[str] = GARDEN_PATHS,
    where: Where = _NONE,
) -> OneSample:
    """Test whether garden paths raise surprisal: the difference of the two garden-path classes (Figure 4)."""
    asked = of_materials(where)
    analysis = OneSample(
        by=by,
        where={"class": tuple(classes), **where},
        unit=unit,
        correction=correction,
        name=f"garden-path effects{asked.en}",
    )
    analysis.title = Bilingual(f"Garden-path effects{asked.en}", f"花园幽径效应{asked.zh}")
    return analysis


# What users write among the analyses of a study.
one_sample = OneSample
