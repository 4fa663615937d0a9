"""Which model chooses the classifier that a writer would, and do readers find its choice as fluent?

The comparison of de Bruijn [1, sections 3 and 5–7] on the default corpus: from a chooser that says 个 for everything to
an encoder that was fine-tuned, by category of classifier, by frequency, by seen and unseen noun and by text type. The
answers of readers are joined when there are some: make an experiment of a run with `hengliang classifiers experiment`,
collect answers into the folder `experiments/classifier_fluency`, and run the study again where that folder lies.

[1] de Bruijn, A. (2023). Human evaluation of automatically generated classifiers in Mandarin Chinese. Master's thesis,
    Utrecht University.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hengliang import Analysis, Bilingual, Measure, Study, System, chooser
from hengliang.analyses import (
    accuracy,
    calibration,
    compare_systems,
    judge_agreement,
    paired_accuracy,
    precision_recall,
    reliability,
    seed_spread,
)
from hengliang.classifiers import (
    CATEGORIES,
    accuracy_limits,
    category_accuracy,
    classifier_slots,
    classifier_variation,
    confusion,
    described_slots,
    error_kinds,
    label_match,
    label_noise,
    noun_ceiling,
    probability_scores,
    soft_match,
    top_match,
)
from hengliang.surveys import people, read_experiment

READERS = Path("experiments/classifier_fluency")
SCALES = ("fluency", "clarity")
SEEDS = (1, 2, 3)
ENCODER_SEEDS = (1, 2, 3)
"""Fine-tuning takes about half an hour a seed on one core."""


def study(quick: bool = False) -> Study:
    """Ask all choosers, with three seeds where a chooser draws; the quick form asks those that learn in a minute."""
    draws = 500 if quick else 5000
    # Before the first answer there is nothing to compare.
    read = READERS.is_dir() and read_experiment(READERS).answers.height > 0
    measures: list[Measure] = [label_match(), top_match(3), soft_match(), probability_scores()]
    return Study(
        name="classifier_fluency",
        question=Bilingual(
            "Which model chooses the classifier that the writer chose, and is another choice worse in readers' eyes?",
            "哪种模型能选出作者所用的量词？在读者看来，不同的选择是否更差？",
        ),
        materials=described_slots(part="test", corpus_choice=read),
        systems=[*(_quick_systems() if quick else _all_systems()), *(_corpus() if read else ())],
        measures=[*measures, *([people(READERS)] if read else [])],
        analyses=[*_analyses(draws, quick), *(_readers(draws) if read else ())],
        notes=[
            Bilingual(
                "The corpus holds one right answer, not the only one: 一位老师 and 一个老师 are both Chinese. The soft "
                "score counts an alternative by how often the corpus uses it with the noun; only readers can say the "
                "rest.",
                "语料只给出一种正确答案，而非唯一答案：“一位老师”和“一个老师”都通顺。宽松得分按该名词使用其他量词的频率计分，"
                "其余只能由读者来判断。",
            ),
        ],
    )


def _quick_systems() -> list[System]:
    return [chooser("GE"), chooser("RULE", seed=1), chooser("DICTIONARY"), chooser("LINEAR", seed=1)]


def _all_systems() -> list[System]:
    encoders = [chooser("BERT", seed=seed) for seed in ENCODER_SEEDS]
    # Language models are offered what the others know; the inventory has forms that the corpus does not use so.
    known = {"classifiers": classifier_slots("train"), "any_classifier": True}
    return [
        chooser("GE"),
        *(chooser("RULE", seed=seed) for seed in SEEDS),
        chooser("DICTIONARY"),
        chooser("LINEAR"),
        chooser("LINEAR", learner="svm", name="LINEAR SVM"),
        *(chooser("LSTM", seed=seed) for seed in SEEDS),
        chooser("MLM", **known),
        *encoders,
        chooser("LM", language_model="ngram-5", name="LM 5-gram", **known),
        chooser("ENSEMBLE", members=[chooser("LINEAR"), *encoders], weights=[1.0, *(1.0 for _ in encoders)]),
    ]


def _corpus() -> list[System]:
    return [chooser("RECORDED", column="corpus_choice", name="CORPUS")]


def _analyses(draws: int, quick: bool) -> Sequence[Analysis]:
    return [
        category_accuracy(by="category_by_form", levels=CATEGORIES, draws=draws),
        category_accuracy(by="category", levels=("true", "measure", "not in list"), draws=draws),
        accuracy(measure="top-3", name="top-3 accuracy", draws=draws),
        accuracy(measure="soft match", name="soft score", draws=draws),
        precision_recall(draws=min(draws, 2000)),
        *([] if quick else [seed_spread(draws=draws)]),
        paired_accuracy(draws=draws, permutations=999 if quick else 9999),
        *(
            category_accuracy(by=factor, draws=draws)
            for factor in ("noun_seen", "noun_band", "classifier_band", "genre", "construction")
        ),
        calibration(draws=min(draws, 1000)),
        reliability(draws=min(draws, 1000)),
        error_kinds(draws=draws),
        confusion(top=5 if quick else 10, draws=min(draws, 1000)),
        classifier_variation(draws=min(draws, 1000)),
        noun_ceiling(draws=min(draws, 1000)),
        label_noise(draws=min(draws, 1000)),
        accuracy_limits(draws=min(draws, 1000)),
    ]


def _readers(draws: int) -> Sequence[Analysis]:
    """Return the comparisons that readers' answers allow."""
    return [
        *(compare_systems(scale, reference="CORPUS", draws=min(draws, 2000)) for scale in SCALES),
        judge_agreement("match", "fluency"),
    ]
