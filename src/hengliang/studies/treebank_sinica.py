"""How well do models with and without structure foresee the sentences of the Sinica treebank, and parse them?

Its trees were drawn by annotators; its sentences are clauses of nine words on average, in traditional script.
"""

from __future__ import annotations

from dataclasses import replace

from hengliang import Bilingual, Study
from hengliang.grammar import SMALL_TREEBANK, missing_treebank, quick_training, treebank_study

DATA = "sinica-treebank"


def missing() -> str:
    """Say which data the study needs that are not here."""
    return missing_treebank(DATA)


def study(quick: bool = False) -> Study:
    """Ask all models; the quick form has tiny networks, each trained once on a few sentences."""
    training = replace(SMALL_TREEBANK, data=DATA)
    return treebank_study(
        "treebank_sinica",
        Bilingual(
            "How well do models with and without structure foresee and parse the clauses of the Sinica treebank?",
            "有、无结构监督的模型能在多大程度上预见并分析中央研究院树库的小句？",
        ),
        quick_training(training) if quick else training,
        quick,
        [],
    )
