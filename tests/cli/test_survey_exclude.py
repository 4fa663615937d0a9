"""Does `hengliang survey exclude` leave somebody out, and take that back?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, serving

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(small_survey(tmp_path)) as held:
        yield held


def test_exclusion_and_readmission_beside_the_server(served: Served, capsys: Capture) -> None:
    visitor = served.participant()
    visitor.finish()
    folder, who = str(served.survey.folder), visitor.id
    assert outcome(["survey", "exclude", folder, who, "--reason", "failed 3 of 4 catch items"]) == 0
    assert f"{who} is excluded." in capsys.readouterr().out
    assert served.rows("SELECT status, reason FROM participants") == [("excluded", "failed 3 of 4 catch items")]
    assert outcome(["survey", "exclude", folder, who, "--reason", "again"]) == 2
    assert f"{who} is excluded and cannot be excluded." in capsys.readouterr().err
    assert outcome(["survey", "exclude", folder, who, "--readmit"]) == 0
    assert served.rows("SELECT status, reason FROM participants") == [("finished", "")]
    kinds = [kind for (kind,) in served.rows("SELECT kind FROM events ORDER BY id")]
    assert kinds[-2:] == ["excluded", "readmitted"]


@pytest.mark.parametrize("options", [(), ("--reason", "  "), ("--reason", "x", "--readmit")])
def test_either_a_reason_or_readmission(served: Served, capsys: Capture, options: tuple[str, ...]) -> None:
    visitor = served.participant()
    assert outcome(["survey", "exclude", str(served.survey.folder), visitor.id, *options]) == 2
    assert "Say why" in capsys.readouterr().err
    assert served.rows("SELECT status FROM participants") == [("active",)]


def test_nobody_of_that_name(served: Served, capsys: Capture) -> None:
    assert outcome(["survey", "exclude", str(served.survey.folder), "nobody", "--reason", "x"]) == 2
    assert "Nobody in" in capsys.readouterr().err
