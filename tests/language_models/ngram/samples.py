"""Which small n-gram models do the tests share?

`small.arpa` was made from `sentences.txt` by KenLM: lmplz -o 4 --discount_fallback. `TINY` is written by hand; its
distributions sum to one, as the fractions in its comments show.
"""

from __future__ import annotations

import math
from pathlib import Path

DATA = Path(__file__).parent / "data"
SMALL = DATA / "small.arpa"
SENTENCES = (DATA / "sentences.txt").read_text(encoding="utf-8").splitlines()

UNSEEN = [
    "老师 买 了 一 匹 马 。",
    "月亮 月亮 月亮",
    "雪 在 桌子 上 雪 了",
    "",
    "。 。",
    "B 组 有 A 医生",
    "他 们 雪 雪 雪 雪 来",
]
"""Sentences with words and orders that the training text does not have."""


def _log(fraction: float) -> str:
    return repr(math.log10(fraction))


# Unigrams: <unk> 1/10, </s> 3/10, 山 4/10, 水 2/10.
# After <s>: 山 1/2, the rest shares 1/2, which is 1/2 ÷ (1 − 4/10) = 5/6 of its unigram mass.
# After 山: 水 1/2 and </s> 1/4; the rest shares 1/4: 1/4 ÷ (1 − 2/10 − 3/10) = 1/2.
# After <s> 山: 水 3/4, the rest 1/4: 1/4 ÷ (1 − p(水 | 山) = 1/2) = 1/2.
TINY = f"""\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
{_log(1 / 10)}\t<unk>
-99\t<s>\t{_log(5 / 6)}
{_log(3 / 10)}\t</s>
{_log(4 / 10)}\t山\t{_log(1 / 2)}
{_log(2 / 10)}\t水\t0

\\2-grams:
{_log(1 / 2)}\t<s> 山\t{_log(1 / 2)}
{_log(1 / 2)}\t山 水
{_log(1 / 4)}\t山 </s>

\\3-grams:
{_log(3 / 4)}\t<s> 山 水

\\end\\
"""


def tiny(folder: Path) -> Path:
    path = folder / "tiny.arpa"
    path.write_text(TINY, encoding="utf-8")
    return path
