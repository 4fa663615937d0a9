"""How far does one get with 个 for everything, or with each noun's most frequent classifier?

The two baselines of corpus-based classifier choice [1, 2]: GE, which always says 个, and RULE, which says what the
training part of the corpus says most often with the head noun. Slots come from the default corpus, cut into contiguous
blocks so that no article lies in both training and test.

[1] Peinelt, N., Liakata, M., Hsieh, S.-K. (2017). ClassifierGuesser: a context-based classifier prediction system for
    Chinese language learners. IJCNLP 2017, system demonstrations, 41–44.
[2] Järnfors, J. (2021). Computational models of classifier choice in Mandarin: from rule-based to BERT. Master's
    thesis, Utrecht University.
"""

from __future__ import annotations

from hengliang import Bilingual, Study, chooser
from hengliang.analyses import accuracy, accuracy_difference, precision_recall, ties
from hengliang.classifiers import classifier_slots, label_match, slot_quality


def study(quick: bool = False) -> Study:
    """Compare GE and RULE on the test part; the quick form draws fewer bootstrap samples."""
    draws = 1000 if quick else 10_000
    return Study(
        name="classifier_baselines",
        question=Bilingual(
            "How well do two simple rules choose the classifier that the newspaper used?",
            "两条简单规则能在多大程度上选出报纸原文所用的量词？",
        ),
        materials=classifier_slots(part="test"),
        systems=[chooser("GE"), chooser("RULE", train=classifier_slots(part="train"), seed=1)],
        measures=[label_match()],
        analyses=[
            accuracy(draws=draws),
            precision_recall(draws=draws),
            accuracy_difference(draws=draws),
            accuracy(by=["construction"], name="accuracy by construction", draws=draws),
            ties(),
            slot_quality(),
        ],
        notes=[
            Bilingual(
                "The corpus answer is one right answer, not the only one: 一位老师 and 一个老师 are both Chinese. "
                "A mismatch is not an error in the eyes of a reader.",
                "语料中的量词只是一种正确答案，而非唯一答案：“一位老师”和“一个老师”都通顺。不一致不等于读者认为有误。",
            ),
        ],
    )
