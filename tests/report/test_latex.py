"""Does LaTeX print a table as it is, and nothing of it obey?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.report.formats import Style
from hengliang.report.latex import escape_latex, has_chinese
from hengliang.report.tables import Column, text_table
from tests.report.example import small_table


def test_latex_is_a_tabular_with_the_rules_of_booktabs() -> None:
    assert small_table().in_language("zh").to_latex().splitlines() == [
        r"% needs \usepackage{booktabs} and, for the Chinese, \usepackage{ctex} with XeLaTeX or LuaLaTeX",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"系统 & 准确率 (\%) & p \\",
        r"\midrule",
        r"GE & 43.1 {[}42.0, 44.0{]} & $<$ .001 \\",
        r"名词词典 & --- (无数据), 缺失 3 & .250 \\",
        r"全部 & --- (a reason of our own) & --- \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_latex_without_chinese_asks_for_no_chinese_font() -> None:
    table = text_table([(Column("a", Bilingual("A", "甲")), ["x"])])
    assert "ctex" not in table.to_latex()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50% & more", r"50\% \& more"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("a_b^c~d#e$f", r"a\_b\textasciicircum{}c\textasciitilde{}d\#e\$f"),
        ("−1 < ∞", r"$-$1 $<$ $\infty$"),
        ("一\n个", "一 个"),
        ("*他 了 吃 饭", "{*}他 了 吃 饭"),
    ],
)
def test_latex_escapes(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


@given(st.text())
def test_no_text_leaves_a_special_character_of_latex_alone(text: str) -> None:
    escaped = escape_latex(text)
    for command in (
        r"\textbackslash{}",
        r"\textasciicircum{}",
        r"\textasciitilde{}",
        r"\textbar{}",
        r"$\infty$",
        "{[}",
        "{]}",
        "{*}",
    ):
        escaped = escaped.replace(command, "")
    for character in ["$<$", "$>$", "$-$"]:
        escaped = escaped.replace(character, "")
    for character in "{}$&#_%":
        escaped = escaped.replace("\\" + character, "")
    assert not set(escaped) & set("\\{}$&#_%^~<>|[]*\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("量词", True), ("Ａ", True), ("（", True), ("a classifier", False), ("χ² − ∞ · — …", False), ("", False)],
)
def test_chinese_is_told_by_the_font_it_needs(text: str, expected: bool) -> None:
    assert has_chinese(text) is expected


def test_a_heading_alone_asks_for_the_chinese_font() -> None:
    table = text_table([(Column("a", Bilingual("A", "甲")), ["x"])])
    assert "ctex" in table.in_language("zh").to_latex()


@given(st.lists(st.tuples(st.text(max_size=8), st.integers(-9999, 9999)), min_size=1, max_size=4))
def test_every_row_has_as_many_cells_as_columns_and_begins_with_nothing_that_the_line_break_would_take(
    rows: list[tuple[str, int]],
) -> None:
    columns = [
        (Column("name", Bilingual("*Name", "名称")), [name for name, _ in rows]),
        (Column("n", Bilingual("[n]", "数")), [str(number) for _, number in rows]),
    ]
    lines = text_table(columns).to_latex().split("\n")
    # A comment, the beginning and two rules before the rows; a rule, the end and an empty line after them.
    body = [lines[3], *lines[5:-3]]
    assert len(body) == 1 + len(rows)
    for line in body:
        assert line.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", line)) == 1
        # The line break takes a star, or a bracket, also after spaces.
        assert line.lstrip()[0] not in "*["


def test_words_stand_left_and_numbers_right() -> None:
    table = text_table(
        [
            (Column("n", Bilingual("n", "n"), Style("integer")), [1]),
            (Column("name", Bilingual("Name", "名称")), ["GE"]),
        ]
    )
    assert r"\begin{tabular}{rl}" in table.to_latex()
