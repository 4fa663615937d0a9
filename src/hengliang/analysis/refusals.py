"""How is the reason for a number that does not exist said in Chinese?

Errors speak English, for they are shown in a terminal. Where one of them is the reason of a group without a number it
stands in the sentences of a report, which are read in both languages. The reasons that occur there are translated; any
other is quoted as it is, and said to be English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hengliang.core.terms import Bilingual

_NAME = "'(?P<name>[^']*)'"

CHINESE: Mapping[str, str] = {
    rf"The factor {_NAME} has one level only.*": "因子“{name}”只有一个水平",
    rf"The group {_NAME} of .* has one level only\.": "分组“{name}”只有一个水平",
    rf"The response {_NAME} is '(?P<level>.*)' in all (?P<n>\d+) rows that are used\.": (
        "所用 {n} 个观测的“{name}”全部为 {level}"
    ),
    rf"The measure {_NAME} gave no number\.": "“{name}”没有给出数值",
    r"All (?P<n>\d+) observations are ties\.": "全部 {n} 个观测均为平局",
    r"All (?P<n>\d+) values are (?P<level>\S+): there is no error .*": "全部 {n} 个值均为 {level}，无误差可与均值相比",
    r"All (?P<n>\d+) pairs are equal: .*": "全部 {n} 个值均等于给定数值",
    r"There are no observations\.": "没有观测",
    r"There is 1 observation\.": "只有 1 个观测",
    rf"The reference '(?P<level>[^']*)' of {_NAME} does not occur here\.": "“{name}”的参照水平 {level} 在此未出现",
    r"The column '(?P<name>.*)' of the model is zero in every row: .*": "“{name}”在所有观测中均为零",
    r"The column '(?P<name>.*)' says nothing beyond .*": "“{name}”的效应与其他效应无法区分",
    rf"{_NAME} parts the rows just as '(?P<level>[^']*)' does.*": "“{name}”与“{level}”的分组完全相同，方差无法区分",
    r"No row is left for .*": "没有完整的观测",
    rf"{_NAME} cannot be coded in another way\.": "“{name}”不能改用其他编码",
    r"The (?:random|fixed) effects explain the response without rest.*": "效应已完全解释响应变量，没有剩余变异",
}


def bilingual_reason(problem: str) -> Bilingual:
    """Return the problem that an error names in both languages.

    >>> bilingual_reason("All 31 values are 0: there is no error to hold their mean against.").zh
    '全部 31 个值均为 0，无误差可与均值相比'
    """
    for pattern, chinese in CHINESE.items():
        found = re.fullmatch(pattern, problem)
        if found:
            return Bilingual(problem, chinese.format(**found.groupdict()))
    return Bilingual(problem, f"原文：{problem}")
