"""Does `hengliang survey serve` refuse what is unsafe or impossible, and say what to do?

That it serves is tested in tests/people/pages/test_serving.py.
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from tests.people.survey_folder import small_survey

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "0.0.0.0"), "--behind-proxy https://"),
        (("--host", "0.0.0.0", "--behind-proxy", "http://judge.example"), "--behind-proxy is 'http://judge.example'"),
        (("--tls-certificate", "nowhere.pem"), "--tls-key"),
        (("--tls-certificate", "nowhere.pem", "--tls-key", "nowhere.pem"), "Cannot use nowhere.pem"),
        (("--public-url", "https://judge.example"), "--public-url goes with"),
        (("--port", "70000"), "70000"),
        (("--database", "mysql://x/y"), "postgresql://"),
    ],
)
def test_refused(options: tuple[str, ...], said: str, tmp_path: Path, capsys: Capture) -> None:
    small_survey(tmp_path)
    assert outcome(["survey", "serve", str(tmp_path), "--port", "0", *options]) == 2
    assert said in capsys.readouterr().err


def test_a_taken_port(tmp_path: Path, capsys: Capture) -> None:
    small_survey(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert outcome(["survey", "serve", str(tmp_path), "--port", str(taken.getsockname()[1])]) == 2
    said = capsys.readouterr()
    assert "already in use" in said.err
    # No link is shown to a survey that is not there.
    assert "/admin/link/" not in said.out


def test_a_second_server_on_the_same_file(tmp_path: Path, capsys: Capture) -> None:
    from hengliang.surveys import Database, database_url, migrate

    small_survey(tmp_path)
    migrate(database_url(tmp_path))
    with Database.open(database_url(tmp_path), alone=True):
        assert outcome(["survey", "serve", str(tmp_path), "--port", "0"]) == 2
    assert "survey.sqlite" in capsys.readouterr().err


def test_the_help_has_examples(capsys: Capture) -> None:
    assert outcome(["survey", "serve", "--help"]) == 0
    assert "hengliang survey serve fluency-survey --behind-proxy https://survey.example.org" in capsys.readouterr().out
