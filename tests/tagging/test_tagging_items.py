from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Response, Span
from hengliang.core import NO_ITEM, TaggedWord, align, closure, items_frame, responses_frame, utf8
from hengliang.core import find_registered as find
from hengliang.tagging.labels import (
    GOLD_ELSEWHERE,
    LABELS,
    NO_TARGET,
    NO_WORDS,
    TaggingItemMeasure,
    tagging_item,
    targets,
    words_at_targets,
)
from hengliang.tagging.sentences import gold_spans
from tests.tagging.diagnostic_answers import LABELS as EXPECTED
from tests.tagging.diagnostic_answers import diagnostic_items, diagnostic_tables, tagging, tagging_frame


def label(pair: str, gold: str, marked: str, tagged: str | None) -> tuple[str | None, float | None, str]:
    """Return label, value and status of one tagged sentence, whose target stands in brackets."""
    items = diagnostic_items([(pair, gold, marked)])
    judged = tagging_item().judge(items, tagging_frame([tagging("i0", "tagger", tagged)]))
    row = judged.row(0, named=True)
    return row["label"], row["value"], row["status"]


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("他/r 就/p 此/r 离开/v", "Correct"),
        ("他/r 就此/d 离开/v", "Wrong"),  # the item's pattern
        ("他/r 就此/v 离开/v", "Record"),  # one word, another tag
        ("他/r 就/d 此/r 离开/v", "Record"),  # cut as the gold, one other tag
        ("他/r 就此离/d 开/v", "Record"),  # the tag of the pattern on a word that reaches over the end
        ("他就/d 此/r 离开/v", "Record"),  # … and over the beginning
        ("他就此离开/d", "Record"),
        ("他/x 就/p 此/r 离/x 开/x", "Correct"),  # the rest of the sentence does not count
    ],
)
def test_two_words_in_the_corpus(tagged: str, expected: str) -> None:
    """<[p+r], [d]>: the tagger is coarser."""
    found = label("p+r:d", "就/p 此/r", "他[就此]离开", tagged)
    assert found == (expected, float(expected == "Correct"), "ok")


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("看/v 电视机/n", "Correct"),
        ("看/v 电视/n 机/n", "Wrong"),
        ("看/v 电/n 视机/n", "Wrong"),  # the pattern is one of tags, wherever the word is cut
        ("看/v 电/n 视/n 机/n", "Record"),  # three words are another pattern
        ("看/v 电视/n 机/v", "Record"),
        ("看/v 电视机/v", "Record"),
        ("看电视/n 机/n", "Record"),
    ],
)
def test_one_word_in_the_corpus_that_the_tagger_cuts(tagged: str, expected: str) -> None:
    """<[n], [n+n]>: the tagger is finer."""
    assert label("n:n+n", "电视机/n", "看[电视机]", tagged)[0] == expected


def test_one_word_for_one() -> None:
    for tag, expected in (("n", "Correct"), ("v", "Wrong"), ("vn", "Record")):
        assert label("n:v", "报告/n", "他写[报告]了", f"他/r 写/v 报告/{tag} 了/u")[0] == expected


def test_the_same_tags_at_another_cut_are_wrong_only_if_they_are_the_pattern() -> None:
    # Gold 就/p 此时/n. 就此/p 时/n has the gold tags at another cut: not Correct.
    assert label("p+n:d", "就/p 此时/n", "[就此时]离开", "就此/p 时/n 离开/v")[0] == "Record"
    assert label("p+n:p+n", "就/p 此时/n", "[就此时]离开", "就此/p 时/n 离开/v")[0] == "Wrong"
    assert label("p+n:p+n", "就/p 此时/n", "[就此时]离开", "就/p 此时/n 离开/v")[0] == "Correct"


def test_a_failed_response_is_failed_and_not_wrong() -> None:
    assert label("n:v", "报告/n", "他写[报告]", None) == (None, None, "failed")
    frame = diagnostic_tables().judgements.filter(pl.col("status") == "failed")
    assert frame["reason"].to_list() == ["it broke down"]


def test_an_answer_without_words_is_missing() -> None:
    items = diagnostic_items()
    empty = responses_frame([Response("r", "i0", "tagger", None, "", "tagging", ())], "tagging")
    row = tagging_item().judge(items, empty).row(0, named=True)
    assert (row["label"], row["status"], row["reason"]) == (None, "missing", NO_WORDS)


def test_words_that_leave_a_gap_never_meet_the_target() -> None:
    # 就此 at 3–9: words at 3–6 and 7–9 start and end with it and yet do not cover it.
    words = (TaggedWord(0, 3, "r"), TaggedWord(3, 6, "p"), TaggedWord(7, 9, "r"))
    gap = responses_frame([Response("r", "i0", "tagger", None, "", "tagging", words)], "tagging")
    assert tagging_item().judge(diagnostic_items(), gap)["label"].to_list() == ["Record"]


def test_a_space_belongs_to_the_word_after_it() -> None:
    # Content "Windows Office": the span of the second word may leave the space out or have it.
    content, gold = "Windows Office", "Office/nz"
    for start in (7, 8):
        attributes = {"gold_tags": "nz", "wrong_tags": "n"}
        item = Item("i0", "nz:n", "x", "", content, (Span("target", start, 14),), gold, attributes=attributes)
        answers = tagging_frame([tagging("i0", "tagger", "Windows/n Office/nz")])
        assert tagging_item().judge(items_frame([item]), answers)["label"].to_list() == ["Correct"]


def test_the_gold_may_be_written_with_separate_marks() -> None:
    # The corpus has e and an accent (NFD); the sentence, as always, has é (NFC).
    found = label("nx:n", "cafe\u0301/nx", "在[caf\u00e9]喝", "在/p caf\u00e9/nx 喝/v")
    assert found == ("Correct", 1.0, "ok")


def test_items_that_ask_about_nothing() -> None:
    words = tagging_frame([tagging(f"i{n}", "tagger", "他/r 走/v") for n in range(4)])
    span = (Span("target", 3, 6),)
    tags = {"gold_tags": "v", "wrong_tags": "n"}
    items = items_frame(
        [
            Item("i0", "s", "m", "", "他走", span, "跑/v", attributes=tags),  # gold that is not there
            Item("i1", "s", "m", "", "他走", (), "走/v", attributes=tags),
            Item("i2", "s", "m", "", "他走", span, "走/v", attributes={"gold_tags": "v"}),
        ]
    )
    found = tagging_item().judge(items, words)
    assert found["status"].to_list() == ["missing"] * 4
    assert found["reason"].to_list() == [GOLD_ELSEWHERE, NO_TARGET, NO_TARGET, NO_ITEM]


def test_gold_tags_without_words_are_compared_by_tags() -> None:
    attributes = {"gold_tags": "p+r", "wrong_tags": "d"}
    item = Item("i0", "p+r:d", "x", "", "就此走", (Span("target", 0, 6),), None, attributes=attributes)
    for tagged, expected in (("就/p 此/r 走/v", "Correct"), ("就此/d 走/v", "Wrong"), ("就/r 此/p 走/v", "Record")):
        answers = tagging_frame([tagging("i0", "tagger", tagged)])
        assert tagging_item().judge(items_frame([item]), answers)["label"].to_list() == [expected]


def test_the_shared_tables_have_the_labels_they_were_written_for() -> None:
    judged = diagnostic_tables().judgements
    for system, labels in EXPECTED.items():
        assert judged.filter(pl.col("scored_system") == system)["label"].to_list() == list(labels)


def test_targets_say_where_and_what() -> None:
    row = targets(diagnostic_items()).row(0, named=True)
    # 他 is three bytes, 就 ends at byte 6, 此 at 9.
    assert (row["target_start"], row["target_end"], row["gold_tags"], row["gold_ends"]) == (3, 9, "p+r", "6+9")
    assert (row["wrong_tags"], row["problem"]) == ("d", "")


def test_words_at_targets_are_those_that_reach_into_them() -> None:
    answers = tagging_frame([tagging("i0", "tagger", "他就/r 此/r 离开/v")]).with_row_index("row")
    found = words_at_targets(answers.with_columns(target_start=3, target_end=9))
    assert found.select("start", "end", "tag").rows() == [(0, 6, "r"), (6, 9, "r")]


def test_registered_and_kept_promises() -> None:
    assert find("measure", "tagging item").kind is TaggingItemMeasure
    assert [finding.promise for finding in tagging_item().conformance() if not finding.kept] == []


# --- against a slow implementation ----------------------------------------------------------------------------------

TAGS = st.sampled_from(["n", "v", "d"])


def cuts(size: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Draw ways to cut so many characters of three bytes."""
    edges = st.sets(st.integers(1, size - 1), max_size=size - 1) if size > 1 else st.just(set())
    return edges.map(lambda held: _spans([0, *sorted(held), size]))


def _spans(edges: list[int]) -> list[tuple[int, int]]:
    return [(3 * start, 3 * end) for start, end in pairwise(edges)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, tuple[int, int], list[tuple[int, int, str]], str, list[tuple[int, int, str]]]:
    """Draw a sentence, a target, its gold, the wrong tags, and a tagger's words, often equal to one of the two."""
    size = draw(st.integers(1, 6))
    first = draw(st.integers(0, size - 1))
    last = draw(st.integers(first + 1, size))
    gold_cut = [(start + 3 * first, end + 3 * first) for start, end in draw(cuts(last - first))]
    gold = [(start, end, draw(TAGS)) for start, end in gold_cut]
    wrong = "+".join(draw(st.lists(TAGS, min_size=1, max_size=2)))
    words = [(start, end, draw(TAGS)) for start, end in draw(cuts(size))]
    if draw(st.booleans()):
        words = [*_spans_of(0, first), *gold, *_spans_of(last, size)]
    elif draw(st.booleans()):
        words = [*_spans_of(0, first), (3 * first, 3 * last, wrong.partition("+")[0]), *_spans_of(last, size)]
    return size, (3 * first, 3 * last), gold, wrong, words


def _spans_of(first: int, last: int) -> list[tuple[int, int, str]]:
    return [(3 * first, 3 * last, "n")] if last > first else []


def slow_label(
    size: int,
    target: tuple[int, int],
    gold: list[tuple[int, int, str]],
    wrong: str,
    words: list[tuple[int, int, str]],
) -> str:
    """Return the label by `segmentation.align`: the sentence as before, target and after against the tagger's words."""
    if [word for word in words if word[0] < target[1] and word[1] > target[0]] == gold:
        return "Correct"
    parts = [part for part in ((0, target[0]), target, (target[1], 3 * size)) if part[1] > part[0]]
    for ours, theirs in align(parts, [word[:2] for word in words]):
        if [parts[place] for place in ours] == [target] and "+".join(words[place][2] for place in theirs) == wrong:
            return "Wrong"
    return "Record"


@given(cases())
def test_equal_to_a_slow_implementation(
    case: tuple[int, tuple[int, int], list[tuple[int, int, str]], str, list[tuple[int, int, str]]],
) -> None:
    size, target, gold, wrong, words = case
    content = "甲乙丙丁戊己"[:size]
    written = " ".join(f"{utf8(content)[start:end].decode()}/{tag}" for start, end, tag in gold)
    span = (Span("target", *target),)
    item = Item("i", "s", "m", "", content, span, written, attributes={"gold_tags": "?", "wrong_tags": wrong})
    content_words = tuple(TaggedWord(*word) for word in words)
    answers = responses_frame([Response("r", "i", "t", None, "", "tagging", content_words)], "tagging")
    judged = tagging_item().judge(items_frame([item]), answers)
    assert judged.height == 1 and judged["label"][0] in LABELS
    assert judged["label"][0] == slow_label(*case)
    assert judged["value"][0] == float(judged["label"][0] == "Correct")


def test_gold_spans_and_answers_speak_of_the_same_bytes() -> None:
    assert gold_spans("他/r 就此/d") == [(0, 3, "r"), (3, 9, "d")]


def test_items_of_another_material_are_not_judged() -> None:
    plain = items_frame([Item("plain", "plain", "tagged_sentences", "", "他就此走了", gold="他/r 就/p 此/r 走/v 了/u")])
    answer = TaggedWord(0, 15, "n")
    responses = responses_frame([Response("", "plain", "A", None, "", "tagging", (answer,))], "tagging")
    assert tagging_item().judge(plain, responses).height == 0


def test_error_pairs_are_a_view_of_the_first_measure_of_this_kind_whatever_it_is_called() -> None:
    items = diagnostic_items([("v:n", "工作/v", "他[工作]。")]).with_columns(pair=pl.lit("v:n"), word=pl.lit("工作"))
    answers = tagging_frame([tagging("i0", "tagger", "他/r 工作/n 。/w")])
    measures = tagging_item("targets"), tagging_item()
    judged = pl.concat([measure.judge(items, answers) for measure in measures])
    shown = [measure.views(items, {"tagging": answers}, judged) for measure in measures]
    assert [len(views) for views in shown] == [1, 0]
    assert shown[0][0].data[0]["tallies"] == {"tagger": [0, 1, 0, 0]}
    assert tagging_item("targets").views(items, {}, judged) == ()
    assert not any(name.startswith("hengliang.report") for name in closure(TaggingItemMeasure).modules)
