"""Do an experiment's answers come from its database where it has one, and from its folder where it has none?"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.experiments import answers_frame, read_experiment, write_experiment
from hengliang.people.collected.reading import DATABASE, collected, collected_experiment, has_database
from hengliang.people.storage.engines import FILE, database_url
from tests.people.collected.answered import answered_survey, person, six_readers, store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return answered_survey(tmp_path / "e").folder


def test_the_database_goes_before_the_folder(folder: Path) -> None:
    held = read_experiment(folder)
    old = answers_frame([{"participant": "old", "about": "s1-封", "scale": "fluency", "value": 7.0}])
    write_experiment(folder, replace(held, answers=old))
    six_readers(database_url(folder))
    found = collected_experiment(folder)
    assert found.answers["participant"].n_unique() == 6 and not found.simulated
    # The catch item and the repeat keep their roles; 8 targets on 2 scales by 6 readers.
    assert found.answers.filter(role="target").height == 96
    (folder / "survey.sqlite").unlink()
    assert not has_database(folder)
    assert collected_experiment(folder).answers["participant"].to_list() == ["old"]


def test_simulated_answers_are_said_to_be(folder: Path) -> None:
    six_readers(database_url(folder), "simulated")
    assert collected_experiment(folder, kind="simulated").simulated
    real = collected_experiment(folder)
    assert not real.simulated and not real.answers.height


def test_another_database_is_named_by_its_address(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    (folder / "survey.sqlite").rename(other)
    six_readers(database_url(folder, f"sqlite:///{other}"))
    assert collected_experiment(folder, database_url=f"sqlite:///{other}").answers.height == 120
    with pytest.raises(UserError, match="not pilot"):
        collected_experiment(folder, kind="pilot")
    with pytest.raises(UserError, match="nobody has taken part"):
        collected(folder, None, "real")


def test_only_who_finished_on_demand(folder: Path) -> None:
    url = database_url(folder)
    six_readers(url)
    store(url, [person("half", status="active")])
    assert collected(folder, None, "real").participants.height == 7
    assert collected(folder, None, "real", finished_only=True).participants.height == 6


def test_without_a_database_sqlalchemy_is_not_loaded(folder: Path) -> None:
    (folder / "survey.sqlite").unlink()
    code = (
        "import sys; from pathlib import Path; from hengliang.people import people;"
        f"people({str(folder)!r}).experiment(); print('sqlalchemy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_database_is_looked_for_where_it_is_kept() -> None:
    assert DATABASE == FILE
