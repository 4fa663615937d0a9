"""Do the answers of a survey become items, responses and judgements that a run holds?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang.core import Failure, RunFolder, response_records
from hengliang.experiments import write_experiment
from hengliang.people.collected.reading import collected_experiment
from hengliang.people.collected.run_records import response_kind, run_records, write_run
from hengliang.people.storage.engines import database_url
from hengliang.people.tasks.library import task_of
from tests.people.collected.answered import answer, answered_survey, person, six_readers, store


def test_ratings_are_judgements_about_what_systems_gave(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    six_readers(database_url(survey.folder))
    records = run_records(collected_experiment(survey.folder), survey.task, survey.folder)
    # Targets only: 8 stimuli on 2 scales by 6 readers, each once although systems share stimuli.
    assert records.judgements.height == 96
    responses = records.responses["text"]
    # Three systems answered each of four sentences.
    assert responses.height == 12 and set(responses["system"]) == {"CORPUS", "BERT", "RULE"}
    assert set(records.judgements["about"]) == set(responses["id"])
    assert records.items["id"].to_list() == ["s1", "s2", "s3", "s4"]
    folder = write_run(tmp_path / "run", "answered", records)
    read = RunFolder.open(folder.path).tables()
    assert read.judgements.equals(records.judgements) and read.items.equals(records.items)
    write_run(tmp_path / "run", "answered", records)


def test_a_run_that_was_stopped_halfway_is_written_again(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    six_readers(database_url(survey.folder))
    records = run_records(collected_experiment(survey.folder), survey.task, survey.folder)
    # What no Parquet file can hold stops it when items and responses are written.
    broken = replace(records, judgements=pl.DataFrame({"value": [object()]}))
    with pytest.raises(Failure):
        write_run(tmp_path / "run", "answered", broken)
    assert (tmp_path / "run" / "items.parquet").is_file()
    assert write_run(tmp_path / "run", "answered", records).judgements().height == 96


def test_the_items_of_the_folder_go_before_the_stimuli(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    held = run_records(survey.experiment, survey.task)
    own = held.items.with_columns(content=pl.lit("一___信"))
    own.write_parquet(survey.folder / "items.parquet")
    assert run_records(survey.experiment, survey.task, survey.folder).items["content"].unique().to_list() == ["一___信"]
    write_experiment(survey.folder, survey.experiment)


@pytest.mark.parametrize(("name", "kind"), [("free_text", "text"), ("cloze", "label")])
def test_texts_are_responses_of_people(tmp_path: Path, name: str, kind: str) -> None:
    task = task_of(name, {})
    scale = task.scales()[0].name
    survey = answered_survey(tmp_path / "e", task_of("free_text", {"scale": scale}))
    rows = [
        answer("p", "s1-封", scale, label="很自然"),
        answer("p", "s1-个", scale, status="missing", reason="not understood"),
        answer("p", "catch-1", scale, label="?", role="catch"),
    ]
    store(database_url(survey.folder), [person("p")], rows)
    records = run_records(collected_experiment(survey.folder), task)
    assert response_kind(task) == kind and not records.judgements.height
    found = list(response_records(records.responses[kind]))
    assert [(each.item, each.respondent, each.system, each.content, each.status) for each in found] == [
        ("s1-封", "p", "people", "很自然", "ok"),
        ("s1-个", "p", "people", None, "missing"),
    ]
    assert "s1-封" in records.items["id"].to_list()


def test_counts_of_a_scene_are_one_response(tmp_path: Path) -> None:
    task = task_of("reconstruction", {})
    scales = [scale.name for scale in task.scales()]
    likert = answered_survey(tmp_path / "e")
    from dataclasses import replace

    from hengliang.experiments import answers_frame

    base = {"participant": "p", "about": "s1-封"}
    given = [{**base, "scale": name, "value": float(place)} for place, name in enumerate(scales)]
    lost = [
        {**base, "about": "s2-匹", "scale": name, "status": "missing", "reason": "not understood"} for name in scales
    ]
    held = replace(likert.experiment, scales=task.scales(), answers=answers_frame([*given, *lost]))
    found = list(response_records(run_records(held, task).responses["counts"]))
    assert [(piece.kind, piece.count) for piece in found[0].content or ()] == [  # type: ignore[union-attr]
        (name, place) for place, name in enumerate(scales)
    ]
    assert (found[1].status, found[1].reason, found[1].content) == ("missing", "not understood", None)


def test_what_describes_a_scene_keeps_its_pair_describer_and_scene() -> None:
    from hengliang.scenes import reconstruction_experiment
    from tests.people.scene_examples import scene_pairs

    made = reconstruction_experiment(scene_pairs(), readers=1, participants=2).designed
    items = run_records(made.experiment, made.task).items
    assert items.select("set", "condition", "gold", "pair", "describer", "scene_size").row(0) == (
        *("BS=2 RC=2", "IA", "BS=2 RC=2", "IA:BS=2 RC=2", "IA", 4),
    )
