"""By what may the slots of a material be told apart when a chooser is judged on them?

`DescribedSlots` adds what the comparison of the models is broken down by: the category of the classifier by its use
with the noun and by its form alone (the rows of the paper's table), whether and how often noun and classifier were seen
in training, how many classifiers the noun was seen with, and the sort of text.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.records import check_items
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.corpora.parts import Part
from hengliang.materials.classifier_categories import category_of_form, category_of_use
from hengliang.materials.classifier_slots import ClassifierSlots, classifier_slots, corpus_file
from hengliang.materials.frequency_bands import bands
from hengliang.materials.text_genres import UNKNOWN, text_types_of_corpus

NAME = "described_slots"
ADDED = (
    "category",
    "category_by_form",
    "noun_seen",
    "noun_count",
    "noun_band",
    "classifier_count",
    "classifier_band",
    "alternatives",
    "genre",
)
"""The attributes that are added, in order."""


@register(NAME)
class DescribedSlots(Material):
    """The slots of a material with attributes to break results down by.

    `slots` is the material, by default the test part of the default corpus; `train` is what choosers learn from, by
    default its train part. `category` is true, measure or not in list by use; `category_by_form` also dual. Counts are
    of `train`: `noun_seen` (seen, unseen), `noun_count`, `noun_band`, `classifier_count`, `classifier_band`, and
    `alternatives`, the number of classifiers that the noun was seen with. `genre` is the material's own, else the text
    type of the paragraph where the material is a corpus, else unknown. An attribute that the material has is kept.
    With `corpus_choice` the corpus's classifier is an attribute too, so that the corpus can be one of the systems that
    readers compare: `chooser("RECORDED", column="corpus_choice", name="CORPUS")`.
    """

    title = Bilingual("Classifier slots, described", "带描述的量词空位")

    def __init__(
        self, slots: Material | None = None, train: Material | None = None, corpus_choice: bool = False
    ) -> None:
        self.slots = slots
        self.train = train
        self.corpus_choice = corpus_choice
        # The items keep the name of the material that they come from, and a report finds them by it.
        self.name = self._slots().name
        self.licence = self._slots().licence
        self.citation = self._slots().citation

    def _slots(self) -> Material:
        return self.slots if self.slots is not None else classifier_slots("test")

    def _train(self) -> Material:
        return self.train if self.train is not None else classifier_slots("train")

    def items(self) -> pl.DataFrame:
        """Return the items of the material with the attributes of `ADDED`, in the material's order."""
        items = self._slots().items()
        described = _with_counts(_with_categories(items), self._train().items())
        described = _with_genre(described, self._slots())
        own = [name for name in items.columns if name not in ADDED]
        corpus = {"corpus_choice": pl.col("gold")} if self.corpus_choice else {}
        return check_items(described.select(*own, *ADDED).with_columns(**corpus))

    def signature(self) -> Signature:
        """Return what can change the items: both materials, and the code and tables of the description."""
        return Signature.of(
            material=NAME,
            slots=self._slots().signature(),
            train=self._train().signature(),
            corpus_choice=self.corpus_choice,
            code=code_checksum(type(self)),
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what is known of the material, and how much of it training has shown."""
        unseen = items.filter(pl.col("noun_seen") == "unseen").height
        categories = ", ".join(f"{name} {count:,}" for name, count in items["category"].value_counts(sort=True).rows())
        return [
            *self._slots().facts(items),
            (Bilingual("Slots by category of use", "按用法类别"), categories),
            (Bilingual("Slots with a noun unseen in training", "名词未见于训练的空位"), f"{unseen:,}"),
        ]


def described_slots(
    part: Part | None = "test",
    slots: Material | None = None,
    train: Material | None = None,
    corpus_choice: bool = False,
) -> DescribedSlots:
    """Return the slots of a part of the default corpus, or of any material, with what results are broken down by."""
    return DescribedSlots(slots if slots is not None else classifier_slots(part), train, corpus_choice)


# --- what is added --------------------------------------------------------------------------------------------------


def _with_categories(items: pl.DataFrame) -> pl.DataFrame:
    for name in ("gold", "head"):
        if name not in items.columns:
            raise UserError(
                f"The items have no '{name}'.", valid="Slots have a gold classifier and an attribute head, the noun."
            )
    pairs = items.select("gold", "head").unique()
    forms, nouns = pairs["gold"].fill_null("").to_list(), pairs["head"].fill_null("").to_list()
    known = pairs.with_columns(
        category=pl.Series([category_of_use(*pair) for pair in zip(forms, nouns, strict=True)], dtype=pl.String),
        category_by_form=pl.Series([category_of_form(form) for form in forms], dtype=pl.String),
    )
    return items.drop("category", "category_by_form", strict=False).join(
        known, on=["gold", "head"], how="left", nulls_equal=True, maintain_order="left"
    )


def _with_counts(items: pl.DataFrame, train: pl.DataFrame) -> pl.DataFrame:
    pairs = train.select("head", "gold").drop_nulls()
    nouns = pairs.group_by("head").agg(
        noun_count=pl.len().cast(pl.Int64), alternatives=pl.col("gold").n_unique().cast(pl.Int64)
    )
    forms = pairs.group_by("gold").agg(classifier_count=pl.len().cast(pl.Int64))
    counted = ("noun_count", "alternatives", "classifier_count")
    found = items.drop(*counted, "noun_seen", "noun_band", "classifier_band", strict=False)
    found = found.join(nouns, on="head", how="left", maintain_order="left")
    found = found.join(forms, on="gold", how="left", maintain_order="left")
    return found.with_columns(pl.col(name).fill_null(0) for name in counted).with_columns(
        noun_seen=pl.when(pl.col("noun_count") > 0).then(pl.lit("seen")).otherwise(pl.lit("unseen")),
        noun_band=bands(pl.col("noun_count")),
        classifier_band=bands(pl.col("classifier_count")),
    )


def _with_genre(items: pl.DataFrame, slots: Material) -> pl.DataFrame:
    if "genre" in items.columns:
        return items
    if isinstance(slots, ClassifierSlots):
        types = text_types_of_corpus(Path(corpus_file(slots.corpus)))
        genres = [types.get(line, UNKNOWN) for line in items["paragraph"].to_list()]
        return items.with_columns(genre=pl.Series(genres, dtype=pl.String))
    return items.with_columns(genre=pl.lit(UNKNOWN))
