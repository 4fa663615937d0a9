"""Does a command find the survey and its database, and refuse what is not its own?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.cli.main import outcome
from hengliang.cli.survey_database import opened
from hengliang.people.storage.facts import fact
from tests.people.survey_folder import small_survey

Capture = pytest.CaptureFixture[str]


def test_a_database_is_made_only_where_it_is_wanted(tmp_path: Path) -> None:
    survey = small_survey(tmp_path)
    with pytest.raises(UserError, match="hengliang survey serve"), opened(tmp_path, None):
        pytest.fail("there is no database")
    assert not (tmp_path / "survey.sqlite").exists()
    with opened(tmp_path, None, new=True) as (found, database):
        assert found.digest == survey.digest
        assert database.read(fact, "design").result() == survey.digest
    with opened(tmp_path, None) as (_, database):
        assert database.read(fact, "design").result() == survey.digest


def test_the_database_of_another_survey_is_refused(tmp_path: Path) -> None:
    small_survey(tmp_path / "one")
    small_survey(tmp_path / "other", versions=1)
    url = f"sqlite:///{tmp_path / 'shared.sqlite'}"
    with opened(tmp_path / "one", url, new=True):
        pass
    with pytest.raises(UserError, match="another design"), opened(tmp_path / "other", url):
        pytest.fail("that is another survey")


def test_the_environment_names_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    small_survey(tmp_path / "survey")
    monkeypatch.setenv("HENGLIANG_DATABASE", f"sqlite:///{tmp_path / 'elsewhere.sqlite'}")
    assert outcome(["survey", "invite", str(tmp_path / "survey")]) == 0
    assert (tmp_path / "elsewhere.sqlite").exists()
    assert not (tmp_path / "survey" / "survey.sqlite").exists()
    assert capsys.readouterr().out.startswith("http://127.0.0.1:8000/i/")


@pytest.mark.parametrize("command", ["progress", "close"])
def test_a_folder_without_a_survey_is_told(command: str, tmp_path: Path, capsys: Capture) -> None:
    assert outcome(["survey", command, str(tmp_path)]) == 2
    assert "There is no experiment" in capsys.readouterr().err


def test_another_kind_of_database_is_refused(tmp_path: Path, capsys: Capture) -> None:
    small_survey(tmp_path)
    assert outcome(["survey", "progress", str(tmp_path), "--database", "mysql://x/y"]) == 2
    assert "postgresql://" in capsys.readouterr().err
