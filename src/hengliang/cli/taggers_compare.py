"""Which of these taggers does better on which error, asked from the command line?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from hengliang.cli.tagger_options import (
    asked_items,
    corpora_option,
    maps_of,
    maps_option,
    notes_json,
    several_taggers,
    tagger_plugin_option,
    tags_option,
    tell_failures,
    tell_notes,
    time_limit_option,
)
from hengliang.cli.taggers_table import print_differences, print_sentences
from hengliang.core.commands.options import echo_json, json_option, language_option, quiet_option, watcher
from hengliang.core.errors import UserError
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.registry import load_file
from hengliang.core.terms import Language
from hengliang.materials.tagging_items import DEFAULT_SET
from hengliang.tagger_runs import DIFFERENCES, diagnosis_study, opened_taggers


@click.command()
@several_taggers
@click.option("--set", "test_set", default=DEFAULT_SET, show_default=True, metavar="SET", help="The test set.")
@corpora_option
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [default: runs/tagger-comparison].")
@tags_option
@maps_option
@time_limit_option
@tagger_plugin_option
@quiet_option
@language_option
@json_option
def compare(
    names: Sequence[str],
    test_set: str,
    corpora: Sequence[str],
    out: Path | None,
    tags: str,
    maps: tuple[str, ...],
    seconds: float | None,
    plugin: str | None,
    quiet: bool,
    language: Language,
    as_json: bool,
) -> None:
    """Compare taggers on the same sentences: the difference of Z, and item by item with exact paired tests.

    \b
    Example:
      hengliang taggers compare --tagger lac --tagger thulac
    """
    if len(dict.fromkeys(names)) < 2:
        raise UserError("There is nothing to compare.", valid="Two taggers or more: --tagger lac --tagger thulac.")
    if plugin is not None:
        load_file(plugin)
    material = asked_items(test_set, corpora)
    study = diagnosis_study(opened_taggers(names, tags, seconds, maps_of(maps)), material, name="tagger comparison")
    run = study.run(out or Path("runs/tagger-comparison"), watcher=watcher(quiet))
    tell_failures(run, language)
    rows = run.estimates.filter(run.estimates["analysis"] == DIFFERENCES.name)
    if as_json:
        echo_json(estimates=estimate_rows(rows), notes=notes_json(study))
        return
    print_differences(Console(), rows, language)
    print_sentences(run.sentences, DIFFERENCES.name, language)
    tell_notes(study, language)
    click.echo(run.folder.path / "report.html")
