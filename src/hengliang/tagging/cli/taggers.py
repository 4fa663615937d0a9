"""Commands `hengliang taggers tag`, `list`, `maps`, `train` and `mend`, and the options that all tagger commands share.

The commands that concern a tagger by itself: using it, what is known of it, its tag map, training our own, and
sentences that would help it. What these and the commands of diagnosis have in common comes first: shared options, and
the remarks printed after a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import click
import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang.core.commands.options import (
    echo_json,
    json_option,
    language_option,
    quiet_option,
    table_options,
    watcher,
)
from hengliang.core.commands.row_files import check_out, write_rows
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import TableOptions
from hengliang.core.io.files import write_text
from hengliang.core.labelling.remembered_spans import remembered_tags
from hengliang.core.labelling.spans import LabelledSpans
from hengliang.core.labelling.taggers import Tagger, TaggerCard, tagger
from hengliang.core.labelling.taggers import tagger as own_tags
from hengliang.core.learning import read_card
from hengliang.core.progress import Silent, Watcher, long_watcher
from hengliang.core.registry import entries, load_file
from hengliang.core.terms import Bilingual, Language, both
from hengliang.core.text.characters import slices
from hengliang.corpora import catalogue as sources
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.corpora.given_sentences import GivenSentence, given_sentences, tell_problems
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.sentence_files import Form
from hengliang.study.study import Run, Study
from hengliang.tagging.runs import (
    diagnosis_study,
    failures,
    missed_words,
    opened_taggers,
    unmapped_tags,
    unmet_tags,
    worst_pairs,
)
from hengliang.tagging.sentences import TaggedSentences, corpus_name, gold_text, tagged_sentences
from hengliang.tagging.tag_maps.lint import SEVERITIES, MapFinding, lint_map, tag_evidence, unreachable_tags
from hengliang.tagging.tag_maps.tables import SAME_TAGS, TagMap, is_map_file, open_map, tag_map_names
from hengliang.tagging.taggers.cards import known_taggers, tagger_card
from hengliang.tagging.taggers.sheltered import sheltered
from hengliang.tagging.test_sets.items import DEFAULT_SET, TaggingItems, open_set, tagging_items
from hengliang.tagging.test_sets.selection import PER_WORD, targeted_sentences
from hengliang.tagging.test_sets.test_set import error_pair
from hengliang.tagging.trained.model import ChainSettings
from hengliang.tagging.trained.training import NAME, TaggerSettings, train_tagger

# --- shared options and remarks after a run ---------------------------------------------------------------------------


several_taggers = click.option(
    "--tagger",
    "-t",
    "names",
    multiple=True,
    metavar="TAGGER",
    help="rjieba, jieba, lac, thulac, snownlp, jiagu, crf:MODEL, hf:FOLDER, program:COMMAND, one of your own; may be "
    "repeated. `hengliang taggers list` shows them all.",
)
tags_option = click.option(
    "--tags", default="pku", show_default=True, metavar="TAGS", help="The tags to map to: pku, ud or ctb."
)
maps_option = click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="TAGGER=MAP",
    help="Map a tagger's tags by this map or file, as program=my-tags.tsv; may be repeated [default: its own].",
)
corpora_option = click.option(
    "--corpus",
    "corpora",
    multiple=True,
    default=(sources.DEFAULT_CORPUS,),
    show_default=True,
    metavar="CORPUS",
    help="Where the sentences stand of a set that holds references only; may be repeated.",
)
time_limit_option = click.option(
    "--time-limit",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Run each tagger in a process of its own; a sentence that takes longer counts as failed, the rest goes on.",
)
tagger_plugin_option = click.option(
    "--plugin", metavar="FILE.py", help="Load this Python file first: it registers the tagger."
)


def maps_of(values: Sequence[str]) -> dict[str, str]:
    """Return the map that is named for each tagger; what follows a colon in a tagger's reference need not be said."""
    named = dict(value.rpartition("=")[::2] for value in values)
    wrong = next((value for value in values if not all(value.rpartition("=")[::2])), None)
    if wrong is not None:
        raise UserError(f"'{wrong}' names no tag map.", valid="TAGGER=MAP, as program=my-tags.tsv or lac=lac.")
    return named


def asked_items(test_set: str, corpora: Sequence[str], parts: Sequence[Part] = ()) -> TaggingItems:
    """Return the items of a test set, or of these parts of it; where its sentences are must be known."""
    opened = open_set(test_set, corpora[0])
    bare = opened.entries.filter(pl.col("content").is_null())["corpus"].unique().sort().to_list()
    absent = [name for name in bare if name not in {corpus_name(corpus) for corpus in corpora}]
    if absent:
        raise UserError(
            f"{test_set} holds no sentences, only where they stand in the corpus {absent[0]}.",
            remedy=f"Say where that is: --corpus {absent[0]}.txt, or write the set with its sentences: "
            "hengliang taggers build --text",
        )
    return tagging_items(opened.of_parts(parts) if parts else test_set, corpora)


def tell_failures(run: Run, language: Language) -> None:
    """Tell on standard error on how many sentences each tagger failed, and why, and which tags do not meet."""
    for line in chain(failures(run), unmapped_tags(run), unmet_tags(run)):
        click.echo(line[language], err=True)


def tell_notes(study: Study, language: Language) -> None:
    """Tell what a reader of the numbers must know, as that a tagger was trained on these sentences."""
    for note in study.notes:
        click.echo(both(note)[language])


def notes_json(study: Study) -> list[dict[str, str]]:
    """Return the same for programs, in both languages."""
    return [both(note).to_json() for note in study.notes]


# --- taggers tag ------------------------------------------------------------------------------------------------------
# Cuts sentences into words and tags them.

_EXAMPLE = 'Example: hengliang taggers tag "他就此打住了。" --tagger lac'
_SCHEMA: dict[str, pl.DataType] = {
    "line": pl.Int64(),
    "sentence": pl.String(),
    "tagged": pl.String(),
    "problem": pl.String(),
}


@click.command()
@click.argument("sentences", nargs=-1, metavar="[SENTENCE]...")
@click.option("--tagger", "-t", "name", default="lac", show_default=True, metavar="TAGGER", help="Who tags.")
@click.option("--own-tags", is_flag=True, help="Show the tagger's own tags instead of mapping them.")
@tags_option
@maps_option
@time_limit_option
@click.option("--file", type=click.Path(path_type=Path), help="Read sentences from this file, one a line or row.")
@click.option("--format", "form", type=click.Choice(get_args(Form)), help="What the file is; else its name tells.")
@click.option("--column", metavar="NAME", help="The column or JSON key of the sentence; else sentence or text.")
@table_options("errors")
@click.option("--out", type=click.Path(path_type=Path), help="Write a table: *.csv, *.tsv, *.jsonl or *.parquet.")
@tagger_plugin_option
@json_option
def tag(
    sentences: tuple[str, ...],
    name: str,
    own_tags: bool,
    tags: str,
    maps: tuple[str, ...],
    seconds: float | None,
    file: Path | None,
    form: Form | None,
    column: str | None,
    table: TableOptions,
    out: Path | None,
    plugin: str | None,
    as_json: bool,
) -> int:
    """Cut SENTENCEs into words and tag them; "-" reads from standard input.

    A sentence that the tagger cannot work on is told, the others are tagged, and the exit code is 2.

    \b
    Example:
      hengliang taggers tag "他就此打住了。" --tagger lac
      hengliang taggers tag --file sentences.txt --tagger thulac --out tagged.tsv
    """
    check_out(out)
    if plugin is not None:
        load_file(plugin)
    batches = given_sentences(sentences, file, form, column, table, _EXAMPLE)
    first = next(batches)
    tagger = _opened(name, tags, seconds, maps, own=own_tags)
    rows: list[dict[str, Any]] = []
    problems: list[tuple[int, str]] = []
    for batch in chain([first], batches):
        tagged = _tagged(tagger, batch)
        problems += [(row["line"], row["problem"]) for row in tagged if row["problem"]]
        if out is None and not as_json:
            for row in tagged:
                click.echo(row["tagged"])
        else:
            rows += tagged
    if out is not None:
        write_rows(out, rows, _SCHEMA)
        if not as_json:
            click.echo(f"{len(rows) - len(problems):,} sentences tagged.\n{out}")
    if as_json:
        echo_json(sentences=rows, tagger=tagger.name, tags="own" if own_tags else tags)
    return tell_problems(problems)


def _opened(name: str, tags: str, seconds: float | None, maps: tuple[str, ...], *, own: bool) -> Tagger:
    if not own:
        return opened_taggers([name], tags, seconds, maps_of(maps))[0]
    return own_tags(name) if seconds is None else sheltered(own_tags(name), seconds)


def _tagged(tagger: Tagger, batch: list[GivenSentence]) -> list[dict[str, Any]]:
    texts = [line.text for line in batch if not line.problem]
    answers = iter(_lines(remembered_tags(tagger, texts, checked=True), texts))
    rows = []
    for line in batch:
        tagged, problem = ("", line.problem) if line.problem else next(answers)
        rows.append({"line": line.line, "sentence": line.text, "tagged": tagged, "problem": problem})
    return rows


def _lines(found: LabelledSpans, texts: list[str]) -> list[tuple[str, str]]:
    lines = []
    for row, text in enumerate(texts):
        spans = found.of(row)
        words = [word.strip() for word in slices(text, [(start, end) for start, end, _ in spans])]
        lines.append((gold_text(words, [label for _, _, label in spans]), found.problems[row]))
    return lines


# --- taggers list -----------------------------------------------------------------------------------------------------
# Lists the taggers with their licences and training data.


@click.command("list")
@tagger_plugin_option
@json_option
def list_command(plugin: str | None, as_json: bool) -> None:
    """List the taggers with their licence and training data; which of them can run here is seen by `hengliang doctor`.

    \b
    Example:
      hengliang taggers list
    """
    if plugin is not None:
        load_file(plugin)
    known = known_taggers()
    cards = {entry.name: tagger_card(entry.name) if entry.name in known else None for entry in entries("tagger")}
    if as_json:
        echo_json(taggers=[_row(name, card) for name, card in cards.items()])
        return
    for name, card in cards.items():
        click.secho(name, bold=True)
        if card is None:
            click.echo("  nothing is known about its licence and its training data")
            continue
        if card.library:
            click.echo(f"  library   {card.library} {card.version or '(not installed)'}")
        click.echo(f"  licence   {card.licence}")
        click.echo(f"  trained   {card.training_data}")
        if card.note:
            click.echo(f"  note      {card.note}")


def _row(name: str, card: TaggerCard | None) -> dict[str, object]:
    return {"name": name} if card is None else {**asdict(card), "name": name, "version": card.version}


# --- taggers maps -----------------------------------------------------------------------------------------------------
# Lists, shows and checks tag maps, and counts in a corpus what speaks for a map.

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
    opened = open_map(name)
    if not check and corpus is None:
        _show(opened, as_json)
        return
    counted = None if corpus is None else _evidence(opened, corpus, part, sentences, reference or _tagger_of(name))
    counts = None if counted is None else dict(counted.group_by("own").agg(pl.col("n").sum()).iter_rows())
    findings = lint_map(opened, counts)
    if as_json:
        rows = [] if counted is None else counted.to_dicts()
        echo_json(map=opened.name, findings=[finding.to_json() for finding in findings], evidence=rows)
    else:
        _print_evidence(counted)
        _print_findings(findings)
    if any(finding.severity == "error" for finding in findings):
        raise click.exceptions.Exit(1)


def _list(as_json: bool) -> None:
    known = [open_map(name) for name in tag_map_names()]
    records = [
        {
            "name": each.name,
            "title": each.title,
            "to": each.target,
            "tags": len(each.own_tags),
            "targets": len(each.targets),
            "also": [tagger_name for tagger_name, map_name in SAME_TAGS.items() if map_name == each.name],
            "unreachable": unreachable_tags(each),
        }
        for each in known
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
    for finding in findings:
        where = f"{finding.path}, line {finding.line}: " if finding.line else ""
        click.echo(
            f"{where}{click.style(finding.severity, fg=_COLOURS[finding.severity])} [{finding.code}] {finding.message}"
        )
    counts = Counter(finding.severity for finding in findings)
    click.echo(", ".join(f"{counts[kind]} {kind}{'s' * (counts[kind] != 1)}" for kind in SEVERITIES) + ".")


# --- taggers train ----------------------------------------------------------------------------------------------------
# Trains our own tagger.


@click.command()
@click.option("--name", default=NAME, show_default=True, help="The name in the store; the tagger is then crf:NAME.")
@click.option("--data", default=DEFAULT_CORPUS, show_default=True, help="A tagged corpus of the catalogue, or a file.")
@click.option(
    "--parts", default="train", show_default=True, help="The parts of the corpus to learn from, as train+dev, or all."
)
@click.option("--added", multiple=True, metavar="FILE", help="Learn from this tagged file too; may be repeated.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The seed of everything drawn.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="passes, penalty, least or algorithm; repeatable."
)
@click.option("--out", type=click.Path(path_type=Path), help="The folder of the tagger; by default in the store.")
@quiet_option
@json_option
def train(
    name: str,
    data: str,
    parts: str,
    added: tuple[str, ...],
    seed: int,
    settings: tuple[str, ...],
    out: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train the tagger crf on the tagged sentences of a corpus.

    Sentences of the other parts are never learned from, even where they stand in the training part too. Those of dev
    are tagged in the end, and the card holds the scores. An interrupted training goes on; a finished one is only shown.

    \b
    Example:
      hengliang taggers train
      hengliang taggers train --name mended --added more.txt
      hengliang taggers train --data corpus.txt --parts all --set passes=10 --out models/mine
    """
    watcher = Silent() if quiet else long_watcher()
    folder = _trained(out or name, data, _parts(parts), added, seed, _settings(settings), watcher)
    card = read_card(folder)
    if as_json:
        echo_json(models=[{"folder": str(folder), "card": dict(card)}])
        return
    click.echo(f"{folder}")
    for line in card_lines(card):
        click.echo(f"  {line}")


def _trained(
    where: str | Path,
    data: str,
    parts: tuple[Part, ...],
    added: tuple[str, ...],
    seed: int,
    settings: TaggerSettings,
    watcher: Watcher,
) -> Path:
    material = TaggedSentences(data, parts)
    others = tuple(part for part in PARTS if part not in parts) if parts else ()
    whole = TaggedSentences(data).items() if others else None
    more = [TaggedSentences(Path(file)).items() for file in added]
    held_out = {part: whole.filter(whole["corpus_part"] == part) for part in others} if whole is not None else {}
    dev = held_out.pop("dev", None)
    return train_tagger(
        material.items(),
        where,
        settings=settings,
        seed=seed,
        added=pl.concat([frame.select("content", "gold") for frame in more]) if more else None,
        dev=dev if dev is not None and dev.height else None,
        held_out=pl.concat(list(held_out.values())) if held_out else None,
        facts={
            "data": str(material.signature()),
            "licence": material.licence,
            "parts": list(parts) or ["all"],
            "added": [str(file) for file in added],
        },
        watcher=watcher,
    )


def _parts(given: str) -> tuple[Part, ...]:
    if given == "all":
        return ()
    known: dict[str, Part] = {part: part for part in PARTS}
    for name in given.split("+"):
        if name not in known:
            raise unknown_name("part", name, [*PARTS, "all"])
    return tuple(known[name] for name in dict.fromkeys(given.split("+")))


def _settings(given: tuple[str, ...]) -> TaggerSettings:
    """Return the settings of both chains, each value read as the type of its usual one."""
    usual: dict[str, Any] = asdict(ChainSettings())
    settings: dict[str, Any] = {}
    for setting in given:
        name, _, value = setting.partition("=")
        if name not in usual:
            raise unknown_name("setting of the tagger crf", name, usual)
        try:
            settings[name] = type(usual[name])(value)
        except ValueError:
            raise UserError(
                f"--set {setting} is no number.", valid=f"--set {name}=NUMBER, usually {usual[name]}."
            ) from None
    chain = ChainSettings(**settings)
    chain.parameters()
    return TaggerSettings(chain, chain)


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """Return what a user wants to know first of a tagger that was just trained."""
    lines = [
        f"{card['family']}, seed {card['seed']}: {card['sentences']:,} sentences, {card['words']:,} words, "
        f"{len(card['tags'])} tags; {card['left_out']:,} sentences left out because they are held out"
    ]
    if "dev" in card:
        dev = card["dev"]
        lines.append(
            f"on dev ({dev['sentences']:,} sentences): F1 of words {dev['word_f1']:.2%}, "
            f"of tagged words {dev['tagged_f1']:.2%}"
        )
    seconds = sum(card["training_seconds"].values())
    lines.append(f"{seconds:.0f} s of training, {sum(file['bytes'] for file in card['files'].values()):,} bytes")
    lines.append(f"licence of the data: {card['licence']}")
    return lines


# --- taggers mend -----------------------------------------------------------------------------------------------------
# Lists training sentences that would help a tagger where it does worst.

_NOTHING = Bilingual(
    "It gets all of these error pairs right: there is nothing to mend.", "这些错误对全部标对，无须改进。"
)


@click.command()
@click.option("--tagger", "-t", "name", default="crf", show_default=True, metavar="TAGGER", help="Who is to be mended.")
@click.option("--set", "test_set", default=DEFAULT_SET, show_default=True, metavar="SET", help="The test set.")
@corpora_option
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(PARTS),
    default=("dev",),
    show_default=True,
    help="Diagnose on the sentences of this part only, so that the others can tell what mending gained.",
)
@click.option("--worst", type=click.IntRange(1), default=10, show_default=True, help="Mend so many error pairs.")
@click.option("--least", type=click.IntRange(1), default=5, show_default=True, help="Of those with so many sentences.")
@click.option(
    "--per-word", type=click.IntRange(1), default=PER_WORD, show_default=True, help="Sentences a word and kind."
)
@click.option("--no-contrast", is_flag=True, help="Leave out sentences in which the tagger's answer would be right.")
@click.option(
    "--pool", default=sources.DEFAULT_CORPUS, show_default=True, metavar="CORPUS", help="Look in this corpus."
)
@click.option("--pool-part", "pool_parts", multiple=True, type=click.Choice(PARTS), help="Look in this part only.")
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the draw of sentences.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the sentences with their words and tags, a line each, to learn from.",
)
@click.option(
    "--run",
    type=click.Path(path_type=Path),
    default=Path("runs/tagger-mending"),
    show_default=True,
    help="Folder of the run.",
)
@tags_option
@maps_option
@time_limit_option
@tagger_plugin_option
@quiet_option
@language_option
@json_option
def mend(
    name: str,
    test_set: str,
    corpora: tuple[str, ...],
    parts: tuple[Part, ...],
    worst: int,
    least: int,
    per_word: int,
    no_contrast: bool,
    pool: str,
    pool_parts: tuple[Part, ...],
    seed: int,
    out: Path | None,
    run: Path,
    tags: str,
    maps: tuple[str, ...],
    seconds: float | None,
    plugin: str | None,
    quiet: bool,
    language: Language,
    as_json: bool,
) -> None:
    """List the training sentences that would teach a tagger the error pairs where it does worst.

    The tagger is put to the test set first. For every word that it misses in its worst pairs, sentences of the pool
    are listed in which the word has the tags it should have, and as many in which it rightly has the tags it was given.
    None of them is near a sentence of the test set.

    \b
    Example:
      hengliang taggers mend --tagger crf --worst 10 --out more.txt
      hengliang taggers train --name mended --added more.txt
      hengliang taggers compare --tagger crf --tagger crf:mended
    """
    if plugin is not None:
        load_file(plugin)
    whole, material = asked_items(test_set, corpora), asked_items(test_set, corpora, parts)
    study = diagnosis_study(opened_taggers([name], tags, seconds, maps_of(maps)), material, name="tagger mending")
    finished = study.run(run, watcher=watcher(quiet), option="--run")
    tell_failures(finished, language)
    pairs = worst_pairs(finished, worst, least)
    chosen: tuple[Part, ...] = pool_parts or (("train",) if pool == sources.DEFAULT_CORPUS else ())
    sentences = tagged_sentences(pool, chosen).items()
    places = targeted_sentences(
        missed_words(finished, pairs["pair"].to_list()),
        sentences,
        avoid=whole.items()["content"].to_list(),
        per_word=per_word,
        contrast=not no_contrast,
        seed=seed,
    )
    if out is not None:
        _write(out, sentences, places)
    if as_json:
        echo_json(pairs=pairs.to_dicts(), sentences=places.to_dicts(), notes=notes_json(study))
        return
    _print(pairs, places, language)
    tell_notes(study, language)
    if out is not None:
        click.echo(out)


def _write(out: Path, sentences: pl.DataFrame, places: pl.DataFrame) -> None:
    """Write the sentences that were found, each once, in the order of the corpus."""
    lines = sentences.join(places.select(id="item").unique(), on="id", how="semi", maintain_order="left")["gold"]
    write_text(out, "".join(f"{line}\n" for line in lines.to_list()))


def _print(pairs: pl.DataFrame, places: pl.DataFrame, language: Language) -> None:
    if not pairs.height:
        click.echo(_NOTHING[language])
        return
    for row in pairs.iter_rows(named=True):
        of_pair = places.filter(places["pair"] == row["pair"])
        right = of_pair.filter(of_pair["kind"] == "right").height
        click.echo(
            _line(row["pair"], row["score"], of_pair["word"].n_unique(), (right, of_pair.height - right), language)
        )
    count = f"{places['item'].n_unique():,}"
    click.echo(f"{count} sentences in all" if language == "en" else f"共 {count} 句")


def _line(name: str, score: float, words: int, uses: tuple[int, int], language: Language) -> str:
    head = f"{error_pair(name)!s:<18} D {score:5.1f}  "
    if language == "en":
        return f"{head}{words:,} word{'s' * (words != 1)}, {uses[0]:,} right and {uses[1]:,} contrasting uses"
    return f"{head}{words:,} 个词例，正例 {uses[0]:,} 处，对比例 {uses[1]:,} 处"
