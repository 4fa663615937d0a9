"""Do all forms of an export hold the same answers, whole, as the database does?"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses import read_ratings_file
from hengliang.core import RunFolder
from hengliang.experiments import read_experiment
from hengliang.people.collected.answers import connected
from hengliang.people.collected.export import DOWNLOADS, FILES, FORMS, export, export_bytes
from hengliang.people.collected.methods import methods_paragraph
from hengliang.people.collected.study_facts import StudyFacts
from hengliang.people.design.item_files import read_items
from hengliang.people.design.survey_design import Wanted, design_survey
from hengliang.people.sessions.survey import Survey, read_survey
from hengliang.people.storage.engines import database_url
from hengliang.people.tasks.library import task_of
from tests.people.collected.answered import answer, answered_survey, person, prepare, six_readers, store

COLUMNS = ["participant", "about", "occurrence", "scale", "value"]


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    made = answered_survey(tmp_path / "e")
    url = database_url(made.folder)
    six_readers(url)
    rows = [answer("odd", "s1-封", "fluency", 3.0, label='=HYPERLINK("x")', comment="@me", timing="[1]")]
    store(
        url, [person("odd", status="expired"), person("bot", kind="simulated"), person("gone", status="excluded")], rows
    )
    return made


def test_every_form_holds_every_answer_once(survey: Survey, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = export(survey, out, FORMS)
    assert set(out.iterdir()) | {survey.folder / "answers.parquet"} == set(made.files)
    long = pl.read_csv(out / "answers.csv")
    # 6 readers × 10 presentations × 2 scales, and one answer of somebody who stopped.
    assert long.height == 121 and long.select(COLUMNS[:4]).is_duplicated().sum() == 0
    kept = long.sort(COLUMNS)
    parquet = pl.read_parquet(out / "answers.parquet")
    assert parquet.select(COLUMNS).sort(COLUMNS).equals(kept.select(COLUMNS))
    assert "[1]" in parquet["timing"].to_list()
    excel = pl.read_excel(out / "survey.xlsx", sheet_name="answers")
    assert excel.select(COLUMNS).sort(COLUMNS).cast({"value": pl.Float64}).equals(kept.select(COLUMNS))
    wide = pl.read_csv(out / "presentations.csv")
    assert wide.height == 61 and wide["fluency"].count() + wide["clarity"].count() == 121
    # Targets alone: 8 stimuli on 2 scales by 6 readers, and one.
    assert RunFolder.open(out / "run").judgements().height == 97
    into = read_experiment(survey.folder).answers
    assert into.select(COLUMNS).sort(COLUMNS).equals(kept.select(COLUMNS))
    people = pl.read_csv(out / "participants.csv")
    assert people.height == 7 and "external" not in people.columns


def test_what_was_typed_runs_in_no_spreadsheet(survey: Survey, tmp_path: Path) -> None:
    export(survey, tmp_path / "out", ["long", "parquet"], identified=True)
    long = pl.read_csv(tmp_path / "out" / "answers.csv")
    assert long["label"].drop_nulls().to_list() == ['\'=HYPERLINK("x")']
    assert "'@me" in long["comment"].to_list()
    assert '=HYPERLINK("x")' in pl.read_parquet(tmp_path / "out" / "answers.parquet")["label"].to_list()


def test_downloads_are_the_files_of_the_forms(survey: Survey, tmp_path: Path) -> None:
    export(survey, tmp_path / "out", ["long", "wide", "parquet", "excel"])
    with connected(database_url(survey.folder)) as connection:
        given = {form: export_bytes(connection, survey, form) for form in DOWNLOADS}
        with pytest.raises(UserError, match="No form of export is called 'pdf'"):
            export_bytes(connection, survey, "pdf")
    for form in ("long", "wide", "codebook"):
        assert given[form] == (tmp_path / "out" / FILES[form]).read_bytes()
    packed = zipfile.ZipFile(io.BytesIO(given["zip"]))
    assert set(packed.namelist()) == {path.name for path in (tmp_path / "out").iterdir()}
    assert packed.testzip() is None
    assert json.loads(given["codebook"])["answers"] == 121


def test_simulated_answers_in_the_folder_are_marked(survey: Survey, tmp_path: Path) -> None:
    export(survey, tmp_path / "out", ["folder"], kind="simulated")
    assert read_experiment(survey.folder).simulated
    export(survey, tmp_path / "out", ["folder"])
    assert not read_experiment(survey.folder).simulated


def test_a_form_that_is_not_there_is_refused(survey: Survey, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Did you mean long"):
        export(survey, tmp_path / "out", ["lang"])
    assert not (tmp_path / "out").exists()
    with pytest.raises(UserError, match="No form"):
        export(survey, tmp_path / "out", [])


TWO_BY_TWO = """\
item,text,condition,match,distance,note,options
-1,小王看见了那只猫。,a,yes,1,,"[1, 2]"
-1,小王昨天看见了那只猫。,b,yes,2.5,=1+1;-x,
-1,小王看见了那个猫。,c,no,1,,
-1,小王昨天看见了那个猫。,d,no,2.5,,
"""


@pytest.fixture
def factorial(tmp_path: Path) -> Survey:
    """Give a survey of a 2 × 2 design, whose first text somebody has rated 60 and whose second 30."""
    (tmp_path / "items.csv").write_text(TWO_BY_TWO, encoding="utf-8")
    task = task_of("slider", {"scale": "item_match"})
    design_survey(read_items(tmp_path / "items.csv"), task, Wanted(distance=1)).write(tmp_path / "f")
    made = read_survey(tmp_path / "f")
    prepare(database_url(made.folder), made)
    abouts = made.experiment.stimuli["about"].to_list()
    rows = [answer("p", abouts[place], "item_match", value) for place, value in enumerate((60.0, 30.0))]
    store(database_url(made.folder), [person("p")], rows)
    return made


def test_the_columns_of_the_items_come_along(factorial: Survey, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(factorial, out, ["long", "wide", "parquet", "excel"])
    parquet = pl.read_parquet(out / "answers.parquet")
    own = ["item_match", "item_distance", "item_note"]
    # As in the table: words are texts, numbers are numbers; a list is what the task shows, and stays in the folder.
    assert parquet.select(own).rows() == [("yes", 1.0, None), ("yes", 2.5, "=1+1;-x")]
    assert parquet.schema["item_distance"] == pl.Float64 and "item_options" not in parquet.columns
    excel = pl.read_excel(out / "survey.xlsx", sheet_name="answers")
    assert excel.select(own).rows() == parquet.select(own).rows()
    long, wide = (read_ratings_file(out / name).frame for name in ("answers.csv", "presentations.csv"))
    for table in (long, wide):
        # Read back by `hengliang analyse`, also what no spreadsheet was to run; cells are texts there.
        assert table.select("item", *own).rows() == [("-1", "yes", "1.0", ""), ("-1", "yes", "2.5", "=1+1;-x")]
    written = (out / "presentations.csv").read_text(encoding="utf-8")
    assert ",'-1," in written and "\"'=1+1;'-x\"" in written
    # A scale of the same name gives way.
    assert wide["scale_item_match"].to_list() == ["60.0", "30.0"]
    book = json.loads((out / "codebook.json").read_text(encoding="utf-8"))
    explained = {row["name"]: row["meaning"]["en"] for row in book["columns"]}
    assert {*long.columns[1:]} <= set(explained) and "“match” of the table of items" in explained["item_match"]
    assert book["scales"][0]["wide_column"] == "scale_item_match"


def test_conditions_are_not_called_systems(factorial: Survey) -> None:
    text = methods_paragraph(StudyFacts(factorial))
    assert "They were in 4 conditions (a, b, c, d)" in text.en and "4 个条件（a、b、c、d）" in text.zh
    assert "systems" not in text.en and "系统" not in text.zh
