"""How are the tags of a tagger written in the tags of a corpus, and is the map right?"""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

import click
import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.errors import UserError
from hengliang.core.labelling.remembered import remembered_tags
from hengliang.core.labelling.taggers import tagger
from hengliang.corpora.parts import Part
from hengliang.materials.tag_maps.evidence import tag_evidence
from hengliang.materials.tag_maps.lint import SEVERITIES, MapFinding, lint_map, unreachable_tags
from hengliang.materials.tag_maps.reading import SAME_TAGS, is_map_file, open_map, tag_map_names
from hengliang.materials.tag_maps.tables import TagMap
from hengliang.materials.tagged_sentences import tagged_sentences

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--lint", "check", is_flag=True, help="Say what is wrong with the map and what is lost by it.")
@click.option("--corpus", metavar="CORPUS", help="With --lint: count on a tagged corpus, by name or path.")
@click.option("--part", type=click.Choice(get_args(Part)), default="train", show_default=True, help="Part of it.")
@click.option(
    "--sentences", type=click.IntRange(min=1), default=500, show_default=True, help="So many, spread over the part."
)
@click.option("--tagger", "reference", metavar="TAGGER", help="Who tags them; without it, who has the map's name.")
@json_option
def maps(
    name: str | None,
    check: bool,
    corpus: str | None,
    part: Part,
    sentences: int,
    reference: str | None,
    as_json: bool,
) -> None:
    """List the tag maps, show one, or check one; NAME is a map, a tagger or the path of a map of your own.

    With a corpus, the tagger tags some of its sentences, and the words that it cuts as the corpus does are counted:
    which tag has the corpus for them? Where that is not the map's target, the line is marked. Ends with 1 when
    there are errors.

    \b
    Example:
      hengliang taggers maps lac
      hengliang taggers maps lac --lint --corpus peoples-daily-199801 --sentences 500
      hengliang taggers maps my.tsv --lint
    """
    if name is None:
        _list(as_json)
        return
    found = open_map(name)
    if not check and corpus is None:
        _show(found, as_json)
        return
    counted = None if corpus is None else _evidence(found, corpus, part, sentences, reference or _tagger_of(name))
    counts = None if counted is None else dict(counted.group_by("own").agg(pl.col("n").sum()).iter_rows())
    findings = lint_map(found, counts)
    if as_json:
        rows = [] if counted is None else counted.to_dicts()
        echo_json(map=found.name, findings=[one.to_json() for one in findings], evidence=rows)
    else:
        _print_evidence(counted)
        _print_findings(findings)
    if any(one.severity == "error" for one in findings):
        raise click.exceptions.Exit(1)


def _list(as_json: bool) -> None:
    held = [open_map(name) for name in tag_map_names()]
    records = [
        {
            "name": one.name,
            "title": one.title,
            "to": one.target,
            "tags": len(one.own_tags),
            "targets": len(one.targets),
            "also": [tagger_name for tagger_name, map_name in SAME_TAGS.items() if map_name == one.name],
            "unreachable": unreachable_tags(one),
        }
        for one in held
    ]
    if as_json:
        echo_json(maps=records)
        return
    table = Table("map", "also for", "title", "to", "tags", "targets", "never given")
    for record in records:
        table.add_row(*(" ".join(cell) if isinstance(cell, list) else str(cell) for cell in _cells(record)))
    Console().print(table)


def _cells(record: dict[str, Any]) -> list[Any]:
    return [record[key] for key in ("name", "also", "title", "to", "tags", "targets", "unreachable")]


def _show(found: TagMap, as_json: bool) -> None:
    if as_json:
        rows = [{"own": row.own, "target": row.target, "form": row.form, "note": row.note} for row in found.rows]
        echo_json(map=found.name, title=found.title, origin=found.origin, target=found.target, rows=rows)
        return
    table = Table("own", "target", "form", "note", title=found.title)
    for row in found.rows:
        table.add_row(row.own, row.target, row.form, row.note)
    Console().print(table)
    never = ", ".join(unreachable_tags(found)) or "none"
    click.echo(f"{len(found.own_tags)} tags become {len(found.targets)} {found.target} tags. Never given: {never}.")


def _tagger_of(name: str) -> str:
    if is_map_file(name):
        raise UserError(
            f"Who tags the corpus with the tags of {name}?", remedy=f"Try: hengliang taggers maps {name} --tagger NAME"
        )
    return name


def _evidence(found: TagMap, corpus: str, part: Part, sentences: int, reference: str) -> pl.DataFrame:
    if found.target != "pku":
        raise UserError(
            f"The map {found.name} leads to {found.target} tags.", valid="Counts are made for maps to pku tags."
        )
    items = tagged_sentences(corpus, [part]).items()
    items = items.gather_every(max(1, items.height // sentences)).head(sentences)
    contents = items["content"].to_list()
    spans = remembered_tags(tagger(reference), contents)
    tagged = [spans.of(row) for row in range(len(spans))]
    failed = sum(problem != "" for problem in spans.problems)
    if failed:
        click.echo(f"{failed} of {len(contents)} sentences could not be tagged and are left out.", err=True)
    return tag_evidence(found, zip(contents, items["gold"].to_list(), tagged, strict=True))


def _print_evidence(counted: pl.DataFrame | None) -> None:
    if counted is None:
        return
    table = Table("own", "form", "target", "words", "aligned", "share of target", "most frequent", "share", "")
    for row in counted.iter_rows(named=True):
        known = row["gold"] is not None
        table.add_row(
            row["own"],
            row["form"],
            row["target"],
            f"{row['n']:,}",
            f"{row['aligned']:,}",
            f"{row['target_share']:.3f}" if known else "–",
            row["gold"] if known else "–",
            f"{row['gold_share']:.3f}" if known else "–",
            "differs" if row["agrees"] is False else "",
        )
    Console().print(table)


def _print_findings(findings: list[MapFinding]) -> None:
    for one in findings:
        where = f"{one.path}, line {one.line}: " if one.line else ""
        click.echo(f"{where}{click.style(one.severity, fg=_COLOURS[one.severity])} [{one.code}] {one.message}")
    counts = Counter(one.severity for one in findings)
    click.echo(", ".join(f"{counts[kind]} {kind}{'s' * (counts[kind] != 1)}" for kind in SEVERITIES) + ".")
