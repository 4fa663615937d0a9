from __future__ import annotations

import io
import json
import math
import sys
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from rich.cells import cell_len

from hengliang import Bilingual, UserError
from hengliang.report import words
from hengliang.report.formats import Style
from hengliang.report.markdown import escape_markdown
from hengliang.report.tables import Column, Table, text_table
from tests.report.example import small_table
from tests.report.pages import read_page

NUMBER = Style("number", 2)


def test_cells_are_values_with_intervals_and_a_missing_value_is_a_dash_with_its_reason() -> None:
    shown = [[str(cell) for cell in row] for row in small_table().cells()]
    assert shown == [
        ["GE", "43.1 [42.0, 44.0]", "< .001"],
        ["名词词典", "— (no data), 3 missing", ".250"],
        ["all", "— (a reason of our own)", "—"],
    ]


def test_the_other_language_changes_words_and_no_numbers() -> None:
    shown = [[str(cell) for cell in row] for row in small_table().in_language("zh").cells()]
    assert shown[1] == ["名词词典", "— (无数据), 缺失 3", ".250"]
    assert shown[2][0] == "全部"
    assert shown[0][1:] == ["43.1 [42.0, 44.0]", "< .001"]


def test_a_row_can_have_a_style_of_its_own() -> None:
    column = Column("x", Bilingual("x", "x"), NUMBER, styles=(Style("percent", 0), NUMBER))
    table = Table(pl.DataFrame({"x": [0.5, 0.5]}), (column,))
    assert [str(row[0]) for row in table.cells()] == ["50", "0.50"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_full_width_characters_align_in_a_terminal(language: Any) -> None:
    table = text_table(
        [
            (Column("name", Bilingual("Name", "名称"), header=True), ["GE", "名词词典", "混合 mixed"]),
            (Column("count", Bilingual("Count", "数量"), Style("integer")), [1, 22, 31_204]),
        ],
        language,
    )
    lines = [line for line in str(table).splitlines() if line.strip() and "─" not in line]
    assert len(lines) == 4
    # The second column stands right, so that every line has the same width, counted in cells of a terminal.
    assert len({cell_len(line) for line in lines}) == 1
    assert len({len(line) for line in lines}) > 1  # counted in characters the widths differ


def test_markup_of_the_terminal_is_shown_and_not_obeyed() -> None:
    table = text_table([(Column("a", Bilingual("[red]A[/red]", "A")), ["[bold]x[/bold]"])])
    assert "[red]A[/red]" in str(table)
    assert "[bold]x[/bold]" in str(table)


def test_the_notebook_gets_a_table_with_scopes() -> None:
    page = read_page(small_table()._repr_html_())
    assert [cell.text for cell in page.all("th", scope="col")] == ["System", "Accuracy (%)", "p"]
    assert [cell.text for cell in page.all("th", scope="row")] == ["GE", "名词词典", "all"]
    assert page.all("td")[0].text == "43.1 [42.0, 44.0]"


def test_leading_headers_that_repeat_are_written_once() -> None:
    table = text_table(
        [
            (Column("system", Bilingual("System", "系统"), header=True), ["GE", "GE", "RULE"]),
            (Column("part", Bilingual("Part", "部分"), header=True), ["a", "a", "a"]),
            (Column("n", words.N, Style("integer")), [1, 2, 3]),
        ]
    )
    page = read_page(table._repr_html_())
    groups = page.all("th", scope="rowgroup")
    assert [(cell.text, cell.attributes["rowspan"]) for cell in groups] == [("GE", "2")]
    # The last header is never merged: each row keeps a header of its own.
    assert [cell.text for cell in page.all("th", scope="row")] == ["a", "a", "RULE", "a"]


values = st.one_of(st.none(), st.floats(allow_nan=False))
names = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12))


@given(st.lists(st.tuples(names, values, st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))), max_size=8))
def test_csv_gives_back_every_value(rows: list[tuple[Any, ...]]) -> None:
    schema: dict[str, Any] = {"name": pl.String, "value": pl.Float64, "n": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    columns = tuple(Column(name, Bilingual(name, name), NUMBER) for name in schema)
    text = Table(frame, columns).to_csv()
    assert_frame_equal(pl.read_csv(io.StringIO(text), schema=schema), frame, check_exact=True)


def test_csv_keeps_chinese_quotes_and_line_breaks() -> None:
    frame = pl.DataFrame({"a": ['他说"个"', "行\n二", ""], "b": [0.1, None, 1e-300]})
    text = Table(frame, ()).to_csv()
    assert_frame_equal(pl.read_csv(io.StringIO(text), schema=frame.schema), frame, check_exact=True)


def test_json_is_strict_and_complete() -> None:
    frame = pl.DataFrame({"x": [1.5, math.nan, math.inf, -math.inf, None]})
    table = Table(frame, (Column("x", Bilingual("X", "某"), NUMBER),))
    value = json.loads(table.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert value["schema_version"] == 1
    assert value["columns"] == [{"name": "x", "title": {"en": "X", "zh": "某"}, "format": "number", "digits": 2}]
    assert [row["x"] for row in value["rows"]] == [1.5, None, "Infinity", "-Infinity", None]


def test_frames_hold_raw_values() -> None:
    table = small_table()
    assert table.to_polars()["accuracy"][0] == 0.431
    pandas = table.to_pandas()
    assert list(pandas.columns) == table.frame.columns
    assert pandas["accuracy"][0] == 0.431


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UserError, match=r"pip install 'hengliang\[pandas\]'"):
        small_table().to_pandas()


# --- Markdown ---------------------------------------------------------------------------------------------------------


def test_markdown_is_a_pipe_table_with_numbers_to_the_right() -> None:
    assert small_table().to_markdown().splitlines() == [
        "| System | Accuracy (%) | p |",
        "| --- | ---: | ---: |",
        "| GE | 43.1 [42.0, 44.0] | < .001 |",
        "| 名词词典 | — (no data), 3 missing | .250 |",
        "| all | — (a reason of our own) | — |",
    ]


@given(st.text())
def test_no_text_makes_a_new_column_or_a_line_or_markup(text: str) -> None:
    table = text_table([(Column("a", Bilingual("A", "甲")), [text])])
    line = table.to_markdown().splitlines()[2]
    assert len(table.to_markdown().splitlines()) == 3
    assert line.replace("\\\\", "").replace("\\|", "").count("|") == 2
    assert "<" not in line


def test_markdown_escapes_what_has_a_meaning() -> None:
    assert escape_markdown("*a* _b_ `c` [d](e)") == r"\*a\* \_b\_ \`c\` \[d\](e)"
    assert escape_markdown("- 一") == r"\- 一"
    assert escape_markdown("1. 一") == r"1\. 一"
    assert escape_markdown("<img>\nx") == "&lt;img&gt; x"
