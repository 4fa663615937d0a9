"""Are the user's copy of the Chinese Classifier Dataset and files in its format read as a material?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import places
from hengliang.materials.ccd import BrokenLine
from hengliang.materials.ccd_slots import CcdSlots, ccd_slots
from hengliang.systems.classifier_choosers.slots import slots_of

ROWS = {
    "train": "LWC_1_01,他 有 一 <CL> 狗 。,狗,只\nLCMC_A01_0001_01,买 两 <CL> 票 。,票,张\n",
    "dev": "UCLA_J_2_01,三 <CL> 桥 。,桥,座\n",
    "test": "LWC_9_01,一 <CL> 人 买 一 <CL> 书 。,书,本\nLWC_1_01,他 有 两 <CL> 猫 。,猫,只\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "CCD"
    place.mkdir()
    for part, text in ROWS.items():
        (place / f"{part}.csv").write_text(text, encoding="utf-8")
    return place


def test_parts_of_a_folder(folder: Path) -> None:
    items = ccd_slots(folder, "train").items()
    assert items["gold"].to_list() == ["只", "张"]
    assert items["genre"].to_list() == ["weibo", "LCMC"]
    assert items["text_category"].to_list() == ["", "A"]
    assert items["corpus_part"].unique().to_list() == ["train"]


def test_all_parts_together(folder: Path) -> None:
    items = CcdSlots(folder).items()
    assert items["corpus_part"].to_list() == ["train", "train", "dev", "test", "test"]
    # The id of the first row of train is used in test again.
    assert items["id"].to_list() == ["LWC_1_01", "LCMC_A01_0001_01", "UCLA_J_2_01", "LWC_9_01", "LWC_1_01~test"]
    assert items["set"][4] == "LWC_1_01"
    assert (slots_of(items)["problem"] == "").all()


def test_two_rows_of_one_id_are_numbered(tmp_path: Path) -> None:
    file = tmp_path / "one.csv"
    file.write_text("A,一 <CL> 人 有 一 只 狗,人,个\nA,一 个 人 有 一 <CL> 狗,狗,只\n", encoding="utf-8")
    items = ccd_slots(file).items()
    assert (items["id"].to_list(), items["set"].to_list()) == (["A", "A~2"], ["A", "A"])
    assert items["genre"].to_list() == ["unknown", "unknown"]


def test_broken_lines_are_left_out_on_request(folder: Path) -> None:
    file = folder / "test.csv"
    file.write_text(ROWS["test"] + "LWC_3_01,没有 空位,空位,个\nLWC_4_01,一 <CL> 人,人,个\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"test\.csv, line 3: there is no <CL>"):
        ccd_slots(folder, "test").items()
    material = ccd_slots(folder, "test", errors="skip")
    assert material.items()["id"].to_list() == ["LWC_9_01", "LWC_1_01", "LWC_4_01"]
    assert material.broken_lines() == {"test": (BrokenLine(3, "there is no <CL> in '没有 空位'"),)}
    facts = {title.en: value for title, value in material.facts(material.items())}
    assert (facts["Broken lines left out"], facts["Sentences with a second slot"]) == ("1", "1")


def test_the_folder_is_found_where_the_catalogue_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    with pytest.raises(UserError, match=r"git clone https://github\.com/wuningxi/ChineseClassifierDataset .*/data/ccd"):
        ccd_slots().items()
    places.data().mkdir(parents=True)
    folder.rename(places.data() / "ccd")
    assert ccd_slots(part="dev").items()["gold"].to_list() == ["座"]
    assert ccd_slots("ccd", "dev").items()["gold"].to_list() == ["座"]


def test_faults_say_what_to_do(folder: Path) -> None:
    with pytest.raises(UserError, match="No part is called 'tset'"):
        CcdSlots(folder, "tset").items()  # type: ignore[arg-type]
    with pytest.raises(UserError, match="is one file and has no dev part"):
        ccd_slots(folder / "dev.csv", "dev").items()
    with pytest.raises(UserError, match=r"There is no file or folder .*ccd-sample/exp1\.csv"):
        ccd_slots(folder / "nowhere").items()
    with pytest.raises(UserError, match=r"several files.*ccd-sample/exp2_random\.csv"):
        ccd_slots("ccd-sample").items()
    (folder / "dev.csv").unlink()
    with pytest.raises(UserError, match=r"dev\.csv is not there.*git clone"):
        ccd_slots(folder).items()


def test_the_signature_goes_by_content(folder: Path) -> None:
    before = ccd_slots(folder, "dev").signature()
    assert ccd_slots(folder, "test").signature() != before
    assert ccd_slots(folder, "dev", errors="skip").signature() != before
    (folder / "dev.csv").write_text("UCLA_J_2_01,三 <CL> 桥 。,桥,条\n", encoding="utf-8")
    assert ccd_slots(folder, "dev").signature() != before
    assert ccd_slots(folder, "dev").items()["gold"].to_list() == ["条"]


def test_conformance(folder: Path) -> None:
    assert [finding.promise for finding in CcdSlots(folder).conformance() if not finding.kept] == []


@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_the_sample() -> None:
    first = ccd_slots("ccd-sample/exp1.csv", choices=("RULE", "LSTM", "BERT")).items()
    second = ccd_slots("ccd-sample/exp2_random.csv", choices=("GE", "RULE", "BERT")).items()
    assert (first.height, second.height) == (200, 100)
    # The accuracies that the thesis prints.
    assert [(first[name] == first["gold"]).mean() for name in ("RULE", "LSTM", "BERT")] == [0.655, 0.770, 0.840]
    assert [(second[name] == second["gold"]).mean() for name in ("GE", "RULE", "BERT")] == [0.73, 0.84, 0.89]
    genres = pl.concat([first, second], how="diagonal")["genre"].value_counts(sort=True).rows()
    assert dict(genres) == {"weibo": 296, "LCMC": 3, "UCLA": 1}
    # No row of the sample has a second mark: other classifiers of its sentences stand in place.
    for items in (first, second):
        assert items["segmented"].str.count_matches("<CL>").unique().to_list() == [1]
        assert items["spans"].list.len().unique().to_list() == [2]
