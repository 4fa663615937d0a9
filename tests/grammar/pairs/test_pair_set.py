"""Are identical, repeated and contradictory pairs found, and are paradigms found by name?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import is_spaced, plain_content
from hengliang.grammar.pairs.pair_set import BrokenLine, Pair, PairSet, lint_pairs, pair_counts, repeated_pairs


def pair(id: str, good: str, bad: str, paradigm: str = "p", phenomenon: str = "P") -> Pair:
    return Pair(id, phenomenon, paradigm, good, bad, "f.jsonl", int(id) + 1)


def test_white_space_between_chinese_words_is_none_of_the_content() -> None:
    assert plain_content(" 他 看 书 。 ") == "他看书。"
    assert plain_content("他看书。") == "他看书。"
    # Two Latin words keep their space, and a sentence without Chinese is left alone but for runs of spaces.
    assert plain_content("他 用 Windows XP 。") == "他用Windows XP。"
    assert plain_content("The  cat sleeps .") == "The cat sleeps ."
    # e with an acute accent in two code points becomes one.
    assert plain_content("caf\u0065\u0301") == "caf\u00e9"


def test_which_sentences_have_their_words_apart() -> None:
    assert is_spaced("他 来")
    assert is_spaced("来 。")
    assert not is_spaced("他来。")
    assert not is_spaced("The cat sleeps .")
    assert not is_spaced("我用 Windows 系统")


def test_a_pair_is_identical_also_when_only_spaces_differ() -> None:
    assert pair("0", "他来了。", "他 来了。").is_identical
    assert not pair("0", "他来了。", "她来了。").is_identical
    # In English a space counts: these are two sentences.
    assert not pair("0", "It fell apart.", "It fell a part.").is_identical


def test_repeated_pairs_are_those_after_the_first_of_their_paradigm() -> None:
    pairs = [pair("0", "甲", "乙"), pair("1", "乙", "甲"), pair("2", "甲", "乙"), pair("3", "甲", "乙", "q")]
    assert [one.id for one in repeated_pairs(pairs)] == ["2"]


def test_the_lint_names_each_kind_with_file_and_line() -> None:
    held = PairSet(
        "s",
        "blimp",
        (pair("0", "他来了。", "他来过了"), pair("1", "她走。", "她走过。"), pair("2", "她走过。", "她走着。")),
        identical=(pair("3", "好。", "好。"),),
        repeated=(pair("2", "她走过。", "她走着。"),),
        broken=(BrokenLine("f.jsonl", 9, "it is not JSON"),),
    )
    found = {finding.code: finding for finding in lint_pairs(held)}
    assert set(found) == {"identical", "broken", "repeated", "contradictory", "ending"}
    assert (found["identical"].pair, found["identical"].line) == ("3", 4)
    assert (found["broken"].file, found["broken"].line) == ("f.jsonl", 9)
    assert found["contradictory"].pair == "2"
    assert "bad in pair 1" in found["contradictory"].message
    assert found["ending"].pair == "0"
    assert "'。' and no mark" in found["ending"].message
    assert found["identical"].to_json()["code"] == "identical"


def test_counts_by_paradigm() -> None:
    held = PairSet(
        "s", "blimp", (pair("0", "甲", "乙"), pair("1", "甲", "丙", "q", "Q")), identical=(pair("2", "丁", "丁"),)
    )
    counts = pair_counts(held)
    assert counts.columns == ["phenomenon", "paradigm", "read", "identical", "repeated", "contradictory", "ending"]
    assert counts.rows() == [("P", "p", 2, 1, 0, 0, 0), ("Q", "q", 1, 0, 0, 0, 0)]
    assert held.read == 3


def test_paradigms_are_found_by_paradigm_phenomenon_and_selection() -> None:
    held = PairSet(
        "s",
        "blimp",
        (pair("0", "甲", "乙", "b", "X"), pair("0", "甲", "乙", "a", "X"), pair("0", "甲", "乙", "c", "Y")),
        selections={"some": ("c", "a", "elsewhere")},
    )
    assert held.paradigms() == ("b", "a", "c")
    assert held.paradigms(["X"]) == ("b", "a")
    assert held.paradigms(["c", "b"]) == ("b", "c")
    assert held.paradigms(["some"]) == ("a", "c")
    with pytest.raises(UserError, match="is called 'Z'") as caught:
        held.paradigms(["Z"])
    assert "X" in caught.value.valid


sentences = st.text(st.sampled_from("他她来走 a。"), min_size=1, max_size=6).filter(str.strip)


@given(sentences)
def test_the_content_has_no_spaces_that_do_not_count(sentence: str) -> None:
    content = plain_content(sentence)
    assert plain_content(content) == content
    assert not is_spaced(content)
    assert content.replace(" ", "") == sentence.replace(" ", "")


@given(st.lists(st.tuples(sentences, sentences), max_size=8))
def test_every_repeated_pair_has_an_earlier_one(rows: list[tuple[str, str]]) -> None:
    pairs = [pair(str(place), good, bad) for place, (good, bad) in enumerate(rows)]
    contents = [(plain_content(one.good), plain_content(one.bad)) for one in pairs]
    assert len(repeated_pairs(pairs)) == len(contents) - len(set(contents))
