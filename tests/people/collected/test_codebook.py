"""Does the codebook explain every column of every table, and every value of every scale?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.people.collected.answers import read_collected
from hengliang.people.collected.codebook import codebook, codebook_table
from hengliang.people.collected.frames import long_table, participants_table, wide_table
from hengliang.people.storage.engines import database_url
from hengliang.people.tasks.library import task_of
from tests.people.collected.answered import answered_survey, person, store


@pytest.mark.parametrize("identified", [False, True])
@pytest.mark.parametrize("task", ["likert", "slider", "free_text", "speeded"])
def test_every_column_is_explained_in_both_languages(tmp_path: Path, task: str, identified: bool) -> None:
    survey = answered_survey(tmp_path / "e", task_of(task, {}))
    store(database_url(survey.folder), [person("p", status="withdrawn")])
    held = read_collected(database_url(survey.folder))
    book = codebook(survey, held, identified=identified)
    explained = {(row["table"], row["name"]) for row in book["columns"]}
    scales = {row["wide_column"] for row in book["scales"]}
    for name, table in (
        ("answers", long_table(held, survey.experiment, identified=identified)),
        ("answers", wide_table(held, survey.experiment, survey.task, identified=identified)),
        ("participants", participants_table(held, identified=identified)),
    ):
        assert {
            ("answers" if column in scales else name, column) for column in table.columns if column not in scales
        } <= explained
    assert [row["name"] for row in book["scales"]] == [scale.name for scale in survey.task.scales()]
    assert all(text for row in (*book["columns"], *book["scales"]) for text in row["meaning"].values())
    assert book["left_out"] == {"withdrawn": 1} and book["identified"] is identified


def test_the_options_are_those_that_participants_saw(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    book = codebook(survey, read_collected(database_url(survey.folder)))
    scale = next(row for row in book["scales"] if row["name"] == "fluency")
    assert scale["points"] == 7 and scale["column"] == "value"
    assert scale["options"][6] == {"value": 7, "en": "strongly agree", "zh": "非常同意"}
    sheet = codebook_table(book)
    assert ("option", "fluency", "7", "strongly agree", "非常同意") in sheet.rows()
    assert not sheet["en"].null_count()
