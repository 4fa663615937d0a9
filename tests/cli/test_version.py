"""Does `hengliang version` say which version runs?"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from hengliang.cli.main import outcome


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_version_is_the_installed_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["version"]) == 0
    assert capsys.readouterr().out == f"hengliang {metadata.version('hengliang')}\n"
    assert outcome(["--version"]) == 0
    assert metadata.version("hengliang") in capsys.readouterr().out
