"""Does every command end with one clear message and the right exit code?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hengliang.cli.main import cli, main, outcome
from hengliang.core import Failure


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["--help"]) == 0
    shown = capsys.readouterr().out
    names = ("run", "data", "report", "compare", "check", "lm", "new", "models", "doctor", "version", "score", "filter")
    for name in names:
        assert f"\n  {name} " in shown


def test_an_unknown_command_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["modles"]) == 2
    assert capsys.readouterr().err == (
        "hengliang: No command is called 'modles'. Did you mean models?\n"
        "Commands: agree, analyse, check, classifiers, compare, data, doctor, filter, fit, lm, models, new, power, "
        "replicate, report, run, scenes, score, suites, survey, taggers, version\n"
    )


def test_a_wrong_option_is_the_users(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["run", "--fast"]) == 2
    assert "--fast" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (Failure("The disk is full."), 1, "hengliang: The disk is full.\n"),
        (KeyboardInterrupt(), 130, ""),
        (ZeroDivisionError("nought"), 1, "a fault of our own: ZeroDivisionError: nought"),
    ],
)
def test_how_a_command_ends(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(cli, "main", fail)
    monkeypatch.delenv("HENGLIANG_DEBUG", raising=False)
    assert outcome([]) == code
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("run", "the same command goes on from there"),
        ("analyse", "Nothing was kept"),
        ("survey", "answered so far is kept"),
    ],
)
def test_an_interruption_that_is_told_twice_ends_once(
    command: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("hengliang.cli.main.outcome", interrupted)
    with pytest.raises(SystemExit) as ended:
        main([command])
    assert ended.value.code == 130
    assert told in capsys.readouterr().err


@pytest.mark.untraced
def test_a_reader_who_leaves_gets_no_traceback() -> None:
    command = f"{sys.executable} -c 'from hengliang.cli.main import main; main()' doctor | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""


# --- a library that is not installed ---

WITHOUT_TORCH = """
import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Absent())
"""
EACH = """
import sys
from hengliang.cli.main import outcome

if __name__ == "__main__":
    for line in sys.stdin.read().splitlines():
        print(outcome(line.split()), file=sys.stderr, flush=True)
"""
NEEDING_TORCH = [
    *(f"lm train {kind}" for kind in ("lstm", "transformer", "masked", "rnng", "plm")),
    "models train --only lstm",
    "run structural_supervision --quick --quiet --out R",
]


def test_without_torch_every_command_that_needs_it_names_the_line_that_installs_it(tmp_path: Path) -> None:
    # Worker processes are without it, too.
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_TORCH)
    (tmp_path / "each.py").write_text(EACH)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    own = {"PYTHONPATH": path, "HENGLIANG_HOME": str(tmp_path / "home"), "HENGLIANG_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "each.py"],
        input="\n".join(NEEDING_TORCH),
        cwd=tmp_path,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=True,
    )
    told = (
        "hengliang: This needs the library torch, which is not installed. "
        "Install it with: pip install 'hengliang[neural]'"
    )
    assert done.stderr.splitlines() == [told, "2"] * len(NEEDING_TORCH)
