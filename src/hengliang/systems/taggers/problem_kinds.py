"""How many sentences could not be tagged, and why, in a few lines?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from hengliang.core.terms import Bilingual, both

_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"gave no answer within ([\d.e+]+) s", "no answer within {} s", "{} 秒内没有回答"),
    (r"(?:process|program) (?:died|ended) \((.*?)\)", "the process died ({})", "进程中断（{}）"),
    (r"returned no words", "no words came back", "没有返回任何词"),
    (r"do not cover the sentence", "the words do not cover the sentence", "返回的词没有覆盖整个句子"),
    (r"failed: (\w+)", "the tagger raised {}", "标注器报错（{}）"),
    (r"half a character", "the text holds half a character", "文本中有半个字符"),
    (r"(?:reads|given) at most", "the text is too long", "文本过长"),
    (r"wrote (?:no|not one|[\d,]+) lines?", "not one line for one sentence", "一句的输出不是一行"),
    (r"wrote more than [\d,]+ bytes", "far too much output", "输出过多"),
    (r"is not UTF-8", "the output is not UTF-8", "输出不是 UTF-8 编码"),
    (r"has no tag|gave the word .* no tag", "a word has no tag", "有的词没有标记"),
    (
        r"the tagger (?:changed the text|left out|added|cut within)",
        "the words are not the text of the sentence",
        "返回的词与原句文字不符",
    ),
)
_PARTICULAR = re.compile(r"'[^']*'|‘[^’]*’|“[^”]*”|[\d,.]*\d")


def problem_summary(problems: Iterable[str]) -> list[tuple[Bilingual, int]]:
    """Return why sentences failed and how many of them, the most frequent reason first; no problem does not count.

    Problems of one kind are counted together; of a kind unknown here, those that differ only in numbers and quotations.
    """
    counts = Counter(_kind(problem) for problem in problems if problem)

    def rank(entry: tuple[Bilingual, int]) -> tuple[int, str]:
        return -entry[1], entry[0].en

    return sorted(counts.items(), key=rank)


def _kind(problem: str) -> Bilingual:
    for pattern, english, chinese in _KINDS:
        if match := re.search(pattern, problem):
            return Bilingual(english.format(*match.groups()), chinese.format(*match.groups()))
    return both(_PARTICULAR.sub("…", problem))
