"""How much does a tagger gain when it is mended where a diagnosis says that it fails?

The loop of diagnosis [1, section 5] with a tagger of our own. It learns from a share of the training part and is put to
the dev sentences of the test set; what it misses there is looked up in the rest of the training part. Then it learns
again: with these targeted sentences, with random ones of as many words, with all, or it gets rules. The gain is
measured on the test sentences of the set, by which nothing was chosen.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from hengliang import Bilingual, Study
from hengliang.analyses import traits
from hengliang.tagging import (
    DEFAULT_SET,
    MENDING_MEASURES,
    MENDINGS,
    MendedTagger,
    Mending,
    MendingPlan,
    TaggingSet,
    open_set,
    tagging_diagnosis,
    tagging_differences,
    tagging_item,
    tagging_items,
)

QUICK: tuple[Mending, ...] = ("base", "targeted", "random")
MEANS = "tagging diagnosis, means"
"""The name of the short table: Z of each way of mending."""


def study(quick: bool = False, tagging_set: str | Path | TaggingSet = DEFAULT_SET) -> Study:
    """Compare the ways of mending; the quick form mends five error pairs of a small tagger in two ways."""
    small = MendingPlan(tagging_set, share=0.03, worst=5, per_word=5)
    plan = small if quick else MendingPlan(tagging_set)
    systems = [MendedTagger(how, plan) for how in (QUICK if quick else MENDINGS)]
    base, targeted, random, *_ = (system.name for system in systems)
    pairs = [*((system.name, base) for system in systems[1:]), (targeted, random)]
    draws = 500 if quick else 2000
    return Study(
        name="tagger_mending",
        question=Bilingual(
            "How much does a tagger gain from sentences or rules that are chosen by its diagnosis?",
            "按诊断结果挑选的句子或规则能使标注器提高多少？",
        ),
        materials=tagging_items(open_set(tagging_set).of_parts([MENDING_MEASURES])),
        systems=systems,
        measures=[tagging_item()],
        analyses=[
            tagging_diagnosis(items=False, draws=draws, name=MEANS),
            traits(("training_words",)),
            tagging_differences(pairs=pairs, draws=draws),
            *([] if quick else [tagging_diagnosis(draws=draws)]),
        ],
        notes=[
            Bilingual(
                "No sentence of the dev and test parts, and none that is nearly the same as one of the test set, was "
                "learned from. What is missed was seen on dev sentences alone; all scores here are of test sentences.",
                "训练中未使用开发集和测试集的任何句子，也未使用与评测句近乎相同的句子。"
                "错误仅由开发集句子诊断，此处分数均来自测试集句子。",
            ),
        ],
    )


def missing() -> str:
    """Say what the study needs that is not here; nothing when it can run."""
    if importlib.util.find_spec("pycrfsuite") is not None:
        return ""
    return "the library python-crfsuite: pip install 'hengliang[taggers]'"
