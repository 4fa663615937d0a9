"""Which small run of taggers do the tests of the report show? Every answer is written down: all counts are by hand."""

from __future__ import annotations

import polars as pl

from hengliang import Item, Response, Span
from hengliang.core import TaggedWord, View, items_frame, responses_frame
from hengliang.tagging import PairView, error_pairs_view, pair_views, tagging_item

ITEMS = (
    # pair, word, sentence, where the word stands in bytes, its words in the corpus
    ("v:n", "工作", "他工作。", (3, 9), "工作/v"),
    ("v:n", "工作", "我工作。", (3, 9), "工作/v"),
    ("v:n", "决定", "她决定。", (3, 9), "决定/v"),
    ("v:n", "来", "你来。", (3, 6), "来/v"),
    ("p+r:d", "就此", "就此打住。", (0, 6), "就/p 此/r"),
)
ANSWERS = {
    # 工作: wrong and right; 决定: recorded; 来: right; 就此: wrong as the pair says
    "first": ("他/r 工作/n 。/w", "我/r 工作/v 。/w", "她/r 决/v 定/v 。/w", "你/r 来/v 。/w", "就此/d 打住/v 。/w"),
    # 工作: both wrong; 决定: right; 来: right; 就此: no answer
    "second": ("他/r 工作/n 。/w", "我/r 工作/n 。/w", "她/r 决定/v 。/w", "你/r 来/v 。/w", ""),
}


def items() -> pl.DataFrame:
    return items_frame(
        Item(
            f"{number}",
            pair,
            "tagging_items",
            word,
            content,
            (Span("target", *place),),
            gold,
            attributes={
                "pair": pair,
                "word": word,
                "gold_tags": pair.split(":")[0],
                "wrong_tags": pair.split(":")[1],
                "cluster": content,
            },
        )
        for number, (pair, word, content, place, gold) in enumerate(ITEMS)
    )


def tagged(text: str) -> tuple[TaggedWord, ...]:
    place, words = 0, []
    for token in text.split():
        word, _, tag = token.rpartition("/")
        end = place + len(word.encode())
        words.append(TaggedWord(place, end, tag))
        place = end
    return tuple(words)


def responses() -> pl.DataFrame:
    return responses_frame(
        (
            Response(f"{system}-{number}", f"{number}", system, None, "", "tagging", tagged(text))
            if text
            else Response(f"{system}-{number}", f"{number}", system, None, "", "tagging", None, "failed", "it is out")
            for system, texts in ANSWERS.items()
            for number, text in enumerate(texts)
        ),
        "tagging",
    )


def toy_pairs() -> tuple[PairView, ...]:
    return pair_views(items(), responses(), tagging_item().judge(items(), responses()))


def pairs_view(simulated: bool = False) -> View:
    return error_pairs_view(toy_pairs(), simulated=simulated)
