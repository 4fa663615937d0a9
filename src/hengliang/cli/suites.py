"""Which grammar test suites are asked, shown, checked or exchanged?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import get_args

import click
from rich.console import Console

from hengliang.cli.suites_lint import lint
from hengliang.cli.suites_pairs import pairs
from hengliang.cli.suites_table import print_whole, table
from hengliang.cli.suites_verbs import verbs
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
from hengliang.core.errors import UserError
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.io.files import write_text
from hengliang.core.registry import load_file
from hengliang.core.terms import Language
from hengliang.language_models.cli import plugin_option, several_models
from hengliang.language_models.opening import model as open_model
from hengliang.language_models.regions import Edges
from hengliang.materials.suites.json_format import write_json_suite
from hengliang.materials.suites.library import open_suites, written_suites
from hengliang.materials.suites.suite import Suite
from hengliang.materials.suites.syntaxgym import write_syntaxgym
from hengliang.materials.suites.text_format import SUFFIX, write_suite
from hengliang.report.suite_item_chart import draw_suite_item
from hengliang.suite_runs import (
    MANY,
    Settled,
    default_folder,
    models_as_lines,
    printed_tables,
    remarks,
    shown_item,
    suite_study,
)


@click.group()
def suites() -> None:
    """Ask language models grammar test suites and minimal pairs; write, check and exchange suites.

    \b
    Example:
      hengliang suites run --model ngram-5 --suite "missing object" --out runs/missing
    """


suites.add_command(lint)
suites.add_command(pairs)
suites.add_command(table)
suites.add_command(verbs)


@suites.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the suites that come with hengliang, by class.

    \b
    Example:
      hengliang suites list
    """
    held = written_suites()
    if as_json:
        echo_json(
            suites=[
                {
                    "name": suite.name,
                    "class": suite.class_.to_json(),
                    "modifier": suite.modifier.to_json(),
                    "domain": suite.domain,
                    "items": len(suite.items),
                    "predictions": {one.name: str(one.formula) for one in suite.predictions},
                }
                for suite in held
            ]
        )
        return
    for title, group in groupby(held, key=attrgetter("class_")):
        click.secho(f"{title.en} {title.zh}", bold=True)
        for suite in group:
            click.echo(f"  {suite.name:<38} {len(suite.items)} items  {suite.modifier.en} {suite.modifier.zh}")


@suites.command()
@click.argument("id")
@click.option(
    "--model", "-m", "models", multiple=True, metavar="MODEL", help="Show the surprisal of each word to this model."
)
@plugin_option
def show(id: str, models: Sequence[str], plugin: str | None) -> None:
    """Show a suite, or one of its items (SUITE/ITEM), as it is written; with models, how each word surprises them.

    \b
    Example:
      hengliang suites show missing_object.none
      hengliang suites show missing_object.none/3 --model lstm-small-1 --model ngram-5
    """
    suite, item = _named(id)
    if not models:
        click.echo(write_suite(suite if item is None else replace(suite, items=(suite.item(item),))), nl=False)
        return
    if item is None:
        raise UserError(
            f"'{id}' is a whole suite.",
            valid="With --model, one item: SUITE/ITEM.",
            remedy=f"Try: hengliang suites show {suite.name}/{suite.items[0].id} --model {models[0]}",
        )
    if plugin is not None:
        load_file(plugin)
    view = shown_item(replace(suite, items=(suite.item(item),)), [open_model(name) for name in models])
    click.echo(draw_suite_item(view, width=Console().width))


def _named(id: str) -> tuple[Suite, str | None]:
    """Return the suite of `SUITE` or `SUITE/ITEM`; a path may have slashes of its own."""
    name, _, item = id.rpartition("/")
    if id.endswith((SUFFIX, ".json")) or not name:
        held, wanted = open_suites(id), None
    else:
        held, wanted = open_suites(name), item
    if len(held) > 1:
        raise UserError(
            f"'{name or id}' is a class of {len(held)} suites.", valid=f"Suites: {', '.join(one.name for one in held)}."
        )
    return held[0], wanted


@suites.command()
@several_models
@click.option(
    "--suite",
    "-s",
    "names",
    multiple=True,
    metavar="SUITE",
    help="A suite, a class, a file (.suite, .json), the suites of Wang et al. (2021): wang2021, or minimal pairs: "
    "sling, a file or a folder of pairs; may be repeated [default: all suites that come with hengliang].",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="RUN", help="Folder of the run [default: runs/SUITE].")
@click.option(
    "--phenomenon",
    "phenomena",
    multiple=True,
    metavar="NAME",
    help="Of minimal pairs, take these phenomena, paradigms or selections only (of sling: paper); may be repeated.",
)
@click.option("--limit", type=click.IntRange(1), help="Of minimal pairs, take a sample of so many of each paradigm.")
@click.option(
    "--ties",
    type=click.Choice(get_args(Settled)),
    default="half",
    show_default=True,
    help="A tie counts half in accuracy, as a failure, or as a fair coin has it.",
)
@click.option("--coin-seed", type=int, default=0, show_default=True, help="The seed of that coin.")
@click.option(
    "--edges",
    type=click.Choice(get_args(Edges)),
    default="refuse",
    show_default=True,
    help="A unit of the model that crosses the edge of a region leaves it unscored, counts in it, or does not.",
)
@plugin_option
@engine_option
@scheduler_option
@quiet_option
@language_option
@json_option
def run(
    models: Sequence[str],
    names: Sequence[str],
    out: Path | None,
    phenomena: Sequence[str],
    limit: int | None,
    ties: Settled,
    coin_seed: int,
    edges: Edges,
    plugin: str | None,
    engine: str,
    scheduler: str | None,
    quiet: bool,
    language: Language,
    as_json: bool,
) -> None:
    """Ask language models suites or minimal pairs; print accuracy by class, and controls, and write a report.

    The same command goes on after a crash or Ctrl-C and does not redo what is finished.

    \b
    Example:
      hengliang suites run --model ngram-5 --model lstm-small-1 --out runs/grammar
      hengliang suites run --model ngram-5 --suite wang2021 --out runs/wang2021
      hengliang suites run --model ngram-5 --suite sling --phenomenon paper --out runs/sling
    """
    if plugin is not None:
        load_file(plugin)
    systems = [open_model(name) for name in models]
    study = suite_study(systems, names, phenomena=phenomena, limit=limit, ties=ties, coin_seed=coin_seed, edges=edges)
    found = study.run(out or default_folder(names), engine=engine_of(engine, scheduler), watcher=watcher(quiet))
    if as_json:
        echo_json(estimates=estimate_rows(found.estimates))
        return
    console = Console()
    for title, name in printed_tables(found):
        if len(models) > MANY:
            click.echo("\n".join(["", title[language], *models_as_lines(found, name, language), ""]))
        else:
            print_whole(console, found.table(name, language), title[language])
    for line in remarks(found):
        click.echo(line[language])
    click.echo(found.folder.path / "report.html")


_FORMS = {SUFFIX: "our text format", ".json": "our JSON", ".syntaxgym.json": "the JSON of SyntaxGym"}


@suites.command()
@click.argument("source")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--name", help="What JSON calls the suite [default: as it is called]; a .suite is called as its file.")
def convert(source: str, target: Path, name: str | None) -> None:
    """Read a suite (a name or a file) and write it in another format, told by the ending of TARGET.

    Endings: .suite (our text format), .json (our JSON), .syntaxgym.json (the JSON of SyntaxGym).

    \b
    Example:
      hengliang suites convert missing_object.none missing.syntaxgym.json
      hengliang suites convert their_suite.json mine.suite
    """
    suite, item = _named(source)
    if item is not None:
        raise UserError(f"'{source}' is an item.", valid="A suite is converted whole.")
    suite = replace(suite, name=name) if name else suite
    notes: Sequence[str] = ()
    if target.name.endswith(".syntaxgym.json"):
        notes = write_syntaxgym(suite, target)
    elif target.suffix == ".json":
        write_json_suite(suite, target)
    elif target.suffix == SUFFIX:
        write_text(target, write_suite(suite))
    else:
        raise UserError(
            f"{target} has no ending that names a format.",
            valid="; ".join(f"{ending} ({what})" for ending, what in _FORMS.items()) + ".",
        )
    for note in notes:
        click.echo(note, err=True)
    click.echo(target)
