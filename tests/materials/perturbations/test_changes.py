"""Does a change say rightly what it did and where, and does nothing but its own sentence and kind decide on it?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import slices
from hengliang.materials.perturbations.changes import (
    Change,
    changed_spans,
    deleted,
    in_order_of_lots,
    inserted,
    moved,
    replaced,
    swapped,
    word_set,
)
from tests.materials.perturbations.toys import TOLD, tagged

SENTENCE = tagged("我/r 见/v 过/u 这/r 位/q 老师/n 。/w")


def changed(change: Change) -> list[str]:
    places = [(span.start, span.end) for span in changed_spans(change) if span.name == "changed"]
    return slices(change.content, places)


def test_two_words_are_exchanged() -> None:
    change = swapped(SENTENCE, "rule", 3)
    assert change.content == "我见过位这老师。"
    assert changed(change) == ["位", "这"]
    assert (change.touched, change.detail) == ((3, 4), "位 before 这")


def test_a_word_is_moved_to_either_side() -> None:
    right = moved(SENTENCE, "rule", 1, 6)
    assert right.content == "我过这位老师见。"
    assert changed(right) == ["", "见"]
    left = moved(SENTENCE, "rule", 4, 0)
    assert left.content == "位我见过这老师。"
    assert changed(left) == ["位", ""]
    # The zero-width span stands where the word was: before 老师, after five characters of three bytes.
    assert changed_spans(left)[-1].start == 5 * 3
    assert (right.detail, left.detail) == ("见 moved by +4", "位 moved by -4")


def test_words_are_replaced_left_out_and_put_in() -> None:
    other = replaced(SENTENCE, "rule", 4, "辆", "辆 for 位")
    assert (other.content, changed(other)) == ("我见过这辆老师。", ["辆"])
    less = deleted(SENTENCE, "rule", 3, 6)
    assert (less.content, changed(less), less.touched) == ("我见过。", [""], (3, 4, 5))
    more = inserted(SENTENCE, "rule", 1, "被")
    assert (more.content, changed(more), more.touched) == ("我被见过这位老师。", ["被"], (0, 1))


def test_words_are_spans_too() -> None:
    change = swapped(SENTENCE, "rule", 3)
    words = [(span.start, span.end) for span in changed_spans(change) if span.name == "word"]
    assert slices(change.content, words) == list(change.words)


def test_a_word_list_is_a_set() -> None:
    assert word_set("一 二 一") == {"一", "二"}


@given(st.permutations(range(5)), st.integers(0, 9), st.sampled_from(["a", "b"]))
def test_the_order_does_not_depend_on_how_the_changes_come(order: list[int], seed: int, kind: str) -> None:
    changes = [swapped(tagged(TOLD[0]), f"rule {place % 2}", place) for place in range(5)]
    found = in_order_of_lots([changes[place] for place in order], seed, "toy-1-1", kind)
    assert found == in_order_of_lots(changes, seed, "toy-1-1", kind)
    # Changes by one rule stay together, so that a rule with many places has no better chance than another.
    rules = [change.rule for change in found]
    assert rules in (["rule 0"] * 3 + ["rule 1"] * 2, ["rule 1"] * 2 + ["rule 0"] * 3)


def test_seed_sentence_and_kind_all_matter() -> None:
    changes = [swapped(tagged(TOLD[0]), f"rule {place}", place) for place in range(9)]
    orders = {
        tuple(change.rule for change in in_order_of_lots(changes, seed, name, kind))
        for seed in (1, 2)
        for name in ("x", "y")
        for kind in ("a", "b")
    }
    assert len(orders) == 8
