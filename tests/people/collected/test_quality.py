"""Are careless participants told from careful ones?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hengliang import Bilingual
from hengliang.experiments import Experiment, Scale, answers_frame, stimuli_frame
from hengliang.people.collected.quality import QUALITY_SCHEMA, participant_quality
from hengliang.people.collected.reading import collected_experiment
from hengliang.people.design.item_files import read_items
from hengliang.people.design.survey_design import design_survey
from hengliang.people.storage.engines import database_url
from hengliang.people.tasks.base import NOT_UNDERSTOOD
from hengliang.people.tasks.likert import LikertRating
from tests.people.collected.answered import answered_survey, six_readers

SCALES = (Scale("fluency", Bilingual("fluent", "通顺"), 7),)


def rows(participant: str, values: Sequence[float | None], **cells: Any) -> list[dict[str, Any]]:
    missing = {"status": "missing", "reason": NOT_UNDERSTOOD}
    return [
        {
            **{"participant": participant, "about": f"a{place}", "scale": "fluency", "value": value, "trial": place},
            **{"seconds": 6.0},
            **({} if value is not None else missing),
            **cells,
        }
        for place, value in enumerate(values, 1)
    ]


def experiment(answers: list[dict[str, Any]]) -> Experiment:
    right = {"a1": {"fluency": [1, 2]}, "a2": {"fluency": 7}}
    stimuli = [
        {"about": f"a{place}", "item": f"a{place}", "text": "t", "spans": [], "systems": []}
        | ({"details": json.dumps({"expected": right[f"a{place}"]})} if f"a{place}" in right else {})
        for place in range(1, 25)
    ]
    return Experiment("e", Bilingual("e", "e"), SCALES, stimuli_frame(stimuli), answers=answers_frame(answers))


def quality(answers: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    table = participant_quality(experiment(answers))
    assert dict(table.schema) == QUALITY_SCHEMA
    return {row["participant"]: row for row in table.iter_rows(named=True)}


def test_catch_items_are_failed_by_other_answers_and_by_none() -> None:
    found = quality(
        [
            *rows("good", [2.0, 7.0], role="catch"),
            *rows("half", [3.0, 7.0], role="catch"),
            *rows("lost", [None, 1.0], role="catch"),
        ]
    )
    assert {name: (row["catch_shown"], row["catch_failed"]) for name, row in found.items()} == {
        "good": (2, 0),
        "half": (2, 1),
        "lost": (2, 2),
    }
    assert "catch items" not in found["good"]["flags"] and "catch items" in found["half"]["flags"]


def test_within_a_designed_range_every_answer_is_right(tmp_path: Path) -> None:
    file = tmp_path / "catch.csv"
    file.write_text("item,text,expected\n1,句这乱是的。,1-3\n", encoding="utf-8")
    targets = tmp_path / "targets.csv"
    targets.write_text("item,text\n2,这句话不乱。\n", encoding="utf-8")
    made = design_survey(read_items(targets), LikertRating(SCALES), beside=[read_items(file, "catch")]).experiment
    about = next(about for about, text in made.stimuli.select("about", "text").iter_rows() if text == "句这乱是的。")
    said = {"about": about, "scale": "fluency", "role": "catch", "trial": 1}
    answers = answers_frame([{**said, "participant": str(point), "value": float(point)} for point in range(1, 8)])
    found = participant_quality(replace(made, answers=answers))
    assert dict(found.select("participant", "catch_failed").iter_rows()) == {
        **dict.fromkeys("123", 0),
        **dict.fromkeys("4567", 1),
    }


def test_repeats_are_held_against_the_first_time() -> None:
    again = rows("p", [2.0, 5.0], role="repeat", occurrence=2)
    found = quality([*rows("p", [5.0, 6.0, 4.0]), *again])["p"]
    # |5 − 2| = 3 and |6 − 5| = 1: 2 on average.
    assert (found["repeats"], found["repeat_difference"]) == (2, 2.0)
    assert found["flags"] == ["repeats apart"]


def test_the_same_answer_over_and_over() -> None:
    # Twelve in a row of 24, on one scale: half of all answers.
    found = quality([*rows("p", [4.0] * 12 + [5.0, 3.0] * 6), *rows("q", [4.0, 5.0] * 12)])
    assert (found["p"]["longest_run"], found["q"]["longest_run"]) == (12, 1)
    assert found["p"]["flags"] == ["same answer"] and found["q"]["flags"] == []


def test_who_says_the_same_on_every_scale_is_seen_on_any_number_of_them() -> None:
    # A run is one of three scales, so at most a third of all answers; practice is no part of it.
    said = [row for scale in ("fluency", "clarity", "style") for row in rows("p", [4.0] * 12, scale=scale)]
    found = quality([*said, *rows("p", [1.0, 7.0], role="practice")])["p"]
    assert (found["longest_run"], found["flags"]) == (12, ["same answer"])


def test_milliseconds_and_sides_are_no_points_between_repeats() -> None:
    first = [*rows("p", [5.0]), *rows("p", [420.0], scale="reaction time")]
    again = [{**row, "value": row["value"] + 1, "role": "repeat", "occurrence": 2} for row in first]
    again[1]["value"] = 900.0
    found = quality([*first, *again])["p"]
    assert (found["repeats"], found["repeat_difference"], found["flags"]) == (1, 1.0, [])


def test_not_understood_missing_and_haste() -> None:
    found = quality([*rows("p", [None, 3.0, 5.0, 2.0]), *rows("q", [1.0, 2.0]), *rows("r", [3.0, 1.0], seconds=1.0)])
    assert (found["p"]["missing"], found["p"]["not_understood"]) == (1, 0.25)
    # The median of 6, 6 and 1 seconds is 6; 1 is less than a third of it.
    assert {name: row["flags"] for name, row in found.items()} == {"p": ["not understood"], "q": [], "r": ["haste"]}


def test_practice_counts_for_nothing() -> None:
    found = quality([*rows("p", [4.0, 4.0, 4.0], role="practice"), *rows("p", [1.0], about="a9")])["p"]
    assert (found["answers"], found["longest_run"], found["catch_shown"]) == (4, 1, 0)


def test_a_survey_that_was_answered_well_has_no_flags(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    six_readers(database_url(survey.folder))
    table = participant_quality(collected_experiment(survey.folder))
    assert table["catch_shown"].to_list() == [1] * 6 and table["catch_failed"].sum() == 0
    assert table["repeat_difference"].to_list() == [0.0] * 6
    assert table["flags"].list.len().sum() == 0


@pytest.mark.parametrize("answers", [[], rows("p", [1.0])])
def test_few_answers_are_no_mistake(answers: list[dict[str, Any]]) -> None:
    held = experiment(answers)
    assert participant_quality(held).height == len(answers)
    assert participant_quality(replace(held, stimuli=held.stimuli.with_columns(details=None))).height == len(answers)
