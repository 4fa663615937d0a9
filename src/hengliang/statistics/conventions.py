"""Sensitivity to conventions: one test run under all of its defensible settings (a multiverse analysis).

SPSS, R and SciPy run a test of one name in different ways. A test function lists its defensible `Convention`s; here
they are all run on the same data. `with_sensitivity` keeps those that decide otherwise, for a row in the report;
`multiverse` shows them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import TestResult, Variant

Test = Callable[..., TestResult]


@dataclass(frozen=True, slots=True)
class Convention:
    """One defensible way to run a test: its settings, as keyword arguments, and who runs it so by default."""

    settings: Mapping[str, Value]
    users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Multiverse:
    """One test under all its conventions; `refused` are those that the data do not allow, with the reason."""

    chosen: TestResult
    variants: tuple[Variant, ...]
    refused: tuple[tuple[Convention, str], ...] = field(default=())

    @property
    def deviating(self) -> tuple[Variant, ...]:
        """The conventions under which p falls on the other side of alpha."""
        return tuple(variant for variant in self.variants if self._keeps(variant) is False)

    def _keeps(self, variant: Variant) -> bool | None:
        if variant.p is None:
            return None
        return (variant.p <= self.chosen.alpha) == self.chosen.is_significant

    def table(self) -> pl.DataFrame:
        """Return one row per convention: settings, who uses them, statistic, p, and whether the conclusion stays."""
        rows = [
            {
                "convention": ", ".join(f"{name} = {value}" for name, value in variant.settings.items()),
                "users": ", ".join(variant.users),
                "statistic": None if math.isnan(variant.statistic) else variant.statistic,
                "p": variant.p,
                "conclusion stays": self._keeps(variant),
            }
            for variant in self.variants
        ]
        schema = {"convention": pl.String, "users": pl.String, "statistic": pl.Float64, "p": pl.Float64}
        return pl.DataFrame(rows, schema={**schema, "conclusion stays": pl.Boolean})

    def sentence(self) -> Bilingual:
        """Say how many conventions keep the conclusion."""
        decided = [variant for variant in self.variants if variant.p is not None]
        kept = len(decided) - len(self.deviating)
        return Bilingual(
            f"{kept} of {len(decided)} defensible conventions {'keeps' if kept == 1 else 'keep'} the conclusion at "
            f"α = {self.chosen.alpha:g}.",
            f"在 α = {self.chosen.alpha:g} 下，{len(decided)} 种合理惯例中有 {kept} 种得出相同结论。",
        )


def multiverse(
    test: Test, conventions: Sequence[Convention], *data: Any, chosen: Mapping[str, Any] | None = None
) -> Multiverse:
    """Run `test` on the data as `chosen` says and under every convention."""
    settings = dict(chosen or {})
    variants, refused = [], []
    for convention in conventions:
        try:
            result = test(*data, **{**settings, **convention.settings})
        except UserError as error:
            refused.append((convention, error.problem))
            continue
        variants.append(Variant(convention.settings, convention.users, result.statistic, result.p))
    return Multiverse(test(*data, **settings), tuple(variants), tuple(refused))


def with_sensitivity(test: Test, conventions: Sequence[Convention], *data: Any, **settings: Any) -> TestResult:
    """Run `test` with these settings, and attach the conventions under which p crosses alpha."""
    runs = multiverse(test, conventions, *data, chosen=settings)
    return replace(runs.chosen, variants=runs.deviating)
