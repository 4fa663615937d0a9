"""Which sentences of Mandarin does a model hold to be worse, once something in them was broken?

Sentences of a newspaper that no model has read, and the same sentences with the words in a wrong order, a wrong or no
classifier, a missing object, a function word too few or too many. Models of words are asked, and the same models when
they see names, dates and numbers by their types only [1].

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36.
"""

from __future__ import annotations

from hengliang import (
    Study,
    acceptability,
    discrimination,
    discrimination_differences,
    entity_counts,
    perturbed_sentences,
    trained,
)
from hengliang.bilingual import Bilingual
from hengliang.measures.acceptability import LENGTH_PARTS, SENTENCE_PARTS
from hengliang.systems.language_models.recipes import Kind
from hengliang.systems.language_models.trained import TrainedModel

RECOGNISER = "lac"
QUICK_SENTENCES = 5000
WORD_MEASURES = ("Word LP Min-1", "Word LP Mean-Q1")


def study(quick: bool = False) -> Study:
    """Ask all models; the quick form asks 3-gram models that learned from a few thousand sentences."""
    models: list[tuple[str, Kind, str]] = [("3-gram", "ngram", "3")]
    if not quick:
        models = [
            *((f"{order}-gram", "ngram", str(order)) for order in (2, 3, 4)),
            ("LSTM", "lstm", "small"),
            ("Transformer", "transformer", "small"),
        ]
    pairs = [(name, f"{name} RNE") for name, _, _ in models]
    draws = 500 if quick else 2000
    return Study(
        name="acceptability",
        question=Bilingual(
            "Which sentences does a model hold to be worse, once something in them was broken, and does it help if the "
            "model sees entities by their types only?",
            "句子被改坏之后，模型能否看出它变差了？只让模型看到实体的类型，是否有帮助？",
        ),
        materials=perturbed_sentences(count=100 if quick else 500),
        systems=[
            *(
                model
                for name, kind, size in models
                for model in _both(name, kind, size, QUICK_SENTENCES if quick else 0)
            ),
            entity_counts(RECOGNISER),
        ],
        measures=[acceptability([*SENTENCE_PARTS, *WORD_MEASURES, *LENGTH_PARTS])],
        analyses=[
            discrimination(parts="SLOR", draws=draws),
            discrimination(parts=SENTENCE_PARTS, by=(), draws=draws, name="discrimination by measure"),
            discrimination_differences(pairs, parts="SLOR", draws=draws),
        ],
        notes=NOTES,
    )


def _both(name: str, kind: Kind, size: str, sentences: int) -> tuple[TrainedModel, TrainedModel]:
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
]
