"""Commands `hengliang taggers mine`, `build`, `test` and `compare`: error mining and the diagnosis of taggers.

The steps of one inquiry, in their order: mining finds error pairs in a tagged corpus, building makes a diagnostic test
set of those that the review keeps, and taggers are tested on it and compared. The tables that `test` and `compare`
print stand before them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import polars as pl
from rich import box
from rich.console import Console
from rich.table import Table

from hengliang.core.commands.options import (
    echo_json,
    encoding_option,
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
from hengliang.core.io.delimited import TableOptions, file_encoding
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.io.files import read_table, write_table
from hengliang.core.records import Estimate, estimate_records
from hengliang.core.registry import load_file
from hengliang.core.terms import Bilingual, Language
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.plain_text import OnBroken
from hengliang.report.formats import Style, write_number
from hengliang.statistics.results import DASH
from hengliang.tagging.cli.taggers import (
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
from hengliang.tagging.diagnosis import GROUPS, PAIR_TITLE, REACHABLE, SCORE_LABELS
from hengliang.tagging.differences import ADJUSTED, FORMULA, ONLY_REFERENCE, ONLY_SYSTEM, PUBLISHED
from hengliang.tagging.differences import STATISTICS as DIFFERENCE_LABELS
from hengliang.tagging.errors import LEAST, SHARE, common_words, mining_summary
from hengliang.tagging.runs import (
    CANDIDATES,
    DIAGNOSIS,
    DIFFERENCES,
    INSTANCES,
    REVIEW,
    VOTERS,
    check_vote,
    diagnosis_study,
    keep_mining,
    mined,
    mined_material,
    mining_study,
    opened_taggers,
)
from hengliang.tagging.sentences import TaggedSentences, broken_lines, tagged_sentences
from hengliang.tagging.test_sets.building import MOST, build_set, grow_set
from hengliang.tagging.test_sets.items import DEFAULT_SET
from hengliang.tagging.test_sets.review import read_review, review_file, write_review
from hengliang.tagging.test_sets.test_set import TaggingSet, error_pair, write_listing, write_set

# --- taggers mine -----------------------------------------------------------------------------------------------------
# Compares taggers with a tagged corpus and counts what they get wrong.


_SHOWN = 10


@click.command()
@several_taggers
@click.option(
    "--corpus",
    default=sources.DEFAULT_CORPUS,
    show_default=True,
    metavar="CORPUS",
    help="A tagged corpus: a name of the catalogue, or a file (word/tag tokens a paragraph a line, or .conllu).",
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(PARTS),
    help="Take this part only; may be repeated [default: dev and test of the default corpus, else all].",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, max_open=True),
    default=SHARE,
    show_default=True,
    help="Keep pairs that more than this share of the taggers make.",
)
@click.option(
    "--least",
    type=click.IntRange(1),
    default=LEAST,
    show_default=True,
    help="Keep pairs that so many taggers make, or more.",
)
@click.option(
    "--times", type=click.IntRange(1), default=1, show_default=True, help="A tagger makes a pair if it errs so often."
)
@encoding_option
@click.option(
    "--errors",
    type=click.Choice(["raise", "skip"]),
    default="raise",
    show_default=True,
    help="A line of the file that cannot be read stops the work, or is left out.",
)
@click.option("--no-segmentation", is_flag=True, help="Look only at words that taggers cut as the corpus does.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("runs/tagger-mining"),
    show_default=True,
    help="Folder of the run.",
)
@tags_option
@maps_option
@time_limit_option
@tagger_plugin_option
@engine_option
@scheduler_option
@quiet_option
@language_option
@json_option
def mine(
    names: Sequence[str],
    corpus: str,
    parts: Sequence[Part],
    share: float,
    least: int,
    times: int,
    encoding: str,
    errors: OnBroken,
    no_segmentation: bool,
    out: Path,
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
    """Compare taggers with a tagged corpus, count error pairs, and write those that most taggers make for review.

    Without --tagger the five that vote are asked: rjieba, lac, thulac, snownlp and jiagu. The folder then holds a run
    with its report, the error instances, the candidates, and review.tsv, in which a person decides what to keep. A
    review that is there already keeps its decisions. The same command goes on after a crash.

    \b
    Example:
      hengliang taggers mine --out runs/mining
      hengliang taggers mine --corpus mine.conllu --tags ud -t rjieba -t lac -t thulac --out runs/ud
    """
    if plugin is not None:
        load_file(plugin)
    # The study is signed with the encoding that the corpus has, however that was found out.
    if encoding == "auto":
        encoding = file_encoding(Path(corpus)) if Path(corpus).is_file() else "utf-8"
    chosen: Sequence[Part] = parts or (("dev", "test") if corpus == sources.DEFAULT_CORPUS else ())
    taggers = opened_taggers(names or VOTERS, tags, seconds, maps_of(maps))
    check_vote(taggers, share=share, least=least, times=times)
    study = mining_study(
        taggers, corpus, chosen, share=share, least=least, times=times, encoding=encoding, errors=errors
    )
    run = study.run(out, engine=engine_of(engine, scheduler), watcher=watcher(quiet))
    instances, candidates = mined(run, segmentation=not no_segmentation, share=share, least=least, times=times)
    keep_mining(out, corpus, chosen, instances, encoding, errors)
    write_table(out / CANDIDATES, candidates)
    review = write_review(out / REVIEW, candidates, instances)
    if errors == "skip":
        count, problems = broken_lines(corpus, encoding)
        first = f"; the first: {problems[0].problem}" if problems else ""
        click.echo(f"{count:,} lines of {corpus} cannot be read and were left out{first}", err=True)
    tell_failures(run, language)
    by_tagger = mining_summary(instances, candidates, [tagger.name for tagger in taggers]).by_system
    if as_json:
        echo_json(
            sentences=run.items.height,
            taggers=[_row(*row) for row in by_tagger.select("system", "instances", "pairs").iter_rows()],
            candidates=candidates.filter("kept")["pair"].to_list(),
            suggested=review.filter(pl.col("suggestion") == "keep")["pair"].to_list(),
            notes=notes_json(study),
        )
        return
    _print(by_tagger, candidates)
    tell_notes(study, language)
    click.echo(f"Decide in {out / REVIEW}, then: hengliang taggers build --run {out}")
    click.echo(out / "report.html")


def _row(tagger: str, instances: int, pairs: int) -> dict[str, object]:
    return {"tagger": tagger, "instances": instances, "pairs": pairs}


def _print(by_tagger: pl.DataFrame, candidates: pl.DataFrame) -> None:
    for name, instances, pairs in by_tagger.select("system", "instances", "pairs").iter_rows():
        click.echo(f"{name:<12} {instances:>8,} instances of {pairs:>6,} error pairs")
    kept = candidates.filter("kept")
    click.echo(f"{kept.height:,} candidates made by enough taggers, of {candidates.height:,} pairs.")
    for pair in kept["pair"].head(_SHOWN):
        click.echo(f"  {error_pair(pair)}")
    if kept.height > _SHOWN:
        click.echo(f"  … and {kept.height - _SHOWN:,} more")


# --- taggers build ----------------------------------------------------------------------------------------------------
# Builds the test set that follows from what was mined and reviewed.


@click.command()
@click.option(
    "--run",
    type=click.Path(path_type=Path),
    default=Path("runs/tagger-mining"),
    show_default=True,
    help="The folder of `hengliang taggers mine`.",
)
@click.option(
    "--review", metavar="FILE", help="The reviewed file, or default, which is ours [default: review.tsv of the run]."
)
@click.option("--grow", metavar="CORPUS", help="Add sentences for the same words from this tagged corpus.")
@click.option("--votes", type=click.IntRange(1), default=1, show_default=True, help="Words that so many taggers miss.")
@click.option("--words", type=click.IntRange(1), help="At most so many words a pair, those missed most [default: all].")
@click.option("--most", type=click.IntRange(1), default=MOST, show_default=True, help="So many sentences a word.")
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the draw of sentences.")
@click.option("--name", default="tagging-set", show_default=True, help="What the set is called.")
@click.option("--text/--references", default=False, help="Write the sentences too, or only where they stand.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("tagging-set.tsv"),
    show_default=True,
    help="The file: .tsv in our format, .txt in the format of the published set (with its sentences).",
)
@table_options("header", "sheet")
@json_option
def build(
    run: Path,
    review: str | None,
    grow: str | None,
    votes: int,
    words: int | None,
    most: int,
    seed: int,
    name: str,
    text: bool,
    out: Path,
    table: TableOptions,
    as_json: bool,
) -> None:
    """Build a test set: the error pairs that the review keeps, their words, and one to five sentences a word.

    \b
    Example:
      hengliang taggers build --run runs/mining --out my-set.tsv
      hengliang taggers build --run runs/mining --grow other-corpus.txt --text --out my-set.txt
    """
    if out.suffix not in {".tsv", ".txt"}:
        raise UserError(f"{out} cannot be written.", valid="The name ends in .tsv (ours) or .txt (as published).")
    asked = mined_material(run)
    instances = common_words(read_table(run / INSTANCES), votes, words)
    decided = read_review(review_file(review) if review is not None else run / REVIEW, table=table)
    built = build_set(instances, decided, asked, most=most, seed=seed, name=name)
    if grow is not None:
        built = grow_set(built, tagged_sentences(grow), most=most, seed=seed)
    _write(out, built, text=text)
    size = built.summary()
    if as_json:
        echo_json(
            items=size.items,
            words=size.words,
            entries=size.entries,
            sentences=size.sentences,
            signature=str(built.signature()),
        )
        return
    click.echo(f"{size.items:,} items, {size.words:,} words, {size.entries:,} entries in {size.sentences:,} sentences")
    click.echo(
        f"Put a tagger to it: hengliang taggers test --set {out}{_corpora(asked, grow, out, text=text)} --tagger lac"
    )
    click.echo(out)


def _corpora(asked: TaggedSentences, grow: str | None, out: Path, *, text: bool) -> str:
    """Return the options that say where the sentences stand, when the set holds references to other corpora."""
    named = [str(asked.corpus), *([grow] if grow is not None else [])]
    if text or out.suffix == ".txt" or named == [sources.DEFAULT_CORPUS]:
        return ""
    return "".join(f" --corpus {name}" for name in named)


def _write(out: Path, found: TaggingSet, *, text: bool) -> None:
    if out.suffix == ".txt":
        write_listing(out, found)
    else:
        write_set(out, found, text=text)


# --- tables of scores -------------------------------------------------------------------------------------------------
# The report has a column for every number. A terminal is narrower: here an error pair and a tagger share a line with
# what matters most, both forms of D with their intervals and the counts behind them.

COUNTS = Bilingual("Correct/\nwrong/\nrecorded", "对/错/\n记录")
SYSTEM = Bilingual("Tagger", "标注器")
ONLY = Bilingual("only\n{}\nright", "仅\n{}\n标对")
ADJUSTED_P = Bilingual("p,\nadjusted", "p\n（校正）")
MARKS = Bilingual(
    "Recorded: wrong in another way than the pair says. − so many sentences failed. "
    "* out of reach: the tagger never gives these tags.",
    "记录：以该模式以外的方式标错。− 后为失败的句数。* 不可达：标注器从不给出这些标记。",
)

WIDEST = 24
"""So many letters of a tagger's name stay on one line."""

Cells = dict[str, Estimate]


def print_scores(console: Console, estimates: pl.DataFrame, language: Language) -> None:
    """Print D and the counts of every error pair and tagger, the means first."""
    rows = _by(estimates, "pair", "system")
    table = _table(PAIR_TITLE[language])
    table.add_column(SYSTEM[language], overflow="fold", min_width=min(WIDEST, max(len(name) for _, name in rows)))
    for name in ("D published", "D"):
        table.add_column(SCORE_LABELS[name].title[language].replace(" ", "\n", 1), justify="right", no_wrap=True)
    table.add_column(COUNTS[language], justify="right", no_wrap=True)
    for (pair, system), cells in rows.items():
        scores = [_score(cells.get(name)) for name in ("D published", "D")]
        table.add_row(_item(pair, language) + _reach(cells), system, *scores, _counts(cells))
    console.print(table)
    click.echo(MARKS[language])


def print_differences(console: Console, estimates: pl.DataFrame, language: Language) -> None:
    """Print of each two taggers by how much they differ in every error pair, and whether that is more than chance."""
    for (system, reference), rows in _parted(estimates).items():
        click.echo(f"{system} − {reference}")
        table = _table(PAIR_TITLE[language])
        for name in (PUBLISHED, FORMULA):
            title = DIFFERENCE_LABELS[name].title[language].replace(" of ", " of\n", 1)
            table.add_column(title, justify="right", no_wrap=True)
        for name in (system, reference):
            table.add_column(ONLY[language].format(name), justify="right")
        table.add_column(ADJUSTED_P[language], justify="right", no_wrap=True)
        for pair, cells in rows.items():
            differences = [_score(cells.get(name), "\n") for name in (PUBLISHED, FORMULA)]
            numbers = [_whole(cells.get(name)) for name in (ONLY_SYSTEM, ONLY_REFERENCE)]
            p = cells.get(ADJUSTED)
            shown = "" if p is None or p.value is None else write_number(p.value, Style("p", 3))
            table.add_row(_item(pair, language), *differences, *numbers, shown)
        console.print(table)


def print_sentences(sentences: pl.DataFrame, analysis: str, language: Language) -> None:
    """Print what an analysis says in words."""
    for line in sentences.filter(pl.col("analysis") == analysis)[language].to_list():
        click.echo(line)


def _table(*names: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    return table


def _by(estimates: pl.DataFrame, *factors: str) -> Mapping[tuple[str, ...], Cells]:
    cells_by: dict[tuple[str, ...], Cells] = {}
    for row in estimate_records(estimates):
        cells_by.setdefault(tuple(row.by[factor] for factor in factors), {})[row.statistic] = row
    return _together(cells_by)


def _together(found: dict[tuple[str, ...], Cells]) -> dict[tuple[str, ...], Cells]:
    """Bring what has the same first factor together, in the order in which that occurs first."""
    order = {first: rank for rank, first in enumerate(dict.fromkeys(key[0] for key in found))}
    return dict(sorted(found.items(), key=lambda entry: order[entry[0][0]]))


def _parted(estimates: pl.DataFrame) -> dict[tuple[str, str], dict[str, Cells]]:
    parted: dict[tuple[str, str], dict[str, Cells]] = {}
    for (system, reference, pair), cells in _by(estimates, "system", "reference", "pair").items():
        parted.setdefault((system, reference), {})[pair] = cells
    return parted


def _item(pair: str, language: Language) -> str:
    return GROUPS[pair][language] if pair in GROUPS else pair


def _reach(cells: Cells) -> str:
    cell = cells.get(REACHABLE)
    return " *" if cell is not None and cell.value == 0 else ""


def _score(row: Estimate | None, space: str = " ") -> str:
    if row is None or row.value is None:
        return DASH
    ends = "" if row.low is None or row.high is None else f"{space}[{row.low:.1f}, {row.high:.1f}]"
    return f"{row.value:.1f}{ends}".replace("-", "−")


def _counts(cells: Cells) -> str:
    counted = "/".join(_whole(cells.get(name)) for name in ("correct", "wrong", "record"))
    failed = cells.get("failed")
    return f"{counted} −{failed.value:.0f}" if failed is not None and failed.value else counted


def _whole(row: Estimate | None) -> str:
    return "" if row is None or row.value is None else f"{row.value:,.0f}"


# --- taggers test -----------------------------------------------------------------------------------------------------
# Puts taggers to a test set of common errors.


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


# --- taggers compare --------------------------------------------------------------------------------------------------
# Says which of several taggers does better on which error.


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
