"""How does a tagger fare on a test set of common errors, asked from the command line?"""

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
from hengliang.cli.taggers_table import print_scores, print_sentences
from hengliang.core.commands.options import (
    echo_json,
    engine_of,
    engine_option,
    json_option,
    language_option,
    quiet_option,
    scheduler_option,
    watcher,
)
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.registry import load_file
from hengliang.core.terms import Language
from hengliang.corpora.parts import PARTS, Part
from hengliang.materials.tagging_items import DEFAULT_SET
from hengliang.tagger_runs import DIAGNOSIS, DIFFERENCES, diagnosis_study, opened_taggers


@click.command()
@several_taggers
@click.option(
    "--set",
    "test_set",
    default=DEFAULT_SET,
    show_default=True,
    metavar="SET",
    help="A test set: default, pos-finegrained (the paper's), or a file (.tsv of ours, .txt in the paper's format).",
)
@corpora_option
@click.option("--part", "parts", multiple=True, type=click.Choice(PARTS), help="Sentences of this part only.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [default: runs/tagger-test].")
@tags_option
@maps_option
@time_limit_option
@tagger_plugin_option
@engine_option
@scheduler_option
@quiet_option
@language_option
@json_option
def test(
    names: Sequence[str],
    test_set: str,
    corpora: Sequence[str],
    parts: Sequence[Part],
    out: Path | None,
    tags: str,
    maps: tuple[str, ...],
    seconds: float | None,
    plugin: str | None,
    engine: str,
    scheduler: str | None,
    quiet: bool,
    language: Language,
    as_json: bool,
) -> None:
    """Put taggers to a test set: D for each error pair, Z over all, as published and by formula (1), with intervals.

    \b
    Example:
      hengliang taggers test --tagger thulac --tagger snownlp
      hengliang taggers test --set my-set.tsv --tagger program:./my-tagger --json
    """
    if plugin is not None:
        load_file(plugin)
    material = asked_items(test_set, corpora, parts)
    study = diagnosis_study(opened_taggers(names, tags, seconds, maps_of(maps)), material)
    run = study.run(out or Path("runs/tagger-test"), engine=engine_of(engine, scheduler), watcher=watcher(quiet))
    tell_failures(run, language)
    if as_json:
        echo_json(estimates=estimate_rows(run.estimates), notes=notes_json(study))
        return
    print_sentences(run.sentences, DIAGNOSIS.name, language)
    print_scores(Console(), run.estimates.filter(run.estimates["analysis"] == DIAGNOSIS.name), language)
    print_sentences(run.sentences, DIFFERENCES.name, language)
    tell_notes(study, language)
    click.echo(run.folder.path / "report.html")
