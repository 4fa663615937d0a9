"""Which study asks models with and without trees, trained on one corpus, for its sentences and their trees?

Five kinds of model learn from the same sentences and are asked some that none of them has read. Those with structure
find their perplexity by a beam search, and tell by their cards how far their best trees agree with the given ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hengliang.analyses.traits import traits
from hengliang.analysis.suite_models import TREE_CONTROLS
from hengliang.core.terms import Bilingual
from hengliang.corpora.catalogue import DEFAULT_CORPUS, is_here
from hengliang.corpora.running_text import corpus_sentences
from hengliang.language_models.measures import log_probability
from hengliang.language_models.perplexity_analysis import perplexity
from hengliang.language_models.recipes import Kind
from hengliang.language_models.trained import TrainedModel, trained
from hengliang.study.study import Study

PLAIN: Mapping[Kind, str] = {"lstm": "LSTM", "transformer": "Transformer"}
STRUCTURED: Mapping[Kind, str] = {"rnng": "RNNG", "plm": "PLM"}
ASKED, QUICK_ASKED = 100, 10
"""How many sentences of the test part are asked for: a search of one takes longer than reading hundreds."""

TRAITS = ("labelled_f1", "unlabelled_f1", "parameters", "vocabulary", "training_words", "training_seconds")


@dataclass(frozen=True, slots=True)
class Training:
    """From what and how the models of a study learn: the corpus, their size and seeds, how much of it and how often.

    `controls` are further kinds of trees, of which those with structure learn with the seeds `control_seeds`.
    """

    data: str = DEFAULT_CORPUS
    size: str = "small"
    seeds: Sequence[int] = (1, 2)
    sentences: int = 0
    epochs: int = 0
    controls: Sequence[str] = ()
    control_seeds: Sequence[int] = ()

    def model(self, kind: Kind, name: str, seed: int, trees: str = "") -> TrainedModel:
        """Return the network of this kind and seed."""
        return trained(
            kind, self.size, seed, self.data, name, sentences=self.sentences, trees=trees, epochs=self.epochs
        )

    def models(self) -> list[TrainedModel]:
        """Return a 5-gram model, networks without and with structure, and structured ones on trees without syntax."""
        found = [trained("ngram", size="5", name="5-gram", data=self.data, sentences=self.sentences)]
        for kind, name in {**PLAIN, **STRUCTURED}.items():
            found += [self.model(kind, name, seed) for seed in self.seeds]
        for kind, name in STRUCTURED.items():
            for trees in self.controls:
                found += [self.model(kind, f"{name}, {trees}", seed, trees) for seed in self.control_seeds]
        return found


NEWSPAPER = Training(sentences=10_000, controls=TREE_CONTROLS["trees"], control_seeds=(1,))
"""The models of structural supervision: as many sentences as two cores learn from in less than half an hour."""

SMALL_TREEBANK = Training(seeds=(1,), epochs=6)
"""For treebanks of a hundred thousand words: the more often they are read."""


def quick_training(training: Training) -> Training:
    """Return the same models as tiny networks, each trained once, on a few sentences."""
    return replace(training, size="tiny", seeds=(1,), sentences=150, epochs=0)


QUICK_NEWSPAPER = quick_training(NEWSPAPER)


def missing_treebank(data: str) -> str:
    """Say that a treebank is not here and how to get it; nothing if it is."""
    return "" if is_here(data) else f"the data {data}: hengliang data get {data}"


def treebank_study(
    name: str, question: Bilingual, training: Training, quick: bool, notes: Sequence[Bilingual]
) -> Study:
    """Return the study of perplexity and parsing on sentences of the test part that no model has read."""
    draws = 500 if quick else 10_000
    return Study(
        name=name,
        question=question,
        materials=corpus_sentences(training.data, part="test", most=QUICK_ASKED if quick else ASKED),
        systems=training.models(),
        measures=[log_probability()],
        analyses=[
            perplexity(draws=draws),
            *([] if quick else [perplexity(by=["seed"], per="word", draws=draws)]),
            traits(TRAITS),
        ],
        notes=[*NOTES, *notes, *([QUICK_NOTE] if quick else [])],
    )


NOTES = (
    Bilingual(
        "The perplexity of RNNG and PLM is that of the words alone, summed over the trees that a word-synchronous beam "
        "search holds (100 steps, 10 analyses a word), not that of words and given trees. The end of a sentence counts "
        "as one event for every model: for these two it is the closing of all that is open. A beam leaves trees out, "
        "so their true perplexity is lower, never higher.",
        "RNNG 与 PLM 的困惑度只计词，并对词同步束搜索（100 步、每词 10 个分析）所保留的句法树求和，"
        "而非词与给定树的联合困惑度。句末对每个模型均计为一个事件；对这两种模型即关闭所有未完成的成分。束搜索会舍弃部分句法树，故真实困惑度只会更低。",
    ),
    Bilingual(
        "F1 compares the best trees with the given ones on 100 sentences of the test part (punctuation left out, roots "
        "counted), as the models' cards tell.",
        "F1 为最优句法树与给定句法树在测试集 100 句上的一致程度（不计标点，计根节点），取自模型卡。",
    ),
)
CLAUSE_LABELS = Bilingual(
    "The trees of the newspaper are chunked by rules. One rule gives a clause the label CP if it begins with a word of "
    "a hand-written list, which holds every subordinator of our suites. What RNNG and PLM show on subordination may "
    "come from that list: with the label renamed, RNNGs fail its control (python -m benchmarks.clause_labels).",
    "报纸的句法树由规则切分而成，其中一条规则将以词表中词语开头的小句标为 CP，而该人工词表包含自编套件的全部从属连词。"
    "RNNG 与 PLM 在从属一类上的表现可能来自该词表：将此标签改名后，RNNG 不再通过该类的对照"
    "（python -m benchmarks.clause_labels）。",
)
QUICK_NOTE = Bilingual(
    "The quick form has tiny networks that have read next to nothing: a rehearsal, not a result.",
    "快速版的微型网络几乎未经训练，仅供演练，不构成结果。",
)
