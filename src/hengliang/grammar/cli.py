"""Commands `hengliang suites`: lint, pairs, table, verbs, list, show, run and convert.

The commands that read and check come first (`lint`, `pairs`, `table`, `verbs`); the group itself, and the commands that
ask, show and convert suites, stand at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import get_args

import click
import polars as pl
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable

from hengliang.core.commands.options import (
    echo_json,
    engine_of,
    engine_option,
    json_option,
    language_option,
    quiet_option,
    scheduler_option,
    table_options,
    watcher,
)
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.io.files import write_text
from hengliang.core.registry import load_file
from hengliang.core.terms import Language
from hengliang.corpora.frequencies import FrequencyTable, corpus_frequencies, read_frequencies
from hengliang.grammar.pairs.pair_set import lint_pairs, pair_counts
from hengliang.grammar.pairs.reading import read_pairs
from hengliang.grammar.recorded import CoinFor, recorded_table
from hengliang.grammar.recorded_surprisals import SurprisalUnit
from hengliang.grammar.runs import (
    MANY,
    Settled,
    default_folder,
    models_as_lines,
    printed_tables,
    recorded_suite_study,
    remarks,
    shown_item,
    suite_study,
)
from hengliang.grammar.suites.json_format import write_json_suite
from hengliang.grammar.suites.library import open_suites, written_suites
from hengliang.grammar.suites.lint import NEEDS_OBJECT, SEVERITIES, LintFinding, LintSettings
from hengliang.grammar.suites.lint import lint as lint_suites
from hengliang.grammar.suites.suite import Suite
from hengliang.grammar.suites.syntaxgym import write_syntaxgym
from hengliang.grammar.suites.text_format import SUFFIX, write_suite
from hengliang.grammar.suites.verbs import VERB, TransitivityTable, corpus_transitivity, suite_verbs
from hengliang.grammar.terminal import draw_suite_item, statements, tables_of
from hengliang.language_models.cli import plugin_option, several_models
from hengliang.language_models.opening import model as open_model
from hengliang.language_models.regions import Edges
from hengliang.materials.classifier_inventory import Inventory, inventory
from hengliang.report.tables import Table

# --- suites lint ------------------------------------------------------------------------------------------------------
# Checks test suites before any model is asked.


_DEFAULT = LintSettings()
_CORPUS, _NONE = "corpus", "none"
_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


@click.command()
@click.argument("names", nargs=-1, metavar="[SUITE]...")
@click.option(
    "--frequencies",
    default=_CORPUS,
    show_default=True,
    metavar="FILE",
    help="Counts of words, a word and a count on each line (a model's vocabulary.tsv is one); corpus: the training "
    "part of the default corpus; none: leave these checks out.",
)
@click.option(
    "--max-ratio",
    type=click.FloatRange(min=1),
    default=_DEFAULT.greatest_ratio,
    show_default=True,
    help="How many times as frequent the words of a balanced region may be as each other.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=0),
    default=_DEFAULT.rare_below,
    show_default=True,
    help="Note words of compared regions that occur less often than this.",
)
@click.option("--no-inventory", is_flag=True, help="Leave out the check of classifiers.")
@click.option("--no-transitivity", is_flag=True, help="Leave out the check of verbs that should need an object.")
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@json_option
def lint(
    names: tuple[str, ...],
    frequencies: str,
    max_ratio: float,
    min_count: int,
    no_inventory: bool,
    no_transitivity: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Check test suites by name, by class or by file; without any, all suites that come with hengliang.

    Ends with 1 when there are errors. Warnings and notes are worth a look.

    \b
    Example:
      hengliang suites lint
      hengliang suites lint my.suite --frequencies none
    """
    suites = _suites(names)
    settings = LintSettings(greatest_ratio=max_ratio, rare_below=min_count)
    verbs = not no_transitivity and any(suite.class_.en == NEEDS_OBJECT for suite in suites)
    counts = _frequencies(frequencies)
    known = None if no_inventory else _inventory()
    objects = _transitivity() if verbs else None
    findings = lint_suites(suites, frequencies=counts, inventory=known, transitivity=objects, settings=settings)
    grave = {"error", "warning"} if strict else {"error"}
    passed = not any(finding.severity in grave for finding in findings)
    if as_json:
        echo_json(
            suites=[suite.name for suite in suites],
            findings=[row.to_json() for row in findings],
            passed=passed,
            tables=[str(table.signature()) for table in (counts, known, objects) if table is not None],
        )
    else:
        _print(findings, len(suites))
    if not passed:
        raise click.exceptions.Exit(1)


def _suites(names: tuple[str, ...]) -> list[Suite]:
    chosen: list[Suite] = []
    for suite in (suite for name in names for suite in open_suites(name)) if names else open_suites():
        if suite not in chosen:
            chosen.append(suite)
    return chosen


def _frequencies(choice: str) -> FrequencyTable | None:
    if choice == _NONE:
        return None
    return corpus_frequencies() if choice == _CORPUS else read_frequencies(choice)


def _inventory() -> Inventory:
    try:
        return inventory()
    except UserError as absent:
        click.echo(f"{absent} Classifiers are checked against our own table alone.", err=True)
        return inventory(cedict=False)


def _transitivity() -> TransitivityTable | None:
    try:
        return corpus_transitivity()
    except UserError as absent:
        click.echo(f"{absent} Verbs that should need an object are not checked.", err=True)
        return None


def _print(found: list[LintFinding], suites: int) -> None:
    for name, group in groupby(found, key=attrgetter("suite")):
        click.secho(name, bold=True)
        for row in group:
            where = f"line {row.line}, item {row.item}" if row.line else f"item {row.item}" if row.item else "suite"
            severity = click.style(row.severity, fg=_COLOURS[row.severity])
            click.echo(f"  {where}: {severity} [{row.code}] {row.message}")
        click.echo()
    counts = Counter(row.severity for row in found)
    summary = ", ".join(f"{counts[kind]} {kind}{'s' * (counts[kind] != 1)}" for kind in SEVERITIES)
    click.echo(f"{suites} suite{'s' * (suites != 1)}: {summary}.")


# --- suites pairs -----------------------------------------------------------------------------------------------------
# Says what a set of minimal pairs holds, and what is wrong with it.

SHOWN = 10


@click.command()
@click.argument("data")
@click.option(
    "--layout", default="", metavar="NAME", help="sling, climp, zhoblimp, blimp or colac [default: as recognised]."
)
@click.option("--all", "everything", is_flag=True, help=f"Print all findings of a kind, not the first {SHOWN}.")
@json_option
def pairs(data: str, layout: str, everything: bool, as_json: bool) -> None:
    """Read minimal pairs (a name of the catalogue, a file or a folder); count them and say what is wrong with them.

    \b
    Example:
      hengliang suites pairs sling
      hengliang suites pairs ./blimp/data --json
    """
    pair_set = read_pairs(data, layout=layout)
    counts, findings = pair_counts(pair_set), lint_pairs(pair_set)
    if as_json:
        echo_json(name=pair_set.name, counts=counts.to_dicts(), findings=[finding.to_json() for finding in findings])
        return
    with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, fmt_str_lengths=60):
        click.echo(str(counts))
    kinds = Counter(finding.code for finding in findings)
    for code, number in kinds.items():
        click.echo(f"{code}: {number}")
        of_kind = [finding for finding in findings if finding.code == code]
        for finding in of_kind if everything else of_kind[:SHOWN]:
            click.echo(f"  {finding.file}, line {finding.line}: {finding.message}")
        if number > SHOWN and not everything:
            click.echo(f"  … and {number - SHOWN} more: --all")
    click.echo(
        f"{pair_set.name}: {len(pair_set.pairs)} pairs"
        + (f", {len(pair_set.rated)} single sentences." if pair_set.rated else ".")
    )


# --- suites table -----------------------------------------------------------------------------------------------------
# Prints the accuracy of models of which recorded surprisals are given.


@click.command()
@click.option(
    "--recorded",
    required=True,
    metavar="DIR",
    help="Folder of <model>-<seed>/<suite>.tsv, or the name of one in the catalogue (wang2021-surprisals).",
)
@click.option(
    "--unit",
    type=click.Choice(get_args(SurprisalUnit)),
    help="What the surprisals are in, for --out: no accuracy depends on it. [default: bits for the published files, "
    "else nats]",
)
@click.option("--modifiers", is_flag=True, help="A row for each class and modifier.")
@click.option("--coin-seed", type=click.IntRange(0), metavar="N", help="Settle ties once by coins of this seed, too.")
@click.option(
    "--coin-for",
    type=click.Choice(("comparison", "item")),
    default="comparison",
    show_default=True,
    help="What one coin settles: a tied comparison, or all of an item.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Also run the paper's other analyses (structure, modifiers, domains, garden paths) into this folder.",
)
@table_options("header", "sheet")
@quiet_option
@language_option
@json_option
def table(
    recorded: str,
    unit: SurprisalUnit | None,
    modifiers: bool,
    coin_seed: int | None,
    coin_for: CoinFor,
    out: Path | None,
    table: TableOptions,
    quiet: bool,
    language: Language,
    as_json: bool,
) -> None:
    """Print the accuracy of recorded models by class, with published values where the files are the published ones.

    \b
    Example:
      hengliang suites table --recorded wang2021-surprisals
      hengliang suites table --recorded my-surprisals --modifiers --json
      hengliang suites table --recorded wang2021-surprisals --out runs/recorded
    """
    accuracies = recorded_table(recorded, modifiers=modifiers, coin_for=coin_for, coin_seed=coin_seed, table=table)
    sentences = statements(accuracies)
    run = recorded_suite_study(recorded, unit=unit, table=table).run(out, watcher=watcher(quiet)) if out else None
    if as_json:
        echo_json(
            estimates=estimate_rows(accuracies.estimates()),
            sentences=[sentence.to_json() for sentence in sentences],
            left_out=list(accuracies.left_out),
        )
        return
    console = Console()
    for part in tables_of(accuracies, language):
        print_whole(console, part)
    for sentence in sentences:
        console.print(sentence[language], markup=False, highlight=False)
    if run is not None:
        click.echo(run.folder.path / "report.html")


def print_whole(console: Console, table: Table, title: str = "") -> None:
    """Print a table so that a narrow terminal breaks names, and figures only at their spaces, and cuts nothing off.

    A first column that says the same in every row goes into the title, for it takes the width of a figure.
    """
    first = {str(row[0]) for row in table.cells()}
    if title and table.columns[0].header and table.columns[1].header and len(first) == 1:
        table = replace(table, columns=table.columns[1:])
        title = f"{title}: {first.pop()}"
    shown, cells = table.__rich__(), table.cells()
    # Above a narrow table its title would be broken to the width of the table.
    console.print(title or shown.title or "", markup=False, highlight=False)
    shown.title = None
    for number, (column, drawn) in enumerate(zip(table.columns, shown.columns, strict=True)):
        drawn.overflow = "fold"
        if not column.header:
            figures = [str(row[number]).split() for row in cells]
            drawn.no_wrap = all(len(parts) < 2 for parts in figures)
            drawn.min_width = max((cell_len(part) for parts in figures for part in parts), default=1)
    console.print(shown)


# --- suites verbs -----------------------------------------------------------------------------------------------------
# Says how often the verbs of the suites about a missing object do without one.


@click.command()
@click.argument("names", nargs=-1, metavar="[SUITE]...")
@json_option
def verbs(names: tuple[str, ...], as_json: bool) -> None:
    """List the verbs of suites about a missing object with the share of their uses without one in the default corpus.

    \b
    Example:
      hengliang suites verbs
      hengliang suites verbs my.suite --json
    """
    table = corpus_transitivity()
    listed = suite_verbs(open_suites(*(names or ("missing object",))), table)
    if not listed:
        raise UserError(
            f"{', '.join(names)}: no suite has verbs to look up.",
            valid=f"A suite about a missing object, with a region '{VERB}', a starred condition, and conditions whose "
            "names begin with control.",
            remedy="See an example: hengliang suites show missing_object.none",
        )
    if as_json:
        echo_json(
            verbs=[
                {
                    "verb": verb.uses.verb,
                    "role": verb.role,
                    "items": list(verb.items),
                    "uses": verb.uses.uses,
                    "without_object": verb.uses.without_object,
                    "share": verb.uses.share,
                }
                for verb in listed
            ],
            signature=str(table.signature()),
        )
        return
    shown = RichTable(box=None, pad_edge=False)
    for heading in ("verb", "role", "uses", "without", "share", "95 %", "items"):
        shown.add_column(heading, no_wrap=heading != "items")
    for verb in listed:
        low, high = verb.uses.interval()
        share = "—" if verb.uses.share is None else f"{verb.uses.share:.3f}"
        figures = (str(verb.uses.uses), str(verb.uses.without_object), share, f"{low:.2f}–{high:.2f}")
        shown.add_row(verb.uses.verb, verb.role, *figures, " ".join(verb.items))
    Console().print(shown)


# --- the group, and the commands list, show, run and convert ----------------------------------------------------------
# The group is defined here, after the commands above, which it takes in.


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
    written = written_suites()
    if as_json:
        echo_json(
            suites=[
                {
                    "name": suite.name,
                    "class": suite.class_.to_json(),
                    "modifier": suite.modifier.to_json(),
                    "domain": suite.domain,
                    "items": len(suite.items),
                    "predictions": {prediction.name: str(prediction.formula) for prediction in suite.predictions},
                }
                for suite in written
            ]
        )
        return
    for title, group in groupby(written, key=attrgetter("class_")):
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
        matching, wanted = open_suites(id), None
    else:
        matching, wanted = open_suites(name), item
    if len(matching) > 1:
        raise UserError(
            f"'{name or id}' is a class of {len(matching)} suites.",
            valid=f"Suites: {', '.join(suite.name for suite in matching)}.",
        )
    return matching[0], wanted


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
    finished = study.run(out or default_folder(names), engine=engine_of(engine, scheduler), watcher=watcher(quiet))
    if as_json:
        echo_json(estimates=estimate_rows(finished.estimates))
        return
    console = Console()
    for title, name in printed_tables(finished):
        if len(models) > MANY:
            click.echo("\n".join(["", title[language], *models_as_lines(finished, name, language), ""]))
        else:
            print_whole(console, finished.table(name, language), title[language])
    for line in remarks(finished):
        click.echo(line[language])
    click.echo(finished.folder.path / "report.html")


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
