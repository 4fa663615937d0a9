"""Does a plug-in keep the promises of its kind?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
from rich.console import Console

from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.registry import find_any, load_file
from hengliang.language_models.opening import model, names_model


@click.command()
@click.argument("name")
@click.option("--file", "file", metavar="FILE.py", help="Load this Python file first: it registers the name.")
@json_option
def check(name: str, file: str | None, as_json: bool) -> int:
    """Run the conformance kit of a system, material, measure or analysis, ours or your own.

    NAME is a registered name, or a language model: one of `hengliang models list`, its folder, hf:PATH, arpa:FILE,
    kenlm:FILE. Ends with exit code 1 when a promise is broken.

    \b
    Example:
      hengliang check RULE
      hengliang check lstm-small-1
      hengliang check my_chooser --file my_chooser.py
    """
    if file is not None:
        load_file(file)
    role, thing = _named(name)
    findings = list(thing.conformance())
    broken = [finding for finding in findings if not finding.kept]
    if as_json:
        echo_json(name=name, role=role, findings=[asdict(finding) for finding in findings])
        return 1 if broken else 0
    console = Console(highlight=False, markup=False)
    console.print(f"{name} ({role})")
    for finding in findings:
        console.print(f"  {'kept  ' if finding.kept else 'BROKEN'}  {finding.promise}")
        if not finding.kept:
            console.print(f"          {finding.detail}")
    console.print(f"{len(findings) - len(broken)} of {len(findings)} promises kept.")
    return 1 if broken else 0


def _named(name: str) -> tuple[str, Any]:
    if names_model(name):
        return "language model", model(name)
    entry = find_any(name)
    return entry.role, entry.make()
