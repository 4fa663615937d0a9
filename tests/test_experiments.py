"""Does an experiment folder hold what people are shown and what they say, and only right answers?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from hengliang import Bilingual, UserError
from hengliang.experiments import (
    Experiment,
    Plan,
    Scale,
    answers_frame,
    judgements_of,
    read_experiment,
    stimuli_frame,
    versions_frame,
    write_experiment,
)

EXPERIMENT = Experiment(
    name="fluency of classifiers",
    title=Bilingual("How fluent?", "通顺吗？"),
    scales=(Scale("fluency", Bilingual("It is fluent.", "通顺"), 7, (Bilingual("no", "否"), Bilingual("yes", "是"))),),
    plan=Plan("fluency", 0.5, "3 comparisons", "40 raters", ("failed a catch item",), 8),
    stimuli=stimuli_frame(
        [
            {"about": "r1", "item": "i1", "text": "一本书", "spans": [], "systems": ["GE", "RULE"]},
            {"about": "r2", "item": "i1", "text": "一个书", "spans": [], "systems": ["BERT"]},
        ]
    ),
)


def with_answers(*rows: dict[str, Any]) -> Experiment:
    return replace(EXPERIMENT, answers=answers_frame(rows))


def test_an_experiment_goes_to_disk_and_back(tmp_path: Path) -> None:
    held = with_answers({"participant": "p1", "about": "r1", "scale": "fluency", "value": 6.0, "trial": 1})
    write_experiment(tmp_path, held)
    back = read_experiment(tmp_path)
    assert (back.name, back.title, back.scales, back.plan) == (held.name, held.title, held.scales, held.plan)
    assert back.stimuli.equals(held.stimuli)
    assert back.answers.equals(held.answers)


def test_a_shared_response_is_one_judgement_however_many_systems_gave_it() -> None:
    held = with_answers(
        {"participant": "p1", "about": "r1", "scale": "fluency", "value": 6.0},
        {"participant": "p2", "about": "r1", "scale": "fluency", "status": "missing", "reason": "did not understand"},
    )
    judgements = judgements_of(held)
    assert judgements["scored_system"].to_list() == ["", ""]
    assert judgements["value"].to_list() == [6.0, None]
    assert judgements["judge"].to_list() == ["p1", "p2"]


def test_nobody_has_answered_yet(tmp_path: Path) -> None:
    write_experiment(tmp_path, EXPERIMENT)
    (tmp_path / "answers.parquet").unlink()
    assert judgements_of(read_experiment(tmp_path)).height == 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"participant": "p", "about": "r9", "scale": "fluency", "value": 1.0}, "answer 1 is about the stimulus 'r9'"),
        ({"participant": "p", "about": "r1", "scale": "beauty", "value": 1.0}, "the scale 'beauty'"),
        ({"participant": "p", "about": "r1", "scale": "fluency", "value": 8.0}, "gives 8.0 .* from 1 to 7"),
        ({"participant": "p", "about": "r1", "scale": "fluency", "value": 0.0}, "gives 0.0"),
    ],
)
def test_a_wrong_answer_is_named(row: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        write_experiment(tmp_path, with_answers(row))


def test_the_same_answer_twice_is_refused(tmp_path: Path) -> None:
    row = {"participant": "p", "about": "r1", "scale": "fluency", "value": 1.0}
    with pytest.raises(UserError, match="participant 'p' answers 'fluency' twice"):
        write_experiment(tmp_path, with_answers(row, row))


def test_a_folder_without_an_experiment(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no experiment in"):
        read_experiment(tmp_path)
    (tmp_path / "experiment.json").write_text('{"format": 9}')
    with pytest.raises(UserError, match="format 1"):
        read_experiment(tmp_path)
    (tmp_path / "experiment.json").write_text('{"format": 1, "name": "x"}')
    with pytest.raises(UserError, match="plan"):
        read_experiment(tmp_path)


def _version(version: str, position: int, about: str) -> dict[str, Any]:
    return {"version": version, "position": position, "about": about}


def test_a_folder_of_the_first_format_is_read(tmp_path: Path) -> None:
    held = with_answers({"participant": "p1", "about": "r1", "scale": "fluency", "value": 6.0})
    write_experiment(tmp_path, replace(held, versions=versions_frame([_version("1", 1, "r1")])))
    # What the first format did not have.
    for name, later in {
        "stimuli": ("details",),
        "versions": ("role", "block", "occurrence"),
        "answers": ("version", "role", "occurrence", "highlighted"),
    }.items():
        file = tmp_path / f"{name}.parquet"
        pl.read_parquet(file).drop(later).write_parquet(file)
    description = json.loads((tmp_path / "experiment.json").read_text())
    del description["simulated"]
    (tmp_path / "experiment.json").write_text(json.dumps({**description, "format": 1}))
    back = read_experiment(tmp_path)
    assert back.stimuli.equals(held.stimuli)
    assert back.answers.equals(held.answers)
    assert not back.simulated


def test_only_targets_are_judgements_and_a_repeat_is_no_second_answer() -> None:
    told = {"participant": "p1", "about": "r1", "scale": "fluency"}
    held = with_answers(
        {**told, "value": 6.0},
        {**told, "value": 2.0, "role": "repeat", "occurrence": 2},
        {**told, "about": "r2", "value": 1.0},
    )
    assert judgements_of(held)["value"].to_list() == [6.0, 1.0]


ANSWERED = st.one_of(
    st.fixed_dictionaries({"value": st.sampled_from((1.0, 2.0, 7.0)), "label": st.sampled_from((None, "是"))}),
    st.fixed_dictionaries({"label": st.sampled_from(("是", ""))}),
    st.fixed_dictionaries({"status": st.sampled_from(("missing", "failed")), "reason": st.sampled_from("慢空")}),
)
ROLE = st.sampled_from((("target", 1), ("repeat", 2), ("filler", 1)))


@given(st.lists(st.tuples(st.sampled_from(("r1", "r2")), ROLE, ANSWERED), max_size=8))
def test_a_judgement_is_an_answer_about_a_target_column_by_column(told: list[tuple[str, Any, dict[str, Any]]]) -> None:
    rows = [
        {"participant": f"p{place}", "about": about, "scale": "fluency", "role": role, "occurrence": occurrence, **said}
        for place, (about, (role, occurrence), said) in enumerate(told)
    ]
    held = with_answers(*rows)
    said = held.answers.filter(role="target").select(
        "about",
        scored_system=pl.lit(""),
        measure="scale",
        part=pl.lit(""),
        judge_kind=pl.lit("person"),
        judge="participant",
        value="value",
        label="label",
        status="status",
        reason="reason",
    )
    assert_frame_equal(judgements_of(held), said)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, "status 'ok' but nothing in it"),
        ({"value": 6.0, "status": "missing", "reason": "slow"}, "status 'missing' and yet a content"),
        ({"status": "missing"}, "'missing' without a reason"),
        ({"status": "late", "reason": "slow"}, "'late' is no status"),
    ],
)
def test_an_answer_that_contradicts_its_status_is_no_judgement(said: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        judgements_of(with_answers({"participant": "p1", "about": "r1", "scale": "fluency", **said}))


def test_versions_say_who_sees_what_and_in_which_order(tmp_path: Path) -> None:
    rows = [("1", 1, "r2"), ("1", 2, "r1"), ("2", 1, "r1")]
    versions = versions_frame(_version(*row) for row in rows)
    write_experiment(tmp_path, replace(EXPERIMENT, versions=versions))
    back = read_experiment(tmp_path).versions
    assert back.select("version", "position", "about").rows() == rows
    assert set(back.select("role", "block", "occurrence").rows()) == {("target", 1, 1)}
    # A folder from before there were versions.
    (tmp_path / "versions.parquet").unlink()
    assert read_experiment(tmp_path).versions.height == 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("1", 2, "r9"), "version '1' holds the stimulus 'r9', which is not there"),
        (("1", 2, "r1"), "version '1' has the stimulus 'r1' twice"),
        (("1", 1, "r2"), "version '1' has the position '1' twice"),
    ],
)
def test_a_wrong_version_is_named(row: tuple[str, int, str], message: str, tmp_path: Path) -> None:
    versions = versions_frame([_version("1", 1, "r1"), _version(*row)])
    with pytest.raises(UserError, match=message):
        write_experiment(tmp_path, replace(EXPERIMENT, versions=versions))
