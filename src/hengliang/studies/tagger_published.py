"""Do the published scores of a tagging test set come out again?

The evaluation set of Tang, Chang and Zhan [1] with its own sentences, put to two of the five taggers of the paper:
THULAC (its B) and SnowNLP (its C), in the versions of today. THULAC stands there twice, with our tag map and with one
that maps as little as the printed zeros suggest.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from hengliang import Bilingual, Study, UserError
from hengliang.corpora import DEFAULT_CORPUS, locate
from hengliang.tagging import (
    FINE_GRAINED_SOURCE,
    mapped,
    overlaps,
    published_tagging,
    tagging_diagnosis,
    tagging_item,
    tagging_items,
)

MINIMAL = "thulac, minimal map"
COLUMNS = {"thulac": "B", MINIMAL: "B", "snownlp": "C"}


def missing() -> str:
    """Say which data the study needs that are not here."""
    try:
        locate(FINE_GRAINED_SOURCE)
    except UserError:
        return f"the data {FINE_GRAINED_SOURCE}: hengliang data get {FINE_GRAINED_SOURCE}"
    return ""


def study(quick: bool = False) -> Study:
    """Score the taggers on the published set; the quick form draws fewer bootstrap samples."""
    draws = 300 if quick else 2000
    taggers = [mapped("thulac"), mapped("thulac", map="thulac-minimal", name=MINIMAL), mapped("snownlp")]
    return Study(
        name="tagger_published",
        question=Bilingual(
            "How near do today's THULAC and SnowNLP come to their published scores on the published set?",
            "如今的 THULAC 与 SnowNLP 在已发表的评测集上，与论文中的得分相差多少？",
        ),
        materials=tagging_items(FINE_GRAINED_SOURCE),
        systems=taggers,
        measures=[tagging_item()],
        analyses=[
            tagging_diagnosis(items=False, draws=draws, name="totals"),
            published_tagging(COLUMNS, draws=draws),
            tagging_diagnosis(draws=draws),
        ],
        notes=[
            *overlaps(taggers, DEFAULT_CORPUS),
            Bilingual(
                "The set names no positions: where a word stands more than once in a sentence, the first place with "
                "the item's tags in our copy of the corpus is taken, and where there is none, the first place at all.",
                "评测集未标明词例的位置：同一句中多次出现时，取语料中首个标记相符之处；若无，则取首次出现之处。",
            ),
        ],
    )
