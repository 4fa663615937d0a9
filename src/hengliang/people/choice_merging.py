"""Which sentences do readers have to judge, when several systems fill the same slot with a classifier?

Of each sentence there is one item for each distinct choice, with the list of the systems that made it [1, Figures 2 and
9]: a reader judges a sentence once, and the judgement is about all who chose alike. What is merged is what would be
displayed, in NFC: two systems that choose the same classifier, but of which one also drops a 的, are two items.

CORPUS, the classifier that the writer used, is among the systems always and stands first.

[1] de Bruijn, A. (2023). Human evaluation of automatically generated classifiers in Mandarin Chinese. Master's thesis,
    Utrecht University, sections 5.1 and 6.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from hengliang.core.base_classes import check_answers
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.progress import Silent, Watcher
from hengliang.core.records import CORPUS, ITEM_SCHEMA, ResponseKind, response_id
from hengliang.experiments import stimuli_frame
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.classifier_choosers.slots import slots_of

SPAN = "classifier"
"""The name of the span of a stimulus that a survey highlights."""

CHOICE_SCHEMA: dict[str, pl.DataType] = {"item": pl.String(), "system": pl.String(), "classifier": pl.String()}
"""One row a sentence and system; a system without an answer has an empty classifier."""

TEXT = "text"
"""A further column of choices: the whole sentence of a system that changed more of it than the slot, else null."""


@dataclass(frozen=True, slots=True)
class MergedChoices:
    """The distinct choices of each sentence, and how many there are.

    `choices` has one row a sentence and system with what is displayed (`item system classifier text start end`);
    `stimuli` one row a distinct text, as an experiment folder holds it. `systems` begins with CORPUS. `unanswered`
    counts the sentences to which a system gave no answer.
    """

    stimuli: pl.DataFrame
    choices: pl.DataFrame
    systems: tuple[str, ...]
    unanswered: Mapping[str, int]

    @property
    def sentences(self) -> int:
        """How many sentences there are."""
        return self.stimuli["item"].n_unique()

    def distinct(self) -> dict[int, int]:
        """Return for each number of distinct choices how many sentences have so many."""
        return dict(sorted(Counter(self.stimuli.group_by("item").len()["len"].to_list()).items()))

    def matches(self) -> dict[str, tuple[int, int]]:
        """Return for each system but CORPUS how often it chose the corpus's classifier, and how often it answered."""
        gold = self.choices.filter(pl.col("system") == CORPUS).select("item", gold="classifier")
        rows = self.choices.join(gold, on="item").with_columns(same=pl.col("classifier") == pl.col("gold"))
        found = rows.group_by("system").agg(right=pl.col("same").sum(), answered=pl.len())
        counts = {name: (right, answered) for name, right, answered in found.iter_rows()}
        return {name: counts.get(name, (0, 0)) for name in self.systems if name != CORPUS}


# --- who chose what -------------------------------------------------------------------------------------------------


def choices_of_columns(items: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return the choices that stand in attribute columns of the items, one column a system (`read_ccd`)."""
    for name in systems:
        if name not in items.columns or name in ITEM_SCHEMA:
            known = [column for column in items.columns if column not in ITEM_SCHEMA]
            raise unknown_name("column of choices", name, known)
    frames = [items.select(item="id", system=pl.lit(name), classifier=pl.col(name).cast(pl.String)) for name in systems]
    return pl.concat([pl.DataFrame(schema=CHOICE_SCHEMA), *frames])


def choices_of_responses(
    items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], systems: Sequence[str] = ()
) -> pl.DataFrame:
    """Return the first choice of each system of a run; a system with several seeds is one for each: NAME (seed 2)."""
    labels = []
    for kind in ("ranking", "label"):
        if kind in responses:
            content = pl.col("content")
            shown = content.list.first().struct.field("label") if kind == "ranking" else content
            labels.append(responses[kind].select("item", "system", "seed", "respondent", classifier=shown))
    if not labels:
        raise UserError(
            "There is no choice of a classifier in this run.", valid="Responses of the kind ranking or label."
        )
    held = pl.concat(labels).filter(pl.col("respondent") == "").join(items.select(item="id"), on="item", how="semi")
    seeded = pl.format("{} (seed {})", "system", pl.col("seed").cast(pl.String).fill_null("none"))
    several = pl.col("seed").n_unique().over("system") > 1
    held = held.with_columns(system=pl.when(several).then(seeded).otherwise("system"))
    known = held["system"].unique(maintain_order=True).to_list()
    for name in systems:
        if name not in known:
            raise unknown_name("system", name, known)
    frames = [held.filter(pl.col("system") == name).select(list(CHOICE_SCHEMA)) for name in systems or known]
    return pl.concat([pl.DataFrame(schema=CHOICE_SCHEMA), *frames])


def choices_of_choosers(
    items: pl.DataFrame, choosers: Sequence[ClassifierChooser], watcher: Watcher | None = None
) -> pl.DataFrame:
    """Return the first choice of each of these choosers, who are asked now and do not see the gold."""
    asked = items.with_columns(gold=pl.lit(None, dtype=pl.String))
    frames = [pl.DataFrame(schema=CHOICE_SCHEMA)]
    for system in choosers:
        system.prepare(watcher or Silent())
        parts = [asked.slice(start, system.batch_size) for start in range(0, asked.height, system.batch_size)]
        answers = pl.concat([check_answers(system.answer(part), part, system) for part in parts])
        first = pl.col("content").list.first().struct.field("label")
        frames.append(answers.select("item", system=pl.lit(system.name), classifier=first))
    return pl.concat(frames)


# --- merging --------------------------------------------------------------------------------------------------------


def merge_choices(items: pl.DataFrame, choices: pl.DataFrame) -> MergedChoices:
    """Fill the choices and the corpus's classifiers into their sentences, and merge what would be displayed alike."""
    names = choices["system"].unique(maintain_order=True).to_list()
    if CORPUS in names:
        raise UserError(
            f"A system is called {CORPUS}, which is the name of the classifiers of the corpus.",
            remedy="Give the system another name.",
        )
    if not names:
        raise UserError("No system has chosen a classifier.", valid="One system or more besides the corpus.")
    twice = choices.filter(pl.struct("item", "system").is_duplicated())
    if twice.height:
        raise UserError(
            f"'{twice['system'][0]}' has two choices for '{twice['item'][0]}'.", valid="One for each sentence."
        )
    systems = (CORPUS, *names)
    shown = _displayed(items, choices, systems)
    answered = shown.filter(pl.col("classifier") != "")
    without = shown.filter(pl.col("classifier") == "").group_by("system").len()
    unanswered = dict(without.iter_rows())
    return MergedChoices(
        _stimuli(answered),
        answered.select(*CHOICE_SCHEMA, TEXT, "start", "end"),
        systems,
        {name: unanswered[name] for name in names if name in unanswered},
    )


def filled_in(classifier: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return what stands before and after a classifier once it is in the slot of `sentence`, for the columns of slots.

    Words of Chinese are not apart, so a space that a segmenter left beside the slot goes.
    """
    raw = pl.col("sentence").cast(pl.Binary)
    # Not strict: a slot within a character has no before and after; it is refused elsewhere.
    before = raw.bin.slice(0, pl.col("slot")).cast(pl.String, strict=False).str.normalize("NFC")
    after = raw.bin.slice(pl.col("slot")).cast(pl.String, strict=False).str.normalize("NFC")
    chinese = classifier.str.contains(r"^\p{Han}+$")
    return (
        pl.when(chinese).then(before.str.strip_chars_end(" ")).otherwise(before),
        pl.when(chinese).then(after.str.strip_chars_start(" ")).otherwise(after),
    )


def _displayed(items: pl.DataFrame, choices: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return a row for every sentence and system, in their orders, with the text, its classifier and where that is."""
    slots = slots_of(items).with_columns(item=items["id"], gold=items["gold"])
    wrong = slots.filter((pl.col("problem") != "") | (pl.col("gold").fill_null("") == ""))
    if wrong.height:
        problem = wrong["problem"][0] or "it has no classifier of the corpus"
        raise UserError(f"The sentence '{wrong['item'][0]}' cannot be shown: {problem}.")
    held = choices if TEXT in choices.columns else choices.with_columns(pl.lit(None, dtype=pl.String).alias(TEXT))
    gold = slots.select("item", pl.lit(None, dtype=pl.String).alias(TEXT), system=pl.lit(CORPUS), classifier="gold")
    order = pl.DataFrame({"system": systems}).with_row_index("place")
    rows = slots.join(order, how="cross").join(
        pl.concat(
            [gold.select("item", "system", "classifier", TEXT), held.select("item", "system", "classifier", TEXT)]
        ),
        on=["item", "system"],
        how="left",
        maintain_order="left",
    )
    rows = rows.with_columns(pl.col("classifier").fill_null("").str.strip_chars().str.normalize("NFC"))
    before, after = filled_in(pl.col("classifier"))
    rows = rows.with_columns(before=before, after=after)
    filled = pl.concat_str("before", "classifier", "after")
    own = pl.col(TEXT).str.normalize("NFC")
    rows = rows.with_columns(own=own.is_not_null() & (own != filled), text=pl.coalesce(own, filled))
    start = pl.col("before").str.len_bytes().cast(pl.Int64)
    rows = rows.with_columns(start=start, end=start + pl.col("classifier").str.len_bytes().cast(pl.Int64))
    _check_places(rows)
    return rows.select("item", "system", "classifier", "text", "start", "end", "own")


def _check_places(rows: pl.DataFrame) -> None:
    """A survey highlights the classifier where the slot is; a sentence of a system's own may differ only after it."""
    begins = pl.concat_str("before", "classifier")
    wrong = rows.filter(pl.col("own") & ~pl.col("text").str.starts_with(begins))
    if wrong.height:
        row = wrong.row(0, named=True)
        raise UserError(
            f"The sentence that '{row['system']}' displays for '{row['item']}' does not have '{row['classifier']}' "
            "where the slot is.",
            valid="It begins like the sentence of the item, up to the classifier.",
        )


def _stimuli(answered: pl.DataFrame) -> pl.DataFrame:
    """Merge rows of the same sentence and text; who chose first gives the place."""
    merged = answered.group_by("item", "text", maintain_order=True).agg(
        pl.col("system"), pl.col("classifier").first(), pl.col("start", "end", "own").first()
    )
    rows = [
        {
            # The id that the same answer has in a run of a study, so that its judgements join there.
            "about": response_id(row["item"], *(("text", row["text"]) if row["own"] else ("label", row["classifier"]))),
            "item": row["item"],
            "text": row["text"],
            "spans": [{"name": SPAN, "start": row["start"], "end": row["end"]}],
            "systems": row["system"],
        }
        for row in merged.iter_rows(named=True)
    ]
    return stimuli_frame(rows)
