"""Does the page list what fails, and does an opened item hold every number, in both languages, as plain text?"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import polars as pl

from hengliang.core import JUDGEMENT_SCHEMA, to_json
from hengliang.grammar.views import Limits, SuiteView, suite_item_view, suite_views
from hengliang.grammar.views_html import FAILING_ITEMS, NO_FAILING_ITEMS, UNITS_SHOWN, failing_items_view
from hengliang.report import Html, render_page, resource
from hengliang.report import html_tag as tag
from tests.grammar.test_suite_item_building import CROSSING
from tests.grammar.toy_suites import (
    FIRST,
    NAME,
    answers,
    judged,
    pair_answers,
    pair_items,
    toy_items,
    toy_suites,
    unit_answers,
)
from tests.report.example import small_content
from tests.report.hostile import PAYLOAD, hostile, hostile_records
from tests.report.pages import Element, read_page


def read_section(suites: tuple[SuiteView, ...]) -> Element:
    return read_page(failing_items_view(suites).html)


@cache
def section() -> Element:
    return read_section(toy_suites())


def cells(row: Element) -> list[str]:
    return [cell.text for cell in row.all() if cell.tag in {"th", "td"}]


def items(page: Element) -> list[Element]:
    return [fold for fold in page.all("details") if fold.attributes.get("class") == "item"]


def test_classes_and_suites_are_headings_and_stand_in_the_contents() -> None:
    made = failing_items_view(toy_suites())
    assert (made.anchor, made.title) == ("failing-items", FAILING_ITEMS)
    assert [anchor for anchor, _ in made.entries] == ["failing-items-1"]
    (title,) = section().all("h3")
    assert [span.text for span in title.all("span")] == ["missing object", "宾语缺失"]
    (suite,) = section().all("h4")
    assert suite.text == "Modifier: none修饰语：无修饰语 " + NAME


def test_each_suite_has_a_line_for_each_model_and_says_how_many_are_shown() -> None:
    (tallies,) = (one for one in section().all("ul") if one.attributes["class"] == "tallies")
    english = [line.all("b")[0].text + ": " + line.all("span", lang="en")[0].text for line in tallies.all("li")]
    assert english == ["first: 2 of 3 fail, 1 with a tie", "second: 1 of 3 fail, 1 not judged: the model is out"]
    assert "1 of 2 shown, the hardest first" in read_section(toy_suites(Limits(suite=1))).text


def test_a_closed_item_says_who_fails_and_by_how_much() -> None:
    first, second = items(section())
    summary = first.all("summary")[0]
    assert "他成为了医生。" in summary.text and "He became a doctor." in summary.text
    assert summary.all("code")[0].text == f"{NAME}/1"
    told = [span.text.strip() for span in summary.all("b")], summary.text
    assert told[0] == ["first", "second"]
    assert "first −0.50" in told[1] and "second −1.00" in told[1]
    assert "first = " in second.all("summary")[0].text  # a tie


def test_an_open_item_shows_regions_words_and_a_row_of_numbers_a_model() -> None:
    tables = [table for table in items(section())[0].all("table") if table.attributes["class"] == "surprisals"]
    complete, missing = tables
    regions, pieces, *rows = complete.all("tr")
    assert cells(regions) == ["complete", "subject", "verb", "object", "▼ stop"]
    assert [cell.attributes.get("colspan") for cell in regions.all("th")] == [None, None, "2", None, None]
    assert regions.all("th")[0].attributes["rowspan"] == "2"
    assert cells(pieces) == ["他", "成为", "了", "医生", "。"]
    assert pieces.attributes == {"lang": "zh-Hans", "class": "always words"}
    assert [cells(row) for row in rows] == [[model, "1.0", "2.0", "0.5", "4.0", "3.0"] for model in ("first", "second")]
    assert cells(missing.all("tr")[0])[0] == "*missing"


def test_every_row_of_a_table_is_as_wide_as_its_words() -> None:
    for table in section().all("table", **{"class": "surprisals"}):
        regions, pieces, *rows = table.all("tr")
        width = len(cells(pieces)) + 1
        for row in (regions, *rows):
            assert (
                sum(int(cell.attributes.get("colspan", "1")) for cell in row.all() if cell.tag in {"th", "td"}) == width
            )


def test_what_was_not_scored_says_why_in_both_languages() -> None:
    missing = items(section())[1].all("table", **{"class": "surprisals"})[1]
    (reason,) = missing.all("td", **{"class": "unscored"})
    assert reason.attributes["colspan"] == "4"
    assert [span.text for span in reason.all("span")] == ["not scored: the model is out", "未打分：the model is out"]


def test_margins_say_holds_fails_and_tie_without_colour() -> None:
    margins = [fold.all("table", **{"class": "margins"})[0] for fold in items(section())]
    rows = [[cells(row) for row in table.all("tbody")[0].all("tr")] for table in margins]
    assert rows == [
        [["first", "−0.50 ✗", "2.75 ✓"], ["second", "−1.00 ✗", "2.25 ✓"]],
        [["first", "0.00 =", "1.75 ✓"], ["second", "— the model is out", "— the model is out"]],
    ]
    assert [cell.text for cell in margins[0].all("td", **{"class": "fails"})] == ["−0.50 ✗", "−1.00 ✗"]


def test_a_tie_that_a_coin_settled_is_a_tie_and_what_it_counts_as() -> None:
    asked = toy_items()
    responses = answers(asked, "first", FIRST)
    for label, written in (("tie won", "0.00 = ✓"), ("tie lost", "0.00 = ✗")):
        coins = (judged(asked, responses, "coin", coin_seed=seed) for seed in range(40))
        settled = next(found for found in coins if label in found["label"])
        view = suite_item_view(asked, responses, settled, f"{NAME}/3")
        page = read_section((replace(toy_suites()[0], items=(view,)),))
        assert written in cells(page.all("table", **{"class": "margins"})[0].all("tbody")[0])


def test_formulas_stand_once_a_suite_and_at_an_item_that_has_others() -> None:
    assert section().text.count("missing.stop > complete.stop") == 1
    (suite,) = toy_suites()
    first, second = suite.items
    other = replace(second, predictions=(replace(second.predictions[0], formula="another"), *second.predictions[1:]))
    page = read_section((replace(suite, items=(first, other)),))
    assert "another" not in items(page)[0].text and "another" in items(page)[1].text


def test_units_that_cross_words_have_a_table_with_a_note() -> None:
    asked = toy_items().filter(pl.col("set") == f"{NAME}/1")
    responses = pl.concat([answers(asked, "first", FIRST), unit_answers(asked, "pieces", CROSSING)])
    view = suite_item_view(asked, responses, pl.DataFrame(schema=JUDGEMENT_SCHEMA), f"{NAME}/1")
    (suite,) = toy_suites()
    page = read_section((replace(suite, items=(view,)),))
    captions = [caption.text for caption in page.all("caption")]
    assert captions == [UNITS_SHOWN.en + UNITS_SHOWN.zh]
    assert "subject+verb" in page.text


def pair_section(models: dict[str, dict[str, float]]) -> Element:
    asked = pair_items({"p": 2, "q": 1, "r": 1, "s": 1})
    responses = pl.concat([pair_answers(asked, model, margins) for model, margins in models.items()])
    return read_section(suite_views(asked, responses, judged(asked, responses)))


def test_pairs_without_regions_have_one_row_of_units_and_the_end() -> None:
    page = pair_section({"a": {"p/1": -1.0}})
    table = page.all("table", **{"class": "surprisals"})[0]
    head, row = table.all("tr")
    assert cells(head) == ["good", "他", "来", "了", "。", "</s>"]
    assert cells(row) == ["a", "10.0", "1.0", "1.0", "1.0", "0.5"]


def test_the_filter_knows_who_fails_what() -> None:
    page = pair_section({"a": {"p/0": -2.0}, "b": {"p/0": -1.0, "p/1": -1.0}})
    assert [fold.attributes["data-failed"] for fold in items(page)] == ["0 1", "1"]
    (choice,) = page.all("select")
    assert [(option.attributes["value"], option.text) for option in choice.all("option")[1:]] == [
        ("0", "a"),
        ("1", "b"),
    ]
    assert not pair_section({"a": {"p/0": -2.0}}).all("select")  # there is nothing to choose from


def test_few_suites_stand_open_and_many_closed() -> None:
    few, many = section(), pair_section({"a": {"p/1": -1.0}})
    assert ["open" in fold.attributes for fold in few.all("details")] == [True, False, False]
    assert not any("open" in fold.attributes for fold in many.all("details"))


def test_where_nothing_fails_that_is_said() -> None:
    page = pair_section({"a": {}})
    assert NO_FAILING_ITEMS.en in page.text and not page.all("details") and not page.all("select")
    assert "0 of 2 fail" in page.text


def test_an_infinite_surprisal_is_written_as_such() -> None:
    asked = toy_items()
    numbers = {**FIRST, "1/complete": (1.0, 2.0, 0.5, 4.0, math.inf, 0.25)}
    responses = answers(asked, "first", numbers)
    page = read_section(suite_views(asked, responses, judged(asked, responses)))
    assert cells(page.all("table")[0].all("tr")[2]) == ["first", "1.0", "2.0", "0.5", "4.0", "∞"]
    assert "−∞ ✗" in page.text


def test_the_page_of_a_study_has_the_section_after_its_results() -> None:
    page = read_page(render_page(replace(small_content(), views=(failing_items_view(toy_suites()),))))
    ids = [found.attributes["id"] for found in page.all("section")]
    assert ids[ids.index("results") + 1] == "failing-items"
    assert "#failing-items-1" in [link.attributes["href"] for link in page.all("nav")[0].all("a")]
    all_ids = [element.attributes["id"] for element in page.all() if "id" in element.attributes]
    assert len(all_ids) == len(set(all_ids))


def test_no_text_of_a_suite_becomes_markup() -> None:
    spoilt, plain = (
        read_page(render_page(made))
        for made in (
            hostile(replace(small_content(), views=(failing_items_view(hostile_records(toy_suites())),))),
            replace(small_content(), views=(failing_items_view(toy_suites()),)),
        )
    )
    assert {element.tag for element in spoilt.all()} <= {element.tag for element in plain.all()}
    assert "医生" + PAYLOAD in spoilt.text and "He became a doctor." + PAYLOAD in spoilt.text
    assert not [name for element in spoilt.all() for name in element.attributes if name.startswith("on")]


def test_programs_find_the_suites_as_plain_data() -> None:
    view = failing_items_view(toy_suites())
    assert (view.name, view.data) == ("suites", to_json(list(toy_suites())))


def luminance(colour: Sequence[float]) -> float:
    """Return the relative luminance of WCAG 2.2 of a colour with channels from 0 to 255."""
    linear = [c / 3294.6 if c <= 10.31 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def test_numbers_can_be_read_on_the_darkest_shade() -> None:
    css = resource("styles.css")
    colours = {
        name: [tuple(bytes.fromhex(found)) for found in re.findall(r"#([0-9a-f]{6})", line)]
        for name, line in re.findall(r"--([\w-]+): (light-dark\(.*\));", css)
    }
    share = max(int(found) for found in re.findall(r"\[data-shade.*series-1\) (\d+)%", css)) / 100
    for scheme in (0, 1):
        ink, paper, shade = (colours[name][scheme] for name in ("ink", "paper", "series-1"))
        mixed = [share * above + (1 - share) * below for above, below in zip(shade, paper, strict=True)]
        light, dark = sorted([luminance(ink), luminance(mixed)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5  # AA


def test_a_thousand_numbers_are_small() -> None:
    """A number is 13 bytes with its cell, and less than half as much again for the rest; a page may hold many."""
    (suite,) = toy_suites()
    one = suite.items[0]
    grid = one.conditions[0].grids[0]
    wide = replace(
        grid,
        pieces=grid.pieces * 20,
        regions=("r",) * 100,
        targets=(False,) * 100,
        rows=tuple(replace(row, surprisals=row.surprisals * 20) for row in grid.rows * 5),
    )
    item = replace(one, conditions=(replace(one.conditions[0], grids=(wide,)),))
    with_it = failing_items_view((replace(suite, items=(item,)),)).html
    without = failing_items_view((replace(suite, items=(replace(one, conditions=one.conditions[1:]),)),)).html
    assert len(with_it.encode()) - len(without.encode()) < 20 * 1000
    assert tag("td", None, Html("10.3")) == "<td>10.3</td>"
