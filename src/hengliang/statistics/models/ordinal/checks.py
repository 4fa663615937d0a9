"""Checks of ordinal models: columns, groups, categories, separation, variances and the optimum.

Each check gives sentences in both languages that name the group, column or level in question and what to do about it.

[1] Albert, A., Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression models.
    Biometrika 71.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import scipy

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.design import Floats, RandomTerm
from hengliang.statistics.models.ordinal.laplace import OrdinalProblem
from hengliang.statistics.models.ordinal.optimisation import GRADIENT, Estimation

# --- warnings ---------------------------------------------------------------------------------------------------------


FEW_LEVELS = 5
HUGE = 5.0
"""A random effect with a standard deviation of so many of the latent error's has probably run away."""
FAR = 2e-4
"""A column whose deviation is below this share of its mean is to be centred: its standard error would lose digits."""
FLAT = 1e-9
"""Curvature below this share of the largest, after scaling, is none."""


def check_columns(problem: OrdinalProblem) -> None:
    """Refuse a fixed column that does not vary within the sets of thresholds (they say the same already) or too little.

    A column far from zero moves all thresholds with it, and the digits of its own effect are lost.
    """
    columns = np.hstack([problem.nominal, problem.fixed])
    names = (*problem.thresholds.columns, *problem.fixed_names)
    if not names:
        return
    cells = len(problem.thresholds.cells)
    counts = np.maximum(np.bincount(problem.cells, minlength=cells), 1)
    means = np.column_stack([np.bincount(problem.cells, column, cells) / counts for column in columns.T])
    centred = columns - means[problem.cells]
    sizes = np.linalg.norm(columns, axis=0)
    basis = np.zeros((problem.n, 0))
    for index, name in enumerate(names):
        column = centred[:, index] - basis @ (basis.T @ centred[:, index])
        size = float(np.linalg.norm(column))
        if size <= 1e-9 * max(float(sizes[index]), 1e-300):
            before = ", ".join(["the thresholds", *names[:index]])
            raise UserError(
                f"The column '{name}' says nothing that {before} do not say already: its effect cannot be told apart.",
                valid="An ordinal model has thresholds in place of an intercept; columns may not add up to it.",
                remedy="Leave this term out of the formula, and let the intercept stay in it.",
            )
        basis = np.column_stack([basis, column / size])
        mean, deviation = float(columns[:, index].mean()), float(columns[:, index].std())
        if deviation < FAR * abs(mean):
            raise UserError(
                f"The column '{name}' varies so little beside its distance from zero (mean {mean:.6g}, standard "
                f"deviation {deviation:.3g}) that its effect cannot be computed exactly.",
                remedy=f"Write scale({name}) or center({name}) in the formula.",
            )


def group_warnings(random: Sequence[RandomTerm], n: int, categories: int) -> Iterator[Bilingual]:
    """Warn of groups that are too small for a random effect."""
    for group, levels in {term.group: len(term.levels) for term in random}.items():
        if levels < FEW_LEVELS:
            yield Bilingual(
                f"'{group}' has {levels} levels only: a variance cannot be learned from so few. Random effects with "
                f"2 to 4 levels belong among the fixed effects ('+ {group}' instead of '(1 | {group})').",
                f"“{group}”只有 {levels} 个水平：水平太少，无法估计方差。只有 2 至 4 个水平的随机效应"
                f"应作为固定效应（用“+ {group}”代替“(1 | {group})”）。",
            )
        if levels == n:
            unknown = " With two categories its variance is not identified." if categories == 2 else ""
            unknown_zh = "只有两个类别时，其方差不可识别。" if categories == 2 else ""
            yield Bilingual(
                f"'{group}' has a level for every observation, so its effects cannot be told from chance.{unknown} "
                f"Leave '(1 | {group})' out unless this is intended.",
                f"“{group}”的每个观测各为一个水平，其效应与随机误差无法区分。{unknown_zh}"
                f"除非有意如此，请去掉“(1 | {group})”。",
            )


def unused_warning(unused: Sequence[str]) -> Iterator[Bilingual]:
    """Say which categories nobody gave."""
    if unused:
        names = ", ".join(unused)
        yield Bilingual(
            f"Nobody gave the categories {names}; the model leaves them out.",
            f"没有评分使用类别 {names}；模型将其略去。",
        )


def cell_warnings(problem: OrdinalProblem, by: str) -> Iterator[Bilingual]:
    """Say whose thresholds are at infinity or coincide because categories were not used."""
    counts = np.zeros((len(problem.thresholds.cells), problem.thresholds.borders + 1))
    np.add.at(counts, (problem.cells, problem.codes), 1.0)
    partial = [name for name, row in zip(problem.thresholds.cells, counts, strict=True) if (row == 0).any()]
    if by and partial:
        names = ", ".join(partial[:8]) + (" …" if len(partial) > 8 else "")
        yield Bilingual(
            f"Not all categories were used by {names}: their thresholds round an unused category coincide or lie at "
            "infinity and are not estimated.",
            f"{names} 没有使用全部类别：未用类别两侧的阈限重合或位于无穷远，不作估计。",
        )


def separation_warning(columns: Sequence[str]) -> Iterator[Bilingual]:
    """Say which columns part the categories completely."""
    if columns:
        names = ", ".join(columns)
        yield Bilingual(
            f"Separation: {names} tells some categories apart without exception, so the estimate runs to infinity and "
            "its standard error means nothing. Merge categories or levels, leave the term out, or collect more data.",
            f"完全分离：{names} 毫无例外地区分了某些类别，估计值趋于无穷，其标准误没有意义。"
            "请合并类别或水平、去掉该项，或收集更多评分。",
        )


def variance_warnings(problem: OrdinalProblem, fitted: Estimation) -> Iterator[Bilingual]:
    """Name variances at zero, correlations of one, and variances that have run away."""
    factors = problem.parts(fitted.optimum.parameters)[2]
    for index, (term, factor) in enumerate(zip(problem.random, factors, strict=True)):
        for column, name in enumerate(term.names):
            what = f"{name} by {term.group}" if term.width > 1 or name != "(Intercept)" else term.group
            if (index, column) in fitted.zeros:
                yield _singular(what, term.group, bool((factor[column] == 0.0).all()))
        # What all effects add to a rating: with a slope, the one at x = 0 alone may be large far from all data.
        deviation = float(np.sqrt(((term.columns @ factor) ** 2).sum(axis=1).mean()))
        if deviation > HUGE * np.sqrt(problem.link.spread):
            yield Bilingual(
                f"The effects of {term.group} have a standard deviation of {deviation:.3g}: its levels part the "
                "categories almost completely, and the Laplace approximation is poor there. Look at this group.",
                f"{term.group} 的效应标准差为 {deviation:.3g}：其各水平几乎完全区分了类别，"
                "拉普拉斯近似在此不准确。请检查该分组的数据。",
            )


def _singular(what: str, group: str, vanished: bool) -> Bilingual:
    if vanished:
        return Bilingual(
            f"Singular fit: the variance of {what} is zero. The model without it is the same; leave it out.",
            f"奇异拟合：{what} 的方差为零。去掉该随机效应后模型不变，建议去掉。",
        )
    return Bilingual(
        f"Singular fit: {what} is a fixed combination of the effects before it (a correlation of ±1). The data do not "
        f"support so many random effects of {group}; leave one out or write '||'.",
        f"奇异拟合：{what} 完全由其前面的效应决定（相关为 ±1）。"
        f"数据不足以支持 {group} 的这么多随机效应；请去掉一个，或改用“||”。",
    )


def optimum_warnings(problem: OrdinalProblem, fitted: Estimation, flat: Sequence[str]) -> Iterator[Bilingual]:
    """Say that the maximum was not reached, or is not a clear one."""
    if flat:
        terms = ", ".join(flat)
        yield Bilingual(
            f"The likelihood hardly changes along {terms}: the data do not determine this, and standard errors are not "
            "given. Leave one of the terms out.",
            f"沿 {terms} 方向似然几乎不变：数据无法确定其值，因此不给出标准误。请去掉其中一项。",
        )
    if fitted.optimum.steepest > 100 * GRADIENT * max(1.0, abs(fitted.optimum.log_likelihood) * 1e-4):
        names = [problem.names[index] for index in fitted.optimum.free]
        worst = names[int(np.argmax(np.abs(fitted.optimum.slope)))]
        yield Bilingual(
            f"The search ended before the maximum (slope {fitted.optimum.steepest:.2g} at {worst}): do not use these "
            "numbers. Scale the columns to similar size, or simplify the random effects.",
            f"搜索在到达最大值之前结束（{worst} 处斜率为 {fitted.optimum.steepest:.2g}）：请勿使用这些数字。"
            "请将各列缩放到相近的量级，或简化随机效应。",
        )


def crossing_warning(problem: OrdinalProblem, parameters: Floats) -> Iterator[Bilingual]:
    """Say that thresholds have changed places where nobody used the category between them.

    Flexible thresholds of a cell cannot: round an unused category they are one. Columns that shift each threshold by an
    amount of its own can, and so can symmetric or equidistant thresholds of a rater who skips categories.

    The likelihood does not see that, for it asks for the categories that were given only; but the probabilities of all
    categories then add up to more than one, and it is too large.
    """
    thresholds = problem.thresholds
    if not thresholds.columns and (thresholds.kind == "flexible" or len(thresholds.cells) == 1):
        return
    borders = thresholds.at(parameters[: problem.n_alpha], problem.cells, problem.nominal)
    with np.errstate(invalid="ignore"):  # two thresholds at the same infinity do not cross
        crossed = (np.diff(borders, axis=1) < -1e-6).any(axis=1)
    if crossed.any():
        cells = [thresholds.cells[index] for index in np.unique(problem.cells[crossed])]
        names = ", ".join(thresholds.columns or cells)
        yield Bilingual(
            f"The thresholds cross for {names}, where some category was not used, so the likelihood may be too large: "
            "do not use these numbers. Merge categories, or let all ratings share their thresholds and effects.",
            f"由于有类别无人使用，{names} 的阈限次序颠倒，似然值可能偏大：请勿使用这些数字。"
            "请合并类别，或让所有评分共用阈限与效应。",
        )


def flat_directions(hessian: Floats, names: Sequence[str]) -> tuple[Floats, tuple[str, ...]]:
    """Return the covariance matrix (minus the Hessian inverted) and the parameters that no curvature holds in place.

    Rows and columns of such parameters are NaN.
    """
    if not len(hessian):
        return np.zeros((0, 0)), ()
    diagonal = np.diag(-hessian)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(-hessian / np.outer(scale, scale))
    good = values > FLAT
    inverse = (vectors[:, good] / values[good]) @ vectors[:, good].T / np.outer(scale, scale)
    loads = (vectors[:, ~good] ** 2).sum(axis=1)
    lost = loads > 1e-4
    inverse[lost, :] = np.nan
    inverse[:, lost] = np.nan
    return inverse, tuple(name for name, missing in zip(names, lost, strict=True) if missing)


# --- complete and quasi-complete separation ---------------------------------------------------------------------------
# Where predictors part the categories without exception, an effect has no finite estimate. Log p never falls when the
# upper point of an observation rises and its lower point falls. A direction of thresholds and coefficients that does
# this for all observations at once makes the likelihood rise for ever: the ratings are separated [1]. Whether there is
# one is a linear programme, so the answer is exact and does not depend on how large an estimate has grown.

SUSPICIOUS = 4.0
"""Effects or standard errors of so many of the latent error's deviations, over a column's range, call for a look."""
MOST_ROWS = 50_000
"""Distinct observations above which the programme takes too long; a separation of so many is not to be expected."""


def is_suspicious(problem: OrdinalProblem, location: Floats, hessian: Floats) -> bool:
    """Whether the fit without random effects has run so far that a separation may be the cause."""
    limit = SUSPICIOUS * float(np.sqrt(problem.link.spread))
    ranges = np.ones(problem.n_location)
    if problem.fixed.size:
        ranges[problem.n_alpha :] = np.ptp(problem.fixed, axis=0)
    diagonal = np.diag(-hessian)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(-hessian / np.outer(scale, scale))
    with np.errstate(over="ignore"):
        variances = (vectors**2 / np.maximum(values, 1e-300)).sum(axis=1) / scale**2
    far = np.abs(location) * ranges > limit
    far[: problem.n_alpha] = False  # a threshold may lie far out only because its category is rare
    return bool(far.any() or (np.sqrt(variances) * ranges > limit).any())


def separated(problem: OrdinalProblem) -> tuple[str, ...]:
    """Name the columns (or else the thresholds) that part the categories; nothing if estimates exist."""
    rows = _constraints(problem)
    if rows is None:
        return ()
    gain = np.asarray(rows.sum(axis=0)).ravel()
    solution = scipy.optimize.linprog(-gain, A_ub=-rows, b_ub=np.zeros(rows.shape[0]), bounds=(-1, 1), method="highs")
    if solution.x is None or -solution.fun < 1e-6:
        return ()
    moving = np.abs(solution.x) > 1e-7
    columns = [name for name, moves in zip(problem.fixed_names, moving[problem.n_alpha :], strict=True) if moves]
    if columns:
        return tuple(columns)
    return tuple(name for name, moves in zip(problem.thresholds.names, moving, strict=False) if moves)


def _constraints(problem: OrdinalProblem) -> scipy.sparse.csr_array | None:
    """Return how far each finite point of each distinct observation moves outwards with each parameter."""
    key = np.column_stack([problem.codes, problem.cells, problem.fixed, problem.nominal])
    _, first = np.unique(key, axis=0, return_index=True)
    if len(first) > MOST_ROWS:
        return None
    scale = np.ptp(problem.fixed, axis=0)
    # The thresholds take up a column's mean, so it may be left out: 2024 would dwarf a difference of one year.
    fixed = scipy.sparse.csr_array(
        (problem.fixed[first] - problem.fixed.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    )
    parts = []
    for matrix, offset, sign in (
        (problem.upper, problem.upper_offset, 1.0),
        (problem.lower, problem.lower_offset, -1.0),
    ):
        finite = np.isfinite(offset[first])
        parts.append((sign * scipy.sparse.hstack([matrix[first], -fixed]).tocsr())[np.flatnonzero(finite)])
    return scipy.sparse.csr_array(scipy.sparse.vstack(parts))
