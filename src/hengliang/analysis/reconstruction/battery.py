"""What is computed from reconstructions, experiment by experiment?

Everything that paper 001 reports of its data (sections 4 and 5), and beside each of its tests one that respects how the
data came about. Experiments are analysed apart where the data name several; then all of them make one more table, as
Table 6 does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from hengliang.analysis.reconstruction.answers import Reconstructions
from hengliang.analysis.reconstruction.describer_comparison import (
    Compared,
    compare_describers,
    find_human,
    mixed_fit,
)
from hengliang.analysis.reconstruction.expert_regression import ScoreRegression, pair_shares, score_regression
from hengliang.analysis.reconstruction.experts import ExpertScores
from hengliang.analysis.reconstruction.scene_clusters import pair_scenes, shared_sizes
from hengliang.analysis.reconstruction.spread import (
    SpreadTests,
    pair_spreads,
    scene_columns,
    spread_columns,
    spread_tests,
)
from hengliang.analysis.reconstruction.swap_table import SwapCell, swap_cells
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.mixed import MixedFit
from hengliang.statistics.resampling import Resampling
from hengliang.statistics.results import check_alpha


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can change a number, besides the data; `human` names the describer that is people."""

    alpha: float = 0.05
    level: float = 0.95
    draws: int = 2000
    permutations: int = 9999
    seed: int = 1
    human: str | None = None

    @property
    def resampling(self) -> Resampling:
        """How intervals are made."""
        return Resampling(self.draws, self.seed, self.level)


@dataclass(frozen=True, slots=True, eq=False)
class ExperimentResults:
    """All that follows from one experiment.

    `trends` are mixed models of swaps and of their share of n by the size as a number and by the describer. They and
    `shared_tests` are of `shared`, the sizes that all describers have: else a describer of large scenes only would pass
    for an effect of size. `tests` are of all sizes. What could not be computed is None or absent, and `notes` say why.
    """

    name: str
    data: Reconstructions
    cells: tuple[SwapCell, ...]
    spreads: pl.DataFrame
    tests: SpreadTests | None
    trends: Mapping[str, MixedFit]
    regressions: Mapping[str, ScoreRegression]
    compared: Compared | None
    shared: tuple[int, ...]
    shared_tests: SpreadTests | None
    alpha: float = 0.05
    notes: tuple[Bilingual, ...] = ()

    def cell(self, describer: str, size: str | int) -> SwapCell:
        """Return one cell of the table of swaps."""
        return next(cell for cell in self.cells if (cell.describer, cell.size) == (describer, str(size)))


@dataclass(frozen=True, slots=True, eq=False)
class Battery:
    """The whole analysis; `together` is the table of swaps over several experiments, else empty."""

    data: Reconstructions
    experts: ExpertScores | None
    settings: Settings
    experiments: tuple[ExperimentResults, ...]
    together: tuple[SwapCell, ...] = ()
    notes: tuple[Bilingual, ...] = field(default=())


def analyse_reconstructions(
    data: Reconstructions, experts: ExpertScores | None = None, settings: Settings | None = None
) -> Battery:
    """Compute all that follows from the answers, and from the experts' scores where there are any."""
    held = settings or Settings()
    check_alpha(held.alpha)
    held.resampling.check()
    find_human(data.describers, held.human)
    names = data.experiments
    results = tuple(
        analyse_experiment(name, data.of_experiment(name) if len(names) > 1 else data, experts, held) for name in names
    )
    together = tuple(swap_cells(data.frame, held.resampling)) if len(names) > 1 else ()
    return Battery(data, experts, held, results, together, data.notes)


def analyse_experiment(
    name: str, data: Reconstructions, experts: ExpertScores | None, settings: Settings
) -> ExperimentResults:
    """Compute all that follows from one experiment."""
    spreads, shared = pair_spreads(data.frame), tuple(shared_sizes(data.given))
    tests = _spread_tests(spreads, settings)
    alike = shared == tuple(data.given["size"].unique().sort())
    shared_tests = tests if alike else _spread_tests(spreads.filter(pl.col("size").is_in(shared)), settings)
    trends, notes = _trends(data.given.filter(pl.col("size").is_in(shared)), settings)
    regressions, unscored = _regressions(data, experts, settings)
    compared = _compared(data, settings)
    refused = [
        Bilingual(f"{test} of the spreads could not be run: {why}", f"离散度的 {test} 检验无法进行：{why}")
        for test, why in (tests.refused if tests else {}).items()
    ]
    told = dict.fromkeys([*refused, *notes, *unscored, *(compared.notes if compared else ())])
    cells = tuple(swap_cells(data.frame, settings.resampling))
    return ExperimentResults(
        name, data, cells, spreads, tests, trends, regressions, compared, shared, shared_tests, settings.alpha,
        tuple(told),
    )  # fmt: skip


def _spread_tests(spreads: pl.DataFrame, settings: Settings) -> SpreadTests | None:
    columns = {size: held for size, held in spread_columns(spreads).items() if held}
    if len(columns) < 2:
        return None
    return spread_tests(columns, settings.alpha, settings.level, scene_columns(spreads))


def _trends(given: pl.DataFrame, settings: Settings) -> tuple[dict[str, MixedFit], list[Bilingual]]:
    if given["size"].n_unique() < 2:
        return {}, []
    found: dict[str, MixedFit] = {}
    notes: list[Bilingual] = []
    fixed = "size + describer" if given["describer"].n_unique() > 1 else "size"
    for response in ("swaps", "share"):
        fit, told = mixed_fit(given, f"{response} ~ {fixed}", alpha=settings.alpha, level=settings.level)
        notes += told
        if fit is not None:
            found[response] = fit
    return found, notes


def _regressions(
    data: Reconstructions, experts: ExpertScores | None, settings: Settings
) -> tuple[dict[str, ScoreRegression], list[Bilingual]]:
    found: dict[str, ScoreRegression] = {}
    notes: list[Bilingual] = []
    shares, scenes = pair_shares(data.frame), pair_scenes(data.frame)
    for name in experts.names if experts else ():
        own = {pair: value for pair, value in experts.of(name).items() if pair in shares} if experts else {}
        try:
            found[name] = score_regression(
                shares, own or (experts.of(name) if experts else {}), name, scenes=scenes, alpha=settings.alpha,
                level=settings.level,
            )  # fmt: skip
        except UserError as error:
            notes.append(
                Bilingual(
                    f"No regression for {name}: {error.problem} {error.valid}".strip(),
                    f"“{name}”无法回归：{error.problem} {error.valid}".strip(),
                )
            )
    return found, notes


def _compared(data: Reconstructions, settings: Settings) -> Compared | None:
    held = data.given
    describers = tuple(held["describer"].unique(maintain_order=True).to_list())
    human = settings.human if settings.human in describers else find_human(describers)
    if human is None or len(describers) < 2:
        return None
    return compare_describers(
        held,
        human,
        draws=settings.permutations,
        seed=settings.seed,
        alpha=settings.alpha,
        level=settings.level,
    )
