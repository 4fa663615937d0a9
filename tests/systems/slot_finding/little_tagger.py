"""Which tagger needs no library, so that slots can be looked for in made texts anywhere?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hengliang.core import Labelled, LabelledSpans, labelled_spans
from hengliang.tagging import Tagger

WORDS: Mapping[str, str] = {
    **dict.fromkeys(("书", "人", "学生", "马", "狗", "老师", "信", "问题", "国家", "领导人", "票", "东西"), "n"),
    **dict.fromkeys(("一", "两", "三", "十"), "m"),
    **dict.fromkeys(("个", "本", "匹", "封", "位", "张", "系列"), "q"),
    **dict.fromkeys(("三本", "一个", "两张"), "m"),
    **dict.fromkeys(("买", "来", "写", "来自"), "v"),
    **dict.fromkeys(("这", "那", "他"), "r"),
    **dict.fromkeys(("年轻", "好", "老"), "a"),
    **dict.fromkeys(("的", "了"), "u"),
    **dict.fromkeys(("。", "，", "！", "、"), "w"),
    "北京": "ns",
    "和": "c",
}
_LONGEST = max(len(word) for word in WORDS)


class LittleTagger(Tagger):
    """Takes the longest word of a short list; what is not listed is a word of one character, tagged x."""

    name = "little"

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence; a space belongs to the word after it."""
        return labelled_spans(_words(sentence) for sentence in sentences)


class FailingTagger(LittleTagger):
    """Fails on every sentence that holds 坏."""

    name = "failing"

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence, or a problem."""
        return labelled_spans("坏 stands in it" if "坏" in text else _words(text) for text in sentences)


def _words(text: str) -> list[Labelled]:
    found: list[Labelled] = []
    place = start = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        size = next((size for size in range(_LONGEST, 0, -1) if text[place : place + size] in WORDS), 1)
        word = text[place : place + size]
        place += len(word)
        end = len(text[:place].encode())
        found.append((start, end, WORDS.get(word, "x")))
        start = end
    return found
