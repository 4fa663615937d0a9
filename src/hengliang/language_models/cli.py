"""Command line of language models: `hengliang lm` train, surprisal, perplexity, score, next, sample, parse, export.

First what all commands share about the manner in which a text is brought into a model (segmenter, width), then the
training command, then the commands that ask a model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from hengliang.core.commands.options import (
    echo_json,
    encoding_option,
    engine_of,
    engine_option,
    json_option,
    quiet_option,
    scheduler_option,
)
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import file_encoding
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.io.files import write_text
from hengliang.core.labelling.texts import read_texts
from hengliang.core.learning import read_card
from hengliang.core.progress import Silent, Watcher, long_watcher, usual_watcher
from hengliang.core.registry import load_file
from hengliang.core.text.segmentation import SEGMENTERS, SPACED, USUAL_SEGMENTER
from hengliang.core.text.segmenters import PKU, prepare_segmenter
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.corpora.plain_text import OnBroken, read_plain
from hengliang.corpora.running_text import LONGEST
from hengliang.corpora.trees.brackets import write_brackets
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.manner import (
    LINES,
    Manner,
    Reading,
    as_written,
    cost_of_lacking,
    file_script_warning,
    script_warning,
)
from hengliang.language_models.opening import SentenceSurprisals, segmenter_of_models, sentence_surprisals
from hengliang.language_models.opening import model as open_model
from hengliang.language_models.perplexity import file_perplexity, part_perplexity
from hengliang.language_models.recipes import SIZES, USUAL, Recipe
from hengliang.language_models.recipes import train as train_recipe
from hengliang.language_models.regions import sentence_logprobs
from hengliang.language_models.sampling import continuations
from hengliang.language_models.sampling import sample as draw_samples
from hengliang.language_models.store import export_arpa
from hengliang.language_models.streaming import BATCH, score_file
from hengliang.language_models.training_texts import read_corpus
from hengliang.language_models.views import (
    draw_continuations,
    draw_surprisals,
    perplexity_estimates,
    perplexity_table,
    surprisal_rows,
    surprisal_svg,
)

# --- options on segmentation and width --------------------------------------------------------------------------------
# How a text is brought into the manner that a model learned, and what is reported about it.


_NAMES = (*SEGMENTERS, PKU, "crf")

segmenter_option = click.option(
    "--segmenter",
    default="",
    metavar="NAME",
    help=f"Finds the words of text without spaces: {', '.join(_NAMES)} or crf:NAME  [default: the model's own].",
)
fold_option = click.option(
    "--fold/--no-fold",
    default=True,
    show_default=True,
    help="Look digits, Latin letters and ASCII marks up in the width that the model learned, 5 as ５.",
)


def tell(message: str) -> None:
    """Say on the error stream what was done to the text."""
    if message:
        click.echo(f"hengliang: {message}.", err=True)


def ready_segmenter(model: LanguageModel, name: str, segmenter: str, quiet: bool = False) -> None:
    """Get ready who cuts raw text for a model; warn where it is not a segmenter of the standard that it learned."""
    manner = getattr(getattr(model, "model", model), "manner", None)
    if not segmenter and isinstance(manner, Manner) and (cost := cost_of_lacking(manner, name)):
        click.echo(f"hengliang: warning: {cost}", err=True)
    watcher: Watcher = Silent() if quiet else long_watcher()
    prepare_segmenter(segmenter or model.conventions().segmenter or USUAL_SEGMENTER, watcher)


# --- training ---------------------------------------------------------------------------------------------------------

_SIZES = "; ".join(f"{kind}: {', '.join(sizes)} (usually {USUAL[kind]})" for kind, sizes in SIZES.items())


@click.command()
@click.argument("kind", metavar="KIND")
@click.option("--data", default=DEFAULT_CORPUS, show_default=True, help="A source of the catalogue, or a text file.")
@click.option("--size", default="", help=f"How large, for n-grams the order. {_SIZES}.")
@click.option("--seed", default=1, show_default=True, help="The seed of everything that is drawn.")
@click.option("--out", type=click.Path(path_type=Path), help="The folder of the model; by default in the store.")
@click.option("--segmenter", default="rjieba", show_default=True, help="Finds the words of raw text.")
@click.option("--longest", default=LONGEST, show_default=True, help="Sentences of more words are left out.")
@click.option(
    "--preprocess", default="", help="What the model sees of a text: sp, rne:RECOGNISER, pos:TAGGER, classes:N, or sp+…"
)
@click.option(
    "--sentences", type=click.IntRange(0), default=0, help="Learn from the first so many sentences only; 0 means all."
)
@click.option(
    "--trees", default="", help="Which trees rnng and plm learn from: given (the default), right-branching or shuffled."
)
@click.option(
    "--epochs",
    type=click.IntRange(0),
    default=0,
    help="How often at most a network goes through the text; 0: as usual.",
)
@quiet_option
@json_option
def train(
    kind: str,
    data: str,
    size: str,
    seed: int,
    out: Path | None,
    segmenter: str,
    longest: int,
    preprocess: str,
    sentences: int,
    trees: str,
    epochs: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train a language model: KIND is ngram, lstm, transformer, masked, rnng or plm.

    The last two model sentences together with their trees: those of a treebank (sinica-treebank, brackets, CoNLL-U), or
    derived from a tagged corpus by cascaded chunking, as for the default corpus.

    The corpus is split into train, dev and test by contiguous blocks. A training that was interrupted goes on when the
    same command is given again; one that is finished is only shown.

    \b
    Example:
      hengliang lm train ngram --size 5
      hengliang lm train lstm --data my-novel.txt --seed 2 --out models/novel
      hengliang lm train ngram --size 4 --preprocess rne:lac
      hengliang lm train rnng --seed 2
      hengliang lm train plm --data my-treebank.mrg --trees right-branching
    """
    recipe = Recipe(kind, size, seed, data, segmenter, longest, preprocess, sentences, trees, epochs)  # type: ignore[arg-type]  # settled()
    folder = train_recipe(recipe, out, Silent() if quiet else long_watcher())
    card = read_card(folder)
    if as_json:
        echo_json(folder=str(folder), card=dict(card))
        return
    click.echo(f"{folder}")
    for line in card_lines(card):
        click.echo(f"  {line}")


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """Return what a user wants to know first of a model that was just trained."""
    lines = [f"{card['kind']} {card['size']}, trained on {card['data']} ({card['words']['train']:,} words)"]
    lines.append(f"vocabulary {card['vocabulary']:,}, {card['training_seconds']:.1f} s of training")
    for part, numbers in card.get("perplexity", {}).items():
        values = ", ".join(f"{name.replace('_', ' ')} {value:,.4g}" for name, value in numbers.items())
        lines.append(f"{part}: {values}")
    for part, numbers in card.get("parsing", {}).items():
        values = ", ".join(f"{name.replace('_', ' ')} {value:,.4g}" for name, value in numbers.items())
        lines.append(f"{part}, best trees: {values}")
    return lines


# --- questions to a model ---------------------------------------------------------------------------------------------

Command = TypeVar("Command", bound=Callable[..., Any])

_MODEL_HELP = "The model: a name of `hengliang models list`, a folder, hf:PATH, arpa:FILE, kenlm:FILE or a plug-in"
one_model = click.option("--model", "-m", "model", required=True, metavar="MODEL", help=f"{_MODEL_HELP}.")
several_models = click.option(
    "--model", "-m", "models", required=True, multiple=True, metavar="MODEL", help=f"{_MODEL_HELP}; may be repeated."
)
plugin_option = click.option(
    "--file", "plugin", metavar="FILE.py", help="Load this Python file first: it registers the model."
)
batch_option = click.option(
    "--batch", type=click.IntRange(1), help=f"Lines that the model gets at a time: {BATCH}, fewer if it is slow."
)
script_option = click.option(
    "--any-script", is_flag=True, help="Score the text even if the model has not read its script."
)
broken_option = click.option(
    "--broken",
    type=click.Choice(("skip", "raise")),
    default="skip",
    show_default=True,
    help="A line that does not decode is reported and left out (skip), or ends the work (raise).",
)


@click.group()
def lm() -> None:
    """Ask language models: how surprising, how probable, what comes next.

    \b
    Example:
      hengliang lm surprisal "他 终于 成为 了 。" --model arpa:news.arpa
    """


def _opened(references: Sequence[str], plugin: str | None, fold: bool = True) -> dict[str, LanguageModel]:
    if plugin is not None:
        load_file(plugin)
    opened = {reference: open_model(reference) for reference in references}
    return opened if fold else {reference: as_written(opened_model) for reference, opened_model in opened.items()}


def _watcher(quiet: bool) -> Watcher:
    return Silent() if quiet else usual_watcher()


def _warn(message: str) -> None:
    if message:
        click.echo(f"hengliang: warning: {message}", err=True)


def _refuse_script(message: str, any_script: bool) -> None:
    """Refuse a text in a script that the model has not read; say so all the same where the user insists."""
    if message and not any_script:
        raise UserError(message, remedy="To score it as it is: --any-script")
    _warn(message)


def _warn_of_problems(count: int, problems: Sequence[str]) -> None:
    if count:
        shown = "".join(f"\n  {problem}" for problem in problems)
        more = f"\n  … and {count - len(problems)} more" if count > len(problems) else ""
        _warn(f"{count:,} {'line has' if count == 1 else 'lines have'} no score:{shown}{more}")


@lm.command()
@click.argument("text")
@several_models
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.svg", help="Draw a picture into this file too.")
@click.option("--bits", is_flag=True, help="Count in bits instead of nats.")
@segmenter_option
@fold_option
@script_option
@plugin_option
@json_option
def surprisal(
    text: str,
    models: tuple[str, ...],
    plot: Path | None,
    bits: bool,
    segmenter: str,
    fold: bool,
    any_script: bool,
    plugin: str | None,
    as_json: bool,
) -> int:
    """Show how surprising each word of a sentence is, in nats; a TEXT of "-" is read from standard input.

    Spaces in the sentence part its words; without any, a segmenter finds them. Each line is a sentence.
    Ends with exit code 1 when a model could not score one.

    \b
    Example:
      hengliang lm surprisal "他 终于 成为 了 。" --model lstm-small-1
      hengliang lm surprisal "他终于成为了医生。" -m lstm-small-1 -m arpa:news.arpa --bits --plot doctor.svg
    """
    lines = _sentences(text)
    if plot is not None and (len(lines) > 1 or plot.suffix != ".svg"):
        problem = f"{len(lines)} sentences" if len(lines) > 1 else f"A picture in '{plot.suffix or plot.name}'"
        raise UserError(f"{problem} cannot be drawn.", valid="One sentence, into a file that ends in .svg.")
    opened = _opened(models, plugin, fold)
    for name, opened_model in opened.items():
        _refuse_script(script_warning(opened_model, name, lines), any_script)
    cutter = segmenter or segmenter_of_models(list(opened.values()))
    if not read_texts(lines, cutter).segmented.all():
        _ready_segmenter(opened, cutter, segmenter)
    views = [sentence_surprisals(opened, line, segmenter) for line in lines]
    if plot is not None:
        write_text(plot, surprisal_svg(views[0], bits=bits))
    if as_json:
        rows = [{"sentence": view.content, **row} for view in views for row in surprisal_rows(view, bits=bits)]
        echo_json(surprisals=rows)
    else:
        width = Console().width
        click.echo("\n\n".join(draw_surprisals(view, width=width, bits=bits) for view in views))
    _tell_of_views(views, cutter)
    return int(any(model.problem for view in views for model in view.models))


def _ready_segmenter(opened: Mapping[str, LanguageModel], cutter: str, asked: str) -> None:
    """Get ready who cuts raw text for all models alike: the segmenter that was asked for, or that of one of them."""
    owner = next(
        (name for name, opened_model in opened.items() if opened_model.conventions().segmenter == cutter), None
    )
    if owner is not None:
        ready_segmenter(opened[owner], owner, asked)
    else:
        prepare_segmenter(cutter, long_watcher())


def _tell_of_views(views: Sequence[SentenceSurprisals], cutter: str) -> None:
    cut = sum(bool(view.cut_by) for view in views)
    most: dict[str, int] = {}
    for surprisals in (model for view in views for model in view.models):
        most[surprisals.conventions.widths] = most.get(surprisals.conventions.widths, 0) + surprisals.folded
    folded, widths = max(((count, widths) for widths, count in most.items()), default=(0, ""))
    tell(Reading(len(views) - cut, cut, folded).told(cutter, widths))


def _sentences(text: str) -> list[str]:
    content = sys.stdin.read() if text == "-" else text
    return [line for line in content.splitlines() if line.strip()] or [""]


@lm.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@several_models
@click.option("--data", metavar="NAME", help="A corpus of `hengliang data list` instead of a file.")
@click.option("--part", default="test", show_default=True, help="The part of that corpus: train, dev or test.")
@batch_option
@encoding_option
@broken_option
@segmenter_option
@fold_option
@script_option
@plugin_option
@engine_option
@scheduler_option
@quiet_option
@json_option
def perplexity(
    file: Path | None,
    models: tuple[str, ...],
    data: str | None,
    part: str,
    batch: int | None,
    encoding: str,
    broken: OnBroken,
    segmenter: str,
    fold: bool,
    any_script: bool,
    plugin: str | None,
    engine: str,
    scheduler: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Tell how well models foresee FILE, one sentence a line: perplexity per word, per character and per unit.

    The same command goes on after a crash or Ctrl-C from the last finished batch.

    \b
    Example:
      hengliang lm perplexity sentences.txt --model lstm-small-1 --model arpa:news.arpa
      hengliang lm perplexity --data peoples-daily-199801 --part test --model lstm-small-1 --json
    """
    if (file is None) == (data is None):
        raise UserError("Give either a file or --data NAME.", remedy="See hengliang lm perplexity --help")
    chosen = engine_of(engine, scheduler)
    opened = _opened(models, plugin, fold)
    results = {}
    for name, held in opened.items():
        if file is not None:
            encoding = file_encoding(file, encoding)
            _refuse_script(file_script_warning(held, name, file, encoding), any_script)
            _ready_for_file(held, name, file, encoding, segmenter, quiet)
            results[name] = file_perplexity(
                held,
                file,
                batch=batch or BATCH,
                encoding=encoding,
                broken=broken,
                segmenter=segmenter,
                engine=chosen,
                watcher=_watcher(quiet),
            )
        elif data is not None:
            results[name] = part_perplexity(
                held, read_corpus(data), part, batch=batch or BATCH, engine=chosen, watcher=_watcher(quiet)
            )
        _warn_of_problems(results[name].perplexity.unscored, results[name].problems)
        conventions = held.conventions()
        cutter = (segmenter or conventions.segmenter) if file is not None else ""
        if report := results[name].reading.told(cutter, conventions.widths):
            tell(f"{name}: {report}")
    if as_json:
        readings = {name: asdict(held.reading) for name, held in results.items()}
        echo_json(estimates=estimate_rows(perplexity_estimates(results)), reading=readings)
    else:
        Console().print(perplexity_table(results))


@lm.command()
@click.argument("file", type=click.Path(path_type=Path))
@one_model
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A file *.parquet, *.tsv or *.jsonl.")
@batch_option
@encoding_option
@broken_option
@segmenter_option
@fold_option
@script_option
@plugin_option
@engine_option
@scheduler_option
@quiet_option
@json_option
def score(
    file: Path,
    model: str,
    out: Path,
    batch: int | None,
    encoding: str,
    broken: OnBroken,
    segmenter: str,
    fold: bool,
    any_script: bool,
    plugin: str | None,
    engine: str,
    scheduler: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write the log-probability of every unit of FILE, one sentence a line, of any size.

    The same command goes on after a crash or Ctrl-C, does not redo what is finished, and ends with the same bytes.

    \b
    Example:
      hengliang lm score sentences.txt --model lstm-small-1 --out scores.parquet
      hengliang lm score corpus.txt -m arpa:news.arpa --out scores.tsv --engine processes:2
    """
    chosen = engine_of(engine, scheduler)
    encoding = file_encoding(file, encoding)
    opened_model = _opened([model], plugin, fold)[model]
    _refuse_script(file_script_warning(opened_model, model, file, encoding), any_script)
    raw = _ready_for_file(opened_model, model, file, encoding, segmenter, quiet)
    scored = score_file(
        opened_model,
        file,
        out,
        batch=batch,
        encoding=encoding,
        broken=broken,
        segmenter=segmenter,
        engine=chosen,
        watcher=_watcher(quiet),
    )
    _warn_of_problems(scored.unscored, scored.problems)
    if raw and scored.segmenter:
        tell(f"lines without spaces were cut into words by {scored.segmenter}")
    tell(Reading(folded=scored.folded).told("", opened_model.conventions().widths))
    if as_json:
        echo_json(scores=scored.to_json())
        return
    click.echo(f"{scored.lines:,} lines, {scored.units:,} units, {scored.unknown:,} of them unknown to the model.")
    click.echo(scored.out)


def _ready_for_file(model: LanguageModel, name: str, file: Path, encoding: str, segmenter: str, quiet: bool) -> bool:
    """Get ready who cuts raw lines, if one of the first thousand is raw, and say whether one is."""
    cutter = segmenter or model.conventions().segmenter
    if not file.is_file() or not cutter:
        return bool(cutter)
    lines = [text for _, text in islice(read_plain(file, encoding=encoding, errors="skip"), LINES)]
    raw = cutter in SPACED or any(len(line.split()) < 2 for line in lines)
    if raw:
        ready_segmenter(model, name, segmenter, quiet)
    return raw


@lm.command()
@click.argument("model")
@click.option("--arpa", type=click.Path(path_type=Path), required=True, help="The ARPA file to write.")
def export(model: str, arpa: Path) -> None:
    """Write an n-gram MODEL, a folder or a name of `hengliang models list`, as an ARPA file for other programs.

    They know one unknown word, <unk>: the classes of unknown words of a model are joined to it, and a line says so.

    \b
    Example:
      hengliang lm export ngram-5 --arpa ngram-5.arpa
    """
    differs = export_arpa(model, arpa)
    click.echo(arpa)
    if differs:
        click.echo(f"hengliang: {differs}", err=True)


@lm.command("next")
@click.argument("prefix")
@one_model
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="How many units to show.")
@script_option
@plugin_option
@json_option
def next_unit(prefix: str, model: str, top: int, any_script: bool, plugin: str | None, as_json: bool) -> None:
    """Show which units are most probable after the beginning of a sentence; </s> is its end.

    \b
    Example:
      hengliang lm next "他 买 了 一" --model lstm-small-1 --top 5
    """
    opened_model = _opened([model], plugin)[model]
    _refuse_script(script_warning(opened_model, model, [prefix]), any_script)
    likeliest = continuations(opened_model, prefix, top)
    if as_json:
        rows = [
            {"unit": continuation.unit, "probability": continuation.probability, "logprob": continuation.logprob}
            for continuation in likeliest
        ]
        echo_json(prefix=prefix, model=model, signature=str(opened_model.signature()), next=rows)
    else:
        click.echo(draw_continuations(likeliest, width=Console().width))


@lm.command()
@one_model
@click.option("--prefix", default="", help="How each text begins.")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="How many texts.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The same seed, the same texts.")
@click.option(
    "--longest", type=click.IntRange(1), default=100, show_default=True, help="Units after which a text breaks off."
)
@click.option(
    "--temperature", type=float, default=1.0, show_default=True, help="Below 1 the probable becomes more probable."
)
@script_option
@plugin_option
@json_option
def sample(
    model: str,
    prefix: str,
    count: int,
    seed: int,
    longest: int,
    temperature: float,
    any_script: bool,
    plugin: str | None,
    as_json: bool,
) -> None:
    """Let a model write: draw texts unit by unit. Words stand apart, so that the texts can be scored again.

    \b
    Example:
      hengliang lm sample --model lstm-small-1 --prefix "他 买 了" --count 5 --seed 1
    """
    opened_model = _opened([model], plugin)[model]
    _refuse_script(script_warning(opened_model, model, [prefix]), any_script)
    texts = draw_samples(opened_model, prefix, count=count, seed=seed, longest=longest, temperature=temperature)
    if as_json:
        drawn = [{"content": text.content, "words": text.words} for text in texts]
        echo_json(model=model, seed=seed, signature=str(opened_model.signature()), texts=drawn)
        return
    for text in texts:
        click.echo(" ".join(text.words))


@lm.command()
@click.argument("text")
@one_model
@script_option
@plugin_option
@json_option
def parse(text: str, model: str, any_script: bool, plugin: str | None, as_json: bool) -> int:
    """Write the best tree that an rnng or a plm finds of a sentence, in brackets; a TEXT of "-" is standard input.

    Each line is a sentence. Ends with exit code 1 when a sentence has no tree.

    \b
    Example:
      hengliang lm parse "他 买 了 一 本 书 。" --model rnng-small-1
      hengliang lm parse - -m plm-small-1 < sentences.txt > sentences.brackets
    """
    from hengliang.language_models.structured.model import StructuredModel

    opened_model, lines = _opened([model], plugin)[model], _sentences(text)
    if not isinstance(opened_model, StructuredModel):
        raise UserError(
            f"The model {model} builds no trees.",
            valid="Models of the kinds rnng and plm do.",
            remedy="Train one: hengliang lm train rnng",
        )
    _refuse_script(script_warning(opened_model, model, lines), any_script)
    scores, trees = opened_model.score_and_parse(read_texts(lines))
    problems = [f"'{line}': {problem}" for line, problem in zip(lines, scores.problems, strict=True) if problem]
    _warn_of_problems(len(problems), problems)
    written = ["" if tree is None else write_brackets([tree]).rstrip("\n") for tree in trees]
    if as_json:
        totals = [
            None if problem else float(total)
            for total, problem in zip(sentence_logprobs(scores), scores.problems, strict=True)
        ]
        rows = [
            {"sentence": line, "tree": tree or None, "logprob": total, "problem": problem}
            for line, tree, total, problem in zip(lines, written, totals, scores.problems, strict=True)
        ]
        echo_json(model=model, signature=str(opened_model.signature()), trees=rows)
    else:
        click.echo("\n".join(written))
    return int(bool(problems))


lm.add_command(train)
