"""How is this scene described, asked from the command line?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import polars as pl
from rich.console import Console

from hengliang.core.commands.options import echo_json, json_option, table_options
from hengliang.core.commands.row_files import check_out, write_rows
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.core.terms import LANGUAGES, Language
from hengliang.materials.quantifiers import READINGS, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain, read_domain
from hengliang.materials.scenes import Scene, read_scene
from hengliang.systems.classifier_choosers.opening import open_chooser
from hengliang.systems.describers.base import Described, Describer, describer
from hengliang.systems.describers.candidates import INVENTORIES
from hengliang.systems.describers.preference_learning import preferences_of
from hengliang.systems.describers.preferences import Preferences, read_preferences
from hengliang.systems.readers.understanding import expected_swaps, understand

ALGORITHMS = {"incremental": "QDG-IA", "greedy": "QDG-GREEDY"}

PAIR_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "describer": pl.String(),
    "scene": pl.String(),
    "scene_size": pl.Int64(),
    "text": pl.String(),
    "logical_forms": pl.String(),
    "ending": pl.String(),
    "consistent_scenes": pl.Int64(),
    "expected_swaps": pl.Float64(),
}
"""The table of pairs of a scene and a description, as `hengliang scenes experiment` reads it."""

domain_option = click.option(
    "--domain", type=click.Path(path_type=Path), metavar="FILE.toml", help="Attributes and values of your own."
)
reading_option = click.option(
    "--reading",
    type=click.Choice(READINGS),
    default="pragmatic",
    show_default=True,
    help="What expressions mean: alone (semantic), or as people take them (pragmatic: most excludes all).",
)


def chosen_domain(path: Path | None) -> Domain:
    """Return the domain of a file, or the default one."""
    return DEFAULT_DOMAIN if path is None else read_domain(path)


@click.command()
@click.argument("scenes", nargs=-1, required=True, metavar="SCENE...")
@click.option(
    "--by",
    "algorithm",
    type=click.Choice(tuple(ALGORITHMS)),
    default="incremental",
    show_default=True,
    help="QDG-IA takes expressions in order of preference, QDG-GREEDY those that rule out most scenes.",
)
@click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Of the description.")
@click.option("--size", type=int, metavar="N", help="Say how many things there are, to check the counts.")
@click.option("--longest", type=click.IntRange(1), metavar="N", help="At most so many expressions.")
@click.option(
    "--inventory", type=click.Choice(tuple(INVENTORIES)), default="crisp", show_default=True, help="Which quantifiers."
)
@reading_option
@click.option("--seed", type=int, default=1, show_default=True, help="Of random choices and wordings.")
@click.option("--chooser", metavar="NAME", help="Who chooses Mandarin classifiers: GE, DICTIONARY, RULE … [GE]")
@click.option(
    "--preferences",
    metavar="FILE",
    help="QDG-IA takes its order from these descriptions (a table, a folder or qtuna), or from learned ones (*.json).",
)
@table_options("header")
@domain_option
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write a table of pairs: *.csv, *.tsv, *.jsonl, *.parquet."
)
@json_option
def describe(
    scenes: tuple[str, ...],
    algorithm: str,
    language: Language,
    size: int | None,
    longest: int | None,
    inventory: str,
    reading: Reading,
    seed: int,
    chooser: str | None,
    preferences: str | None,
    table: TableOptions,
    domain: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Describe each SCENE, a list of counts of kinds (BS is a blue square, RC a red circle).

    Below the description stand its logical forms, whether one scene alone fits, and how many swaps a reader is
    expected to make who picks one of the scenes that fit.

    \b
    Example:
      hengliang scenes describe "BS=2 RC=2" --by incremental
      hengliang scenes describe "BS=2 RC=2" "RS=6 RC=3" --by greedy --language zh
    """
    check_out(out)
    kinds = chosen_domain(domain)
    if chooser is not None and language != "zh":
        raise UserError("--chooser has a meaning in Mandarin only.", remedy="Add --language zh, or leave it out.")
    options: dict[str, Any] = {"domain": kinds, "language": language, "inventory": inventory, "reading": reading}
    options |= {} if longest is None else {"longest": longest}
    options |= {} if chooser is None else {"chooser": open_chooser(chooser)}
    options |= {} if preferences is None else {"preferences": _preferences(preferences, algorithm, kinds, table)}
    by = describer(ALGORITHMS[algorithm], seed=seed, **options)
    asked = [read_scene(text, kinds, size) for text in scenes]
    rows = [_row(by, scene, said, reading) for scene, said in zip(asked, by.describe(asked), strict=True)]
    if out is not None:
        write_rows(out, [row | {"logical_forms": "; ".join(row["logical_forms"])} for row in rows], PAIR_SCHEMA)
    if as_json:
        echo_json(descriptions=rows)
        return
    console = Console(highlight=False, soft_wrap=True)
    for row in rows:
        _print(console, row)


def _preferences(file: str, algorithm: str, domain: Domain, table: TableOptions) -> Preferences:
    """Return the order of preference that a file holds or shows."""
    if algorithm != "incremental":
        raise UserError("--preferences has a meaning for QDG-IA only.", remedy="Add --by incremental, or leave it out.")
    return read_preferences(Path(file)) if file.endswith(".json") else preferences_of(file, domain, table)


def _row(by: Describer, scene: Scene, said: Described, reading: Reading) -> dict[str, Any]:
    understood = understand(said.expressions, scene.size, scene.domain, reading)
    return {
        "pair": f"{by.name}:{scene.code}",
        "describer": by.name,
        "scene": scene.code,
        "scene_size": scene.size,
        "text": said.text,
        "logical_forms": [str(expression) for expression in said.expressions],
        "ending": said.ending,
        "consistent_scenes": said.left,
        "expected_swaps": expected_swaps(understood, scene),
    }


_ENDINGS = {
    "complete": "complete: no other scene fits",
    "limit": "stopped at the length limit: {left:,} scenes fit",
    "exhausted": "nothing more to say with these quantifiers: {left:,} scenes fit",
}


def _print(console: Console, row: dict[str, Any]) -> None:
    console.print(f"{row['scene']} ({row['scene_size']} things)", markup=False)
    console.print(f"  {row['text']}", markup=False, style="bold")
    for form in row["logical_forms"]:
        console.print(f"  {form}", markup=False)
    ending = _ENDINGS[row["ending"]].format(left=row["consistent_scenes"])
    console.print(f"  {ending}; expected swaps {row['expected_swaps']:.2f} of {row['scene_size']}", markup=False)
