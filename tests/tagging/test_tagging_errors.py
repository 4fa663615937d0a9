from __future__ import annotations

import re
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Response, UserError
from hengliang.core import TaggedWord, align, items_frame, responses_frame, words_of
from hengliang.tagging.errors import COVERAGE_SCHEMA, INSTANCE_SCHEMA, compared_sentences, error_instances
from hengliang.tagging.sentences import gold_spans, read_gold
from hengliang.tagging.test_sets.test_set import ErrorPair, error_pair
from tests.tagging.tagged_answers import answer, answers, sentences


def mined(gold: str, predicted: str, segmentation: bool = True) -> list[tuple[object, ...]]:
    found = error_instances(sentences({"s": gold}), answers({"A": {"s": predicted}}), segmentation)
    return found.select("pair", "direction", "word", "gold", "predicted", "start", "end").rows()


def test_a_word_with_another_tag() -> None:
    # 他 is the bytes 0–3, 跑 3–6 and 了 6–9.
    assert mined("他/r 跑/v 了/u", "他/r 跑/n 了/u") == [("v:n", "same", "跑", "跑/v", "跑/n", 3, 6)]


def test_joined_words_make_a_pair_of_several_tags() -> None:
    found = mined("他/r 就/p 此/r 走/v 了/u", "他/r 就此/d 走/v 了/u")
    assert found == [("p+r:d", "coarser", "就此", "就/p 此/r", "就此/d", 3, 9)]
    assert str(error_pair(str(found[0][0]))) == "<[p+r], [d]>"


def test_a_word_cut_finer() -> None:
    assert mined("牛肉/n 好/a", "牛/n 肉/n 好/a") == [("n:n+n", "finer", "牛肉", "牛肉/n", "牛/n 肉/n", 0, 6)]


def test_words_cut_across_each_other_are_one_group() -> None:
    found = mined("下雨/v 天/n 好/a", "下/v 雨天/n 好/a")
    assert found == [("v+n:v+n", "crossing", "下雨天", "下雨/v 天/n", "下/v 雨天/n", 0, 9)]


def test_the_same_tags_with_other_boundaries_are_an_instance() -> None:
    assert [row[0] for row in mined("木头/n 房子/n", "木头房/n 子/n")] == ["n+n:n+n"]


def test_what_is_alike_is_no_instance() -> None:
    assert mined("他/r 跑/v 了/u", "他/r 跑/v 了/u") == []


def test_without_segmentation_only_one_word_for_one_counts() -> None:
    gold, predicted = "他/r 就/p 此/r 走/v 了/u", "他/n 就此/d 走/v 了/y"
    assert [row[0] for row in mined(gold, predicted)] == ["r:n", "p+r:d", "u:y"]
    assert [row[0] for row in mined(gold, predicted, segmentation=False)] == ["r:n", "u:y"]


def test_spaces_of_latin_words_belong_to_the_word_after_them() -> None:
    found = mined("用/p Windows/nx NT/nx 写/v", "用/p Windows/nx NT/n 写/v")
    # 用 has 3 bytes, Windows 7, and the word NT starts with its space: 10–13.
    assert found == [("nx:n", "same", "NT", "NT/nx", "NT/n", 10, 13)]


def test_a_word_with_a_space_in_it_stays_one_word() -> None:
    items = sentences({"s": "用/p Windows/nx NT/nx 写/v"})
    words = (TaggedWord(0, 3, "p"), TaggedWord(3, 13, "nz"), TaggedWord(13, 16, "v"))
    found = error_instances(items, responses_frame([Response("", "s", "A", None, "", "tagging", words)], "tagging"))
    assert found["word"].to_list() == ["Windows NT"]
    assert read_gold(found["predicted"][0]) == (("Windows\u00a0NT",), ("nz",))


def test_a_slash_may_be_a_word() -> None:
    assert [row[0] for row in mined("///w 跑/v", "///w 跑/n")] == ["v:n"]


def test_several_sentences_and_taggers_stay_apart() -> None:
    items = sentences({"one": "他/r 跑/v", "two": "她/r 跳/v", "three": "你/r 说/v"})
    responses = answers(
        {
            "B": {"three": "你/r 说/n", "one": "他/r 跑/v"},
            "A": {"two": "她跳/v", "one": "他/n 跑/v", "three": "你/r 说/v"},
        }
    )
    found = error_instances(items, responses)
    assert dict(found.schema) == INSTANCE_SCHEMA
    # Taggers in the order of their answers, within a tagger the order of the items.
    assert found.select("system", "item", "pair").rows() == [
        ("B", "three", "v:n"),
        ("A", "one", "r:n"),
        ("A", "two", "r+v:v"),
    ]


def unfitting(*words: TaggedWord) -> Response:
    return Response("", "s", "A", None, "", "tagging", words)


@pytest.mark.parametrize(
    "words",
    [
        (),  # nothing at all
        (TaggedWord(0, 3, "r"),),  # ends too early
        (TaggedWord(0, 3, "r"), TaggedWord(3, 9, "v")),  # runs into the next sentence
        (TaggedWord(3, 6, "v"),),  # begins too late
        (TaggedWord(0, 2, "r"), TaggedWord(2, 6, "v")),  # cuts a character
        (TaggedWord(0, 3, "r"), TaggedWord(4, 6, "v")),  # leaves a gap
        (TaggedWord(0, 6, "r"), TaggedWord(3, 6, "v")),  # overlaps
        (TaggedWord(0, 3, "r"), TaggedWord(3, 3, "u"), TaggedWord(3, 6, "v")),  # has an empty word
        (TaggedWord(0, 3, ""), TaggedWord(3, 6, "v")),  # has no tag
        (TaggedWord(-3, 3, "r"), TaggedWord(3, 6, "v")),
        (TaggedWord(0, 3, "r"), TaggedWord(3, 6_000_000, "v")),
    ],
)
def test_answers_that_do_not_fit_are_left_out_and_counted(words: tuple[TaggedWord, ...]) -> None:
    items = sentences({"before": "我/r", "s": "他/r 跑/v", "after": "你/r"})
    given = responses_frame([answer("before", "我/n"), unfitting(*words), answer("after", "你/n")], "tagging")
    assert error_instances(items, given)["item"].to_list() == ["before", "after"]
    counted = compared_sentences(items, given).row(0, named=True)
    assert (counted["compared"], counted["unfitting"], counted["words"], counted["errors"]) == (2, 1, 2, 2)


def test_failed_and_missing_answers_are_left_out_and_counted() -> None:
    items = sentences({"one": "他/r 跑/v", "two": "她/r 跳/v", "three": "你/r 说/v"})
    responses = answers({"A": {"one": "他/r 跑/n", "two": ""}, "B": {"one": "", "two": "", "three": ""}})
    assert error_instances(items, responses)["item"].to_list() == ["one"]
    counted = compared_sentences(items, responses)
    assert dict(counted.schema) == COVERAGE_SCHEMA
    # system, sentences, compared, failed, unfitting, unanswered, words, errors
    assert counted.rows() == [("A", 3, 1, 1, 0, 1, 2, 1), ("B", 3, 0, 3, 0, 0, 0, 0)]


def test_no_answers_give_no_errors() -> None:
    items, nothing = sentences({"one": "他/r"}), responses_frame([], "tagging")
    assert error_instances(items, nothing).schema == INSTANCE_SCHEMA
    assert compared_sentences(items, nothing).height == 0


def test_mistakes_are_told() -> None:
    items = sentences({"one": "他/r"})
    with pytest.raises(UserError, match="two answers"):
        error_instances(items, responses_frame([answer("one", "他/r"), answer("one", "他/n")], "tagging"))
    with pytest.raises(UserError, match="is about 'two'"):
        error_instances(items, responses_frame([answer("two", "他/r")], "tagging"))
    for gold in (None, "", "他", "他/ "):
        bad = items_frame([Item("one", "one", "m", "", "他", gold=gold)])
        with pytest.raises(UserError, match="'one' has no tagged words"):
            error_instances(bad, responses_frame([answer("one", "他/r")], "tagging"))
    other = items_frame([Item("one", "one", "m", "", "她", gold="他/r")])
    with pytest.raises(UserError, match="give the sentence '他', but its content is '她'"):
        error_instances(other, responses_frame([answer("one", "她/r")], "tagging"))


@pytest.mark.parametrize("tag", ["v:t", "v+t", "v,t", "[v]"])
def test_a_tag_of_which_no_pair_can_be_made_is_told(tag: str) -> None:
    items = sentences({"one": "他/r 跑/v"})
    with pytest.raises(UserError, match=re.escape(f"The tagger 'A' gives the tag '{tag}'")):
        error_instances(items, answers({"A": {"one": f"他/r 跑/{tag}"}}))
    items = sentences({"one": f"他/r 跑/{tag}"})
    with pytest.raises(UserError, match=re.escape(f"The corpus has the tag '{tag}'")):
        error_instances(items, answers({"A": {"one": "他/r 跑/v"}}))


def test_a_tagger_with_another_tag_set_is_told() -> None:
    golds = {f"s{place}": "他/PRON 跑/VERB" for place in range(50)}  # 100 words
    wrong = answers({"A": dict.fromkeys(golds, "他/r 跑/v")})
    with pytest.raises(UserError, match="'A' gives none of the tags of the corpus in 100 words"):
        error_instances(sentences(golds), wrong)
    # One tag in common is enough, and in a few words there need not be any.
    near = answers({"A": dict.fromkeys(golds, "他/r 跑/VERB")})
    assert error_instances(sentences(golds), near).height == 50
    few = dict(list(golds.items())[:49])
    assert error_instances(sentences(few), answers({"A": dict.fromkeys(few, "他/r 跑/v")})).height == 98


# --- against the alignment of single sentences ----------------------------------------------------------------------

CHARACTERS = "天地人ab1，é𠮷"


@st.composite
def compared(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Give the gold of a sentence and what two taggers answered, each cut and tagged anyhow."""
    text = draw(st.text(CHARACTERS, min_size=1, max_size=8))

    def tagged() -> str:
        cuts = sorted(draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=len(text))) | {0, len(text)})
        words = [text[start:end] for start, end in pairwise(cuts) if start < end]
        return " ".join(f"{word}/{draw(st.sampled_from('nva'))}" for word in words)

    return tagged(), [tagged(), tagged()]


def one_by_one(content: str, gold: str, spans: list[tuple[int, int, str]]) -> list[tuple[object, ...]]:
    """Mine one sentence with `segmentation.align`: an independent way to the same rows."""
    right = gold_spans(gold)
    rows: list[tuple[object, ...]] = []
    for mine, other in align([span[:2] for span in right], [span[:2] for span in spans]):
        ours, theirs = [right[index] for index in mine], [spans[index] for index in other]
        if ours == theirs:
            continue
        pair = ErrorPair(tuple(span[2] for span in ours), tuple(span[2] for span in theirs))
        start, end = ours[0][0], ours[-1][1]
        rows.append((pair.name, pair.direction, start, end, *words_of(content, [(start, end)])))
    return rows


def spans_in(content: str, tagged: str) -> list[tuple[int, int, str]]:
    """Find words one after the other in a sentence; a space belongs to the word after it."""
    raw, place, spans = content.encode(), 0, []
    for word, tag in zip(*read_gold(tagged), strict=True):
        end = place
        for character in word:
            end += raw[end : end + 1] == b" "
            end += len(character.encode())
        spans.append((place, end, tag))
        place = end
    return spans


@given(st.lists(compared(), min_size=1, max_size=5))
def test_all_sentences_at_once_are_mined_as_each_alone(cases: list[tuple[str, list[str]]]) -> None:
    items = sentences({f"s{number}": gold for number, (gold, _) in enumerate(cases)})
    contents = items["content"].to_list()
    rows, expected = [], []
    for system in range(2):
        for number, (gold, given_answers) in enumerate(cases):
            spans = spans_in(contents[number], given_answers[system])
            words = tuple(TaggedWord(*span) for span in spans)
            rows.append(Response("", f"s{number}", f"T{system}", None, "", "tagging", words))
            expected += [(f"s{number}", f"T{system}", *row) for row in one_by_one(contents[number], gold, spans)]
    found = error_instances(items, responses_frame(rows, "tagging"))
    assert found.select("item", "system", "pair", "direction", "start", "end", "word").rows() == expected
    assert compared_sentences(items, responses_frame(rows, "tagging"))["errors"].sum() == found.height
    _check_texts(found)


def _check_texts(found: pl.DataFrame) -> None:
    for row in found.iter_rows(named=True):
        pair = error_pair(row["pair"])
        assert read_gold(row["gold"])[1] == pair.gold
        assert read_gold(row["predicted"])[1] == pair.predicted
        letters = {"".join("".join(read_gold(row[side])[0]).split()) for side in ("gold", "predicted")}
        assert letters == {"".join(row["word"].split())}
