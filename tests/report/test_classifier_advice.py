"""Do ranked classifiers and corrections fit into a terminal?"""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from hengliang import Bilingual
from hengliang.report.classifier_advice import draw_advice, draw_correction, draw_summary
from hengliang.systems.classifier_choosers.advice import Advice, describe
from hengliang.systems.classifier_choosers.noun_finding import FoundNoun
from hengliang.systems.proofreading.corrections import Correction

NOTE = Bilingual("mind this\x1b", "请注意")
CHOICES = (describe("匹", 0.9), describe("系列", 0.05), describe("嘿", None))
ADVICE = Advice(1, 1, "牵着一马", 9, FoundNoun("马", (9, 12), "lac"), CHOICES, (NOTE,))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_columns_are_aligned_and_no_row_is_wider_than_the_terminal(width: int) -> None:
    heading, first, second, third, note = draw_advice(ADVICE, "en", width=width).split("\n")
    assert heading == "牵着一＿马  (noun: 马)"
    assert all(cell_len(row) <= width for row in (first, second, third))
    place = cell_len(first[: first.index("0.90")])
    assert cell_len(second[: second.index("0.05")]) == place
    assert "not in our table" in third
    assert "—" in third
    assert note == "    note: mind this\\x1b"


def test_in_chinese_and_without_a_noun() -> None:
    bare = Advice(1, 1, "牵着一", 9, FoundNoun(), CHOICES[:1], (NOTE,))
    shown = draw_advice(bare, "zh", width=80).split("\n")
    assert shown[0] == "牵着一＿  (未找到名词)"
    assert shown[-1] == "    注: 请注意"
    assert draw_advice(bare, "zh", heading=False).startswith(" 1  匹")


def test_a_correction_shows_its_surroundings_only() -> None:
    text = "甲" * 30 + "一辆桌子" + "乙" * 30
    start = len(("甲" * 30 + "一").encode())
    reason = Bilingual("because", "因为")
    one = Correction(
        3, start, start + 3, "wrong", "辆", "桌子", (describe("张", 0.5), describe("个", None)), reason, 0.0
    )
    first, why = draw_correction(one, text, "en").split("\n")
    # Fifteen characters on either side: fourteen 甲 and 一, 桌子 and thirteen 乙.
    where = "line 3, character 32  classifier doubtful: "
    assert first == f"{where}…{'甲' * 14}一[辆]桌子{'乙' * 13}… → 张 0.50 / 个"
    assert why == "    because"
    assert "量词可疑" in draw_correction(one, text, "zh")


def test_the_summary_counts() -> None:
    assert draw_summary([], 2, 1, "en") == "1 sentence, 2 classifiers: 0 places to look at."
    assert draw_summary([], 2, 1, "zh") == "1 句，2 个量词；0 处建议。"
