"""Does `hengliang survey rehearse` go the whole way, from items to a report that says that it is simulated?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("starlette", reason="the extra 'survey' is not installed")

from hengliang import UserError
from hengliang.cli.survey_rehearse import rehearse
from hengliang.surveys import collected_experiment, read_survey
from tests.people.slot_rows import write_rows

Capture = pytest.CaptureFixture[str]


def run(*arguments: object) -> None:
    rehearse.main(args=[*map(str, arguments), "--quiet"], standalone_mode=False)


def test_from_a_file_and_from_an_experiment_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path)
    (tmp_path / "model.toml").write_text("[effects]\nRULE = -2.0\n", encoding="utf-8")
    run("rows.csv", "--choices", "RULE,LSTM,BERT", "--versions", 1, "--participants", 3, "--model", "model.toml")
    place = tmp_path / "rows-rehearsal"
    shown = capsys.readouterr().out
    commands = [line for line in shown.splitlines() if line.startswith("$ hengliang")]
    assert [line.split()[2] for line in commands] == ["classifiers", "survey", "survey", "survey", "analyse"]
    # Five sentences with 13 distinct choices, each judged by three on two scales.
    assert "Acknowledged = stored: 78 answers" in shown and "Simulated data" in shown
    assert pl.read_csv(place / "data" / "answers.csv").height == 78
    report = (place / "report.html").read_text(encoding="utf-8")
    assert "Simulated data" in report and "模拟" in report
    assert (place / "model.toml").read_text(encoding="utf-8") == "[effects]\nRULE = -2.0\n"
    run(place / "experiment", "--versions", 1, "--participants", 1, "--out", "again")
    assert (tmp_path / "again" / "report.html").exists()
    assert not collected_experiment(place / "rows-survey", kind="real").answers.height


def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(UserError, match="is not empty"):
        run("rows.csv", "--out", "full")
    with pytest.raises(UserError, match="is a folder"):
        run("full", "--choices", "RULE")
    with pytest.raises(UserError, match=r"lost\.toml"):
        run("rows.csv", "--model", "lost.toml")
    assert not (tmp_path / "rows-rehearsal").exists()


@pytest.mark.mirror
def test_the_experiment_of_the_paper(mirror: Path, tmp_path: Path, capsys: Capture) -> None:
    source = mirror / "ccd_sample" / "exp1.csv"
    run(source, "--choices", "RULE,LSTM,BERT", "--participants", 4, "--out", tmp_path / "out")
    survey = read_survey(tmp_path / "out" / "exp1-survey")
    # Paper 000, section 5.2: 320 items in four lists.
    assert [len(rows) for rows in survey.lists.values()] == [80, 80, 80, 80]
    shown = capsys.readouterr().out
    assert "4 of 4 simulated participants finished" in shown
    # 320 items, each judged once on two scales.
    assert "Acknowledged = stored: 640 answers, none lost, none twice." in shown
    assert "Simulated data" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
