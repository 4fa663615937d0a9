"""Do classifiers come from the chooser, each into its slot?"""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from hengliang.classifiers import ClassifierChooser, Rankings
from hengliang.core import Choice
from hengliang.materials.quantified_expressions import read_expression
from hengliang.systems.describers.mandarin import realise_mandarin
from hengliang.systems.describers.mandarin_classifiers import OpenSlot, filled, open_slot, open_slots
from hengliang.systems.readers.mandarin_grammar import parse_mandarin
from tests.systems.readers.mandarin_domains import ANIMALS


class ByNoun(ClassifierChooser):
    """Answers 匹 for 马, and nothing for anything else."""

    name = "BY NOUN"

    def choose(self, slots: pl.DataFrame) -> Rankings:
        known = [Choice("匹", 0.9), Choice("个", 0.1)]
        return [known if noun == "马" else [] for noun in slots["noun"].to_list()]


def test_each_slot_is_shown_in_its_sentence_with_the_others_open() -> None:
    text = f"有一{open_slot('马')}马，两{open_slot('狗')}狗。每{open_slot('猫')}猫都好。"
    assert open_slots(text) == [
        OpenSlot("有一马，两狗。", 6, "马"),
        # 有一马，两 are five characters of three bytes.
        OpenSlot("有一马，两狗。", 15, "狗"),
        OpenSlot("每猫都好。", 3, "猫"),
    ]


def test_the_first_choice_is_taken_and_where_there_is_none_the_general_classifier() -> None:
    text = f"有一{open_slot('马')}马和一{open_slot('狗')}狗。"
    assert filled(text, ByNoun()) == "有一匹马和一个狗。"
    assert filled(text) == "有一个马和一个狗。"


class Kinds(ClassifierChooser):
    """Prefers to count kinds; for 狗 it knows nothing else."""

    name = "KINDS"

    def choose(self, slots: pl.DataFrame) -> Rankings:
        kinds = [Choice("种", 0.5), Choice("类", 0.2)]
        return [[*kinds, Choice("匹", 0.3)] if noun == "马" else kinds for noun in slots["noun"].to_list()]


def test_classifiers_of_kinds_are_passed_over_for_the_next_best() -> None:
    # 两种马 are two kinds of horses, which the grammar does not read as two horses.
    assert filled(f"有两{open_slot('马')}马和一{open_slot('狗')}狗。", Kinds()) == "有两匹马和一个狗。"
    meant = (read_expression("number(2; object, white horse)", ANIMALS),)
    said = realise_mandarin(meant, ANIMALS, chooser=Kinds())
    assert said == "有两匹白色的马。"
    assert parse_mandarin(said, ANIMALS).expressions == meant


def test_a_text_without_slots_asks_nobody() -> None:
    assert filled("都是马。", ByNoun()) == "都是马。"


@given(st.lists(st.tuples(st.text("有每马狗。，", max_size=5), st.sampled_from(["马", "狗", "红色"])), max_size=6))
def test_every_slot_lies_at_its_byte(pieces: list[tuple[str, str]]) -> None:
    text = "".join(before + open_slot(noun) + noun for before, noun in pieces)
    slots = open_slots(text)
    assert [slot.noun for slot in slots] == [noun for _, noun in pieces]
    after = [slot.sentence.encode()[slot.slot :].decode().startswith(slot.noun) for slot in slots]
    assert all(after)
