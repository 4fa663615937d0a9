"""How many observations has each group, what is their mean, and how far do they spread?

Tests of means need no more than that. A group is therefore a sample, or the `Summary` that a paper prints.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hengliang.analysis.ranks.samples import check_names
from hengliang.analysis.results import Sample, check_magnitude, checksum
from hengliang.core.errors import UserError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Summary:
    """A group of which only size, mean and sample standard deviation (n − 1) are known."""

    n: int
    mean: float
    sd: float


Group = ArrayLike | Summary
"""What may be compared: the observations themselves, or their summary."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Size, mean, sample variance and missing values of each group; a group of one has no variance (NaN)."""

    names: tuple[str, ...]
    n: Floats
    means: Floats
    variances: Floats
    missing: tuple[int, ...]
    data: str

    @property
    def n_missing(self) -> int:
        """How many values were missing in all groups."""
        return sum(self.missing)

    @property
    def total(self) -> int:
        """All observations."""
        return int(self.n.sum())

    def pooled_variance(self) -> float:
        """Return the variance within groups, common to all of them."""
        df = self.total - len(self.n)
        if df < 1:
            raise UserError(
                "No group has more than one observation, so that nothing is known of their spread.",
                valid="At least one group with two observations or more.",
            )
        variance = float(np.nansum((self.n - 1) * self.variances) / df)
        if variance == 0:
            raise UserError(
                "The values do not vary within any group: there is no error to hold a difference against.",
                valid="At least one group whose values are not all equal.",
            )
        return variance

    def separate_variances(self) -> Floats:
        """Return the variance of each group, none of which may be 0 or unknown."""
        for name, n, variance in zip(self.names, self.n, self.variances, strict=True):
            if n < 2 or variance == 0:
                why = "has only one observation" if n < 2 else "has no spread: all its values are equal"
                raise UserError(
                    f"{name} {why}, so that its own variance is of no use.",
                    valid="At least two different values in each group.",
                    remedy='Use the common variance (variances="equal"), or a test by ranks.',
                )
        return self.variances

    def details(self) -> dict[str, float]:
        """Return what a reader wants to see of each group."""
        found: dict[str, float] = {}
        for name, mean, variance in zip(self.names, self.means, self.variances, strict=True):
            found[f"mean {name}"] = float(mean)
            if not math.isnan(variance):
                found[f"standard deviation {name}"] = math.sqrt(variance)
        return found


def take_moments(groups: Sequence[Group], names: Sequence[str] | None) -> Moments:
    """Read two or more groups."""
    labels = check_names(names, len(groups))
    if len(groups) < 2:
        raise UserError(f"There is {len(groups)} group to compare.", valid="Two groups or more.")
    missing, rows, data = [], [], []
    for group, label in zip(groups, labels, strict=True):
        if isinstance(group, Summary):
            rows.append(_of_summary(group, label))
            data.append(checksum(rows[-1]))
            missing.append(0)
            continue
        sample = Sample.of(group, f"Group {label}")
        missing.append(sample.n_missing)
        rows.append(_of_sample(sample.values, label))
        data.append(checksum(sample.values))
    n, means, variances = np.array(rows).T
    return Moments(labels, n, means, variances, tuple(missing), "+".join(data))


def _of_sample(values: Floats, label: str) -> tuple[float, float, float]:
    if not len(values):
        raise UserError(f"Group {label} holds no observation.", valid="At least one number in each group.")
    check_magnitude(values, f"group {label}")
    variance = float(values.var(ddof=1)) if len(values) > 1 else math.nan
    # Equal numbers such as 0.1 may have a deviation of some 1e-17 in binary.
    if variance <= (1e-14 * float(np.abs(values).max())) ** 2:
        variance = 0.0
    return float(len(values)), float(values.mean()), variance


def _of_summary(group: Summary, label: str) -> tuple[float, float, float]:
    if group.n < 1 or group.n != int(group.n) or not math.isfinite(group.mean) or not group.sd >= 0:
        raise UserError(
            f"Group {label} cannot have n = {group.n}, mean = {group.mean:g} and sd = {group.sd:g}.",
            valid="n of 1 or more, a finite mean, sd of 0 or more.",
        )
    return float(group.n), float(group.mean), math.nan if group.n == 1 else float(group.sd) ** 2
