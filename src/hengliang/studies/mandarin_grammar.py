"""Which grammatical relations of Mandarin do language models of a million words know, and across which modifiers?

The six classes of suites of [1], in sentences of our own, put to models that all learned from the same newspaper:
n-gram models, LSTMs and Transformers from its words, RNNGs and PLMs from its trees as well. What structure adds is the
subject of the study `structural_supervision`.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

from hengliang import Bilingual, Study
from hengliang.analyses import garden_path_effects
from hengliang.grammar import (
    CLAUSE_LABELS,
    SUITE_FIGURES,
    domains,
    intervening_content,
    prediction,
    published_accuracy,
    structural_supervision,
    structure_under_modifiers,
    suite_accuracy,
    suites,
    surprisal_difference,
)
from hengliang.language_models import TrainedModel, trained

SEEDS = (1, 2, 3)
STRUCTURED_SEEDS = (1, 2)
COUNTED = {"architecture": "ngram"}
NETWORKS = {"architecture": ("lstm", "transformer", "rnng", "plm")}


def study(quick: bool = False) -> Study:
    """Ask all models; the quick form asks a 5-gram model and one LSTM, a tiny one where no other is trained yet."""
    systems = [trained("ngram", size="5", name="5-gram"), _quick_lstm()] if quick else _all_models()
    draws = 1000 if quick else 10_000
    seeded = not quick
    return Study(
        name="mandarin_grammar",
        question=Bilingual(
            "Which grammatical relations of Mandarin do language models know that have read one month of a newspaper?",
            "读过一个月报纸的语言模型，掌握了汉语的哪些语法关系？",
        ),
        materials=suites(),
        systems=systems,
        measures=[prediction(), surprisal_difference()],
        analyses=[
            suite_accuracy(by="class", draws=draws),
            published_accuracy(("n-gram", "LSTM", "Transformer") if quick else ()),
            suite_accuracy(observation="set", draws=draws),
            suite_accuracy(by=("class", "modifier"), draws=draws),
            suite_accuracy(by=("class", "part"), show="controls", draws=draws),
            suite_accuracy(by="modifier", where={"class": "missing object"}, draws=draws),
            suite_accuracy(
                by=("domain", "modified"),
                where={"domain": ("syntactic", "semantic")},
                observation="set",
                draws=draws,
            ),
            garden_path_effects(),
            *([suite_accuracy(by=("class", "seed"), where=NETWORKS, draws=draws)] if seeded else []),
            *([structural_supervision()] if seeded else []),
            *([domains(without=COUNTED)] if seeded else []),
            *([intervening_content(where={"class": "missing object", **NETWORKS})] if seeded else []),
            *([structure_under_modifiers(draws=draws)] if seeded else []),
            suite_accuracy(by="class", show="ties"),
        ],
        notes=[SUITE_FIGURES, *NOTES, *([] if quick else [CLAUSE_LABELS])],
    )


def _quick_lstm() -> TrainedModel:
    small = trained("lstm", size="small", seed=1, name="LSTM")
    return small if small.is_trained else trained("lstm", size="tiny", seed=1, name="LSTM (tiny)")


def _all_models() -> list[TrainedModel]:
    return [
        *(trained("ngram", size=str(order), name=f"{order}-gram") for order in (3, 5)),
        *(trained("lstm", size="small", seed=seed, name="LSTM") for seed in SEEDS),
        *(trained("transformer", size="small", seed=seed, name="Transformer") for seed in SEEDS),
        *(trained("rnng", size="small", seed=seed, name="RNNG") for seed in STRUCTURED_SEEDS),
        *(trained("plm", size="small", seed=seed, name="PLM") for seed in STRUCTURED_SEEDS),
    ]


NOTES = [
    Bilingual(
        "A tie counts half and is told in the table of ties: an n-gram model whose window does not reach from one end "
        "of a dependency to the other gives both sides the same surprisal. Wang et al. (2021) flip a coin.",
        "平局算半，并列入“平局”表：若 n 元模型的窗口不能覆盖依存关系的两端，两侧的惊异度便相同。"
        "Wang 等（2021）以掷硬币决定。",
    ),
    Bilingual(
        "In missing object and subordination the full stop comes early in the bad sentence and late in the good one, "
        "so a model may be surprised by a short sentence and by nothing else. The control takes that away: it asks "
        "whether the difference is larger than in a pair where both sentences are good.",
        "在宾语缺失和从属两类中，坏句的句号来得早，好句的来得晚，模型可能只是对短句感到意外。"
        "对照公式排除这一因素：它问的是该差异是否大于两句皆可的对照组。",
    ),
]
