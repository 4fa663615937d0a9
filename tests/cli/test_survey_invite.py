"""Does `hengliang survey invite` make links that let people in?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from hengliang.people.pages.starting import PUBLIC_URL
from hengliang.people.storage.facts import set_fact
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, serving

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(small_survey(tmp_path)) as held:
        yield held


def links(served: Served, capsys: Capture, *options: str) -> list[str]:
    assert outcome(["survey", "invite", str(served.survey.folder), *options]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_link_made_beside_the_server_lets_somebody_in(served: Served, capsys: Capture) -> None:
    served.database.write(set_fact, PUBLIC_URL, served.url).result()
    (link,) = links(served, capsys, "--kind", "pilot", "--version", "2", "--uses", "3", "--label", "班")
    assert link.startswith(f"{served.url}/i/")
    visitor = served.visitor()
    visitor.begin(link.rpartition("/")[2])
    assert served.rows("SELECT kind, version FROM participants") == [("pilot", "2")]
    assert served.rows("SELECT label, uses, used FROM invitations") == [("班", 3, 1)]


def test_many_links_for_one_person_each(served: Served, capsys: Capture) -> None:
    made = links(served, capsys, "--number", "3", "--label", "panel", "--url", "https://judge.example/")
    assert len(set(made)) == 3
    assert all(link.startswith("https://judge.example/i/") for link in made)
    assert served.rows("SELECT label, uses FROM invitations ORDER BY label") == [(f"panel {n}", 1) for n in (1, 2, 3)]


def test_as_json(served: Served, capsys: Capture) -> None:
    held = json.loads("\n".join(links(served, capsys, "--number", "2", "--json")))
    assert [(link["kind"], link["uses"], link["label"]) for link in held["links"]] == [
        ("real", 1, "1"),
        ("real", 1, "2"),
    ]


def test_a_link_for_a_researcher(served: Served, capsys: Capture) -> None:
    (link,) = links(served, capsys, "--researcher")
    visitor = served.visitor()
    visitor.sign_in(link.rpartition("/")[2])
    assert visitor.get("/admin").status_code == 200
    assert served.rows("SELECT COUNT(*) FROM invitations") == [(0,)]


def test_mistakes_are_told(served: Served, capsys: Capture) -> None:
    folder = str(served.survey.folder)
    assert outcome(["survey", "invite", folder, "--version", "9"]) == 2
    assert "No list is called '9'" in capsys.readouterr().err
    assert outcome(["survey", "invite", folder, "--number", "2", "--uses", "2"]) == 2
    assert "Leave --uses out" in capsys.readouterr().err
    assert outcome(["survey", "invite", folder, "--kind", "preview"]) == 2
    capsys.readouterr()
    assert outcome(["survey", "invite", folder, "--url", "ftp://survey.example"]) == 2
    assert "--url ftp://survey.example is no address of the web." in capsys.readouterr().err
    assert served.rows("SELECT COUNT(*) FROM invitations") == [(0,)]
