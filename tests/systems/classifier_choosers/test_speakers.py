from __future__ import annotations

import unicodedata
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual, UserError
from hengliang.materials.classifier_inventory import own_classifiers
from hengliang.surveys import Experiment, Scale, answers_frame, stimuli_frame, write_experiment
from hengliang.systems.classifier_choosers.speakers import (
    SPEAKER_SCHEMA,
    BrokenRow,
    SlotPlace,
    normalise_answer,
    place_of,
    read_speakers,
)
from tests.systems.classifier_choosers.lessons import Lessons

FORMS = [classifier.form for classifier in own_classifiers()]
HORSE = SlotPlace("他牵着一马走过来。", 12)

FILE = """sentence,participant,answer
他牵着一<CL>马走过来。,P1,匹
他牵着一<CL>马走过来。,P2,一匹
他牵着一<CL>马走过来。,P3,隻
桌上有三<CL>书。,P1,本
桌上有三<CL>书。,P2,
桌上有三<CL>书。,P3,不知道
"""


def written(folder: Path, text: str, name: str = "cloze.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("given", "meant", "changes"),
    [
        ("匹", "匹", ()),
        (" 匹 ", "匹", ("spaces or width",)),
        ("匹。", "匹", ("punctuation",)),
        ("“匹”", "匹", ("punctuation",)),
        ("/匹", "匹", ("punctuation",)),
        ("隻", "只", ("traditional characters",)),
        ("個", "个", ("traditional characters",)),
        ("一個", "个", ("traditional characters", "numeral")),
        ("一个", "个", ("numeral",)),
        ("这 种", "种", ("spaces or width", "numeral")),
        ("３匹", "匹", ("spaces or width", "numeral")),
        ("匹马", "匹", ("words after it",)),
        ("一匹马走", "匹", ("numeral", "words after it")),
        ("匹/头", "匹", ("first of several",)),
        ("匹、头", "匹", ("first of several",)),
        ("匹或者头", "匹", ("first of several",)),
        ("不知道", None, ("said that there is none",)),
        ("N/A", None, ("said that there is none",)),
        ("ge", None, ("not in Chinese characters",)),
        ("？", None, ("not in Chinese characters",)),
        ("", None, ()),
        (" \t", None, ()),
        ("系列", "系列", ()),
        ("一系列", "系列", ("numeral",)),
        ("颗", "颗", ()),
        ("一", "一", ()),
        ("匹牛", "匹牛", ()),
    ],
)
def test_spellings(given: str, meant: str | None, changes: tuple[str, ...]) -> None:
    assert normalise_answer(given, HORSE) == (meant, changes)


@given(st.sampled_from(FORMS), st.sampled_from(["", "一", "这", "三", "20"]), st.sampled_from(["", " ", "。"]))
def test_a_form_of_the_inventory_is_found_behind_a_numeral(form: str, before: str, after: str) -> None:
    meant, _ = normalise_answer(before + form + after)
    # 一 before a form may make another form of the inventory, and then that one is meant.
    assert meant == (before + form if before + form in FORMS else form)


@given(st.text(max_size=8))
def test_a_second_time_changes_nothing(given: str) -> None:
    meant, _ = normalise_answer(given, HORSE)
    if meant is not None:
        assert normalise_answer(meant, HORSE)[0] == meant
        assert unicodedata.is_normalized("NFC", meant)


def test_places() -> None:
    assert place_of("他牵着一<CL>马走过来。") == HORSE
    assert place_of(" 他 牵着 一 <CL> 马 走 过来 。 ") == HORSE
    assert place_of("他牵着一＜ＣＬ＞马走过来。") == HORSE
    # A space between Latin words stays, as it does in the materials.
    assert place_of("用 一 <CL> Think Pad 写") == SlotPlace("用一Think Pad写", 6)
    assert place_of("一<CL>") == SlotPlace("一", 3)
    assert place_of("他牵着一马") == "there is no slot: mark it with <CL>, as in 他牵着一<CL>马"
    assert place_of("一<CL>马和一<CL>牛") == "there is more than one <CL>"
    assert place_of("") == "the sentence is empty"


@pytest.mark.parametrize(("name", "text"), [("cloze.csv", FILE), ("cloze.tsv", FILE.replace(",", "\t"))])
def test_a_file_with_sentences(tmp_path: Path, name: str, text: str) -> None:
    found = read_speakers(written(tmp_path, "\ufeff" + text, name))
    assert dict(found.table.schema) == SPEAKER_SCHEMA
    assert found.table.select("participant", "answer", "given").rows() == [
        ("P1", "匹", "匹"),
        ("P2", "匹", "一匹"),
        ("P3", "只", "隻"),
        ("P1", "本", "本"),
        ("P2", None, ""),
        ("P3", None, "不知道"),
    ]
    assert found.table["slot"].to_list() == [12, 12, 12, 12, 12, 12]
    assert found.participants == ("P1", "P2", "P3")
    assert found.changes == {"numeral": 1, "traditional characters": 1, "said that there is none": 1}
    assert found.of("P1")["answer"].to_list() == ["匹", "本"]
    with pytest.raises(UserError, match="P9"):
        found.of("P9")


def test_the_order_of_rows_does_not_change_the_checksum(tmp_path: Path) -> None:
    head, *rows = FILE.splitlines()
    one = read_speakers(written(tmp_path, FILE))
    two = read_speakers(written(tmp_path, "\n".join([head, *rows[::-1]]), "other.csv"))
    three = read_speakers(written(tmp_path, FILE.replace("隻", "头"), "third.csv"))
    assert one.checksum() == two.checksum() != three.checksum()


def test_a_file_with_items_of_a_material(tmp_path: Path) -> None:
    path = written(tmp_path, "item,participant,answer\nslot-1,P1,本\nslot-5,P1,头\n")
    found = read_speakers(path, items=Lessons())
    assert found.table.select("sentence", "slot", "answer").rows() == [("看见一书。", 9, "本"), ("看见一马。", 9, "头")]
    with pytest.raises(UserError, match="names items and has no sentences"):
        read_speakers(path)
    lost = written(tmp_path, "item,participant,answer\nslot-99,P1,本\nslot-1,P1,本\n", "lost.csv")
    with pytest.raises(UserError, match="no item is called 'slot-99'"):
        read_speakers(lost, items=Lessons())
    some = read_speakers(lost, items=Lessons(), errors="skip")
    assert some.table.height == 1
    assert some.broken == (BrokenRow(2, "no item is called 'slot-99'"),)


def test_broken_rows_are_named_and_the_others_are_read(tmp_path: Path) -> None:
    text = FILE + "没有空格。,P1,个\n一<CL>马和一<CL>牛,P1,个\n桌上有三<CL>书。,P1,部\n他有一<CL>书,,本\n"
    path = written(tmp_path, text)
    with pytest.raises(UserError, match=r"line 8: there is no slot.*\(3 more lines"):
        read_speakers(path)
    found = read_speakers(path, errors="skip")
    assert found.table.height == 6
    assert [row.line for row in found.broken] == [8, 9, 10, 11]
    assert found.broken[2].reason == "'P1' answers twice here"
    assert found.broken[3].reason == "there is no participant"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sentence,participant\n一<CL>马,P1\n", "no column 'answer'"),
        ("participant,answer\nP1,匹\n", "no column 'sentence' or 'item'"),
        ("", "holds no answers"),
        ("sentence,participant,answer\n", "holds no answers"),
    ],
)
def test_another_table_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        read_speakers(written(tmp_path, text))


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cloze.csv"
    path.write_bytes("sentence,participant,answer\n一<CL>马,P1,匹\n".encode("gb18030"))
    assert read_speakers(path).table["answer"].to_list() == ["匹"]
    path.write_bytes("sentence,participant,answer\n一<CL>马,P1,匹\n".encode() + b"\xff,P1,x\n")
    with pytest.raises(UserError, match="line 3: byte 1 of the line is not UTF-8"):
        read_speakers(path)
    with pytest.raises(UserError, match="nowhere"):
        read_speakers(tmp_path / "nowhere.csv")


def cloze(folder: Path, *scales: Scale) -> Path:
    stimuli = stimuli_frame(
        [
            {"about": "a", "item": "i1", "text": HORSE.sentence, "spans": [{"name": "slot", "start": 12, "end": 12}]},
            {"about": "b", "item": "i2", "text": "桌上有三<CL>书。", "spans": []},
        ]
    )
    rows = [("P1", "a", "匹"), ("P2", "a", "個"), ("P1", "b", "本")]
    answers = [{"participant": who, "about": about, "scale": "choice", "label": label} for who, about, label in rows]
    answers.append({"participant": "P2", "about": "b", "scale": "choice", "status": "missing", "reason": "skipped"})
    held = scales or (Scale("choice", Bilingual("Which classifier?", "填什么量词？")),)
    experiment = Experiment("cloze", Bilingual("Cloze", "完形"), held, stimuli, answers=answers_frame(answers))
    write_experiment(folder, experiment)
    return folder


def test_an_experiment_folder(tmp_path: Path) -> None:
    found = read_speakers(cloze(tmp_path / "one"))
    assert found.table.select("sentence", "slot", "participant", "answer").rows() == [
        (*HORSE, "P1", "匹"),
        (*HORSE, "P2", "个"),
        ("桌上有三书。", 12, "P1", "本"),
        ("桌上有三书。", 12, "P2", None),
    ]
    assert found.changes == {"traditional characters": 1}
    assert isinstance(found.table, pl.DataFrame)


def test_the_scale_must_be_clear(tmp_path: Path) -> None:
    two = (
        Scale("choice", Bilingual("A", "甲")),
        Scale("second", Bilingual("B", "乙")),
        Scale("fluency", Bilingual("C", "丙"), 7),
    )
    folder = cloze(tmp_path / "two", *two)
    with pytest.raises(UserError, match="2 scales without points"):
        read_speakers(folder)
    assert read_speakers(folder, scale="choice").table.height == 4
    with pytest.raises(UserError, match="fluency"):
        read_speakers(folder, scale="fluency")
    with pytest.raises(UserError, match="has no answers"):
        read_speakers(folder, scale="second")
