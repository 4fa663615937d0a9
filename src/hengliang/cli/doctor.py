"""What is installed, what is missing for which feature, and how does one get it?"""

from __future__ import annotations

from dataclasses import asdict

import click
from rich.console import Console

from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.environment import diagnose


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say what is installed, what is missing for which feature, and the line that installs it.

    \b
    Example:
      hengliang doctor
    """
    found = diagnose()
    if as_json:
        echo_json(diagnoses=[asdict(diagnosis) for diagnosis in found])
        return
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for diagnosis in found:
        console.print(f"{'✓' if diagnosis.good else '✗'} {diagnosis.name}: {diagnosis.detail}")
        if not diagnosis.good:
            console.print(f"    {diagnosis.remedy}")
