"""Is a suite read as it is written, and written as it is read?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual, UserError
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE, Formula, Measured, Operation, parse_formula
from hengliang.grammar.suites.suite import ClassifierFact, Condition, Place, Prediction, Suite, SuiteItem
from hengliang.grammar.suites.text_format import parse_suite, read_suite, write_suite

TEXT = """\
# Written for this test.
class:      missing object / 宾语缺失
domain:     syntactic
modifier:   none / 无修饰语
conditions: complete *missing
regions:    subject verb aspect object stop
predict:         missing.stop > complete.stop
control length:  mean(missing.*) > mean(complete.*)
fits:       complete.verb complete.object
balanced:   object
tolerance:  0.5

1  He became a doctor.
   complete   他 | 成为 | 了 | 医生 | 。
   missing    他 | 成为 | 了 |      | 。

2
   complete    | 参观 | 了 | 一 座 工厂 | 。
   missing     | 参观 | 了 |  | 。
"""


def test_everything_that_is_written_is_read() -> None:
    suite = parse_suite(TEXT, "small")
    assert suite.name == "small"
    assert (suite.class_, suite.modifier) == (Bilingual("missing object", "宾语缺失"), Bilingual("none", "无修饰语"))
    assert suite.domain == "syntactic"
    assert suite.conditions == (Condition("complete"), Condition("missing", acceptable=False))
    assert suite.regions == ("subject", "verb", "aspect", "object", "stop")
    assert [(one.name, str(one.formula), one.counts) for one in suite.predictions] == [
        ("1", "missing.stop > complete.stop", True),
        ("length", "mean(missing.*) > mean(complete.*)", False),
    ]
    assert suite.facts == (ClassifierFact(Place("complete", "verb"), Place("complete", "object"), True),)
    assert (suite.balanced, suite.tolerance, suite.segmented) == (("object",), 0.5, True)
    assert suite.remarks == ("Written for this test.",)
    first, second = suite.items
    assert (first.id, first.gloss, first.line) == ("1", "He became a doctor.", 13)
    assert first.sentences["missing"] == (("他",), ("成为",), ("了",), (), ("。",))
    assert (second.gloss, second.sentences["complete"][3]) == ("", ("一", "座", "工厂"))
    assert second.sentences["complete"][0] == ()


def test_a_suite_is_called_as_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.none.suite"
    file.write_text("\ufeff" + TEXT, encoding="utf-8")
    suite = read_suite(file)
    assert suite.name == "mine.none"
    for encoding in ("gb18030", "utf-16"):
        file.write_bytes(TEXT.encode(encoding))
        assert read_suite(file) == suite
    file.write_bytes(TEXT.encode() + b"\xff\n")
    with pytest.raises(UserError, match=r"mine\.none\.suite, line \d+: byte 1 of the line is not UTF-8.* Save"):
        read_suite(file)
    with pytest.raises(UserError, match=r"lost\.suite"):
        read_suite(tmp_path / "lost.suite")


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("class:", "clas:", "key of a header (the suite, line 2)"),
        ("domain:     syntactic", "domain", "line 3: 'domain' is no line of a header"),
        ("domain:     syntactic", "class: again", "line 3: the key 'class' stands here a second time"),
        ("predict:         missing.stop > complete.stop\n", "", "no line 'predict:'"),
        ("missing.stop > complete.stop", "missing.stop >", "line 7: The formula cannot be read"),
        ("fits:       complete.verb complete.object", "fits: verb", "line 9: 'verb' is no classifier fact"),
        ("fits:       complete.verb complete.object", "fits: complete. complete.object", "is no classifier fact"),
        ("tolerance:  0.5", "tolerance: much", "line 11: the tolerance 'much'"),
        ("tolerance:  0.5", "words: perhaps", "line 11: words: 'perhaps'"),
        (
            "   complete   他 | 成为 | 了 | 医生 | 。",
            "   complete   他 | 成为 | 了",
            "line 14: the condition 'complete' has 3 regions",
        ),
        ("   missing    他", "   mising    他", "(the suite, line 15) is called 'mising'. Did you mean missing?"),
        ("   complete   他", "   *complete   他", "line 14: 'complete' has a star here, and none in the line"),
        (
            "   complete   他 | 成为 | 了 | 医生 | 。",
            "   | 成为 | 了 | 医生 | 。",
            "line 14: no condition is named here",
        ),
        ("   complete   他", "complete   他", "line 14: an item starts with 'complete'. A condition is indented"),
        ("\n2\n", "\n1\n", "line 17: the item '1' stands here a second time, first in line 13"),
        ("complete *missing", "complete, *missing", "line 5: 'complete, *missing' are no names apart by spaces"),
        ("complete *missing", "complete * missing", "line 5: 'complete * missing' are no names apart by spaces"),
        ("subject verb aspect", "subject、verb、aspect", "line 6: 'subject、verb、aspect object stop' are no names"),
        ("subject verb aspect object", "subject | verb aspect | object", "line 6: 'subject | verb"),
        ("1  He became", "One  He became", "line 13: 'One"),
        ("   missing    他 | 成为 | 了 |      | 。", "   complete    他 | | | |", "line 15: the condition 'complete'"),
        ("   missing    他 | 成为 | 了 |      | 。\n", "", "has the conditions complete"),
    ],
)
def test_mistakes_name_their_line(old: str, new: str, part: str) -> None:
    assert old in TEXT
    with pytest.raises(UserError) as caught:
        parse_suite(TEXT.replace(old, new, 1), "small")
    assert part in str(caught.value)


def test_a_condition_before_any_item_is_refused() -> None:
    with pytest.raises(UserError, match="before any item"):
        parse_suite(TEXT.replace("1  He became a doctor.\n", "", 1), "small")


def test_a_tab_parts_words_as_a_space_does() -> None:
    tabs = (
        TEXT.replace("1  He", "1\tHe").replace("   complete   他", "\tcomplete\t他").replace("predict:  ", "predict\t:")
    )
    assert tabs != TEXT
    assert parse_suite(tabs, "small") == parse_suite(TEXT, "small")


def test_the_marks_may_be_full_width() -> None:
    wide = TEXT.replace(":  ", "：").replace("|", "｜").replace("*missing", "＊missing")
    assert wide.count("：") > 4
    assert parse_suite(wide, "small") == parse_suite(TEXT, "small")


def test_remarks_may_be_indented_and_stars_repeated() -> None:
    found = parse_suite(TEXT.replace("   missing    他", "   # Short.\n   * missing  他"), "small")
    assert found.remarks == ("Written for this test.", "Short.")
    assert found.items == parse_suite(TEXT, "small").items


def test_lines_keep_their_order() -> None:
    predict, control = TEXT.splitlines()[6:8]
    turned = TEXT.replace(f"{predict}\n{control}", f"{control}\n{predict}")
    turned = turned.replace("fits: ", "clashes: missing.verb missing.stop\nfits: ")
    suite = parse_suite(turned, "small")
    assert [one.counts for one in suite.predictions] == [False, True]
    assert [fact.fits for fact in suite.facts] == [False, True]
    assert parse_suite(write_suite(suite), "small") == suite


def changed(**parts: object) -> Suite:
    return replace(parse_suite(TEXT, "small"), **parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("suite", "part"),
    [
        (changed(class_=Bilingual("a / b", "类")), "'a / b'"),
        (changed(modifier=Bilingual("a /", "类")), "'a /'"),
        (changed(conditions=(Condition("*complete"), Condition("missing"))), r"'\*complete'"),
        (
            changed(facts=(ClassifierFact(Place("a.b", "verb"), Place("complete", "object"), True),)),
            r"'a\.b'",
        ),
        (changed(conditions=(Condition("#1"), Condition("missing"))), "'#1'"),
        (changed(regions=("a,", "b,", "c,", "d,", "e")), "'a, b, c, d, e'"),
        (changed(predictions=(Prediction("a: b", parse_formula("missing.stop > complete.stop")),)), "'a: b'"),
        (changed(items=(SuiteItem("1", "", {"complete": (("｜",),) * 5}),)), "'｜'"),
        (changed(regions=("two words", "verb", "aspect", "object", "stop")), "'two words'"),
    ],
)
def test_what_would_be_read_otherwise_is_not_written(suite: Suite, part: str) -> None:
    with pytest.raises(UserError, match=part):
        write_suite(suite)


def test_line_breaks_in_remarks_and_glosses_break_nothing() -> None:
    suite = parse_suite(TEXT, "small")
    items = (replace(suite.items[0], gloss=" He became\n2 a doctor. "), suite.items[1])
    found = parse_suite(write_suite(replace(suite, items=items, remarks=("one\n1 two", ""))), "small")
    assert found.remarks == ("one", "1 two", "")
    assert [item.gloss for item in found.items] == ["He became 2 a doctor.", ""]


# --- properties -----------------------------------------------------------------------------------------------------

words = st.text(st.sampled_from("他她书本了。，ab1é"), min_size=1, max_size=3)
region_names = st.lists(st.sampled_from(["subject", "verb", "宾语", "r4"]), min_size=1, max_size=4, unique=True)


@st.composite
def made_suites(draw: st.DrawFn) -> Suite:
    regions = tuple(draw(region_names))
    count = draw(st.integers(2, 3))
    conditions = tuple(Condition(name, draw(st.booleans())) for name in ("good", "bad", "控制")[:count])
    sentence = st.tuples(*(st.lists(words, max_size=3).map(tuple) for _ in regions)).filter(any)
    items = tuple(
        SuiteItem(str(number), gloss, {one.name: draw(sentence) for one in conditions})
        for number, gloss in enumerate(draw(st.lists(st.sampled_from(["", "A gloss.", "Two words."]), min_size=1)), 1)
    )
    term = st.builds(lambda c, r: Measured(c.name, r, r), st.sampled_from(conditions), st.sampled_from(regions))
    formula = Formula(Operation(draw(st.sampled_from("><=")), draw(term), draw(term)))
    return Suite(
        "made",
        Bilingual("a class", draw(st.sampled_from(["a class", "类别"]))),
        Bilingual("none", "无修饰语"),
        conditions,
        regions,
        (Prediction("1", formula), Prediction("two words", formula, counts=False)),
        items,
        balanced=tuple(draw(st.lists(st.sampled_from(regions), unique=True))),
        tolerance=draw(st.sampled_from([DEFAULT_TOLERANCE, 0.0, 0.25])),
        segmented=draw(st.booleans()),
        domain=draw(st.sampled_from(["", "hybrid"])),
    )


@given(made_suites())
def test_a_written_suite_is_read_again(suite: Suite) -> None:
    found = parse_suite(write_suite(suite), "made")
    assert [(item.id, item.gloss, item.sentences) for item in found.items] == [
        (item.id, item.gloss, item.sentences) for item in suite.items
    ]
    for name in ("class_", "modifier", "conditions", "regions", "predictions", "balanced", "tolerance", "segmented"):
        assert getattr(found, name) == getattr(suite, name), name
    assert write_suite(found) == write_suite(suite)
