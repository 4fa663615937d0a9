"""Do the options that commands share name the right engine?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hengliang import UserError
from hengliang.cli.main import cli, outcome
from hengliang.core import InProcess, Processes
from hengliang.core.commands import engine_of


def test_an_engine_is_named_by_one_word() -> None:
    assert engine_of("local") == InProcess()
    assert engine_of("processes:3", None) == Processes(workers=3)
    with pytest.raises(UserError, match=r"No engine is called 'dusk'\. Did you mean dask"):
        engine_of("dusk")


def test_dask_has_a_scheduler_and_nobody_else() -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")
    from hengliang.core import Dask

    assert engine_of("dask", "tcp://127.0.0.1:8786") == Dask("tcp://127.0.0.1:8786")
    for engine in ("local", "processes:2"):
        with pytest.raises(UserError, match=f"--scheduler tcp://a:1 does not go with --engine {engine}") as caught:
            engine_of(engine, "tcp://a:1")
        assert caught.value.remedy == "Say --engine dask as well."
    with pytest.raises(UserError, match="No engine is called 'dask:4'"):
        engine_of("dask:4", "tcp://a:1")


def test_the_command_line_says_how_to_start_a_scheduler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert outcome(["lm", "score", "text.txt", "--model", "m", "--out", "a.tsv", "--engine", "dask"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "--engine dask needs the address of a scheduler." in said
    assert "dask scheduler" in said and "dask worker tcp://HOST:8786 --nthreads 1" in said


def parameters(command: click.Command) -> Iterator[set[str]]:
    """Yield the names of the parameters of a command, or of all commands of a group."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from parameters(below)
    else:
        yield {part.name or "" for part in command.params}


def test_every_command_with_an_engine_takes_a_scheduler() -> None:
    with_engine = [names for names in parameters(cli) if "engine" in names]
    assert len(with_engine) >= 6
    assert all("scheduler" in names for names in with_engine)
