"""Is every slot answered with classifiers, glosses and the remarks it deserves?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import UserError
from hengliang.systems.classifier_choosers.advice import Advice, advise, as_traditional, describe, strange_characters
from hengliang.systems.classifier_choosers.adviser import Adviser
from hengliang.systems.classifier_choosers.general import General
from hengliang.systems.classifier_choosers.marked_sentences import read_marked_lines
from hengliang.systems.classifier_choosers.rule import NounCounts, Rule

COUNTS = pl.DataFrame({"noun": ["马", "书", "书", "鸟"], "label": ["匹", "本", "部", "只"], "count": [2, 3, 1, 1]})
RULE = Rule(NounCounts(COUNTS, "by hand", "CC0"))


def advice(*texts: str, top: int = 5) -> list[Advice]:
    return advise(read_marked_lines(texts), RULE, top)


def test_choices_carry_what_our_table_says() -> None:
    (one,) = advice("他牵着一<CL>马走过来")
    (choice,) = one.choices
    assert (choice.classifier, choice.probability, choice.pinyin) == ("匹", 1.0, "pǐ")
    assert choice.counts is not None
    assert "horses" in choice.counts.en
    assert "马" in choice.nouns
    assert one.notes == ()


def test_a_traditional_sentence_gets_traditional_classifiers_and_its_own_offsets() -> None:
    (one,) = advice("樹上有一<CL>鳥在唱歌")
    assert [choice.classifier for choice in one.choices] == ["隻"]
    assert (one.noun.noun, one.sentence, one.slot) == ("鳥", "樹上有一鳥在唱歌", 12)
    (book,) = advice("我買了三<CL>書", top=1)
    assert [choice.classifier for choice in book.choices] == ["本"]


@pytest.mark.parametrize(
    ("form", "traditional"), [("只", "隻"), ("个", "個"), ("出", "齣"), ("本", "本"), ("条", "條")]
)
def test_classifiers_in_traditional_characters(form: str, traditional: str) -> None:
    assert as_traditional(form) == traditional


def test_several_slots_are_answered_each_and_it_is_said() -> None:
    one, two = advice("他有三<CL>书和一<CL>马。", top=1)
    assert [one.choices[0].classifier, two.choices[0].classifier] == ["本", "匹"]
    assert one.notes[0].en == "the other slot of the sentence is left open"
    assert two.notes[0].zh == "句中另外1个空位留空"


def test_unseen_nouns_unknown_characters_and_no_noun_are_answered_with_a_note() -> None:
    unseen, strange, none = advice("一<CL>铁塔", "一<CL>马\ue000", "哎呀一<CL>啊！")
    assert unseen.choices[0].classifier == "个"
    assert "铁塔 is not among the nouns" in unseen.notes[0].en
    assert "U+E000" in strange.notes[-1].en
    assert strange.choices
    assert none.noun.noun == ""
    assert "no noun was found" in none.notes[0].en


def test_what_the_lists_know_needs_no_note_when_they_are_asked_too() -> None:
    lines = read_marked_lines(["一<CL>吸尘器"])
    assert advise(lines, Adviser(RULE))[0].notes == ()
    assert advise(lines, RULE)[0].notes != ()


def test_other_choosers_and_no_lines() -> None:
    (one,) = advise(read_marked_lines(["一<CL>马", "坏"]), General())
    assert one.choices[0].classifier == "个"
    assert advise([], General()) == []
    with pytest.raises(UserError, match="0 classifiers cannot be shown"):
        advice("一<CL>马", top=0)


def test_a_classifier_outside_of_our_table_is_shown_bare() -> None:
    bare = describe("嘿", 0.5)
    assert (bare.classifier, bare.pinyin, bare.counts, bare.nouns) == ("嘿", "", None, ())
    assert bare.to_json(2)["counts"] is None
    assert bare.to_json(2)["rank"] == 2


def test_strange_characters_are_those_that_no_text_should_hold() -> None:
    assert strange_characters("他𠮷é，A\ufffd\ue000\x07") == ("\x07", "\ue000", "\ufffd")
