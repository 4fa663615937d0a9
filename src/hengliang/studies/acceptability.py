"""Which sentences of Mandarin does a model hold to be worse, once something in them was broken?

Sentences of a newspaper that no model has read, and the same sentences with the words in a wrong order, a wrong or no
classifier, a missing object, a function word too few or too many. Models of words are asked, and the same models when
they see names, dates and numbers by their types only [1].

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36.
"""

from __future__ import annotations

from hengliang import Bilingual, Study
from hengliang.acceptability import (
    LENGTH_PARTS,
    SENTENCE_PARTS,
    acceptability,
    discrimination,
    discrimination_differences,
    entity_counts,
    entity_statistics,
    perturbed_sentences,
)
from hengliang.language_models import ModelKind, TrainedModel, trained

RECOGNISER = "lac"
QUICK_SENTENCES = 5000
ALL = 5000
"""More sentences than the test part of the corpus has, so that all of them are taken."""

WORD_MEASURES = ("Word LP Min-1", "Word LP Mean-Q1")
UNEVEN = {"perturbation": ("word order (distant)", "function word (wrong)")}
"""Kinds of which one rule makes most versions: a particle moved to the start, 地 written for 的."""

OTHER_FORMS = {"3-gram POS": "pos:lac", "3-gram classes": "classes:100"}


def study(quick: bool = False) -> Study:
    """Ask all models; the quick form asks 3-gram models that learned from a few thousand sentences."""
    models: list[tuple[str, ModelKind, str]] = [("3-gram", "ngram", "3")] if quick else _all_models()
    pairs = [(name, f"{name} RNE") for name, _, _ in models]
    others = [] if quick else [("3-gram", name) for name in OTHER_FORMS]
    draws = 500 if quick else 2000
    return Study(
        name="acceptability",
        question=Bilingual(
            "Which sentences does a model hold to be worse, once something in them was broken, and does it help if the "
            "model sees entities by their types only?",
            "句子被改坏之后，模型能否看出它变差了？只让模型看到实体的类型，是否有帮助？",
        ),
        materials=perturbed_sentences(count=100 if quick else ALL),
        systems=[
            *(model for held in models for model in _both(*held, QUICK_SENTENCES if quick else 0)),
            *(trained("ngram", "3", name=name, preprocess=OTHER_FORMS[name]) for _, name in others),
            entity_counts(RECOGNISER),
        ],
        measures=[acceptability([*SENTENCE_PARTS, *WORD_MEASURES, *LENGTH_PARTS], length="units")],
        analyses=[
            entity_statistics(by="perturbation"),
            discrimination(parts="SLOR", draws=draws),
            discrimination(
                parts="SLOR", by=("perturbation", "rule"), where=UNEVEN, statistics="AUC", draws=draws, name="by rule"
            ),
            discrimination(
                parts=(*SENTENCE_PARTS, *WORD_MEASURES), by=(), statistics="AUC", draws=draws, name="measures compared"
            ),
            discrimination_differences(pairs, parts="SLOR", draws=draws),
            discrimination_differences(
                pairs, parts="SLOR", by="has_entity", draws=draws, name="differences by presence of entities"
            ),
            *(
                [discrimination_differences(others, parts="SLOR", draws=draws, name="other coarse forms")]
                if others
                else []
            ),
        ],
        notes=NOTES,
    )


def _all_models() -> list[tuple[str, ModelKind, str]]:
    return [
        *((f"{order}-gram", "ngram", str(order)) for order in (2, 3, 4)),
        ("LSTM", "lstm", "small"),
        ("Transformer", "transformer", "small"),
    ]


def _both(name: str, kind: ModelKind, size: str, sentences: int) -> tuple[TrainedModel, TrainedModel]:
    """Return a model as it sees words, and as it sees entities by their types."""
    seed = None if kind == "ngram" else 1
    return (
        trained(kind, size, seed, name=name, sentences=sentences),
        trained(kind, size, seed, name=f"{name} RNE", preprocess=f"rne:{RECOGNISER}", sentences=sentences),
    )


NOTES = [
    Bilingual(
        "A perturbed sentence is taken for unacceptable by the way it was made. The page on perturbations says how "
        "often a reader finds it good all the same; such sentences put a ceiling on every score.",
        "被改动的句子按其生成方式视为不可接受。有关文档说明了读者认为其仍可接受的比例；这类句子限制了任何分数的上限。",
    ),
    Bilingual(
        "A wrong classifier is one that the whole corpus, the training part included, never has with its noun. That "
        "favours models that learned from this corpus.",
        "错误量词是指整个语料（含训练部分）中从未与该名词搭配的量词，这对学自本语料的模型有利。",
    ),
    Bilingual(
        "Networks are of one seed each, so that a difference between two of them is also one between two trainings.",
        "每个神经网络只有一个随机种子，因此两者之差也包含两次训练之差。",
    ),
]
