"""How do the tests call a command about scenes?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from hengliang.cli.main import outcome

Capture = pytest.CaptureFixture[str]


def run(*arguments: str) -> int:
    """Run `hengliang scenes` with these arguments and return its exit code."""
    return outcome(["scenes", *arguments])


def output(capture: Capture, *arguments: str) -> str:
    """Return what a command prints that succeeds."""
    code = run(*arguments)
    shown = capture.readouterr()
    return shown.out if code == 0 else f"exit code {code}: {shown.err}"


def result(capture: Capture, *arguments: str) -> Any:
    """Return what a command prints with --json."""
    return json.loads(output(capture, *arguments, "--json"))


def complaint(capture: Capture, *arguments: str) -> str:
    """Return what a command says that ends with exit code 2."""
    code = run(*arguments)
    shown = capture.readouterr().err
    return shown if code == 2 else f"exit code {code}: {shown}"
