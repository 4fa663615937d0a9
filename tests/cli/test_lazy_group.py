"""Is a command imported only when it is asked for?"""

from __future__ import annotations

import py_compile
import sys
import zipfile
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hengliang.cli.main import cli
from hengliang.core import UnknownName
from hengliang.core.commands import LazyGroup

COMMAND = """
import click

@click.command()
def greet():
    click.echo("good day")
"""


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> click.Group:
    (tmp_path / "lazily_imported.py").write_text(COMMAND)
    monkeypatch.syspath_prepend(tmp_path)
    homes = {"greet": "lazily_imported:greet", "absent": "not_there_at_all:absent"}
    return LazyGroup("tools", homes=homes, what="tool")


def test_a_command_is_imported_when_it_is_asked_for(group: click.Group) -> None:
    assert group.list_commands(click.Context(group)) == ["absent", "greet"]
    assert "lazily_imported" not in sys.modules
    assert CliRunner().invoke(group, ["greet"]).output == "good day\n"
    assert "lazily_imported" in sys.modules
    del sys.modules["lazily_imported"]


def test_an_unknown_command_is_named_with_those_that_are_there(group: click.Group) -> None:
    with pytest.raises(UnknownName, match=r"No tool is called 'grete'\. Did you mean greet"):
        CliRunner().invoke(group, ["grete"], catch_exceptions=False)


@pytest.mark.parametrize("path", [(), ("classifiers",), ("scenes",), ("survey",), ("taggers",)], ids="-".join)
def test_the_list_of_commands_is_the_one_that_click_would_make(path: tuple[str, ...]) -> None:
    """Click imports every command and asks it; the lazy group reads what is written, and must say the same."""
    group: click.Command | None = cli
    for name in path:
        assert isinstance(group, click.Group)
        group = group.get_command(click.Context(group), name)
    assert isinstance(group, LazyGroup)
    ours, clicks = (click.HelpFormatter(width=100) for _ in range(2))
    group.format_commands(click.Context(group), ours)
    click.Group.format_commands(group, click.Context(group), clicks)
    assert ours.getvalue() == clicks.getvalue()
    assert len(ours.getvalue().splitlines()) >= len(group.homes)


def test_a_command_without_a_docstring_is_listed_without_importing_it(group: click.Group) -> None:
    assert "  greet" in CliRunner().invoke(group, ["--help"]).output
    assert "lazily_imported" not in sys.modules


@pytest.mark.parametrize("kept", ["zip", "compiled"])
def test_a_command_in_a_zip_or_without_its_source_is_listed(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source.py"
    source.write_text(COMMAND.replace("    click.echo", '    """Say good day."""\n    click.echo'), encoding="utf-8")
    path = tmp_path / "path"
    if kept == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(source, "kept_elsewhere.py")
    else:
        py_compile.compile(str(source), str(path / "kept_elsewhere.pyc"))
    monkeypatch.syspath_prepend(path)
    output = CliRunner().invoke(LazyGroup("tools", homes={"greet": "kept_elsewhere:greet"}), ["--help"]).output
    sys.modules.pop("kept_elsewhere", None)
    assert "greet  Say good day." in output
