"""Sets of scenes as a material."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import TableOptions, TableWarning
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scene_sets import Scenes, own_scenes, random_scenes, read_scenes, scenes, varied_scenes
from hengliang.materials.scenes import read_scene, scene_space
from tests.quantifiers_in_words import ANIMALS

NEW = (6, 10, 16)


def test_the_usual_set_is_the_thirty_of_qtuna_and_our_own_eighteen() -> None:
    items = scenes().items()
    assert items.height == 48
    assert Counter(items["scene_size"]) == {4: 10, 6: 6, 9: 10, 10: 6, 16: 6, 20: 10}
    assert Counter(items["collection"]) == {"qtuna": 30, "new sizes": 18}
    assert (items["content"] == items["gold"]).all()
    assert (items["id"] == items["set"]).all()
    fourth = next(row for row in items.iter_rows(named=True) if row["id"] == "scene-20-4")
    assert fourth["content"] == "BS=3 BC=7 RS=4 RC=6"
    assert (fourth["condition"], fourth["scene_size"], fourth["scene_number"]) == ("size 20", 20, 4)
    assert (fourth["collection"], fourth["kinds_present"], fourth["material"]) == ("qtuna", 4, "scenes")


def test_counts_add_up_to_the_size_in_the_table() -> None:
    items = scenes().items()
    assert [read_scene(code).size for code in items["content"]] == items["scene_size"].to_list()
    assert items["id"].n_unique() == items.height


@pytest.mark.mirror
def test_the_thirty_are_those_of_the_corpus(mirror: Path) -> None:
    lines = (mirror / "qtuna" / "scenes.tsv").read_text(encoding="utf-8").splitlines()[1:]
    published = {(int(size), int(number)): tuple(map(int, counts)) for size, number, *counts in map(str.split, lines)}
    held = {(one.scene.size, one.number): one.scene.counts for one in own_scenes() if one.collection == "qtuna"}
    assert held == published


def test_our_own_are_drawn_again_by_the_seed() -> None:
    held = {size: [one.scene for one in own_scenes() if one.scene.size == size] for size in NEW}
    assert held == {size: varied_scenes(size, 6) for size in NEW}


@pytest.mark.parametrize("size", NEW)
def test_our_own_range_from_one_kind_to_all(size: int) -> None:
    kinds = [sum(count > 0 for count in one.scene.counts) for one in own_scenes() if one.scene.size == size]
    # Six steps from 1 to 4, rounded: 1, 1.6, 2.2, 2.8, 3.4, 4.
    assert kinds == [1, 2, 2, 3, 3, 4]


@given(st.sampled_from((DEFAULT_DOMAIN, ANIMALS)), st.integers(2, 40), st.integers(1, 6), st.integers())
def test_varied_scenes_are_of_the_size_and_differ(domain: Domain, size: int, number: int, seed: int) -> None:
    drawn = varied_scenes(size, number, seed, domain)
    assert drawn == varied_scenes(size, number, seed, domain)
    assert {one.size for one in drawn} == {size}
    assert len(set(drawn)) == number
    present = [sum(count > 0 for count in one.counts) for one in drawn]
    assert present == sorted(present)
    assert present[0] == 1


def test_too_many_varied_scenes_are_refused() -> None:
    # One thing can be of four kinds, and that is all.
    with pytest.raises(UserError, match="too few scenes of 1 things to draw 5"):
        varied_scenes(1, 5)


@given(st.integers(1, 8), st.data(), st.integers())
def test_random_scenes_differ_and_are_the_same_again(size: int, data: st.DataObject, seed: int) -> None:
    number = data.draw(st.integers(1, scene_space(DEFAULT_DOMAIN, size).number))
    drawn = random_scenes(size, number, seed)
    assert drawn == random_scenes(size, number, seed)
    assert len(set(drawn)) == number
    assert {one.size for one in drawn} == {size}
    assert min(min(one.counts) for one in drawn) >= 0


def test_every_scene_is_as_likely_as_any_other() -> None:
    # Ten scenes of two things, one drawn a thousand times: 100 each; σ = √(1000 · 0.1 · 0.9) ≈ 9.5, so within 5 σ.
    counted = Counter(random_scenes(2, 1, seed)[0] for seed in range(1000))
    assert len(counted) == 10
    assert max(abs(count - 100) for count in counted.values()) < 48


def test_every_scene_of_a_size() -> None:
    items = scenes("every", sizes=[9, 4]).items()
    assert Counter(items["scene_size"]) == {4: 35, 9: 220}
    codes = [scene.code for scene in scene_space(DEFAULT_DOMAIN, 4).scenes(scene_space(DEFAULT_DOMAIN, 4).everything)]
    assert items["content"][:35].to_list() == codes
    assert items["id"][:2].to_list() == ["scene-4-1", "scene-4-2"]


def test_random_scenes_as_a_material() -> None:
    items = scenes("random", sizes=[12, 100], number=7, seed=3, domain=ANIMALS).items()
    assert Counter(items["scene_size"]) == {12: 7, 100: 7}
    assert items["collection"].unique().to_list() == ["random"]
    assert not items.equals(scenes("random", sizes=[12, 100], number=7, seed=4, domain=ANIMALS).items())


def test_sizes_choose_among_the_sets() -> None:
    assert scenes("qtuna", sizes=(4, 20)).items()["scene_size"].unique().sort().to_list() == [4, 20]
    assert scenes("new sizes").items()["scene_size"].unique().sort().to_list() == list(NEW)


def test_a_file_of_codes(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# two small scenes and a large one\nBS=2 RC=2\n\nBS=20\nrc=4\n", encoding="utf-8")
    items = scenes(path).items()
    assert items["id"].to_list() == ["scene-4-1", "scene-4-2", "scene-20-1"]
    assert items["content"].to_list() == ["BS=2 RC=2", "RC=4", "BS=20"]
    assert items["collection"].unique().to_list() == ["mine"]
    assert scenes(str(path)).items().equals(items)


def test_a_file_with_columns(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("size\tscene\tBS\tBC\tRS\tRC\n4\t3\t2\t0\t0\t2\n", encoding="utf-8")
    found = read_scenes(path)
    assert [(one.number, one.scene.code) for one in found] == [(3, "BS=2 RC=2")]


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "big5"])
def test_a_file_of_codes_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# 两组：四个一组\nBS=2 RC=2\nBS=20\n", encoding=encoding, errors="replace")
    table = TableOptions(encoding) if encoding == "big5" else TableOptions()
    assert scenes(path, table=table).items()["content"].to_list() == ["BS=2 RC=2", "BS=20"]


def test_lines_that_cannot_be_read_are_refused_or_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes("# 两组\nBS=2 RC=2\n".encode() + b"# \xff\xfe\nBS=20\n")
    with pytest.raises(UserError, match=r"line 3: byte 3 of the line is not UTF-8.*--errors skip"):
        scenes(path).items()
    with pytest.warns(TableWarning, match="1 line of mine.txt could not be read and is left out"):
        assert scenes(path, table=TableOptions(errors="skip")).items().height == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("BS=2\nBS=x\n", "line 2: 'BS=x' is no scene"),
        ("BS=2\nGS=2\n", "line 2: No kind has the code 'GS'"),
        ("BS=2\nRC=1\nbs=2\n", "line 3: the scene BS=2 stands in line 1, too"),
        ("# nothing\n", "holds no scenes"),
        ("", "holds no scenes"),
        ("size\tscene\tBS\tBC\tRS\tRC\n4\t1\t2\t0\t0\t3\n", "add up to 5, not to 4"),
        ("size\tscene\tBS\tBC\tRS\tRC\n4\t1\t2\t0\t0\t-2\n", "'-2' is no count of RC"),
        ("size\tscene\tBS\tBC\tRS\n4\t1\t2\t0\t2\n", "is no count of RC"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        scenes(path).items()
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("material", "told"),
    [
        (Scenes(scenes="qtunna"), "No set of scenes is called 'qtunna'. Did you mean qtuna?"),
        (Scenes((5,), "qtuna"), "There is no scene of size 5 in 'qtuna'. Sizes: 4, 9, 20."),
        (Scenes(scenes="every"), "'every' needs a size of scenes"),
        (Scenes((), "random"), "'random' needs a size of scenes"),
        (Scenes((4,), "random", number=36), "36 different scenes of 4 things cannot be drawn. 1 to 35"),
        (Scenes((4,), "random", number=0), "0 different scenes"),
        (Scenes((0,), "random"), "A scene cannot hold 0 things"),
        (Scenes((401,), "every"), "A scene cannot hold 401 things"),
        (Scenes(scenes="qtuna", domain=ANIMALS), "are of circles and squares, not of animals"),
    ],
)
def test_what_is_wrong_is_told_when_items_are_asked_for(material: Scenes, told: str) -> None:
    with pytest.raises(UserError) as error:
        material.items()
    assert told in str(error.value)


def test_the_material_keeps_its_promises() -> None:
    faults = [found for found in Scenes().conformance() if not found.kept]
    assert faults == []


def test_the_signature_tells_what_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("BS=2\n", encoding="utf-8")
    before = scenes(path).signature()
    path.write_text("BS=3\n", encoding="utf-8")
    told = [
        before,
        scenes(path).signature(),
        scenes().signature(),
        scenes("qtuna").signature(),
        scenes("qtuna", sizes=[4]).signature(),
        scenes("random", sizes=[4]).signature(),
        scenes("random", sizes=[4], seed=2).signature(),
        scenes("random", sizes=[4], domain=ANIMALS).signature(),
    ]
    assert len({one.hash for one in told}) == len(told)
    assert scenes("qtuna", seed=2).signature() == scenes("qtuna").signature()


def test_facts_say_how_many_of_each() -> None:
    facts = {title.en: said for title, said in scenes("qtuna").facts(scenes("qtuna").items())}
    assert facts["Scenes by size"] == "4: 10, 9: 10, 20: 10"
    # Counted by hand, scenes of one to four kinds: of four things 1, 6, 2, 1; of nine 1, 5, 2, 2; of twenty 1, 3, 0, 6.
    assert facts["Scenes by number of kinds"] == "1: 3, 2: 14, 3: 4, 4: 9"
