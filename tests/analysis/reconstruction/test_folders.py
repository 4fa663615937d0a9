"""Are runs and surveys read as files are?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import Tables, UserError
from hengliang.analysis.reconstruction.battery import Settings, analyse_reconstructions
from hengliang.analysis.reconstruction.experts import expert_scores, read_experts
from hengliang.analysis.reconstruction.folders import read_folder, table_reconstructions
from hengliang.people.scene_experiment import reconstruction_experiment
from hengliang.surveys import RunRecords, write_run
from tests.analysis.reconstruction.made_answers import made, scores_of, spread_answers
from tests.analysis.reconstruction.made_runs import run_of
from tests.analysis.reconstruction.made_survey import PAIRS, all_pairs, rating_survey, reading_survey

COLUMNS = ["pair", "describer", "scene", "size", "participant", "answer", "swaps", "share", "share_of_maximum", "exact"]


def test_a_run_holds_the_answers_of_a_file() -> None:
    found = table_reconstructions(run_of(spread_answers("4")), source="run")
    one, other = (
        held.sort("pair", "participant").select(COLUMNS) for held in (found.frame, made(spread_answers("4")).frame)
    )
    assert one.equals(other) and found.experiments == ("",)


def test_a_run_folder(tmp_path: Path) -> None:
    tables = run_of(spread_answers("5"))
    write_run(
        tmp_path / "run", "scenes", RunRecords(tables.items, tables.systems, dict(tables.responses), tables.judgements)
    )
    assert read_folder(tmp_path / "run").given.height == 72


def both_readers() -> Tables:
    one, other = (run_of(spread_answers("5"), system=name, seeds=True) for name in ("FIRST", "SECOND"))
    counts = pl.concat([one.responses["counts"], other.responses["counts"]])
    return replace(one, systems=pl.concat([one.systems, other.systems]), responses={"counts": counts})


def test_several_readers_are_analysed_apart() -> None:
    found = table_reconstructions(both_readers())
    assert found.experiments == ("FIRST", "SECOND") and found.frame.height == 144
    assert table_reconstructions(both_readers(), system="SECOND").experiments == ("",)
    assert found.frame["participant"][0] == "FIRST (seed 1)"
    with pytest.raises(UserError, match="No reader is called 'THIRD'"):
        table_reconstructions(both_readers(), system="THIRD")


def test_experts_know_the_pairs_of_several_readers() -> None:
    found = table_reconstructions(both_readers())
    assert found.frame["pair"].n_unique() == 72 and found.frame["plain_pair"].n_unique() == 36
    scores = scores_of(made(spread_answers("5"))).unpivot(index="pair", variable_name="score", value_name="value")
    battery = analyse_reconstructions(found, expert_scores(scores), Settings(draws=20, permutations=19))
    assert [results.name for results in battery.experiments] == ["FIRST", "SECOND"]
    assert all(results.regressions["informativity"].on_swaps.n == 36 for results in battery.experiments)
    alone = table_reconstructions(both_readers(), system="FIRST").frame
    assert alone["pair"].to_list() == alone["plain_pair"].to_list()


def test_what_a_run_lacks_is_said() -> None:
    tables = run_of(spread_answers("5"))
    with pytest.raises(UserError, match="nobody answered with counts"):
        table_reconstructions(replace(tables, responses={}))
    bare = tables.items.with_columns(gold=pl.lit(None, dtype=pl.String))
    with pytest.raises(UserError, match="has no scene to compare"):
        table_reconstructions(replace(tables, items=bare))


def test_counts_that_do_not_add_up_in_a_run_are_missing_with_the_reason() -> None:
    tables = run_of(list(spread_answers("5"))[:4])
    grown = pl.col("content").list.eval(
        pl.struct(kind=pl.element().struct["kind"], count=pl.element().struct["count"] + 1)
    )
    first = pl.int_range(pl.len()) == 0
    counts = tables.responses["counts"].with_columns(pl.when(first).then(grown).otherwise("content").alias("content"))
    found = table_reconstructions(replace(tables, responses={"counts": counts}))
    assert found.given.height == 3 and "add up to 10, not to 6" in next(iter(found.reasons))


def test_a_survey_that_people_answered(tmp_path: Path) -> None:
    held = read_folder(reading_survey(tmp_path / "survey"))
    assert all_pairs(held.frame) == sorted(pair.id for pair in PAIRS)
    assert held.frame.height == 2 * len(PAIRS) and held.given.height == 2 * len(PAIRS) - 1
    assert held.reasons == {"not understood": 1}
    by = dict(held.given.group_by("describer").agg(pl.col("swaps").mean()).iter_rows())
    assert by == {"Human": 1.0, "QDG-IA": 0.0}
    assert held.frame["participant"].n_unique() == 4 and not held.simulated


def test_experts_and_readers_of_one_set_of_pairs(tmp_path: Path) -> None:
    scores = read_experts(rating_survey(tmp_path / "ratings"))
    assert set(scores.names) == {"naturalness", "informativity", "correctness"}
    assert sorted(scores.of("informativity")) == sorted(pair.id for pair in PAIRS)


def test_faults_of_folders(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds neither a run nor a survey"):
        read_folder(tmp_path)
    with pytest.raises(UserError) as caught:
        read_folder(rating_survey(tmp_path / "ratings"))
    assert "not for reconstructions" in caught.value.problem and "--experts" in caught.value.remedy
    reconstruction_experiment(PAIRS, readers=2, participants=4).write(tmp_path / "empty")
    with pytest.raises(UserError, match="Nobody has answered"):
        read_folder(tmp_path / "empty")
