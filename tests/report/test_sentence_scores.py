"""Do scored sentences fit the terminal, with bars for the words that pull them down?"""

from __future__ import annotations

import polars as pl
from rich.cells import cell_len

from hengliang.measures.explanation import PULLED_DOWN_BY
from hengliang.report.sentence_scores import draw_scores

FRAME = pl.DataFrame(
    {
        "id": ["1", "第二", "3"],
        "slor": [0.25, -1.0, None],
        "words": [4, 12, None],
        "problem": [None, None, "the line is empty"],
        "sentence": ["他 来 了 。", "很长的句子" * 30, None],
    }
)


def test_a_line_a_sentence_within_the_width() -> None:
    for width in (40, 60, 100):
        lines = draw_scores(FRAME, ["slor"], width=width).split("\n")
        assert len(lines) == 4
        assert all(cell_len(line) <= max(width, 44) for line in lines)
    assert lines[0].split() == ["id", "slor", "words", "sentence"]
    assert lines[1].split() == ["1", "0.2500", "4", "他", "来", "了", "。"]
    assert lines[2].endswith("…")
    assert lines[3].split(maxsplit=3) == ["3", "—", "—", "(the line is empty)"]


def test_later_pages_have_no_heading() -> None:
    assert "words" not in draw_scores(FRAME, ["slor"], heading=False)


def test_words_that_pull_down_stand_under_their_sentence() -> None:
    words = [
        {"word": "咣当", "contribution": -2.0, "unknown": True, "seen_as": None},
        {"word": "北京", "contribution": -1.0, "unknown": False, "seen_as": "<ne:GPE>"},
        {"word": "了", "contribution": 0.5, "unknown": False, "seen_as": None},
    ]
    column = pl.Series("pulled_down_by", [words, [], None], dtype=PULLED_DOWN_BY)
    lines = draw_scores(FRAME.with_columns(column), ["slor"], width=80).split("\n")
    # The longest bar has 20 cells and stands for −2, so −1 has 10; what does not pull down has none.
    assert lines[2].split() == ["-2.0000", "咣当?", "█" * 20]
    assert lines[3].split() == ["-1.0000", "北京", "█" * 10, "seen", "as", "<ne:GPE>"]
    assert lines[4].split() == ["0.5000", "了"]
    assert len(lines) == 7


def test_what_could_disturb_the_terminal_is_escaped() -> None:
    frame = FRAME.with_columns(sentence=pl.lit("a\x1b[31m\nb"), problem=pl.lit(None, pl.String))
    assert "\\x1b[31m\\nb" in draw_scores(frame, ["slor"])
