"""Does `hengliang survey export` write what was asked for, and say what it left out?"""

from __future__ import annotations

import stat
from pathlib import Path

import polars as pl
import pytest
from sqlalchemy import text

from hengliang.cli.main import outcome
from hengliang.people.collected.answers import connected
from hengliang.people.storage.engines import engine_of
from hengliang.people.storage.events import events
from hengliang.surveys import Survey, database_url
from tests.people.collected.answered import answer, answered_survey, person, six_readers, store


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    made = answered_survey(tmp_path / "e")
    url = database_url(made.folder)
    six_readers(url)
    store(
        url,
        [person("gone", status="withdrawn"), person("half", status="active")],
        [answer("half", "s1-封", "fluency", 2)],
    )
    return made


def test_by_default_a_long_table_and_its_codebook(
    survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    assert outcome(["survey", "export", str(survey.folder), "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert sorted(path.name for path in out.iterdir()) == ["answers.csv", "codebook.json", "participants.csv"]
    assert told.out.splitlines() == [str(out / name) for name in ("answers.csv", "participants.csv", "codebook.json")]
    assert "121 answers of 7 real participants" in told.err and "left out: 1 withdrawn" in told.err
    assert outcome(["survey", "export", str(survey.folder), "--out", str(out), "--finished-only", "-q"]) == 0
    assert pl.read_csv(out / "answers.csv").height == 120
    assert capsys.readouterr().err == ""


def test_one_participant_is_one(survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(database_url(survey.folder), [person("p", kind="pilot")], [answer("p", "s1-封", "fluency", 2)])
    assert outcome(["survey", "export", str(survey.folder), "--out", str(tmp_path / "o"), "--kind", "pilot"]) == 0
    assert "1 answer of 1 pilot participant\n" in capsys.readouterr().err


def test_a_run_is_reported(survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    six_readers(database_url(survey.folder), "simulated")
    out = tmp_path / "data"
    arguments = ["survey", "export", str(survey.folder), "--out", str(out), "--form", "run", "--kind", "simulated"]
    assert outcome(arguments) == 0
    assert outcome(["report", str(out / "run"), "--format", "markdown"]) == 0
    report = (out / "run" / "report.md").read_text(encoding="utf-8")
    assert "Simulated data" in report and "| fluency | CORPUS |" in report
    assert outcome(["survey", "export", str(survey.folder), "--out", str(out), "--form", "run"]) == 0
    assert outcome(["report", str(out / "run"), "--format", "markdown"]) == 0
    assert "Simulated data" not in (out / "run" / "report.md").read_text(encoding="utf-8")


def test_personal_data_are_warned_of(survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "data")
    assert outcome(["survey", "export", str(survey.folder), "--out", out, "--form", "excel", "--identified"]) == 0
    assert "personal data" in capsys.readouterr().err


def test_personal_data_are_for_their_owner_alone_and_the_log_says_who_took_them(survey: Survey, tmp_path: Path) -> None:
    out = tmp_path / "data"
    plain = ["survey", "export", str(survey.folder), "--out", str(out), "--form", "wide", "--form", "parquet", "-q"]
    assert outcome(plain) == 0
    with connected(database_url(survey.folder)) as connection:
        assert events(connection) == []
    assert {stat.S_IMODE(file.stat().st_mode) for file in out.iterdir()} == {0o644}
    assert outcome([*plain, "--kind", "real", "--identified"]) == 0
    with connected(database_url(survey.folder)) as connection:
        (logged,) = events(connection)
    assert (logged.kind, logged.participant) == ("exported", None)
    assert logged.detail == {"by": "command line", "form": "wide, parquet", "of": "real", "identified": True}
    # The files that were there before, for everybody, are replaced.
    assert {stat.S_IMODE(file.stat().st_mode) for file in out.iterdir()} == {0o600}


def test_personal_data_that_cannot_be_logged_are_not_given(survey: Survey, tmp_path: Path) -> None:
    with engine_of(database_url(survey.folder), writing=True, pooled=False).begin() as connection:
        connection.execute(text("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END"))
    out = tmp_path / "data"
    assert outcome(["survey", "export", str(survey.folder), "--out", str(out), "--identified"]) != 0
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--form", "pdf"], "'pdf' is not one of"),
        (["--kind", "preview"], "'preview' is not one of"),
        (["--database", "sqlite:///none.sqlite"], "no survey in"),
        (["--database", "mysql://x"], "mysql"),
    ],
)
def test_wrong_options_are_one_message(
    survey: Survey, tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(["survey", "export", str(survey.folder), "--out", str(tmp_path / "data"), *options]) == 2
    assert said in capsys.readouterr().err and not (tmp_path / "data").exists()


def test_a_survey_that_nobody_has_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = answered_survey(tmp_path / "e")
    (made.folder / "survey.sqlite").unlink()
    assert outcome(["survey", "export", str(made.folder), "--out", str(tmp_path / "data")]) == 2
    assert "hengliang survey serve" in capsys.readouterr().err
