"""Are elicited descriptions found, read into one table, and put to systems as items?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import find_registered as find
from hengliang.materials.description_files import read_scene_table
from hengliang.materials.elicited_descriptions import (
    SCHEMA,
    ElicitedDescriptions,
    corpus_scenes,
    description_paths,
    descriptions_of_items,
    elicited_descriptions,
    read_descriptions,
)
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import read_scene

SCENES = "domain_size\tscene\tBS\tBC\tRS\tRC\n4\t1\t4\t0\t0\t0\n9\t1\t0\t0\t9\t0\n20\t1\t0\t0\t0\t20\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "corpus"
    place.mkdir()
    (place / "scenes.tsv").write_text(SCENES)
    (place / "raw_n=4.txt").write_text("1\t1\t1\t100% is blue\n2\t2\t1\tblue squares\n")
    (place / "raw_n=9.txt").write_text("1\t1\t1\tred%2C all of it%0A\r\n2\t2\t1\t\r\n")
    (place / "raw_n=20.txt").write_text("1\t1\t1\tred circles\r\n")
    return place


def test_a_folder_in_the_layout_of_the_corpus(folder: Path) -> None:
    frame = read_descriptions(folder)
    assert dict(frame.schema) == SCHEMA
    # In the order of sizes, not of names; two people are called 1, one for each size.
    assert frame.rows() == [
        ("corpus-4-1", "4-1", 1, 4, "BS=4", "100% is blue"),
        ("corpus-4-2", "4-2", 1, 4, "BS=4", "blue squares"),
        ("corpus-9-1", "9-1", 1, 9, "RS=9", "red, all of it"),
        ("corpus-20-1", "20-1", 1, 20, "RC=20", "red circles"),
    ]


def test_scenes_of_the_corpus_need_no_table(folder: Path) -> None:
    (folder / "scenes.tsv").unlink()
    # Scene 1 of the corpus: four blue squares, nine red squares, twenty blue circles.
    assert read_descriptions(folder)["scene"].to_list() == ["BS=4", "BS=4", "RS=9", "BC=20"]


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "pilot.csv"
    path.write_text("subject,scene,text\nann,BS=2,blue\nbo,RC=2,red\nbo,BS=2,blue ones\nbo,RC=3,red\n")
    frame = read_descriptions(path)
    assert frame["description_id"].to_list() == [f"pilot-{place}" for place in (1, 2, 3, 4)]
    # Scenes are numbered within their size as they come.
    assert frame.select("scene_size", "scene_number").rows() == [(2, 1), (2, 2), (2, 1), (3, 1)]


def test_a_table_with_numbers_and_its_scenes(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("subject,scene,size,text\nann,1,9,red\n")
    assert read_descriptions(path, scenes=folder / "scenes.tsv")["scene"].to_list() == ["RS=9"]


def test_items(folder: Path) -> None:
    items = ElicitedDescriptions(folder).items()
    assert items.select("id", "set", "condition", "content", "gold", "subject").row(2) == (
        "corpus-9-1", "9-1", "size 9", "red, all of it", "RS=9", "9-1",
    )  # fmt: skip
    assert items["material"].unique().to_list() == ["elicited_descriptions"]
    assert descriptions_of_items(items).equals(read_descriptions(folder))


def test_some_sizes(folder: Path) -> None:
    assert elicited_descriptions(folder, sizes=(9, 20)).items().height == 2
    with pytest.raises(UserError, match=r"No scene of size 5 was described\. Sizes: 4, 9, 20\."):
        elicited_descriptions(folder, sizes=(5,)).items()


def test_facts_and_signature(folder: Path) -> None:
    material = elicited_descriptions(folder)
    assert [told for _, told in material.facts(material.items())] == ["4: 2, 9: 1, 20: 1", "4: 2, 9: 1, 20: 1", "3"]
    before = str(material.signature())
    (folder / "raw_n=20.txt").write_text("1\t1\t1\tall red\r\n")
    assert str(material.signature()) != before
    assert not [finding for finding in material.conformance() if not finding.kept]


def test_what_is_missing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    with pytest.raises(UserError, match="hengliang data get qtuna"):
        read_descriptions()
    with pytest.raises(UserError, match=r"no file or folder .*typo\.csv"):
        read_descriptions(tmp_path / "typo.csv")
    with pytest.raises(UserError, match="holds no descriptions"):
        read_descriptions(tmp_path)
    (tmp_path / "empty.csv").write_text("subject,scene,text\n")
    with pytest.raises(UserError, match="holds no descriptions"):
        read_descriptions(tmp_path / "empty.csv")


def test_it_is_found_by_name() -> None:
    assert find("material", "elicited_descriptions").kind is ElicitedDescriptions


@pytest.mark.mirror
def test_the_corpus(mirror: Path) -> None:
    # Paper 001, section 2.2: 656, 380 and 378 valid descriptions.
    frame = read_descriptions()
    assert dict(frame.group_by("scene_size").len().iter_rows()) == {4: 656, 9: 380, 20: 378}
    subjects = frame.group_by("scene_size").agg(pl.col("subject").n_unique())
    assert dict(subjects.iter_rows()) == {4: 66, 9: 38, 20: 38}
    assert frame.select("scene_size", "scene_number").n_unique() == 30
    assert all(read_scene(code).size == size for code, size in frame.select("scene", "scene_size").iter_rows())
    # Real per cent signs are in the file of size 4 only (3 of them); codes are in none.
    signs = frame.filter(pl.col("text").str.contains("%", literal=True))["scene_size"].to_list()
    assert (set(signs), frame["text"].str.count_matches("%", literal=True).sum()) == ({4}, 3)
    assert not frame["text"].str.contains("%[0-9A-F]{2}").any()
    assert frame["description_id"].n_unique() == frame.height
    assert len(description_paths()[0]) == 3
    assert corpus_scenes() == read_scene_table(mirror / "qtuna" / "scenes.tsv", DEFAULT_DOMAIN)
