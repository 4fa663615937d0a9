"""Does a run read what the user gave it once, and its own manifest at most once?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import Run
from hengliang.core import STAGES
from hengliang.surveys import read_experiment, write_experiment
from tests.counted_runs import CSV, EXPERIMENT, OWN_SUITE, counted_study, write_files
from tests.opened_files import reads_of

FILES = {"table": CSV, "suite": OWN_SUITE, "people": f"{EXPERIMENT}/experiment.json"}


def counted(folder: Path, kind: str) -> tuple[int, int]:
    """Run a study in a process of its own; return how often it read the user's file and its manifest."""
    reads = reads_of("tests.counted_runs", str(folder), kind)
    return reads[str(folder / FILES[kind])], reads[str(folder / "run" / "manifest.json")]


@pytest.mark.parametrize("kind", FILES)
def test_a_run_of_all_stages_reads_each_file_once(kind: str, tmp_path: Path) -> None:
    write_files(tmp_path)
    assert counted(tmp_path, kind) == (1, 0)  # there is no manifest yet
    file = tmp_path / "run" / "judgements.parquet"
    before = file.read_bytes()
    # Nothing is left to do, and the file is read for the signature where its checksum does not say everything.
    assert counted(tmp_path, kind) == (1, 1)
    file.unlink()
    assert counted(tmp_path, kind) == (1, 1)
    assert file.read_bytes() == before
    # A run that was killed before its judgements goes on from what is there.
    for name in ("judgements.parquet", "estimates.parquet", "responses/units.parquet", "responses/ranking.parquet"):
        (tmp_path / "run" / name).unlink(missing_ok=True)
    assert counted(tmp_path, kind) == (1, 1)
    assert file.read_bytes() == before


def test_an_edited_table_is_read_again_by_the_same_study(tmp_path: Path) -> None:
    write_files(tmp_path)
    study = counted_study(tmp_path, "table")
    assert study.run(tmp_path / "run").items.height == 10
    with (tmp_path / CSV).open("a", encoding="utf-8") as stream:
        stream.write("她买了车。,3\n")
    assert study.run(tmp_path / "run").items.height == 11
    log = (tmp_path / "run" / "log.txt").read_text(encoding="utf-8")
    assert log.count("begun") == 2 * len(STAGES)


def test_new_answers_are_read_by_the_next_run_of_the_same_study(tmp_path: Path) -> None:
    write_files(tmp_path)
    study = counted_study(tmp_path, "people")
    assert people_in(study.run(tmp_path / "run")) == ["p1"]
    experiment = read_experiment(tmp_path / EXPERIMENT)
    second = experiment.answers.with_columns(participant=pl.lit("p2"))
    write_experiment(tmp_path / EXPERIMENT, replace(experiment, answers=pl.concat([experiment.answers, second])))
    assert people_in(study.run(tmp_path / "run")) == ["p1", "p2"]


def people_in(run: Run) -> list[str]:
    return run.judgements.filter(judge_kind="person")["judge"].to_list()
