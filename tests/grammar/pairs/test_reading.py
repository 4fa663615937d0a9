"""Is the layout of a file or folder recognised, and is what cannot be read said clearly?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.grammar.pairs.reading import pair_files, read_pairs


def blimp_file(file: Path, *pairs: tuple[str, str], **more: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"sentence_good": good, "sentence_bad": bad, **more} for good, bad in pairs]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


LAYOUTS = {
    "sling": ("a.jsonl", '{"sentence_good":"甲","sentence_bad":"乙","phenomenon":"P","paradigm":"p","pair_ID":1}'),
    "zhoblimp": ("a.jsonl", '{"sentence_good":"甲","sentence_bad":"乙","phenomenon":"P","UID":"p","pairID":1}'),
    "blimp": ("a.jsonl", '{"sentence_good":"甲","sentence_bad":"乙","UID":"p","linguistics_term":"P"}'),
    "climp": ("a.csv", "甲\n乙"),
    "colac": ("a.csv", "sentence,label0,label1\n甲,1,1"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_is_recognised(tmp_path: Path, layout: str) -> None:
    name, text = LAYOUTS[layout]
    (tmp_path / name).write_text(text, encoding="utf-8-sig")
    held = read_pairs(tmp_path / name)
    assert held.layout == layout
    assert held.name == "a"
    assert len(held.pairs) + len(held.rated) == 1


def test_a_folder_is_read_in_order_and_named(tmp_path: Path) -> None:
    blimp_file(tmp_path / "mine" / "b" / "y.jsonl", ("他来。", "来他。"))
    blimp_file(tmp_path / "mine" / "a" / "x.jsonl", ("她走。", "走她。"), ("好。", "好。"))
    (tmp_path / "mine" / "notes.json").write_text('{"about": "nothing"}', encoding="utf-8")
    (tmp_path / "mine" / "README.md").write_text("words", encoding="utf-8")
    hidden = tmp_path / "mine" / "__MACOSX" / "._x.jsonl"
    hidden.parent.mkdir()
    hidden.write_bytes(b"\x00\x05")
    held = read_pairs(tmp_path / "mine")
    assert held.name == "mine"
    assert [pair.paradigm for pair in held.pairs] == ["x", "y"]
    assert [(Path(pair.file).name, pair.line) for pair in held.identical] == [("x.jsonl", 2)]
    assert [Path(file).name for file in held.unread] == ["notes.json"]
    assert read_pairs(tmp_path / "mine", name="other").name == "other"


def test_ids_are_made_unique_within_a_paradigm(tmp_path: Path) -> None:
    rows = [("甲。", "乙。"), ("丙。", "丁。"), ("戊。", "己。")]
    file = blimp_file(tmp_path / "x.jsonl", *rows, pairID=7)
    assert [pair.id for pair in read_pairs(file).pairs] == ["7", "7.2", "7.3"]


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    file = blimp_file(tmp_path / "x.jsonl", ("甲。", "乙。"))
    assert read_pairs(file).read == 1
    blimp_file(file, ("甲。", "乙。"), ("丙。", "丁。"))
    assert read_pairs(file).read == 2


def test_broken_lines_are_kept_beside_the_pairs(tmp_path: Path) -> None:
    file = blimp_file(tmp_path / "x.jsonl", ("甲。", "乙。"))
    file.write_text(file.read_text(encoding="utf-8") + "{\n", encoding="utf-8")
    held = read_pairs(file)
    assert (len(held.pairs), len(held.broken)) == (1, 1)
    assert str(held.broken[0]).startswith(f"{file}, line 2: it is not JSON")


def test_a_layout_may_be_named(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("good\nbad\n", encoding="utf-8")
    with pytest.raises(UserError, match="no known layout"):
        read_pairs(file)
    assert read_pairs(file, layout="climp").pairs[0].bad == "bad"
    with pytest.raises(UserError, match=r"is called 'clump'\. Did you mean climp"):
        read_pairs(file, layout="clump")


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.zip").write_bytes(b"PK")
    (tmp_path / "broken.jsonl").write_text(
        '{"sentence_good": "", "sentence_bad": ""}\n{"sentence_good": ""}\n', encoding="utf-8"
    )
    for data, problem in (
        (tmp_path / "nowhere.jsonl", "There is no file or folder"),
        (tmp_path / "empty", "has no files of pairs"),
        (tmp_path / "x.zip", "is an archive"),
        (tmp_path / "broken.jsonl", "holds no pairs. The first problem: .*line 1: it has no sentence_good"),
    ):
        with pytest.raises(UserError, match=problem):
            read_pairs(data)


def test_two_layouts_in_one_folder_are_refused(tmp_path: Path) -> None:
    for layout in ("climp", "blimp"):
        name, text = LAYOUTS[layout]
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="layouts of blimp and climp"):
        read_pairs(tmp_path)


@pytest.mark.mirror
def test_a_source_without_pairs_is_refused(mirror: Path) -> None:
    for name in ("cc-cedict", "ccd-sample", "lau2020", "smog", "qtuna"):
        with pytest.raises(UserError, match="is in no known layout of minimal pairs"):
            read_pairs(name)
    with pytest.raises(UserError, match=r"No data source is called 'slung'\. Did you mean sling"):
        read_pairs("slung")


@pytest.mark.mirror
def test_the_catalogue_names_whose_pairs_they_are(mirror: Path) -> None:
    files = pair_files("sling")
    assert (files.name, files.licence, len(files.paths)) == ("sling", "MIT", 54)
    assert "EMNLP 2022" in files.citation
