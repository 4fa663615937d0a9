"""Does it help a language model to be taught the structure of sentences, and is it the syntax in the trees that helps?

All five kinds of model of [1] learn from the same newspaper: a 5-gram model, an LSTM and a Transformer from its words,
an RNNG and a PLM from its trees as well. They are asked our suites and, where these are at hand, the suites of the
paper. Trees also teach what words go together and how long sentences are. So the same RNNG and PLM learn again from
trees without syntax: right-branching ones, and those of other sentences of the same length. What is left of an
advantage over these is due to brackets and labels of the trees, which need not be syntax: see the note on clauses.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

from hengliang import Analysis, Bilingual, Material, Study
from hengliang.analyses import garden_path_effects, traits
from hengliang.corpora import is_here
from hengliang.grammar import (
    CLAUSE_LABELS,
    NEWSPAPER,
    PLAIN_MODELS,
    PUBLISHED_SUITES_SOURCE,
    QUICK_NEWSPAPER,
    STRUCTURED_MODELS,
    SUITE_FIGURES,
    TREE_CONTROLS,
    domains,
    intervening_content,
    kinds_of_trees,
    prediction,
    published_accuracy,
    published_suites,
    structural_supervision,
    structure_under_modifiers,
    suite_accuracy,
    suite_differences,
    suites,
    surprisal_difference,
)
from hengliang.grammar import PUBLISHED_SUITES as THEIRS
from hengliang.grammar import SUITES as OURS

QUICK_SUITES = ("missing object", "verb_noun.none", "garden_path_object.none")
TREES = TREE_CONTROLS["trees"]
COUNTED = {"architecture": "ngram"}
NETWORKS = {"architecture": (*PLAIN_MODELS, *STRUCTURED_MODELS)}
GROWING = {"class": "missing object"}


def study(quick: bool = False) -> Study:
    """Ask all models; the quick form has tiny networks, each trained once on a few sentences, and a few suites."""
    published = not quick and is_here(PUBLISHED_SUITES_SOURCE)
    asked: list[Material] = [suites(*QUICK_SUITES) if quick else suites()]
    asked += [published_suites()] if published else []
    return Study(
        name="structural_supervision",
        question=Bilingual(
            "Does it help a language model of Mandarin to be taught the structure of sentences?",
            "让汉语语言模型学习句子结构，是否有所助益？",
        ),
        materials=asked,
        systems=(QUICK_NEWSPAPER if quick else NEWSPAPER).models(),
        measures=[prediction(), surprisal_difference()],
        analyses=[
            *analyses(OURS, quick=quick),
            *(analyses(THEIRS) if published else []),
            published_accuracy(),
            traits(["parameters", "vocabulary", "training_words", "training_seconds"]),
        ],
        notes=[SUITE_FIGURES, *NOTES, *([] if published else [_unpublished(quick)])],
    )


def pairs() -> list[tuple[str, str]]:
    """Return what is compared item by item: structured with plain models, and with those on trees without syntax."""
    kinds = list(zip(STRUCTURED_MODELS.values(), PLAIN_MODELS.values(), strict=True))
    return [*kinds, *((name, f"{name}, {trees}") for name in STRUCTURED_MODELS.values() for trees in TREES)]


def analyses(material: str, quick: bool = False) -> list[Analysis]:
    """Return what is asked of the answers to one material, for two materials have classes of the same names."""
    asked = {"material": material}
    growing = {**GROWING, **asked}
    networks = {**COUNTED, **TREE_CONTROLS}
    draws = 500 if quick else 10_000
    paths = ("garden path object",) if quick else ("garden path object", "garden path subject")
    return [
        suite_accuracy(by="class", where=asked, draws=draws),
        suite_accuracy(by=("class", "modifier"), where=asked, draws=draws),
        suite_accuracy(by=("class", "part"), show="controls", where=asked, draws=draws),
        *(structural_supervision(way, where=asked, without=TREE_CONTROLS) for way in ("paper", "nested")),
        suite_accuracy(by="modifier", where=growing, draws=draws),
        *(intervening_content(way, where=growing, without=networks) for way in ("paper", "nested")),
        structure_under_modifiers(where=growing, without=TREE_CONTROLS, draws=draws),
        garden_path_effects(classes=paths, where=asked),
        suite_differences(pairs(), by="class", where=asked, draws=draws),
        kinds_of_trees(where=asked, correction="holm"),
        domains(where=asked, without=networks),
        *([] if quick else [suite_accuracy(by=("class", "seed"), where={**asked, **NETWORKS}, draws=draws)]),
        suite_accuracy(by="class", show="ties", where=asked),
    ]


NOTES = [
    Bilingual(
        "Table 1 of Wang et al. (2021) is structural supervision, Table 5 robustness to intervening content, both as "
        "the paper did it and with trainings nested in their model. Whether structured models lose less under long "
        "modifiers than others is the interaction in structure under modifiers, which the paper did not test.",
        "Wang 等（2021）的表 1 对应“结构监督”，表 5 对应“对插入成分的稳健性”，"
        "两者均按论文做法及将训练嵌套于模型之内的做法各分析一次。有结构监督的模型在较长修饰语之下损失是否较小，"
        "见“修饰语之下的结构监督”中的交互作用，论文未作此检验。",
    ),
    Bilingual(
        "Surprisals of RNNG and PLM come from a word-synchronous beam search, which leaves analyses out: that of a "
        "whole sentence is never below the true one, that of a single word may lie on either side of it.",
        "RNNG 与 PLM 的惊异度由词同步束搜索得到，束搜索会舍弃部分分析："
        "整句的惊异度不低于真实值，单个词的惊异度则可能偏高或偏低。",
    ),
    CLAUSE_LABELS,
    Bilingual(
        "Models on right-branching and on shuffled trees are in no analysis that compares structured with plain "
        "models, except where they are named. They were trained once each, so that how far trainings differ is known "
        "from the two of the given trees alone, and p of kinds of trees is too sure.",
        "以右分支树及打乱的树训练的模型，除标明之处外，不计入有结构监督与无结构监督模型的比较。"
        "这些模型各只训练一次，训练之间的差异只能由给定树的两次训练估计，故“树的种类”的 p 值过于乐观。",
    ),
]


def _unpublished(quick: bool) -> Bilingual:
    if quick:
        return Bilingual(
            "The quick form asks a few of our suites and none of the paper's; its tiny models have read next to "
            "nothing, and their numbers say nothing about structure.",
            "快速版只测试少数自编套件，不含论文套件；其微型模型几乎未经训练，所得数字不能说明结构监督的作用。",
        )
    return Bilingual(
        "The suites of the paper are left out, because they are not on this machine: "
        f"hengliang data show {PUBLISHED_SUITES_SOURCE}",
        f"本机没有论文的套件，故略去：hengliang data show {PUBLISHED_SUITES_SOURCE}",
    )
