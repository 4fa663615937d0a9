"""Do maps keep what they promise, alone and one after the other?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.tag_maps.tables import ANY, FORMS, TagMap, TagRow, parse_map, tag_map, tag_map_names

WORDS = ["的", "了", "，", "９", "３．５", "CD", "Ｔ恤", "马", " ，", "是"]
words = st.sampled_from(WORDS)


def a_map(own: str, targets: str) -> st.SearchStrategy[TagMap]:
    """Draw a map that names every tag of `own`, with any number of rows for forms and for words."""
    target = st.sampled_from(targets)
    particular = st.dictionaries(st.sampled_from([*FORMS, "=的", "=了", "=，"]), target, max_size=4)

    def rows(held: dict[str, tuple[str, dict[str, str]]]) -> TagMap:
        made = [
            row
            for tag, (usual, forms) in held.items()
            for row in (TagRow(tag, usual), *(TagRow(tag, to, form) for form, to in forms.items()))
        ]
        return TagMap(own + targets, tuple(made), own, targets)

    return st.fixed_dictionaries({tag: st.tuples(target, particular) for tag in own}).map(rows)


answers = st.lists(st.tuples(st.sampled_from("ABCD"), words), max_size=12)


def mapped(one: TagMap, answers: list[tuple[str, str]]) -> list[str]:
    tags = pl.Series("label", [tag for tag, _ in answers], dtype=pl.String)
    return one.mapped(tags, [word for _, word in answers]).to_list()


@given(a_map("ABCD", "xyz"), answers)
def test_columns_say_what_single_tags_say(one: TagMap, answers: list[tuple[str, str]]) -> None:
    found = mapped(one, answers)
    assert found == [one.one(tag, word) for tag, word in answers]
    assert len(found) == len(answers)
    assert set(found) <= one.targets


@given(a_map("ABCD", "xyz"), answers)
def test_words_at_the_places_where_they_matter_are_enough(one: TagMap, answers: list[tuple[str, str]]) -> None:
    tags = pl.Series("label", [tag for tag, _ in answers], dtype=pl.String)
    places = one.dependent(tags)
    said = pl.Series([answers[place][1] for place in places], dtype=pl.String)
    assert one.mapped(tags, said, places).to_list() == mapped(one, answers)


@given(a_map("ABCD", "klm"), a_map("klm", "xyz"), answers)
def test_a_composed_map_is_one_map_after_the_other(
    first: TagMap, second: TagMap, answers: list[tuple[str, str]]
) -> None:
    between = list(zip(mapped(first, answers), [word for _, word in answers], strict=True))
    assert mapped(first.composed(second), answers) == mapped(second, between)
    tags = pl.Series([tag for tag, _ in answers], dtype=pl.String)
    assert first.composed(second).mapped(tags).to_list() == second.mapped(first.mapped(tags)).to_list()


@given(a_map("ABCD", "kl"), a_map("kl", "uvw"), a_map("uvw", "xy"), answers)
def test_composition_is_associative(
    first: TagMap, second: TagMap, third: TagMap, answers: list[tuple[str, str]]
) -> None:
    left = first.composed(second).composed(third)
    right = first.composed(second.composed(third))
    assert mapped(left, answers) == mapped(right, answers)
    assert left.targets == {row.target for row in left.rows} <= third.targets


@given(st.lists(st.tuples(st.sampled_from(sorted(tag_map("pku").targets)), words)))
def test_mapping_what_is_mapped_changes_nothing(answers: list[tuple[str, str]]) -> None:
    once = mapped(tag_map("pku"), answers)
    assert once == [tag for tag, _ in answers]


@pytest.mark.parametrize("name", [name for name in tag_map_names() if tag_map(name).target == "pku"])
def test_every_map_to_the_corpus_can_be_led_on(name: str) -> None:
    found = tag_map(name)
    again = found.composed(tag_map("pku"))
    for tag in found.own_tags:
        for word in [None, *WORDS]:
            assert again.one(tag, word) == found.one(tag, word)
    assert tag_map("ud").targets >= found.composed(tag_map("pku-ud")).composed(tag_map("ud")).targets


def test_an_unknown_tag_stays_if_the_corpus_has_it_and_is_marked_if_not() -> None:
    own = parse_map("own\ttarget\nfoo\tn\nx\tx\nx\tw\tpunctuation\n", "mine", "mine.tsv")
    tags = pl.Series("label", ["foo", "v", "bar", "x", "bar", None])
    found = own.mapped(tags, ["马", "走", "，", "，", "啊", None])  # type: ignore[list-item]
    assert found.to_list() == ["n", "v", "?bar", "w", "?bar", None]
    assert found.name == "label"
    assert own.unmapped(tags) == {"bar": 2, "v": 1}
    assert own.targets == {"n", "x", "w"}


def test_the_more_particular_row_decides_and_the_space_before_a_word_does_not_count() -> None:
    one = TagMap("one", (TagRow("P", "p"), TagRow("P", "h", "han"), TagRow("P", "de", "=的")))
    assert [one.one("P", word) for word in (None, "CD", "马", "的", " 的")] == ["p", "p", "h", "de", "de"]
    assert [one.form_that_decides("P", word) for word in (None, "CD", "马", " 的")] == [ANY, ANY, "han", "=的"]


def test_wrong_uses_are_explained() -> None:
    with pytest.raises(UserError, match="1 words were given for 2 tags"):
        tag_map("jieba").mapped(pl.Series(["x", "x"]), ["，"])
    with pytest.raises(UserError, match="lac leads to pku tags, ud starts from ud"):
        tag_map("lac").composed(tag_map("ud"))
    short = parse_map("# from: pku\n# to: ud\nn\tNOUN\n", "short", "short.tsv")
    with pytest.raises(UserError, match="short says nothing of Ag"):
        tag_map("pku").composed(short)


def test_the_signature_is_that_of_the_rows() -> None:
    text = "own\ttarget\tform\tnote\nfoo\tn\tany\t{}\n"
    one, other = (parse_map(text.format(note), note, f"{note}.tsv") for note in ("this", "that"))
    assert one.signature() == other.signature()
    assert one.signature() != parse_map("foo\tv\n", "this", "this.tsv").signature()
