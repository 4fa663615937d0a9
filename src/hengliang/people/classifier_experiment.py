"""What is an experiment in which readers judge the classifiers that systems chose?

It follows one published experiment [1]: sentences with a classifier filled in, highlighted; each distinct choice once;
two statements about each, CLARITY and FLUENCY, with seven answers from strongly disagree to strongly agree; versions of
which a reader does one. The result is an experiment folder that a survey serves and an analysis reads.

The statements and answers are quoted from [1, section 5.2]. In both languages they are its own: 不确定 ("not sure") is
not quite "neither agree nor disagree".

[1] de Bruijn, A. (2023). Human evaluation of automatically generated classifiers in Mandarin Chinese. Master's thesis,
    Utrecht University.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.files import read_table, write_table, write_text
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.signature import Signature, digest, version
from hengliang.core.terms import Bilingual
from hengliang.experiments import ANSWER_SCHEMA, Experiment, Plan, Scale, write_experiment
from hengliang.materials.slot_checks import wilson
from hengliang.people.choice_merging import MergedChoices, merge_choices
from hengliang.people.design.item_order import ordered_versions
from hengliang.people.design.list_division import Lists, divide, neighbours, numbers_of_variants
from hengliang.people.design.order_rules import least_rows
from hengliang.people.experiment_samples import Sample, whole_sample
from hengliang.people.sessions.steps import Presentation
from hengliang.people.tasks.statement_sets import SCALES

NAME = "classifier experiment"
TITLE = Bilingual("How do these sentences read?", "这些句子读起来怎么样？")

PLAN = Plan(primary_outcome="fluency", family="all pairs of systems on fluency, corrected by Holm")

ITEMS_FILE, LISTING_FILE, LEFT_OUT_FILE = "items.parquet", "stimuli.tsv", "left_out.tsv"
_OWN_FILES = {
    *("experiment.json", "stimuli.parquet", "versions.parquet", "answers.parquet"),
    *(ITEMS_FILE, LISTING_FILE, LEFT_OUT_FILE),
}


@dataclass(frozen=True, slots=True)
class ClassifierExperiment:
    """An experiment with what it was made from: the sentences, the choices, and what was left out."""

    experiment: Experiment
    sample: Sample
    merged: MergedChoices
    signature: Signature

    @property
    def neighbours(self) -> int:
        """How many items directly follow a variant of the same sentence; none, unless that is impossible."""
        return neighbours(self.experiment.versions, self.experiment.stimuli)

    def estimates(self) -> pl.DataFrame:
        """Return what there is of what, and how often each system chose the classifier of the corpus."""
        return estimates_frame([*self._counts(), *self._accuracies()])

    def _counts(self) -> Iterator[Estimate]:
        def count(statistic: str, value: int, method: str, **by: str) -> Estimate:
            return Estimate(NAME, by, statistic, float(value), method=method, signature=str(self.signature))

        merging = "one item a sentence and distinct displayed text"
        yield count("sentences", self.merged.sentences, "sentences shown")
        yield count("items", self.merged.stimuli.height, merging)
        for number, sentences in self.merged.distinct().items():
            yield count("sentences", sentences, "sentences with so many distinct choices", choices=str(number))
        for sample, sentences in Counter(self.sample.items["sample"].to_list()).items():
            yield count("sentences", sentences, "sentences drawn for this sample", sample=sample)
        for name, items in Counter(self.experiment.versions["version"].to_list()).items():
            yield count("items", items, "items that a reader of this version sees", version=name)
        yield count("neighbours", self.neighbours, "items that directly follow a variant of the same sentence")
        for reason, sentences in self.sample.reasons().items():
            yield count("left out", sentences, "sentences passed over", reason=reason)

    def _accuracies(self) -> Iterator[Estimate]:
        for system, (right, answered) in self.merged.matches().items():
            low, high = wilson(right, answered) if answered else (None, None)
            yield Estimate(
                NAME,
                {"system": system},
                "accuracy",
                right / answered if answered else None,
                low,
                high,
                n=answered,
                n_missing=self.merged.unanswered.get(system, 0),
                method="share of sentences with the classifier of the corpus; Wilson's 0.95 interval",
                signature=str(self.signature),
            )

    def listing(self) -> pl.DataFrame:
        """Return the items to be read by people: sentence id, text, head noun, classifier, systems, versions."""
        span = pl.col("spans").list.first()
        first, last = span.struct.field("start"), span.struct.field("end")
        seen = self.experiment.versions.group_by("about").agg(pl.col("version").sort().str.join(","))
        heads = self.sample.items.select(
            "sample", item="id", head="head" if "head" in self.sample.items.columns else pl.lit("")
        )
        rows = self.experiment.stimuli.join(heads, on="item", how="left", maintain_order="left")
        rows = rows.join(seen, on="about", how="left", maintain_order="left")
        return rows.select(
            "item",
            "text",
            "head",
            classifier=pl.col("text").cast(pl.Binary).bin.slice(first, last - first).cast(pl.String),
            systems=pl.col("systems").list.join(", "),
            sample="sample",
            version="version",
        )

    def write(self, folder: Path) -> None:
        """Write the experiment folder; one that holds answers, or anything else, is left alone and refused.

        Beside what every experiment folder has stand `items.parquet` (the sentences with all that is known of them),
        `stimuli.tsv` (the items, to be read) and `left_out.tsv` (what was passed over, and why).
        """
        check_folder(folder)
        write_table(folder / ITEMS_FILE, self.sample.items)
        write_text(folder / LISTING_FILE, _tsv(self.listing()))
        write_text(folder / LEFT_OUT_FILE, _tsv(self.sample.left_out))
        write_experiment(folder, self.experiment)


def classifier_experiment(
    items: pl.DataFrame | Sample,
    choices: pl.DataFrame,
    *,
    name: str = "classifiers",
    title: Bilingual = TITLE,
    scales: tuple[Scale, ...] = SCALES,
    plan: Plan = PLAN,
    groups: int = 1,
    seed: int = 1,
    lists: Lists = "clusters",
    uneven: bool = False,
) -> ClassifierExperiment:
    """Make an experiment of sentences and the classifiers that systems chose for them.

    `items` are all shown, or are a sample (`hengliang.people.experiment_samples`); `choices` come from
    `choices_of_columns`, `choices_of_responses` or `choices_of_choosers`, and may be about more sentences. `groups` is
    the number of versions, `lists` how they are made (`hengliang.people.design.list_division`); they differ in size by
    one at most, unless they may be `uneven`.
    """
    sample = items if isinstance(items, Sample) else whole_sample(items)
    if not sample.items.height:
        reasons = "; ".join(f"{count}: {reason}" for reason, count in sample.reasons().items())
        raise UserError("No sentence can be shown.", valid=f"Left out: {reasons or 'nothing'}.")
    known = choices.join(sample.items.select(item="id"), on="item", how="semi", maintain_order="left")
    merged = merge_choices(sample.items, known)
    strata = dict(sample.items.select("id", "sample").iter_rows())
    shown = divide(merged.stimuli, groups, seed, lists, strata, uneven=uneven)
    versions = _ordered(shown, dict(merged.stimuli.select("about", "item").iter_rows()), seed)
    experiment = Experiment(name, title, scales, merged.stimuli, plan, versions=versions)
    signature = Signature.of(
        experiment=NAME,
        items=digest(*(str(row) for row in merged.choices.iter_rows())),
        systems=", ".join(merged.systems),
        merged="displayed text, NFC",
        samples=", ".join(sample.items["sample"].unique(maintain_order=True).to_list()),
        groups=groups,
        lists=lists,
        seed=seed,
        hengliang=version(),
    )
    return ClassifierExperiment(experiment, sample, merged, signature)


def _ordered(lists: Sequence[Sequence[str]], items: Mapping[str, str], seed: int) -> pl.DataFrame:
    """Return the versions; variants of a sentence stand apart where there are enough other items in every version."""
    counts = [numbers_of_variants(shown, items) for shown in lists]
    roomy = all(least_rows(list(held.elements()), 2) <= len(shown) for held, shown in zip(counts, lists, strict=True))
    presented = {str(number): [Presentation(about) for about in shown] for number, shown in enumerate(lists, 1)}
    return ordered_versions(presented, items, distance=2 if roomy else 1, seed=seed)


def check_folder(folder: Path) -> None:
    """Refuse a folder in which something could be lost: answers of people, or files that are not an experiment's."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UserError(f"{folder} is a file, not a folder.", remedy="Choose another --out.")
    answers = folder / "answers.parquet"
    held = read_table(answers, ANSWER_SCHEMA).height if answers.exists() else 0
    if held:
        raise UserError(
            f"{folder} holds {held} answers of an experiment; they would be about other items.",
            remedy="Choose another --out.",
        )
    with file_errors(folder, "read"):
        strangers = sorted(file.name for file in folder.iterdir() if file.name not in _OWN_FILES)
    if strangers:
        raise UserError(
            f"The folder {folder} holds other things ({strangers[0]}).",
            remedy="Choose a new or empty folder for --out.",
        )


def _tsv(frame: pl.DataFrame) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(frame.iter_rows())
    return stream.getvalue()
