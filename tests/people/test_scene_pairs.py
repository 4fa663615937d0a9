"""Are pairs of a scene and a description read as they were written, refused by line, and made of every describer?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.scenes import Scene, read_scene
from hengliang.people.scene_pairs import ScenePair, make_pairs, pairs_frame, read_pairs
from hengliang.systems.describers.base import Described, Describer
from tests.people.scene_examples import ANIMALS, CODES, scene_pairs

HEAD = "pair,describer,scene,scene_size,text\n"


def written(folder: Path, text: str, name: str = "pairs.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_every_form_gives_the_same_pairs(tmp_path: Path) -> None:
    pairs = tuple(scene_pairs())
    frame = pairs_frame(pairs).with_columns(expected_swaps=pl.lit(0.5))
    frame.write_csv(tmp_path / "p.csv")
    frame.write_csv(tmp_path / "p.tsv", separator="\t")
    frame.write_parquet(tmp_path / "p.parquet")
    frame.write_ndjson(tmp_path / "p.jsonl")
    # As `hengliang scenes describe --json` prints them, and as a plain list.
    rows = [{**row, "logical_forms": ["all(object, blue)"]} for row in frame.to_dicts()]
    written(tmp_path, json.dumps({"schema_version": 1, "descriptions": rows}), "p.json")
    written(tmp_path, json.dumps(rows), "list.json")
    for name in ("p.csv", "p.tsv", "p.parquet", "p.jsonl", "p.json", "list.json"):
        assert read_pairs(tmp_path / name) == pairs


def test_a_pair_without_a_name_is_called_after_describer_and_scene(tmp_path: Path) -> None:
    file = written(tmp_path, "text,scene,describer\n左边都是方形。,bs=1 RC:3,甲\n")
    (pair,) = read_pairs(file)
    assert (pair.id, pair.scene.counts, pair.text) == ("甲:BS=1 RC=3", (1, 0, 0, 3), "左边都是方形。")
    animals = read_pairs(written(tmp_path, "describer,scene,text\nX,BC=2 WD=1,Two black cats.\n"), ANIMALS)
    assert animals[0].scene.domain == ANIMALS


@given(
    counts=st.lists(st.tuples(*[st.integers(0, 9)] * 4).filter(any), min_size=1, max_size=6),
    texts=st.lists(st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1), min_size=6),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_is_written_is_read_again(counts: list[tuple[int, ...]], texts: list[str], tmp_path: Path) -> None:
    import unicodedata

    pairs = tuple(
        ScenePair(f"p{place}", "X", Scene(each), unicodedata.normalize("NFC", text.strip()))
        for place, (each, text) in enumerate(zip(counts, texts, strict=False))
        if unicodedata.normalize("NFC", text.strip())
    )
    if pairs:
        pairs_frame(pairs).write_csv(tmp_path / "any.csv")
        assert read_pairs(tmp_path / "any.csv") == pairs


def test_the_name_of_a_stimulus_does_not_tell_the_scene() -> None:
    pair = scene_pairs()[0]
    assert "BS" in pair.id and "BS" not in pair.about and len(pair.about) == 16
    assert len({each.about for each in scene_pairs()}) == len(scene_pairs())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("describer,text\nX,All.\n", "no column 'scene'; it has: describer, text"),
        (HEAD, "holds no pairs"),
        (HEAD + "a,X,BS=2 RC=2,4,All.\nb,X,BS=2 RC=2,5,All.\n", "line 3: The counts BS=2 RC=2 add up to 4, not to 5"),
        (HEAD + "a,X,BS=2 RC=2,four,All.\n", "line 2: the column 'scene_size' is 'four'"),
        (HEAD + "a,X,BX=2,2,All.\n", "line 2: No kind has the code 'BX'"),
        (HEAD + "a,X,BS=-2 RC=6,4,All.\n", "line 2: BS=-2"),
        (HEAD + "a,,BS=4,4,All.\n", "line 2: the column 'describer' is empty"),
        (HEAD + "a,X,BS=4,4,\n", "line 2: the column 'text' is empty"),
        (HEAD + "a,X,BS=4,4,All.\na,Y,BS=4,4,Some.\n", r"line 3: the pair 'a' is there already \(.*line 2\)"),
        (HEAD + "a,X,BS=4,4,A\x07ll.\n", "line 2: the column 'text' holds a control character"),
        (HEAD + f"a,X,BS=4,4,{'x' * 2001}\n", "line 2: the column 'text' is longer than 2000"),
        (HEAD + "a,X,BS=4,4,All.,Some.\n", "line 2: there are 6 cells, and 5 columns"),
    ],
)
def test_wrong_lines_are_named(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=said):
        read_pairs(written(tmp_path, text))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.json", '{"pairs": []}', "has no column 'describer'; it has: pairs"),
        ("p.json", "[3]", "line 1: it is not a JSON object"),
        ("p.json", '[{"describer": "X", "scene": 4, "text": "All."}]', "line 1: .*4"),
        ("p.jsonl", '{"describer": "X"}\n', "has no column 'scene'"),
        ("p.jsonl", "\n{\n", "line 2: it is not JSON"),
        ("p.docx", "x", r"'p\.docx' names no table"),
    ],
)
def test_wrong_files_are_named(name: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=said):
        read_pairs(written(tmp_path, text, name))


class Counting(Describer):
    """Says how many things there are, and who says so."""

    def __init__(self, name: str) -> None:
        self.name = name

    def describe(self, scenes: Sequence[Scene]) -> list[Described]:
        """Say it."""
        return [Described(f"{scene.size} things, says {self.name}.", (), "exhausted", 1) for scene in scenes]


def test_every_scene_is_described_by_everybody_once() -> None:
    scenes = [read_scene(code) for code in reversed(CODES)]
    told = pl.DataFrame(
        [(f"d{number}", code, read_scene(code).size, f"{code} no. {number}") for code in CODES for number in range(8)],
        schema=["description_id", "scene", "scene_size", "text"],
        orient="row",
    )
    pairs = make_pairs(scenes, [Counting("A"), Counting("B")], told, seed=3)
    assert [pair.describer for pair in pairs] == ["Human", "A", "B"] * 5
    assert [pair.scene.size for pair in pairs] == sorted(pair.scene.size for pair in pairs)
    people = [pair for pair in pairs if pair.describer == "Human"]
    assert all(pair.text.startswith(f"{pair.scene.code} no. ") for pair in people)
    assert make_pairs(scenes, [Counting("A"), Counting("B")], told.reverse(), seed=3) == pairs
    # Another seed takes other people; all eight are taken by some seed.
    drawn = {make_pairs(scenes[:1], [], told, seed=seed)[0].text for seed in range(60)}
    assert len(drawn) == 8


def test_a_scene_that_nobody_described_or_that_is_there_twice() -> None:
    scene = read_scene("BS=4")
    empty = pl.DataFrame(
        schema={"description_id": pl.String, "scene": pl.String, "scene_size": pl.Int64, "text": pl.String}
    )
    with pytest.raises(UserError, match="Nobody described the scene BS=4"):
        make_pairs([scene], [], empty)
    with pytest.raises(UserError, match="BS=4 is there twice"):
        make_pairs([scene, scene], [Counting("A")])


def test_two_describers_of_one_name_are_refused() -> None:
    scenes = [read_scene(code) for code in CODES]
    with pytest.raises(UserError, match="Two describers are called 'A'") as caught:
        make_pairs(scenes, [Counting("A"), Counting("B"), Counting("A")])
    assert 'name="A 2"' in caught.value.remedy
    told = pl.DataFrame({"description_id": ["d"], "scene": CODES[:1], "scene_size": [scenes[0].size], "text": ["All."]})
    with pytest.raises(UserError, match="Two describers are called 'Human'"):
        make_pairs(scenes[:1], [Counting("Human")], told)
    assert len(make_pairs(scenes[:1], [Counting("Human")])) == 1


def test_many_scenes_are_checked_in_no_time() -> None:
    scenes = [Scene((one, other, third, 1)) for one in range(28) for other in range(28) for third in range(28)]
    assert len(make_pairs(scenes, [Counting("A")])) == 28**3
    with pytest.raises(UserError, match="The scene BC=1 RC=1 is there twice"):
        make_pairs([*scenes, Scene((0, 1, 0, 1))], [Counting("A")])
