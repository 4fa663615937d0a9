"""Does a plug-in keep the promises of its kind?"""

from __future__ import annotations

from dataclasses import asdict

import click
from rich.console import Console

from hengliang.cli.options import echo_json, json_option
from hengliang.registry import find_any, load_file


@click.command()
@click.argument("name")
@click.option("--file", "file", metavar="FILE.py", help="Load this Python file first: it registers the name.")
@json_option
def check(name: str, file: str | None, as_json: bool) -> int:
    """Run the conformance kit of a system, material, measure or analysis, ours or your own.

    Ends with exit code 1 when a promise is broken.

    \b
    Example:
      hengliang check RULE
      hengliang check my_chooser --file my_chooser.py
    """
    if file is not None:
        load_file(file)
    entry = find_any(name)
    findings = list(entry.make().conformance())
    broken = [finding for finding in findings if not finding.kept]
    if as_json:
        echo_json(name=entry.name, role=entry.role, findings=[asdict(finding) for finding in findings])
        return 1 if broken else 0
    console = Console(highlight=False, markup=False)
    console.print(f"{entry.name} ({entry.role})")
    for finding in findings:
        console.print(f"  {'kept  ' if finding.kept else 'BROKEN'}  {finding.promise}")
        if not finding.kept:
            console.print(f"          {finding.detail}")
    console.print(f"{len(findings) - len(broken)} of {len(findings)} promises kept.")
    return 1 if broken else 0
