"""Names of columns: recognising, by what it is called, the column of raters and others.

A name may be English or Chinese and may say "number" or "name" besides (`participant_id`, 评委编号).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

RATER_NAMES = (
    *("rater", "participant", "subject", "judge", "annotator", "reader", "person", "user", "worker", "respondent"),
    *("evaluator", "assessor", "speaker", "informant", "subj"),
    *("评分者", "评分员", "评分人", "评委", "评审", "评审员", "评审者", "评判者", "评判员", "评估者", "评估员"),
    *("评价者", "评议员", "被试", "被试者", "参与者", "参加者", "受试", "受试者", "受访者", "读者", "标注者", "标注员"),
    *("打分者", "打分人", "裁判", "用户", "答题者", "填写人"),
)
"""What the column of raters is often called."""

# What stands beside such a word in the name of the column that says who or which one it is: `participant_id`, 评委编号.
_BESIDE = frozenset({"id", "ids", "no", "nr", "num", "number", "code", "name", "key", "index", "idx", "uid", "pid"})
_BESIDE_CHINESE = ("编号", "序号", "代码", "代号", "姓名", "名称", "名字", "号码", "号", "名")


def surest(name: str, known: Sequence[str]) -> int:
    """Return the place of what a column is called in a list of names; one that is called otherwise comes after all.

    A word that only says "number" or "name" does not count: `participant_id` is a participant, 评委编号 is a 评委, and
    `participant_age` is neither.
    """
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", name.strip()).lower()
    words = [word for word in re.split(r"[\W_\d]+", apart) if word and word not in _BESIDE]
    if len(words) != 1:
        return len(known)
    forms = {words[0], words[0].removesuffix("id"), *(words[0].removesuffix(end) for end in _BESIDE_CHINESE)}
    return min((known.index(form) for form in forms if form in known), default=len(known))


def is_called(name: str, known: Sequence[str]) -> bool:
    """Say whether a column is called by one of these names."""
    return surest(name, known) < len(known)
