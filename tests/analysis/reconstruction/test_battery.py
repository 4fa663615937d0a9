"""Is everything computed for each experiment apart, and together where there are several?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.analysis.reconstruction.answers import Answer, reconstructions
from hengliang.analysis.reconstruction.battery import Settings, analyse_reconstructions
from hengliang.analysis.reconstruction.experts import expert_scores
from hengliang.analysis.reconstruction.swap_table import SHARE, TOTAL
from hengliang.materials.scenes import Scene
from tests.analysis.reconstruction.made_answers import made, scores_of, spread_answers, swap_answers

QUICK = Settings(draws=50, permutations=99)


def test_both_experiments_of_the_paper() -> None:
    data = made(spread_answers("4"), spread_answers("5"))
    found = analyse_reconstructions(data, settings=QUICK)
    first, second = found.experiments
    assert (first.name, second.name) == ("A", "B")
    # The whole way from answers to p: as printed.
    assert first.tests is not None and first.tests.anova is not None and second.tests is not None
    assert first.tests.anova.p == pytest.approx(2.2167e-06, abs=1e-10)
    assert second.tests.anova is not None and round(second.tests.anova.p or 0, 4) == 0.0008
    assert first.compared is not None and second.compared is None
    assert set(first.trends) == {"swaps", "share"} and first.regressions == {}
    assert {cell.size for cell in found.together} == {"4", "6", "9", "10", "16", "20", TOTAL}


def test_one_experiment_has_no_table_of_all() -> None:
    found = analyse_reconstructions(made(swap_answers("2")), settings=QUICK)
    assert found.together == () and len(found.experiments) == 1
    assert found.experiments[0].cell("Human", 4).values[SHARE][0] == pytest.approx(4 / 48)


def test_experts_are_held_against_the_pairs_of_each_experiment() -> None:
    data = made(spread_answers("4"), spread_answers("5"))
    wide = scores_of(data)
    long = wide.unpivot(index="pair", variable_name="score", value_name="value")
    found = analyse_reconstructions(data, expert_scores(long), QUICK)
    held = [results.regressions["informativity"].on_swaps for results in found.experiments]
    assert [(one.n, one.n_missing) for one in held] == [(30, 0), (36, 0)]
    assert all(one.coefficient("share of swaps").estimate < 0 for one in held)


def test_scores_of_other_pairs_are_a_note() -> None:
    data = made(spread_answers("5"))
    long = scores_of(data).unpivot(index="pair", variable_name="score", value_name="value")
    other = long.with_columns(pair="x" + long["pair"])
    found = analyse_reconstructions(data, expert_scores(other), QUICK).experiments[0]
    assert found.regressions == {}
    assert any("No pair has both answers and a score 'informativity'" in note.en for note in found.notes)


def test_little_data_say_what_they_cannot_tell() -> None:
    rows = [Answer("1", "A", Scene((4, 0, 0, 0)), f"p{n}", (4 - n, n, 0, 0)) for n in range(2)]
    found = analyse_reconstructions(reconstructions(rows), settings=QUICK).experiments[0]
    assert found.tests is None and found.compared is None and found.trends == {}


def test_settings_are_checked() -> None:
    data = made(swap_answers("2"))
    for settings, told in ((Settings(alpha=2), "alpha"), (Settings(draws=0), "draws"), (Settings(human="X"), "'X'")):
        with pytest.raises(UserError, match=told):
            analyse_reconstructions(data, settings=settings)
