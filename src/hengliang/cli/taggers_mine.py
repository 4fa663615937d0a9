"""What do several taggers commonly get wrong in a tagged corpus, asked from the command line?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import polars as pl

from hengliang.cli.tagger_options import (
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
from hengliang.core.commands.options import (
    echo_json,
    encoding_option,
    engine_of,
    engine_option,
    json_option,
    language_option,
    quiet_option,
    scheduler_option,
    watcher,
)
from hengliang.core.io.delimited import file_encoding
from hengliang.core.io.files import write_table
from hengliang.core.registry import load_file
from hengliang.core.terms import Language
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.plain_text import OnBroken
from hengliang.materials.error_pairs import error_pair
from hengliang.materials.tagged_sentences import broken_lines
from hengliang.materials.tagging_review import write_review
from hengliang.measures.error_mining import LEAST, SHARE, mining_summary
from hengliang.tagger_runs import (
    CANDIDATES,
    REVIEW,
    VOTERS,
    check_vote,
    keep_mining,
    mined,
    mining_study,
    opened_taggers,
)

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
