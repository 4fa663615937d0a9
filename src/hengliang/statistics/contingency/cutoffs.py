"""Cut-offs of a rating scale: maximally selected χ² with p by permutation.

At every cut-off k the ratings are split into those up to k and those above, which gives a 2 × 2 table and its χ². The
tests form a family and are corrected together. Because they share their ratings, corrections for separate tests are too
strict; the honest single answer is the largest of the χ² values, compared with what it is when ratings are dealt to the
two groups at random (a maximally selected statistic [1]).

[1] Miller, R., Siegmund, D. (1982). Maximally selected chi square statistics. Biometrics 38.
[2] Phipson, B., Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications in Genetics 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual
from hengliang.statistics.contingency.tables import Correction, CountTable, chi_squared
from hengliang.statistics.multiple_testing import CORRECTIONS, FamilyResult, family
from hengliang.statistics.multiple_testing import Correction as FamilyCorrection
from hengliang.statistics.results import Sample, TestResult, check_alpha, checksum, p_remark


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The two groups split at one point; there is no test where all ratings lie on one side."""

    at: float
    at_most: tuple[int, int]
    test: TestResult | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CutoffScan:
    """The tests at all cut-offs, corrected as a family, and the test of the largest of them."""

    names: tuple[str, str]
    sizes: tuple[int, int]
    cutoffs: tuple[Cutoff, ...]
    family: FamilyResult
    largest: TestResult
    """The maximally selected χ², with p by permutation."""
    n_missing: int = 0
    data: str = ""

    def table(self) -> pl.DataFrame:
        """Return one row per cut-off: counts up to it, χ², p, adjusted p, φ with its interval, and the decision."""
        rows = []
        for cutoff, member in zip(self.cutoffs, self.family.members, strict=True):
            effect = cutoff.test.effect("phi") if cutoff.test else None
            rows.append(
                {
                    "cutoff": cutoff.at,
                    f"{self.names[0]} at most": cutoff.at_most[0],
                    f"{self.names[1]} at most": cutoff.at_most[1],
                    "chi-squared": cutoff.test.statistic if cutoff.test else None,
                    "p": member.p,
                    "adjusted p": member.adjusted,
                    "phi": effect.value if effect else None,
                    "low": effect.low if effect else None,
                    "high": effect.high if effect else None,
                    "significant": member.significant,
                }
            )
        return pl.DataFrame(rows, infer_schema_length=None)

    def sentence(self) -> Bilingual:
        """Say at how many cut-offs the groups differ, where most, and what the permutation says of it."""
        tested = [cutoff for cutoff in self.cutoffs if cutoff.test]
        kept, alpha = len(self.family.significant), self.family.family.alpha
        method = CORRECTIONS[self.family.family.method]
        first, second = self.names
        numbers, at = self.largest.statistic_text(), self.largest.details["cutoff"]
        return Bilingual(
            f"{first} and {second} differ at {kept} of {len(tested)} cut-offs (α = {alpha:g}, {method.en}, family of "
            f"{self.family.size}). The largest difference is between ratings up to {at:g} and above ({numbers}, "
            "p by permutation).",
            f"{first}与{second}在 {len(tested)} 个分界点中的 {kept} 个上有显著差异（α = {alpha:g}，{method.zh}，"
            f"检验族大小 {self.family.size}）。差异最大处为评分不高于 {at:g} 与高于 {at:g} 之间（{numbers}，"
            "p 值由置换得出）。",
        )

    def summary(self) -> str:
        """Return the tests at all cut-offs as lines of text."""
        first, second = self.names
        missing = f"; {self.n_missing} missing left out" if self.n_missing else ""
        lines = [f"χ² at every cut-off: {first} ({self.sizes[0]}) and {second} ({self.sizes[1]}){missing}"]
        for cutoff, member in zip(self.cutoffs, self.family.members, strict=True):
            if cutoff.test is None or member.adjusted is None:
                lines.append(f"  ≤ {cutoff.at:g}: all ratings on one side, no test")
                continue
            text = f"{cutoff.test.statistic_text()}, adjusted {p_remark(member.adjusted)}"
            lines.append(f"  ≤ {cutoff.at:g}: {cutoff.at_most[0]} and {cutoff.at_most[1]}; {text}")
            lines += [f"    note: {note.en}" for note in cutoff.test.notes]
        sentence = self.sentence()
        lines += [f"  convention {name}: {value}" for name, value in self.largest.conventions.items()]
        return "\n".join([*lines, f"  {sentence.en}", f"  {sentence.zh}"])

    def sentences(self) -> tuple[Bilingual, ...]:
        """Return a sentence for each cut-off in the style of a results section."""
        sentences = []
        first, second = self.names
        for cutoff, member in zip(self.cutoffs, self.family.members, strict=True):
            if cutoff.test is None or member.adjusted is None:
                continue
            numbers, adjusted = cutoff.test.statistic_text(), p_remark(member.adjusted)
            shares = [f"{100 * count / size:.1f} %" for count, size in zip(cutoff.at_most, self.sizes, strict=True)]
            verdict = ("differ", "有显著差异") if member.significant else ("do not differ significantly", "无显著差异")
            sentences.append(
                Bilingual(
                    f"At the cut-off ≤ {cutoff.at:g} ({shares[0]} of {first}, {shares[1]} of {second}) the two "
                    f"{verdict[0]}, {numbers}; adjusted {adjusted}.",
                    f"以不高于 {cutoff.at:g} 为界（{first} {shares[0]}，{second} {shares[1]}），两组{verdict[1]}，"
                    f"{numbers}；校正后 {adjusted}。",
                )
            )
        return tuple(sentences)

    def signature(self) -> Signature:
        """Return all conventions and the checksum of the counts."""
        chosen = self.family.family
        return Signature.of(
            hengliang=version(),
            test="cutoff-scan",
            family=chosen.method,
            size=self.family.size,
            missing=chosen.missing,
            alpha=chosen.alpha,
            **dict(self.largest.conventions),
            data=self.data,
        )

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give χ², adjusted p and φ for each cut-off, and the largest χ² with p by permutation."""
        signature, n = str(self.signature()), sum(self.sizes)
        for cutoff, member in zip(self.cutoffs, self.family.members, strict=True):
            levels = {**(by or {}), "cutoff": f"{cutoff.at:g}"}
            if cutoff.test is None:
                yield Estimate(analysis, levels, "chi-squared", None, n=n, method="no test", signature=signature)
                continue
            yield from cutoff.test.estimates(analysis, levels)
            method = f"{CORRECTIONS[self.family.family.method].en}, family of {self.family.size}"
            yield Estimate(
                analysis, levels, "adjusted p", member.adjusted, p=member.p, n=n, method=method, signature=signature
            )
        yield from self.largest.estimates(analysis, {**(by or {}), "cutoff": "largest"})

    def __str__(self) -> str:
        return self.summary()


def scan_cutoffs(
    first: ArrayLike,
    second: ArrayLike,
    *,
    scale: Sequence[float],
    names: tuple[str, str] = ("A", "B"),
    **settings: object,
) -> CutoffScan:
    """Scan the ratings of two groups; `scale` lists all points of the scale, and `settings` are those of the counts."""
    samples = [Sample.of(values, f"the ratings of {name}") for values, name in zip((first, second), names, strict=True)]
    points = sorted(set(map(float, scale)))
    for sample, name in zip(samples, names, strict=True):
        outside = sample.values[~np.isin(sample.values, points)]
        if len(outside):
            valid = f"Points of the scale: {', '.join(f'{point:g}' for point in points)}."
            raise UserError(f"{name} has the rating {outside[0]:g}, which is not on the scale.", valid=valid)
    counts = [[int((sample.values == point).sum()) for point in points] for sample in samples]
    n_missing = sum(sample.n_missing for sample in samples)
    return scan_cutoff_counts(counts, scale=points, names=names, n_missing=n_missing, **settings)  # type: ignore[arg-type]


def scan_cutoff_counts(
    counts: ArrayLike,
    *,
    scale: Sequence[float] | None = None,
    cutoffs: Sequence[float] | None = None,
    correction: Correction = "none",
    family_method: FamilyCorrection = "bonferroni",
    draws: int = 10_000,
    seed: int = 1,
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    level: float = 0.95,
    n_missing: int = 0,
) -> CutoffScan:
    """Scan a table of counts: two rows (groups), a column for each point of the scale (1, 2, 3 … unless given).

    `cutoffs` restricts the scan to some points, all but the last of the scale otherwise. The family is all cut-offs
    that were asked for; one at which all ratings lie on one side counts towards its size.
    """
    cells = CountTable.of(counts).array()
    check_alpha(alpha)
    points = list(map(float, scale)) if scale is not None else [float(k + 1) for k in range(cells.shape[1])]
    chosen = _check(cells, points, cutoffs, draws)
    split = tuple(_split(cells, points, at, names, correction, alpha, level) for at in chosen)
    scanned = tuple(replace(cut, test=cut.test and replace(cut.test, n_missing=n_missing)) for cut in split)
    together = family(
        [(f"≤ {cutoff.at:g}", cutoff.test.p if cutoff.test else None) for cutoff in scanned],
        method=family_method,
        alpha=alpha,
    )
    return CutoffScan(
        names=names,
        sizes=(int(cells[0].sum()), int(cells[1].sum())),
        cutoffs=scanned,
        family=together,
        largest=replace(_largest(cells, points, scanned, correction, draws, seed, alpha), n_missing=n_missing),
        n_missing=n_missing,
        data=checksum(cells, points),
    )


def _split(
    cells: NDArray[np.float64],
    points: list[float],
    at: float,
    names: tuple[str, str],
    correction: Correction,
    alpha: float,
    level: float,
) -> Cutoff:
    below = cells[:, : points.index(at) + 1].sum(axis=1)
    split = np.column_stack([below, cells.sum(axis=1) - below])
    at_most = (int(below[0]), int(below[1]))
    if not split.sum(axis=0).all():
        return Cutoff(at, at_most, None)
    table = CountTable.of(split, rows=names, columns=(f"≤ {at:g}", f"> {at:g}"))
    return Cutoff(at, at_most, chi_squared(table, correction=correction, alpha=alpha, level=level))


def _check(cells: NDArray[np.float64], points: list[float], cutoffs: Sequence[float] | None, draws: int) -> list[float]:
    if len(cells) != 2:
        raise UserError(f"The table has {len(cells)} rows.", valid="Two rows, one for each group.")
    if len(points) != cells.shape[1] or sorted(set(points)) != points:
        valid = "One number a column, in rising order."
        raise UserError(f"The scale has {len(points)} points for {cells.shape[1]} columns of counts.", valid=valid)
    if not cells.sum(axis=1).all():
        raise UserError("One of the groups has no ratings.", valid="At least one rating in each group.")
    if draws < 1:
        raise UserError(f"{draws} draws give no p-value.", valid="draws is a whole number, 1 or more.")
    if np.count_nonzero(cells.sum(axis=0)) < 2:
        raise UserError(
            "All ratings are equal, so that no cut-off parts them.", valid="At least two different ratings."
        )
    chosen = points[:-1] if cutoffs is None else list(map(float, cutoffs))
    unknown = [at for at in chosen if at not in points[:-1]]
    if unknown or not chosen:
        what = f"{unknown[0]:g} is no cut-off of the scale." if unknown else "There is no cut-off to scan."
        raise UserError(what, valid=f"Cut-offs: {', '.join(f'{point:g}' for point in points[:-1])}.")
    return chosen


def split_statistics(
    at_most: NDArray[np.int64], below: NDArray[np.int64], first: int, n: int, *, yates: bool = False
) -> NDArray[np.float64]:
    """Return χ² of many 2 × 2 tables with one size of the first group: rows are draws, columns are cut-offs.

    `at_most` counts the ratings of the first group up to the cut-off, `below` those of both; a cut-off that parts
    nothing gives 0.
    """
    spread = float(first * (n - first)) * below * (n - below)
    gap = np.abs(at_most * float(n) - float(first) * below)
    gap = np.maximum(gap - n / 2, 0.0) if yates else gap
    statistics: NDArray[np.float64] = np.divide(
        gap**2 * n, spread, out=np.zeros_like(gap), where=np.broadcast_to(spread > 0, gap.shape)
    )
    return statistics


def _largest(
    cells: NDArray[np.float64],
    points: list[float],
    scanned: tuple[Cutoff, ...],
    correction: str,
    draws: int,
    seed: int,
    alpha: float,
) -> TestResult:
    """Test the largest χ² against those of ratings that are dealt to the groups at random."""
    tested = [(cutoff.test.statistic, cutoff.at, cutoff.test) for cutoff in scanned if cutoff.test]
    if not tested:
        raise UserError("No cut-off parts the ratings.", valid="At least two different ratings around a cut-off.")
    statistic, at, best = max(tested, key=itemgetter(0))
    columns = [points.index(point) for _, point, _ in tested]
    pooled, first = cells.sum(axis=0).astype(np.int64), int(cells[0].sum())
    generator = np.random.default_rng(seed)
    dealt = generator.multivariate_hypergeometric(pooled, first, size=draws, method="marginals").cumsum(axis=1)
    drawn = split_statistics(
        dealt[:, columns], pooled.cumsum()[columns], first, int(pooled.sum()), yates=correction == "yates"
    )
    # The slack is for equal splits whose χ² was computed in another order.
    hits = int((drawn.max(axis=1) >= statistic * (1 - 1e-9)).sum())
    return TestResult(
        test="maximally-selected-chi-squared",
        title=Bilingual("Maximally selected χ²", "最大选择卡方检验"),
        symbol="max χ²",
        statistic=statistic,
        p=(hits + 1) / (draws + 1),
        alternative="undirected",
        n=int(pooled.sum()),
        significant=best.significant,
        otherwise=best.otherwise,
        effects=best.effects,
        conventions={"correction": correction, "cutoffs": len(tested), "draws": draws, "seed": seed},
        details={"cutoff": at},
        alpha=alpha,
        data=checksum(cells, points),
    )
