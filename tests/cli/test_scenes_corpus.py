"""Does `hengliang scenes corpus` tell what a table of descriptions shows?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.scene_runs import Capture, complaint, output, result

ROWS = (
    "subject,scene,text",
    'ann,BS=2 RS=2,"All objects are squares, half of them are blue."',
    "ann,BS=4,Everything is a blue square.",
    "bo,BS=2 RS=2,There are only squares.",
    "bo,BS=4,All objects are blue squares.",
    "cy,BS=7 RC=2,Most objects are blue squares.",
    "cy,RS=9,All objects are red squares.",
    "dee,BS=7 RC=2,A couple of objects are red circles. The rest are blue squares.",
)


@pytest.fixture
def written(tmp_path: Path) -> str:
    file = tmp_path / "pilot.csv"
    file.write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    return str(file)


def test_tables_and_sentences_in_both_languages(capsys: Capture, written: str) -> None:
    english = output(capsys, "corpus", written, "--seeds", "0", "--draws", "50")
    assert "Descriptions: 4 of 2 scenes of 4 things by 2 people, 3 of 2 scenes of 9 things by 2 people." in english
    assert "a couple of" not in english
    assert "QDG-IA" not in english
    tables = output(capsys, "corpus", written, "--seeds", "0", "--draws", "50", "--tables")
    assert tables.startswith(english.rstrip())
    assert "a couple of" in tables
    chinese = output(capsys, "corpus", written, "--seeds", "0", "--draws", "50", "--language", "zh")
    assert "4 个物体的 2 个场景由 2 人给出 4 条" in chinese


def test_algorithms_stand_beside_people(capsys: Capture, written: str) -> None:
    rows = result(capsys, "corpus", written, "--seeds", "1", "--draws", "50")["estimates"]
    assert {row["analysis"] for row in rows} >= {"description findings", "describer completeness", "vague meanings"}
    assert {"QDG-IA", "QDG-GREEDY"} <= {level for row in rows for level in row["by"].values()}


def test_bad_input_is_told(capsys: Capture, tmp_path: Path) -> None:
    assert "no-such-file" in complaint(capsys, "corpus", "no-such-file.csv")
    file = tmp_path / "empty.csv"
    file.write_text("subject,scene,text\nann,BS=2 RX=2,All blue.\n", encoding="utf-8")
    assert "'RX'" in complaint(capsys, "corpus", str(file))
