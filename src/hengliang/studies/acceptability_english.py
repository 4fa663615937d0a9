"""Does a model judge English sentences more as people do when it sees names, dates and numbers by their types?

The question and the tables of [1], with n-gram models that learned from what English text can be had: not the British
National Corpus, but the Brown corpus, a hundredth of its size. Ratings are those of [2] and [3].

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36.
[2] Lau, J. H., Clark, A., Lappin, S. (2017). Grammaticality, acceptability, and probability: A probabilistic view of
    linguistic knowledge. Cognitive Science 41.
[3] Lau, J. H., Armendariz, C., Lappin, S., Purver, M., Shu, C. (2020). How furiously can colorless green ideas sleep?
    Sentence acceptability in context. Transactions of the Association for Computational Linguistics 8.
"""

from __future__ import annotations

from hengliang import Bilingual, Study
from hengliang.acceptability import (
    LENGTH_PARTS,
    SENTENCE_PARTS,
    acceptability,
    entity_counts,
    entity_effects,
    entity_statistics,
    lau2020,
    published_correlation,
    published_ratings,
    rating_correlation,
    rating_correlation_differences,
    rating_reliability,
    score_positions,
    smog,
)
from hengliang.corpora import is_here
from hengliang.language_models import TrainedModel, trained, unknown_words

NEEDS = ("smog", "lau2020", "brown")
RECOGNISER = "spacy"
ORIGINAL = "acceptability by original length"
"""The measures that have |S| in them, once more, with the words as written: an entity of three words counts three."""

ORDERS = (2, 3, 4)
QUICK_SENTENCES = 4000


def missing() -> str:
    """Say which data the study needs that are not here; nothing when all are."""
    absent = [name for name in NEEDS if not is_here(name)]
    return f"the data {', '.join(absent)}: hengliang data get {absent[0]}" if absent else ""


def study(quick: bool = False) -> Study:
    """Ask all models about all ratings; the quick form has small 3-gram models and the sentences of a textbook."""
    orders = (3,) if quick else ORDERS
    pairs = [(f"{order}-gram SP", f"{order}-gram SP+RNE") for order in orders]
    draws = 500 if quick else 2000
    return Study(
        name="acceptability_english",
        question=Bilingual(
            "Does a model judge English sentences more as people do when it sees entities by their types only?",
            "如果模型只看到实体的类型，它对英语句子的判断是否更接近人的判断？",
        ),
        materials=[
            *([] if quick else [smog("bnc"), lau2020()]),
            smog("adger"),
            smog("adger filtered"),
        ],
        systems=[
            *(model for order in orders for model in _both(order, QUICK_SENTENCES if quick else 0)),
            entity_counts(RECOGNISER),
            unknown_words(_both(max(orders), QUICK_SENTENCES if quick else 0)[0]),
        ],
        measures=[
            acceptability([*SENTENCE_PARTS, *LENGTH_PARTS], length="units"),
            acceptability(("Mean LP", "SLOR"), length="original", name=ORIGINAL),
            published_ratings(),
        ],
        analyses=[
            entity_statistics(published=True),
            entity_statistics(show="types"),
            *([] if quick else [published_correlation(draws=draws)]),
            rating_reliability(),
            rating_correlation(coefficient="pearson", draws=draws),
            rating_correlation(parts="SLOR", draws=draws, name="three coefficients of SLOR"),
            rating_correlation(
                ORIGINAL, parts=("Mean LP", "SLOR"), coefficient="pearson", draws=draws, name="by original length"
            ),
            rating_correlation_differences(pairs, parts="SLOR", draws=draws, name="differences of SLOR"),
            rating_correlation_differences(pairs, draws=draws),
            entity_effects(pairs[-1:], draws=draws),
            entity_effects(pairs[-1:], show="growth", draws=draws),
            score_positions(systems=pairs[-1], count=4, text=True),
        ],
        notes=NOTES,
    )


def _both(order: int, sentences: int) -> tuple[TrainedModel, TrainedModel]:
    """Return the model of an order as it sees words, and as it sees entities by their types."""

    def made(preprocess: str, name: str) -> TrainedModel:
        return trained(
            "ngram",
            size=str(order),
            data="brown",
            name=f"{order}-gram {name}",
            preprocess=preprocess,
            segmenter="english",
            sentences=sentences,
        )

    return made("sp", "SP"), made(f"sp+rne:{RECOGNISER}", "SP+RNE")


NOTES = [
    Bilingual(
        "What can be concluded: whether replacing entities changes how far the scores of these models go with these "
        "ratings, and in which sentences. What cannot: whether the values of Daultani and Okazaki (2022) are right. "
        "Their models learned from some 100 million words of British English, from which the BNC sentences were drawn; "
        "ours from a million words of American English of 1961. So absolute values differ.",
        "可得出的结论：替换实体是否改变这些模型的分数与这些评分的一致程度，以及在哪些句子上。"
        "不能得出的结论：Daultani 与 Okazaki（2022）的数值是否正确。其模型学自约一亿词的英国英语，BNC 句子即取自其中；"
        "本研究的模型学自一百万词的 1961 年美国英语。故绝对数值不同。",
    ),
    Bilingual(
        "Entities are recognised in the text as it is written. The sentences of Lau et al. (2020) are in lower case, "
        "in which the recogniser still finds dates and numbers but misses many names of persons and organisations: "
        "there, what replacing entities does is not what it would do in ordinary spelling.",
        "实体按原文识别。Lau 等（2020）的句子几乎全为小写，识别器仍能找到日期和数字，但会漏掉许多人名和机构名；"
        "因此在这些句子上替换实体的效果，与在正常大小写的文本上并不相同。",
    ),
    Bilingual(
        "Differences are corrected within a table. SLOR is the measure of the paper's main claim and has a table of "
        "its own; all five measures together are a family so large, and so redundant, that no member is left. "
        "Which family is right was decided after both were known, so both are shown.",
        "差异在各表内校正。SLOR 是论文主要论点所用的指标，单独成表；五个指标合在一起，检验数目过多且彼此重复，"
        "校正后无一显著。采用哪一组是在两者结果均已知之后决定的，故两者并列。",
    ),
    Bilingual(
        "This copy of the Brown corpus has no quotation marks and no exclamation marks, so that these are unknown to "
        "the models, and so are the curly apostrophes of the textbook's sentences.",
        "所用布朗语料库版本没有引号和感叹号，因此模型不认识这些符号，也不认识教科书例句中的弯撇号。",
    ),
    Bilingual(
        "Ratings of the BNC sentences were given in three modes of presentation with different scales. Correlations "
        "within a mode are ours; those over all modes stand only beside the paper's, which are printed times ten.",
        "BNC 句子的评分来自三种呈现方式，量表各不相同。同一呈现方式内的相关是本研究的结果；"
        "合并各方式的相关仅与论文（其数值乘以十）对照。",
    ),
]
