"""How well do models with and without structure foresee the sentences of a dependency treebank, and parse them?

The trees are constituents projected from the dependencies of UD Chinese GSD (the training part of 2016, traditional
script): a word and all that depends on it.
"""

from __future__ import annotations

from dataclasses import replace

from hengliang import Bilingual, Study
from hengliang.grammar import SMALL_TREEBANK, missing_treebank, quick_training, treebank_study

DATA = "ud-chinese-gsd-2016"


def missing() -> str:
    """Say which data the study needs that are not here."""
    return missing_treebank(DATA)


def study(quick: bool = False) -> Study:
    """Ask all models; the quick form has tiny networks, each trained once on a few sentences."""
    training = replace(SMALL_TREEBANK, data=DATA)
    return treebank_study(
        "treebank_ud",
        Bilingual(
            "How well do models with and without structure foresee and parse sentences with projected dependencies?",
            "有、无结构监督的模型能在多大程度上预见并分析由依存关系投射而成的句法树？",
        ),
        quick_training(training) if quick else training,
        quick,
        [],
    )
