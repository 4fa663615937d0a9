"""Are texts found by name and by path, and is their format known?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.corpora.catalogue import DEFAULT_CORPUS, FORMATS
from hengliang.corpora.running_text import find_origin, formats


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(f"{name}\n", encoding="utf-8")


def test_the_default_corpus_is_tagged_and_has_articles() -> None:
    origin = find_origin(DEFAULT_CORPUS)
    assert (origin.name, origin.format, origin.articles) == (DEFAULT_CORPUS, "pku", True)
    assert [path.name for path in origin.paths] == ["199801.txt"]


@pytest.mark.parametrize(("suffix", "name"), [(suffix, name) for suffix, (name, _) in FORMATS.items()])
def test_the_ending_of_a_file_says_its_format(tmp_path: Path, suffix: str, name: str) -> None:
    put(tmp_path, f"a{suffix}")
    origin = find_origin(str(tmp_path / f"a{suffix}"))
    assert (origin.format, origin.name, origin.articles) == (name, f"a{suffix}", False)
    assert origin.licence == "unclear"
    assert f"*{suffix}" in formats()


def test_a_folder_is_plain_text_before_it_is_trees(tmp_path: Path) -> None:
    put(tmp_path, "2.fid", "1.nid", "notes.md")
    origin = find_origin(str(tmp_path))
    assert (origin.format, [path.name for path in origin.paths]) == ("brackets", ["1.nid", "2.fid"])
    before = origin.checksum
    put(tmp_path, "b.txt", "a.txt")
    origin = find_origin(str(tmp_path))
    assert (origin.format, [path.name for path in origin.paths]) == ("plain", ["a.txt", "b.txt"])
    assert origin.checksum != before


def test_a_checksum_knows_the_content(tmp_path: Path) -> None:
    put(tmp_path, "a.txt")
    before = find_origin(str(tmp_path / "a.txt")).checksum
    (tmp_path / "a.txt").write_text("other", encoding="utf-8")
    assert find_origin(str(tmp_path / "a.txt")).checksum != before


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("cc-cedict", "cc-cedict is no running text"),
        ("nowhere/a.txt", "There is no file nowhere/a.txt"),
        ("no-such-source", "No data source is called 'no-such-source'"),
    ],
)
def test_what_is_no_text_is_named(data: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        find_origin(data)


def test_other_files_and_empty_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no plain text"):
        find_origin(str(tmp_path))
    put(tmp_path, "a.docx")
    with pytest.raises(UserError, match="in no known format of text"):
        find_origin(str(tmp_path / "a.docx"))


@pytest.mark.mirror
def test_treebanks_of_the_catalogue_have_their_formats(mirror: Path) -> None:
    assert find_origin("sinica-treebank").format == "sinica"
    assert find_origin("ud-chinese-gsd-2016").format == "conllu"
    assert [path.suffix for path in find_origin("ud-chinese-gsdsimp").paths] == [".conllu", ".conllu"]
