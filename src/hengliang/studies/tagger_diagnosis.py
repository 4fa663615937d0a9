"""Which errors do Chinese taggers commonly make, and which tagger makes which?

The test set was mined from two parts of the People's Daily of January 1998 with five taggers, reviewed, and built as
Tang, Chang and Zhan [1] did with theirs. Each error pair is an item with its words, each word has up to five sentences.
A sixth tagger, our own, learned from the third part of the corpus and took no part in the mining.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from hengliang import Bilingual, Study, System
from hengliang.corpora import DEFAULT_CORPUS
from hengliang.tagging import (
    VOTERS,
    MendedTagger,
    mapped,
    overlaps,
    tagged_sentences,
    tagging_diagnosis,
    tagging_differences,
    tagging_item,
    tagging_items,
    tagging_quality,
)

QUICK = ("rjieba", "jiagu", "thulac")


def study(quick: bool = False) -> Study:
    """Put five taggers and our own to the set; the quick form asks three of them."""
    taggers = [mapped(name) for name in (QUICK if quick else VOTERS)]
    own: list[System] = [] if quick else [MendedTagger("everything", name="crf")]
    draws = 300 if quick else 2000
    return Study(
        name="tagger_diagnosis",
        question=Bilingual(
            "Which errors do Chinese taggers commonly make, and which tagger makes which of them?",
            "中文词性标注程序常犯哪些错误？各程序分别犯哪些？",
        ),
        # The errors that are tested, and beside them text as it comes, for the traditional scores.
        materials=[tagging_items(), tagged_sentences(parts=("test",))],
        systems=[*taggers, *own],
        measures=[tagging_item()],
        analyses=[
            tagging_diagnosis(items=False, draws=draws, name="totals"),
            tagging_diagnosis(draws=draws),
            tagging_differences(draws=draws),
            tagging_quality(tags=not quick, draws=min(draws, 1000)),
        ],
        notes=[
            *overlaps(taggers, DEFAULT_CORPUS),
            Bilingual(
                "The sentences are those in which a word stands with the tags of the item, whether or not a tagger "
                "failed there; the words are those that at least two of the five taggers got wrong. So the scores say "
                "how a tagger does with difficult words, not with text as it comes.",
                "句子取自词例带有该项目标准标记的各处，不论是否有程序在该处出错；词例为五个程序中至少两个标错者。"
                "因此得分反映的是处理难词的能力，而非处理一般文本的水平。",
            ),
        ],
    )
