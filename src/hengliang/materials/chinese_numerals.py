"""Which number does a Chinese numeral write, and how is a number written in Chinese?

三, 十二, 一百零五, also 3 and 12. Before a classifier the number 2 is 两, elsewhere 二. Which stretches of running text
are numbers is another question: see `hengliang.systems.entities.chinese_numbers`.
"""

from __future__ import annotations

import re

from hengliang.core.errors import UserError

LARGEST = 9999
NUMERAL = r"(?:[0-9]+|[〇零一二两三四五六七八九十百千]+)"
"""The pattern of a numeral, without groups; what it matches need not be one (一一)."""

_DIGITS = "零一二三四五六七八九"
_VALUES = {**{digit: value for value, digit in enumerate(_DIGITS)}, "两": 2, "〇": 0}
_UNITS = (("千", 1000), ("百", 100), ("十", 10))
# Each part at most once, in order; 零 stands where a place is left out: 一百零五.
_WRITTEN = re.compile(
    r"(?:(?P<千>[一二两三四五六七八九])千零?)?(?:(?P<百>[一二两三四五六七八九])百零?)?"
    r"(?:(?P<十>[一二三四五六七八九])?(?P<ten>十))?(?P<ones>[〇零一二两三四五六七八九])?"
)


def chinese_numeral(number: int) -> str:
    """Return a number from 0 to 9999 in Chinese, as it is said alone.

    >>> chinese_numeral(12), chinese_numeral(105), chinese_numeral(110)
    ('十二', '一百零五', '一百一十')
    """
    if not 0 <= number <= LARGEST:
        raise UserError(f"{number} is not written in Chinese here.", valid=f"Numbers from 0 to {LARGEST}.")
    if number < 10:
        return _DIGITS[number]
    written, left, gap = "", number, False
    for unit, worth in _UNITS:
        digit, left = divmod(left, worth)
        if digit:
            written += ("零" if gap and written else "") + _DIGITS[digit] + unit
        gap = not digit and bool(written)
    if left:
        written += ("零" if gap else "") + _DIGITS[left]
    # 十二, but 一百一十二: ten is 一十 only within a larger number.
    return written.removeprefix("一") if 10 <= number < 20 else written


def counting_numeral(number: int) -> str:
    """Return a number as it is said before a classifier: 两 for two.

    >>> counting_numeral(2), counting_numeral(12)
    ('两', '十二')
    """
    return "两" if number == 2 else chinese_numeral(number)


def numeral_value(text: str) -> int | None:
    """Return the number that a numeral writes, None for what is no numeral.

    >>> numeral_value("两"), numeral_value("一百零五"), numeral_value("12"), numeral_value("一一")
    (2, 105, 12, None)
    """
    if text.isascii() and text.isdecimal():
        return int(text)
    found = _WRITTEN.fullmatch(text)
    if found is None or not text:
        return None
    total = sum(_VALUES[found[unit]] * worth for unit, worth in _UNITS if found[unit])
    if found["ten"] and not found["十"]:
        total += 10
    return total + (_VALUES[found["ones"]] if found["ones"] else 0)
