"""Which sentences would readers judge, if they were to compare the classifiers that systems chose?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang.core.commands.options import echo_json, json_option, quiet_option, table_options, watcher
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.progress import Watcher
from hengliang.core.records import CORPUS, ITEM_SCHEMA
from hengliang.core.runs import RunFolder
from hengliang.corpora.parts import PARTS, Part
from hengliang.materials.ccd import ENDINGS, read_ccd
from hengliang.materials.classifier_slots import classifier_slots
from hengliang.materials.slot_extraction import ATTRIBUTES
from hengliang.people.choice_merging import choices_of_choosers, choices_of_columns, choices_of_responses
from hengliang.people.classifier_experiment import PLAN, ClassifierExperiment, check_folder, classifier_experiment
from hengliang.people.design.list_division import LISTS, Lists
from hengliang.people.experiment_samples import PER_CLASSIFIER, Sample, drawn_samples, filtered, not_true, read_filter
from hengliang.systems.classifier_choosers.base import chooser

_MANY = 5


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write the experiment into this folder.")
@click.option(
    "--choices",
    metavar="NAMES",
    default="",
    help="What the columns of choices are called, as RULE,LSTM,BERT [default: choice_1, …]; of a run, which systems.",
)
@click.option("--chooser", "choosers", multiple=True, metavar="NAME", help="Ask this chooser too; may be repeated.")
@click.option("--part", type=click.Choice(PARTS), help="Of a corpus of the catalogue only this part.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Draw N sentences at random [default: all].")
@click.option(
    "--infrequent", type=click.IntRange(1), metavar="USES", help="Draw sentences of classifiers with fewer uses."
)
@click.option(
    "--infrequent-sample", type=click.IntRange(1), metavar="N", help="With --infrequent: N of them [default: all]."
)
@click.option(
    "--per-classifier",
    type=click.IntRange(1),
    default=PER_CLASSIFIER,
    show_default=True,
    help="With --infrequent: at most so many sentences of a classifier.",
)
@click.option(
    "--uses-from",
    metavar="CORPUS",
    help="With --infrequent: count uses in this file or corpus of the catalogue [default: FILE].",
)
@click.option(
    "--filter",
    "filter_file",
    type=click.Path(path_type=Path),
    metavar="TSV",
    help="Leave these out: an id or sentence a line, perhaps a tab and the reason.",
)
@click.option("--true-only", is_flag=True, help="Leave out what is no true classifier with its noun.")
@click.option("--groups", type=click.IntRange(1), default=1, show_default=True, help="Versions of the experiment.")
@click.option(
    "--lists",
    type=click.Choice(LISTS),
    default="clusters",
    show_default=True,
    help="clusters: one reader sees all variants of a sentence, never in a row; latin: one of them.",
)
@click.option("--uneven", is_flag=True, help="Versions may differ in size by more than one item, if they must.")
@click.option("--raters", type=click.IntRange(1), help="Planned readers of each item.")
@click.option("--margin", type=float, help="Planned margin within which a difference of means counts as none.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same items.")
@table_options("header")
@quiet_option
@json_option
def experiment(
    file: Path,
    out: Path | None,
    choices: str,
    choosers: tuple[str, ...],
    part: Part | None,
    groups: int,
    lists: Lists,
    uneven: bool,
    raters: int | None,
    margin: float | None,
    seed: int,
    table: TableOptions,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Make an experiment with readers of FILE: each distinct choice of a classifier once, with who made it.

    FILE is a table in the format of the Chinese Classifier Dataset, with a column of choices for each model
    after the fourth; or the folder of a run; or a corpus of the catalogue, with --chooser. What is merged, drawn, left
    out and divided is printed; --out writes it as an experiment folder that a survey can serve. A folder with answers
    in it is never overwritten.

    \b
    Example:
      hengliang classifiers experiment experiments.xlsx --sheet "Experiment 1" --groups 4 --out fluency
      hengliang classifiers experiment test.csv --sample 100 --infrequent 500 --infrequent-sample 100 --true-only
    """
    wanted = _Wanted(table=table, **given)
    if out is not None:
        check_folder(out)
    source = _Source.of(file, _names(choices), choosers, part, table)
    drawn = wanted.drawn(source, seed)
    made = classifier_experiment(
        drawn,
        source.choices_for(drawn.items, watcher(quiet or as_json)),
        name=out.name if out is not None else file.stem,
        plan=replace(PLAN, margin=margin, raters_per_item=raters),
        groups=groups,
        seed=seed,
        lists=lists,
        uneven=uneven,
    )
    if out is not None:
        made.write(out)
    if as_json:
        rows = made.listing().to_dicts()
        echo_json(estimates=estimate_rows(made.estimates()), items=rows, experiment=str(out) if out else None)
    else:
        _print(made, out)


@dataclass(frozen=True, slots=True)
class _Source:
    """The sentences, and who chose for them: columns of a file, systems of a run, choosers that are asked now."""

    items: pl.DataFrame
    recorded: pl.DataFrame
    choosers: tuple[str, ...]
    uses: Counter[str] | None = None
    """How often each classifier is used in a corpus of which `items` is a part."""

    @classmethod
    def of(
        cls, file: Path, names: Sequence[str], choosers: tuple[str, ...], part: Part | None, table: TableOptions
    ) -> _Source:
        if not file.exists() and not file.suffix:
            return cls._of_corpus(str(file), choosers, part)
        if part is not None:
            raise UserError(f"--part {part}: {file} has no parts.", valid="The name of a corpus of the catalogue.")
        if file.is_dir():
            run = RunFolder.open(file)
            items = run.items()
            return cls(items, choices_of_responses(items, run.responses(), names), choosers)
        if not file.exists():
            raise UserError(
                f"There is no file {file}.",
                valid="A file in the format of the Chinese Classifier Dataset, a run, or a corpus of the catalogue.",
                remedy="For the published ones: hengliang data get ccd-sample, and the paths that it prints.",
            )
        items = read_ccd(file, names, table=table)
        columns = [name for name in items.columns if name not in ITEM_SCHEMA and name not in ATTRIBUTES]
        if not columns and not choosers:
            raise UserError(
                f"{file} has no choices of models.",
                valid="id,sentence,head noun,classifier, and then a column of choices for each model.",
                remedy="Add the columns, or ask choosers now: --chooser GE --chooser RULE",
            )
        return cls(items, choices_of_columns(items, columns), choosers)

    @classmethod
    def _of_corpus(cls, name: str, choosers: tuple[str, ...], part: Part | None) -> _Source:
        items = classifier_slots(part, name).items()
        if not choosers:
            raise UserError(f"{name} has no choices of models.", remedy="Ask choosers: --chooser GE --chooser RULE")
        return cls(items, choices_of_columns(items, ()), choosers, _uses(name))

    def choices_for(self, drawn: pl.DataFrame, watching: Watcher) -> pl.DataFrame:
        """Return all choices for the sentences that were drawn."""
        asked = choices_of_choosers(drawn, [chooser(name) for name in self.choosers], watching)
        return pl.concat([self.recorded, asked])


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which sentences are drawn, as the options say."""

    sample: int | None
    infrequent: int | None
    infrequent_sample: int | None
    per_classifier: int
    uses_from: str | None
    filter_file: Path | None
    true_only: bool
    table: TableOptions

    def __post_init__(self) -> None:
        if self.infrequent is None and (self.infrequent_sample is not None or self.uses_from is not None):
            raise UserError("--infrequent-sample and --uses-from need a threshold.", remedy="Add: --infrequent 500")

    def drawn(self, source: _Source, seed: int) -> Sample:
        """Return the sentences and what was left out."""
        without = not_true(source.items) if self.true_only else {}
        if self.filter_file is not None:
            without |= filtered(source.items, read_filter(self.filter_file, self.table.encoding), self.filter_file)
        return drawn_samples(
            source.items,
            self.sample,
            self.infrequent,
            self.infrequent_sample,
            seed,
            per_classifier=self.per_classifier,
            uses=_uses(self.uses_from, self.table) or source.uses,
            without=without,
        )


def _names(choices: str) -> list[str]:
    names = [name.strip() for name in choices.split(",")] if choices.strip() else []
    twice = [name for name, count in Counter(names).items() if count > 1]
    if "" in names or twice or CORPUS in names:
        wrong = CORPUS if CORPUS in names else twice[0] if twice else ""
        raise UserError(
            f"--choices {choices}: the name '{wrong}' cannot be used{' twice' if twice and wrong != CORPUS else ''}.",
            valid=f"A name for each column after the fourth, apart by commas; {CORPUS} is the fourth column.",
        )
    return names


def _uses(corpus: str | None, table: TableOptions = AS_RECOGNISED) -> Counter[str] | None:
    """Return how often the corpus has each classifier."""
    if corpus is None:
        return None
    is_table = Path(corpus).suffix.lower() in ENDINGS
    items = read_ccd(corpus, table=table) if is_table else classifier_slots(corpus=corpus).items()
    return Counter(items["gold"].str.normalize("NFC").to_list())


def _print(made: ClassifierExperiment, out: Path | None) -> None:
    console = Console()
    merged = made.merged
    click.echo(f"{merged.sentences} sentences, {merged.stimuli.height} items; systems: {', '.join(merged.systems)}.")
    samples = Counter(made.sample.items["sample"].to_list())
    if len(samples) > 1:
        click.echo("Samples: " + ", ".join(f"{count} {name}" for name, count in samples.items()) + ".")
    distinct = Table(box=None, pad_edge=False)
    for heading in ("distinct choices", "sentences", "items"):
        distinct.add_column(heading, justify="right")
    for number, sentences in merged.distinct().items():
        distinct.add_row(str(number), str(sentences), str(number * sentences))
    console.print(distinct)
    accuracy = Table(box=None, pad_edge=False)
    for heading, justify in (("system", "left"), ("accuracy", "right"), ("95 %", "left"), ("no answer", "right")):
        accuracy.add_column(heading, justify="right" if justify == "right" else "left")
    for row in made.estimates().filter(pl.col("statistic") == "accuracy").iter_rows(named=True):
        value = "—" if row["value"] is None else f"{row['value']:.3f}"
        interval = "—" if row["low"] is None else f"{row['low']:.3f}–{row['high']:.3f}"
        accuracy.add_row(row["by"][0]["level"], value, interval, str(row["n_missing"]))
    console.print(accuracy)
    click.echo("\n".join(_rest(made, out)))


def _rest(made: ClassifierExperiment, out: Path | None) -> Iterator[str]:
    reasons = made.sample.reasons()
    yield f"Left out: {sum(reasons.values())} sentences" + (":" if reasons else ".")
    shown = list(reasons.items())
    yield from (f"  {count}: {reason}" for reason, count in shown[:_MANY])
    if len(shown) > _MANY:
        yield f"  {sum(count for _, count in shown[_MANY:])}: other reasons"
    sizes = Counter(made.experiment.versions["version"].to_list())
    listed = ", ".join(str(size) for size in sizes.values())
    yield f"{len(sizes)} version{'s' if len(sizes) > 1 else ''} of {listed} items."
    if made.neighbours:
        yield f"{made.neighbours} items directly follow a variant of the same sentence: too few other items."
    if out is not None:
        yield f"\n{out}"
