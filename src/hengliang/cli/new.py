"""What is to be started: a study or a plug-in?"""

from __future__ import annotations

from pathlib import Path

import click

from hengliang.cli.skeletons import PLUGIN_KINDS, new_plugin, new_study

folder_option = click.option(
    "--in", "folder", type=click.Path(path_type=Path), default=Path(), help="Folder to write into [default: this one]."
)


@click.group()
def new() -> None:
    """Write a working skeleton of a study or a plug-in.

    \b
    Example:
      hengliang new study my_study
    """


@new.command()
@click.argument("name")
@folder_option
def study(name: str, folder: Path) -> None:
    """Write NAME.py, a small study that runs as it is.

    \b
    Example:
      hengliang new study my_study
      hengliang run my_study.py
    """
    file = new_study(name, folder)
    click.echo(f"Wrote {file}. Run it: hengliang run {file}")


@new.command()
@click.argument("name")
@click.option("--kind", default="chooser", show_default=True, help=f"One of: {', '.join(PLUGIN_KINDS)}.")
@folder_option
def plugin(name: str, kind: str, folder: Path) -> None:
    """Write a folder NAME, a package that can be installed and passes its conformance kit.

    \b
    Example:
      hengliang new plugin my_chooser --kind chooser
      pip install ./my_chooser
      hengliang check my_chooser
    """
    package = new_plugin(name, kind, folder)
    # Without the "./" pip would look for the name in its index.
    place = package if package.is_absolute() else f"./{package}"
    click.echo(f"Wrote {package}. Install and check it: pip install {place} && hengliang check {name}")
