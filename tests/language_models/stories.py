"""Which small corpus do the tests of training share?"""

from __future__ import annotations

from itertools import product
from pathlib import Path

_WHO = ("他", "我们", "老师", "那 位 医生", "孩子 们")
_WHEN = ("昨天", "早上", "常常", "终于")
_WHAT = ("买 了 一 本 书", "看见 一 匹 马", "去 学校", "写 了 三 封 信", "回 家 吃 饭")


def story(path: Path, copies: int = 1) -> str:
    """Write a hundred paragraphs of our own, `copies` times over, and return the path as a name of data."""
    lines = [f"{who} {when} {what} 。" for who, when, what in product(_WHO, _WHEN, _WHAT)]
    path.write_text("\n".join(lines * copies) + "\n", encoding="utf-8")
    return str(path)
