"""Does the datasheet answer what is known, and leave the rest to the researchers?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.people.collected.answers import read_collected
from hengliang.people.collected.datasheet import RESEARCHERS, datasheet
from hengliang.people.collected.study_facts import StudyFacts
from hengliang.people.storage.engines import database_url
from hengliang.people.tasks.library import task_of
from tests.people.collected.answered import answered_survey, six_readers

# The template has 3 + 5 + 3 + 5 + 8 questions about the experiment, 3 + 3 + 11 about each criterion, 4 on ethics.
NUMBERS = [
    *(f"1.{n}" for n in range(1, 4)),
    *(f"2.{n}" for n in range(1, 6)),
    *(f"3.{part}.{n}" for part, most in ((1, 3), (2, 5), (3, 8)) for n in range(1, most + 1)),
]
CRITERION = [f"4.{part}.{n}" for part, most in ((1, 3), (2, 3), (3, 11)) for n in range(1, most + 1)]


@pytest.mark.parametrize(
    "task", ["likert", "slider", "forced_choice", "cloze", "free_text", "reconstruction", "speeded"]
)
def test_every_question_is_there_for_every_task(tmp_path: Path, task: str) -> None:
    survey = answered_survey(tmp_path / "e")
    facts = StudyFacts(
        type(survey)(survey.folder, survey.experiment, task_of(task, {}), survey.design, survey.settings)
    )
    sheet = datasheet(facts)
    assert list(sheet["questions"]) == NUMBERS and list(sheet["ethics"]) == ["5.1", "5.2", "5.3", "5.4"]
    assert [each["criterion"] for each in sheet["criteria"]] == [scale.name for scale in facts.survey.task.scales()]
    for each in sheet["criteria"]:
        assert list(each["questions"]) == CRITERION
        assert each["questions"]["4.3.8"]["answer"]
    entries = [*sheet["questions"].values(), *sheet["ethics"].values()]
    # What is not known is null, and who has to say it is said.
    assert all(entry["note"] for entry in entries if entry["answer"] is None)
    assert json.loads(json.dumps(sheet, allow_nan=False)) == sheet


def test_what_is_known_is_filled_in(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e", ethics="Board 12", contact="a@example.org")
    six_readers(database_url(survey.folder), "simulated")
    sheet = datasheet(StudyFacts(survey, read_collected(database_url(survey.folder), "simulated")))
    asked = sheet["questions"]
    assert asked["3.1.1"]["answer"] == {"CORPUS": 4, "BERT": 4, "RULE": 4}
    assert asked["3.2.1"]["answer"] == 6
    assert asked["3.2.5"]["answer"]["age"]["mean"] == 27.5 and asked["3.2.5"]["answer"]["gender"] == {
        "female": 3,
        "male": 3,
    }
    assert "1 catch items" in asked["3.3.3"]["answer"]
    assert sheet["ethics"]["5.1"]["answer"] == "Board 12" and asked["1.3"]["answer"] == "a@example.org"
    # A browser stands at home as well as in a laboratory.
    assert asked["3.3.7"]["answer"] is None and asked["3.3.8"]["answer"] is None
    assert asked["3.2.3"] == {"question": "How were they recruited?", "answer": None, "note": RESEARCHERS}
    fluency = next(each for each in sheet["criteria"] if each["criterion"] == "fluency")["questions"]
    assert fluency["4.3.3"]["answer"] == 7 and fluency["4.3.4"]["answer"]["7"]["en"] == "strongly agree"
    assert fluency["4.3.10"]["answer"] == "all pairs, Holm"
    assert sheet["simulated"] is True and "warning" in sheet
