"""Multiple testing: Bonferroni, Holm and Benjamini–Hochberg, and the families that they correct.

A family is the set of tests over which the error is to be controlled. Its size is stated, never guessed: a planned test
whose p-value is missing still counts, unless one says otherwise. Bonferroni and Holm [1] control the chance of any
false finding, Benjamini–Hochberg [2] the share of false ones among the findings. A result also says which decisions the
other corrections would change.

[1] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6.
[2] Benjamini, Y., Hochberg, Y. (1995). Controlling the false discovery rate. Journal of the Royal Statistical Society,
    Series B 57.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, digest, version
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import TestResult, check_alpha, check_choice, listed, p_remark, write_p

Correction = Literal["bonferroni", "holm", "benjamini-hochberg", "none"]
Missing = Literal["count", "ignore"]
CORRECTIONS: Mapping[str, Bilingual] = {
    "bonferroni": Bilingual("Bonferroni correction", "Bonferroni 校正"),
    "holm": Bilingual("Holm correction", "Holm 校正"),
    "benjamini-hochberg": Bilingual("Benjamini–Hochberg correction", "Benjamini–Hochberg 校正"),
    "none": Bilingual("no correction", "不校正"),
}
"""The corrections and how a sentence names them."""


def adjust(
    p_values: Sequence[float | None],
    method: Correction = "holm",
    size: int | None = None,
    missing: Missing = "count",
) -> tuple[float | None, ...]:
    """Return the adjusted p-values, in the given order; a missing one (None or NaN) stays missing.

    `size` is the size of the family, at least the number of p-values that are known. Without it, all given p-values
    make the family, the missing ones too unless `missing="ignore"`. An unknown member counts as if its p were 1. So
    `missing="ignore"` gives what R's `p.adjust` gives, and `size` is its `n`.

    >>> adjust([0.01, 0.04, None], "bonferroni")
    (0.03, 0.12, None)
    """
    return Family(method=method, size=size, missing=missing).adjust(p_values)


@dataclass(frozen=True, slots=True)
class Family:
    """How a family of tests is corrected: everything that can change a decision, besides the p-values."""

    method: Correction = "holm"
    alpha: float = 0.05
    size: int | None = None
    missing: Missing = "count"

    def counted(self, p_values: Sequence[float | None]) -> int:
        """Return the size of the family that these p-values belong to."""
        check_choice("method", self.method, get_args(Correction))
        check_choice("missing", self.missing, get_args(Missing))
        check_alpha(self.alpha)
        known = sum(not _is_missing(p) for p in p_values)
        if self.size is None:
            return len(p_values) if self.missing == "count" else known
        if self.size < known:
            raise UserError(
                f"A family of size {self.size} cannot hold {known} p-values.",
                valid=f"size is a whole number, {known} or more.",
                remedy="Leave size away to count the tests that are given.",
            )
        return self.size

    def adjust(self, p_values: Sequence[float | None]) -> tuple[float | None, ...]:
        """Return the adjusted p-values, in the given order."""
        values = [_checked(p) for p in p_values]
        size = self.counted(values)
        known = np.array([p for p in values if p is not None], dtype=np.float64)
        adjusted = iter(_adjusted(known, self.method, size).tolist())
        return tuple(None if p is None else next(adjusted) for p in values)


def _is_missing(p: float | None) -> bool:
    return p is None or math.isnan(p)


def _checked(p: float | None) -> float | None:
    try:
        value = math.nan if p is None else float(p)
    except (TypeError, ValueError) as error:
        raise UserError(f"{p!r} is no p-value.", valid="Numbers from 0 to 1; a missing one is None or NaN.") from error
    if math.isnan(value):
        return None
    if not 0 <= value <= 1:
        raise UserError(f"{value} is no p-value.", valid="Numbers from 0 to 1; a missing one is None or NaN.")
    return value


def _adjusted(p: NDArray[np.float64], method: str, size: int) -> NDArray[np.float64]:
    order = np.argsort(p, kind="stable")
    ranked, rank = p[order], np.arange(1, len(p) + 1)
    if method == "bonferroni":
        ranked = ranked * size
    elif method == "holm":
        ranked = np.maximum.accumulate(ranked * (size - rank + 1))
    elif method == "benjamini-hochberg":
        # Unknown members count as p = 1, whose adjusted value never lies below that of a known one.
        ranked = np.minimum.accumulate((ranked * size / rank)[::-1])[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(ranked, 1.0)
    return adjusted


@dataclass(frozen=True, slots=True)
class Member:
    """One test of a family: what it found alone and within the family; a missing p gives no decision."""

    label: str
    p: float | None
    adjusted: float | None
    significant: bool | None


@dataclass(frozen=True, slots=True)
class FamilyResult:
    """The tests of a family after correction, and what other corrections would have decided."""

    family: Family
    size: int
    members: tuple[Member, ...]
    sensitivity: Mapping[str, tuple[str, ...]]
    """By correction, the labels whose decision it would change; corrections that change none are left out."""
    data: str = ""

    @property
    def significant(self) -> tuple[str, ...]:
        """The labels of the findings that stay."""
        return tuple(member.label for member in self.members if member.significant)

    def table(self) -> pl.DataFrame:
        """Return one row per test: label, p, adjusted p, and whether it is significant within the family."""
        schema = {"label": pl.String, "p": pl.Float64, "adjusted p": pl.Float64, "significant": pl.Boolean}
        rows = [(member.label, member.p, member.adjusted, member.significant) for member in self.members]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def sentence(self) -> Bilingual:
        """Say which findings stay, and which would not under another correction."""
        name, kept = CORRECTIONS[self.family.method], self.significant
        names, alpha, count = listed(kept), f"α = {self.family.alpha:g}", len(self.members)
        which = Bilingual(f": {names.en}", f"：{names.zh}") if kept else Bilingual("", "")
        english = (
            f"{len(kept)} of {count} tests {'is' if len(kept) == 1 else 'are'} significant at {alpha} "
            f"({name.en}, family of {self.size}){which.en}."
        )
        chinese = (
            f"在 {alpha} 下（{name.zh}，检验族大小 {self.size}），{count} 项检验中有 {len(kept)} 项显著{which.zh}。"
        )
        for method, labels in self.sensitivity.items():
            other, changed = CORRECTIONS[method], listed(labels)
            english += f" Another decision with {other.en}: {changed.en}."
            chinese += f"若采用 {other.zh}，结论不同的有：{changed.zh}。"
        return Bilingual(english, chinese)

    def summary(self) -> str:
        """Return all p-values and decisions as lines of text."""
        lines = [f"{CORRECTIONS[self.family.method].en}, family of {self.size}, α = {self.family.alpha:g}"]
        for member in self.members:
            if member.p is None or member.adjusted is None:
                counted = "counted" if self.family.missing == "count" else "not counted"
                lines.append(f"  {member.label}: p not defined ({counted})")
                continue
            decision = "significant" if member.significant else "not significant"
            lines.append(f"  {member.label}: {p_remark(member.p)}, adjusted {write_p(member.adjusted)}, {decision}")
        for method, labels in self.sensitivity.items():
            lines.append(f"  sensitivity: {CORRECTIONS[method].en} decides otherwise on {', '.join(labels)}")
        sentence = self.sentence()
        return "\n".join([*lines, f"  {sentence.en}", f"  {sentence.zh}"])

    def signature(self) -> Signature:
        """Return the correction, the size of the family and the checksum of its members."""
        return Signature.of(
            hengliang=version(),
            correction=self.family.method,
            alpha=self.family.alpha,
            size=self.size,
            missing=self.family.missing,
            data=self.data,
        )

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give the adjusted p-value of each test, and a row for each decision that another correction changes."""
        signature, method = str(self.signature()), f"{CORRECTIONS[self.family.method].en}, family of {self.size}"
        for member in self.members:
            levels = {**(by or {}), "test": member.label}
            yield Estimate(
                analysis, levels, "adjusted p", member.adjusted, p=member.p, method=method, signature=signature
            )
        for other, labels in self.sensitivity.items():
            adjusted = replace(self.family, method=other).adjust([member.p for member in self.members])  # type: ignore[arg-type]
            for member, value in zip(self.members, adjusted, strict=True):
                if member.label in labels:
                    levels = {**(by or {}), "test": member.label, "convention": other}
                    described = f"sensitivity: {CORRECTIONS[other].en}, family of {self.size}"
                    yield Estimate(
                        analysis, levels, "adjusted p", value, p=member.p, method=described, signature=signature
                    )

    def __str__(self) -> str:
        return self.summary()


def family(
    tests: Sequence[tuple[str, TestResult | float | None]],
    *,
    method: Correction = "holm",
    alpha: float = 0.05,
    size: int | None = None,
    missing: Missing = "count",
) -> FamilyResult:
    """Correct a family of tests, each given with its label as a `TestResult` or as a p-value."""
    if not tests:
        raise UserError("A family without tests cannot be corrected.", valid="Pairs of a label and a test or p-value.")
    labels = [label for label, _ in tests]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise UserError(f"Two tests are called '{twice[0]}'.", remedy="Give every test of the family its own label.")
    p_values = [_checked(test.p if isinstance(test, TestResult) else test) for _, test in tests]
    chosen = Family(method, alpha, size, missing)
    adjusted = chosen.adjust(p_values)
    decisions = _decisions(adjusted, alpha)
    changed: dict[str, tuple[str, ...]] = {}
    for other in get_args(Correction):
        theirs = _decisions(replace(chosen, method=other).adjust(p_values), alpha)
        differing = tuple(label for label, ours, its in zip(labels, decisions, theirs, strict=True) if ours is not its)
        if differing:
            changed[other] = differing
    members = tuple(map(Member, labels, p_values, adjusted, decisions))
    return FamilyResult(chosen, chosen.counted(p_values), members, changed, digest(*_identities(tests)))


def _decisions(adjusted: Sequence[float | None], alpha: float) -> list[bool | None]:
    return [None if p is None else p <= alpha for p in adjusted]


def _identities(tests: Sequence[tuple[str, TestResult | float | None]]) -> Iterator[str]:
    for label, test in tests:
        yield label
        yield str(test.signature()) if isinstance(test, TestResult) else repr(test)
