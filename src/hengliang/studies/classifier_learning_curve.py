"""How much does a chooser gain from more text to learn from?"""

from __future__ import annotations

from hengliang import Bilingual, Study, System, chooser
from hengliang.analyses import learning_curve, learning_curve_fit
from hengliang.classifiers import classifier_slots, described_slots, label_match, portion

SHARES = (0.05, 0.1, 0.25, 0.5, 1.0)
QUICK_SHARES = (0.1, 0.5)
SEEDS = (1, 2, 3)


def study(quick: bool = False) -> Study:
    """Train on nested portions of the corpus; the quick form asks RULE and LINEAR at two sizes."""
    draws = 500 if quick else 2000
    return Study(
        name="classifier_learning_curve",
        question=Bilingual("How much would more text help a chooser?", "更多的训练文本能带来多大提高？"),
        materials=described_slots(part="test"),
        systems=_systems(QUICK_SHARES if quick else SHARES, (1,) if quick else SEEDS),
        measures=[label_match()],
        analyses=[learning_curve(draws=draws), learning_curve_fit(draws=draws)],
        notes=[
            Bilingual(
                "Portions are of whole blocks of the corpus and nested: a smaller one is part of a larger one of the "
                "same seed. Test is always the same.",
                "各训练子集由整块语料组成且相互嵌套：同一种子下较小的子集包含于较大的子集。测试集始终相同。",
            ),
        ],
    )


def _systems(shares: tuple[float, ...], seeds: tuple[int, ...]) -> list[System]:
    train, dev = classifier_slots("train"), classifier_slots("dev")
    systems: list[System] = []
    for share in shares:
        for seed in seeds if share < 1 else (1,):
            part = portion(train, share, seed)
            systems.append(chooser("RULE", train=part, seed=seed, name=f"RULE {share:.0%}"))
            systems.append(chooser("LINEAR", train=part, dev=dev, seed=seed, name=f"LINEAR {share:.0%}"))
    return systems
