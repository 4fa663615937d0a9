"""Which published conclusions stay under every defensible convention?

Where the data can be had (printed or recovered), the test is run again in every way in use. Where only p is printed,
what was left open is run through: one or two sides, and the correction for a family of tests. Every row says whether
the published conclusion stays.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from hengliang.analysis.replication.design_000 import count_items, informative_pairs, p_of_correlation, r_of_p
from hengliang.analysis.replication.published import Claim, Paper
from hengliang.analysis.replication.recovery import cut_margins, pooled_counts, recovered_cells, recovered_table
from hengliang.analysis.replication.spread_001 import columns_of
from hengliang.analysis.replication.verdicts import Printed
from hengliang.core.terms import Bilingual
from hengliang.statistics.contingency import tables as contingency_tests
from hengliang.statistics.contingency.exact import fisher_exact
from hengliang.statistics.conventions import Convention, multiverse
from hengliang.statistics.multiple_testing import CORRECTIONS, Family
from hengliang.statistics.ranks import brunner_munzel, kruskal_wallis, mann_whitney, median
from hengliang.statistics.ranks import kruskal_wallis as dunn
from hengliang.statistics.ranks.samples import expand_counts
from hengliang.statistics.results import TestResult
from hengliang.statistics.variance import anova, tukey

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class ConventionRow:
    """One convention: what it is, who uses it by default, its statistic, its p, and whether the conclusion stays.

    `stays` is None where the convention decides nothing, because the data do not allow it; `remark` says why.
    """

    convention: Bilingual
    users: tuple[str, ...] = ()
    statistic: float | None = None
    p: float | None = None
    stays: bool | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ClaimMultiverse:
    """One published conclusion under all conventions."""

    paper: str
    claim: Claim
    conclusion: Bilingual
    rows: tuple[ConventionRow, ...]

    @property
    def kept(self) -> int:
        """How many conventions keep the conclusion."""
        return sum(row.stays is True for row in self.rows)

    @property
    def decided(self) -> int:
        """How many conventions decide at all."""
        return sum(row.stays is not None for row in self.rows)

    def sentence(self) -> Bilingual:
        """Say how many conventions keep the conclusion."""
        return Bilingual(
            f"{self.kept} of {self.decided} defensible conventions keep it: {self.conclusion.en}.",
            f"{self.decided} 种合理惯例中有 {self.kept} 种维持该结论：{self.conclusion.zh}。",
        )

    def to_json(self) -> dict[str, Any]:
        """Return all rows as a JSON object."""
        rows = [
            {
                "convention": row.convention.to_json(),
                "users": list(row.users),
                "statistic": row.statistic,
                "p": row.p,
                "stays": row.stays,
                "remark": row.remark,
            }
            for row in self.rows
        ]
        return {
            "paper": self.paper,
            "claim": self.claim.id,
            "conclusion": self.conclusion.to_json(),
            "kept": self.kept,
            "decided": self.decided,
            "rows": rows,
        }


def _settings(title: Bilingual, settings: Mapping[str, Any]) -> Bilingual:
    told = ", ".join(f"{name} = {value}" for name, value in settings.items())
    return Bilingual(f"{title.en}: {told}", f"{title.zh}：{told}") if told else title


def _run(
    test: Callable[..., TestResult],
    conventions: tuple[Convention, ...],
    *data: Any,
    significant: bool,
    chosen: Mapping[str, Any] | None = None,
) -> Iterator[ConventionRow]:
    """Run one test under its conventions and compare each decision with the published one."""
    found = multiverse(test, conventions, *data, chosen=chosen)
    for variant in found.variants:
        stays = None if variant.p is None else (variant.p <= ALPHA) == significant
        name = _settings(found.chosen.title, {**(chosen or {}), **variant.settings})
        yield ConventionRow(name, variant.users, _known(variant.statistic), variant.p, stays)
    for convention, problem in found.refused:
        name = _settings(found.chosen.title, {**(chosen or {}), **convention.settings})
        yield ConventionRow(name, convention.users, remark=problem)


def _one(result: TestResult, significant: bool) -> ConventionRow:
    stays = None if result.p is None else (result.p <= ALPHA) == significant
    return ConventionRow(result.title, (), _known(result.statistic), result.p, stays)


def _known(statistic: float) -> float | None:
    return None if math.isnan(statistic) else statistic  # Fisher's exact test has none


_DIFFER = Bilingual("the groups differ", "各组有差异")
_NO_DIFFERENCE = Bilingual("no difference was found", "未发现差异")


def _median_test(paper: Paper, claim: Claim) -> tuple[Bilingual, list[ConventionRow]]:
    """Run the test of the matching and the other ratings, on the recovered table behind Figure 6."""
    table = recovered_table(paper)
    first, second = expand_counts(table.matching), expand_counts(table.others)
    rows = [*_run(median.median_test, median.CONVENTIONS, first, second, significant=True)]
    rows += _run(mann_whitney.mann_whitney_test, mann_whitney.CONVENTIONS[:2], first, second, significant=True)
    rows += _run(brunner_munzel.brunner_munzel_test, brunner_munzel.CONVENTIONS[:2], first, second, significant=True)
    return _DIFFER, rows


def _cut_off(paper: Paper, claim: Claim) -> tuple[Bilingual, list[ConventionRow]]:
    """Run the test of one cut-off on its recovered cell, alone and within the family of five."""
    cut_off = int(claim.inputs["cut_off"])
    pooled = pooled_counts(paper, "2", paper.claim("median-test.n").inputs["rows"])
    cells = {at: found.cell for at, found in recovered_cells(paper).items() if found.unique}
    tables = {at: cut_margins(pooled, sum(paper.rows("3")["match"]), at).table(cell) for at, cell in cells.items()}
    rows = [*_run(contingency_tests.chi_squared, contingency_tests.CONVENTIONS, tables[cut_off], significant=True)]
    rows += _run(contingency_tests.g_test, contingency_tests.CONVENTIONS, tables[cut_off], significant=True)
    rows.append(_one(fisher_exact(tables[cut_off]), significant=True))
    p_values = {str(at): contingency_tests.chi_squared(table).p or 0.0 for at, table in tables.items()}
    rows += _families(
        {name: Printed(str(p), "=", p, 0.0) for name, p in p_values.items()}, str(cut_off), True, sides=(2,)
    )
    return _DIFFER, rows


def _mann_whitney(paper: Paper, claim: Claim) -> tuple[Bilingual, list[ConventionRow]]:
    """Run the comparison of two groups in every way, with and without a direction, alone and within the family."""
    row = claim.inputs["row"]
    data = [expand_counts(paper.rows(table)[row]) for table in claim.inputs["tables"]]
    rows: list[ConventionRow] = []
    for side in ("two-sided", "greater"):
        run = partial(_run, significant=False, chosen={"alternative": side})
        rows += run(mann_whitney.mann_whitney_test, mann_whitney.CONVENTIONS[:2], *data)
        rows += run(brunner_munzel.brunner_munzel_test, brunner_munzel.CONVENTIONS[:2], *data)
    family = {name: Printed.parse(text) for name, text in _hypotheses(paper).items()}
    rows += _families(family, "h1", significant=False, corrections=tuple(CORRECTIONS)[:3])
    return _NO_DIFFERENCE, rows


def _hypotheses(paper: Paper) -> Mapping[str, str]:
    held: Mapping[str, str] = paper.claim("hypotheses-2.h1-decision").inputs["family"]
    return held


def _families(
    members: Mapping[str, Printed],
    member: str,
    significant: bool,
    sides: tuple[int, ...] = (2, 1),
    corrections: tuple[str, ...] = tuple(CORRECTIONS),
) -> list[ConventionRow]:
    """Adjust printed p-values in every way: a p of `< .001` counts as .001, and one side halves p."""
    rows = []
    for side, method in itertools.product(sides, corrections):
        p_values = [printed.value * side / 2 for printed in members.values()]
        adjusted = Family(method).adjust(p_values)[list(members).index(member)]  # type: ignore[arg-type]
        told, size = CORRECTIONS[method], len(members)
        of = Bilingual("", "") if method == "none" else Bilingual(f" over {size}", f"（{size} 项）")
        way = Bilingual("two-sided", "双侧") if side == 2 else Bilingual("one-sided", "单侧")
        stays = None if adjusted is None else (adjusted <= ALPHA) == significant
        name = Bilingual(f"{way.en}, {told.en}{of.en}", f"{way.zh}，{told.zh}{of.zh}")
        rows.append(ConventionRow(name, p=adjusted, stays=stays))
    return rows


def _decision(paper: Paper, claim: Claim) -> tuple[Bilingual, list[ConventionRow]]:
    members = {name: Printed.parse(text) for name, text in claim.inputs["family"].items()}
    significant = claim.published == "yes"
    rows = _families(members, claim.inputs["member"], significant)
    if claim.group == "no-difference":  # section 7.2.2 may have meant the threshold of the hypotheses
        threshold = Printed.parse(paper.claim("hypotheses-2.threshold").published).value
        p = members[claim.inputs["member"]].value
        name = Bilingual(f"two-sided, the {threshold:.3f} of the five hypotheses", f"双侧，五个假设的 {threshold:.3f}")
        rows.append(ConventionRow(name, p=p, stays=(p <= threshold) == significant))
    return (_DIFFER if significant else _NO_DIFFERENCE), rows


def _effect_size(paper: Paper, claim: Claim) -> tuple[Bilingual, list[ConventionRow]]:
    """Compute r with each meaning of N, and see whether Cohen's word for it stays."""
    p, n = Printed.parse(claim.inputs["p"]), int(claim.inputs["n"])
    ways = {
        Bilingual(f"N = {n} pairs", f"N = {n} 对"): n,
        Bilingual(f"N = {2 * n} ratings", f"N = {2 * n} 个评分"): 2 * n,
    }
    informative = informative_pairs(paper, claim.inputs)
    if informative is not None and informative < n:
        name = Bilingual(f"N = {informative} pairs that can differ", f"N = {informative} 对可能不同者")
        ways[name] = informative
    word = _word(paper, Printed.parse(claim.published).value)
    rows = []
    for name, size in ways.items():
        value = r_of_p(p.value, size)
        # The printed value is rounded, and the word is chosen from it.
        rows.append(ConventionRow(name, statistic=value, stays=_word(paper, round(value, 2)) == word))
    return Bilingual(f"the effect is {word}", f"效应为 {word}"), rows


def _word(paper: Paper, value: float) -> str:
    labels = {name: ends for name, ends in paper.facts["effect_labels"].items() if name != "small-medium"}
    return next(str(name) for name, (low, high) in labels.items() if low <= abs(value) < high)


def _correlation(paper: Paper, claim: Claim) -> tuple[Bilingual, list[ConventionRow]]:
    """Test ρ with all rows, and with one row for each different item and rater."""
    rho, df = Printed.parse(claim.inputs["rho"]), int(claim.inputs["df"])
    frame = paper.claim(claim.id.removesuffix("-p") + "-df").inputs
    if "group" in frame:
        group = paper.facts["appendix_B"][frame["group"]]
        share = count_items(group["sentences_by_choices"]) / (4 * group["rows"])
    else:
        facts = paper.facts[frame["experiment"]]
        share = facts["items"] / (facts["systems"] * facts["sentences"])
    unique = round((df + 2) * share) - 2
    rows = []
    for name, held in (
        (Bilingual(f"all rows, df = {df}", f"全部行，自由度 {df}"), df),
        (Bilingual(f"each rating once, df ≈ {unique}", f"每个评分只计一次，自由度约 {unique}"), unique),
    ):
        p = p_of_correlation(rho.value, held)
        rows.append(ConventionRow(name, statistic=rho.value, p=p, stays=p < 0.001))
    return Bilingual("p < .001", "p < .001"), rows


def _spread(paper: Paper, claim: Claim) -> tuple[Bilingual, list[ConventionRow]]:
    """Compare the sizes with and without equal variances, and by ranks."""
    groups = list(columns_of(paper, claim.inputs["table"]).values())
    rows = [*_run(anova.one_way_anova, anova.CONVENTIONS, *groups, significant=True)]
    rows += _run(kruskal_wallis.kruskal_wallis_test, kruskal_wallis.CONVENTIONS, *groups, significant=True)
    return _DIFFER, rows


def _spread_pair(paper: Paper, claim: Claim) -> tuple[Bilingual, list[ConventionRow]]:
    """Compare two sizes with Tukey's, Games and Howell's and Dunn's tests."""
    columns = columns_of(paper, claim.inputs["table"])
    place = list(itertools.combinations(columns, 2)).index(tuple(claim.inputs["pair"]))
    significant = Printed.parse(claim.published).value <= ALPHA
    groups = list(columns.values())
    rows = [_one(test(*groups)[place], significant) for test in (tukey.tukey_hsd, tukey.games_howell)]
    for adjustment in ("bonferroni", "holm", "benjamini-hochberg"):
        found = _one(dunn.dunn_tests(*groups, adjustment=adjustment)[place], significant)
        name = _settings(found.convention, {"adjustment": adjustment})
        rows.append(
            ConventionRow(name, ("SPSS",) if adjustment == "bonferroni" else (), found.statistic, found.p, found.stays)
        )
    return (_DIFFER if significant else _NO_DIFFERENCE), rows


_WAYS: Mapping[str, Callable[[Paper, Claim], tuple[Bilingual, list[ConventionRow]]]] = {
    "chi_squared": _median_test,
    "cut_off_chi_squared": _cut_off,
    "mann_whitney_p": _mann_whitney,
    "family_decision": _decision,
    "r_from_p": _effect_size,
    "correlation_p": _correlation,
    "anova_p": _spread,
    "tukey_p": _spread_pair,
}


def claim_multiverse(paper: Paper, claim: Claim) -> ClaimMultiverse | None:
    """Return a published conclusion under all conventions, or nothing where there is nothing to choose."""
    way = _WAYS.get(claim.kind)
    if way is None or (claim.kind == "r_from_p" and Printed.parse(claim.inputs["p"]).relation != "="):
        return None
    conclusion, rows = way(paper, claim)
    return ClaimMultiverse(paper.id, claim, conclusion, tuple(rows))
