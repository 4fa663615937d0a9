"""Does `hengliang survey simulate` say what simulated participants did, and refuse what makes no sense?"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

pytest.importorskip("starlette", reason="the extra 'survey' is not installed")

from hengliang import UserError
from hengliang.cli.survey_simulate import simulate
from hengliang.scenes import rating_experiment
from hengliang.surveys import FreeText, Survey, invite, served, write_experiment
from hengliang.surveys import read_response_model as read_model
from tests.people.scene_examples import scene_pairs
from tests.people.survey_folder import small_survey

Capture = pytest.CaptureFixture[str]


def run(*arguments: object) -> None:
    simulate.main(args=[str(argument) for argument in arguments], standalone_mode=False)


def of_two_systems(survey: Survey) -> Path:
    """Let two systems have written the sentences of a survey in turn."""
    held = survey.experiment
    turns = [[("A", "B")[place % 2]] for place in range(held.stimuli.height)]
    systems = pl.Series("systems", turns, dtype=pl.List(pl.String))
    write_experiment(survey.folder, replace(held, stimuli=held.stimuli.with_columns(systems)))
    return survey.folder


def test_what_a_newcomer_sees(tmp_path: Path, capsys: Capture) -> None:
    folder = of_two_systems(small_survey(tmp_path / "s"))
    run(folder, "--participants", 3, "--quiet")
    shown = capsys.readouterr().out
    assert "3 of 3 simulated participants finished, 0 left early, 0 were refused; 24 answers" in shown
    # Demographics, instructions and four items each.
    assert "Submits: 18, p50 " in shown and "0 sent again" in shown
    assert "Acknowledged = stored: 24 answers, none lost, none twice." in shown
    assert shown.rstrip().endswith(f"hengliang analyse {folder} --kind simulated")


def test_scores_of_experts_are_set_beside_what_readers_made(tmp_path: Path, capsys: Capture) -> None:
    rating_experiment(scene_pairs(), experts=1).write(tmp_path / "experts")
    run(tmp_path / "experts", "--participants", 1, "--quiet")
    expected = f"hengliang scenes analyse READERS-FOLDER --experts {tmp_path / 'experts'} --kind simulated"
    assert capsys.readouterr().out.rstrip().endswith(expected)


@pytest.mark.parametrize("compared", [True, False])
def test_what_cannot_be_compared_is_exported(compared: bool, tmp_path: Path, capsys: Capture) -> None:
    # Texts of two systems have no numbers, ratings of one system nothing beside it.
    survey = small_survey(tmp_path / "s", task=FreeText() if compared else None)
    folder = of_two_systems(survey) if compared else survey.folder
    run(folder, "--participants", 1, "--quiet")
    expected = f"hengliang survey export {folder} --kind simulated --out {folder}-simulated"
    assert capsys.readouterr().out.rstrip().endswith(expected)


def test_json_with_a_model_and_a_server_elsewhere(tmp_path: Path, capsys: Capture) -> None:
    survey = small_survey(tmp_path / "s")
    (tmp_path / "model.toml").write_text("[behaviour]\ndrop_out = 1.0\n", encoding="utf-8")
    with served(survey) as (database, url):
        token = database.write(invite, "simulated", time.time()).result()
        there = ("--url", f"{url}/", "--invitation", f"{url}/i/{token}", "--participants", 2, "--json")
        run(survey.folder, *there, "--model", tmp_path / "model.toml")
        held: dict[str, Any] = json.loads(capsys.readouterr().out)["simulation"]
        assert (held["endings"], held["answers"], held["equal"]) == ({"left": 2}, 0, None)
        run(survey.folder, *there, "--database", database.url)
        held = json.loads(capsys.readouterr().out)["simulation"]
        assert (held["endings"], held["answers"], held["stored"], held["equal"]) == ({"finished": 2}, 16, 16, True)
        run(survey.folder, *there[:-1], "--quiet")
        assert "Not compared with what is stored" in capsys.readouterr().out


def test_the_template_is_a_model(tmp_path: Path, capsys: Capture) -> None:
    run("--template")
    (tmp_path / "model.toml").write_text(capsys.readouterr().out, encoding="utf-8")
    assert read_model(tmp_path / "model.toml").rater == 1.0


def test_mistakes(tmp_path: Path) -> None:
    folder = small_survey(tmp_path / "s").folder
    with pytest.raises(UserError, match="--url needs --invitation"):
        run(folder, "--url", "http://127.0.0.1:1")
    with pytest.raises(UserError, match="--invitation needs --url"):
        run(folder, "--invitation", "x")
    with pytest.raises(UserError, match="There is no experiment in"):
        run(tmp_path / "nothing")
    with pytest.raises(UserError, match=r"lost\.toml"):
        run(folder, "--model", tmp_path / "lost.toml")
