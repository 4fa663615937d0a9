"""Which version is this?"""

from __future__ import annotations

import click

from hengliang.core.signature import version as package_version


@click.command()
def version() -> None:
    """Print the version of hengliang.

    \b
    Example:
      hengliang version
    """
    click.echo(f"hengliang {package_version()}")
