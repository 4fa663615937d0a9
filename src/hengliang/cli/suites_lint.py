"""What is wrong with these test suites?"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from operator import attrgetter

import click

from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.errors import UserError
from hengliang.corpora.frequencies import FrequencyTable, corpus_frequencies, read_frequencies
from hengliang.materials.classifier_inventory import Inventory, inventory
from hengliang.materials.suites.library import open_suites
from hengliang.materials.suites.lint import lint as lint_suites
from hengliang.materials.suites.lint_findings import SEVERITIES, LintFinding, LintSettings
from hengliang.materials.suites.lint_words import NEEDS_OBJECT
from hengliang.materials.suites.suite import Suite
from hengliang.materials.transitivity import TransitivityTable, corpus_transitivity

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
    found = lint_suites(suites, frequencies=counts, inventory=known, transitivity=objects, settings=settings)
    grave = {"error", "warning"} if strict else {"error"}
    passed = not any(finding.severity in grave for finding in found)
    if as_json:
        echo_json(
            suites=[suite.name for suite in suites],
            findings=[one.to_json() for one in found],
            passed=passed,
            tables=[str(table.signature()) for table in (counts, known, objects) if table is not None],
        )
    else:
        _print(found, len(suites))
    if not passed:
        raise click.exceptions.Exit(1)


def _suites(names: tuple[str, ...]) -> list[Suite]:
    found: list[Suite] = []
    for suite in (suite for name in names for suite in open_suites(name)) if names else open_suites():
        if suite not in found:
            found.append(suite)
    return found


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
        for one in group:
            where = f"line {one.line}, item {one.item}" if one.line else f"item {one.item}" if one.item else "suite"
            severity = click.style(one.severity, fg=_COLOURS[one.severity])
            click.echo(f"  {where}: {severity} [{one.code}] {one.message}")
        click.echo()
    counts = Counter(one.severity for one in found)
    told = ", ".join(f"{counts[kind]} {kind}{'s' * (counts[kind] != 1)}" for kind in SEVERITIES)
    click.echo(f"{suites} suite{'s' * (suites != 1)}: {told}.")
