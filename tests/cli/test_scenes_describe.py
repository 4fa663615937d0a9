"""Does `hengliang scenes describe` say something true, tell how it ended, and refuse what is no scene?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang.scenes import DEFAULT_DOMAIN, consistent, read_expression, read_scene, scene_space
from tests.cli.scene_runs import Capture, complaint, output, result

PETS = """
name = "pets"
object = {en = "animal", plural = "animals", zh = "动物"}

[[attributes]]
name = "colour"
[attributes.values.black]
code = "B"
zh = "黑色"
[attributes.values.white]
code = "W"
zh = "白色"

[[attributes]]
name = "species"
noun = true
[attributes.values.dog]
code = "D"
zh = "狗"
[attributes.values.cat]
code = "C"
zh = "猫"
"""


@pytest.mark.parametrize("algorithm", ["incremental", "greedy"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_description_is_told_with_its_logical_forms(capsys: Capture, algorithm: str, language: str) -> None:
    (row,) = result(capsys, "describe", "BS=2 RC=2", "--by", algorithm, "--language", language)["descriptions"]
    scene = read_scene("BS=2 RC=2")
    space = scene_space(DEFAULT_DOMAIN, 4)
    left = consistent([read_expression(form, DEFAULT_DOMAIN) for form in row["logical_forms"]], space)
    assert left & space.bit(scene)
    assert left.bit_count() == row["consistent_scenes"]
    assert (row["ending"] == "complete") == (row["consistent_scenes"] == 1)
    assert any("\u4e00" <= character <= "\u9fff" for character in row["text"]) == (language == "zh")


def test_what_is_printed_ends_with_how_far_a_reader_will_be_off(capsys: Capture) -> None:
    shown = output(capsys, "describe", "BS=4", "BS=2 RC=2", "--by", "greedy").splitlines()
    assert sum("no other scene fits; expected swaps 0.00 of 4" in line for line in shown) == 2


def test_the_same_seed_says_the_same(capsys: Capture) -> None:
    said = [output(capsys, "describe", "BS=3 RC=2 RS=4", "--seed", "7") for _ in range(2)]
    assert said[0] == said[1]


def test_pairs_are_written_for_an_experiment(capsys: Capture, tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    output(capsys, "describe", "BS=4", "RS=6 RC=3", "--out", str(out))
    held = pl.read_csv(out)
    assert held["scene"].to_list() == ["BS=4", "RS=6 RC=3"]
    assert held["scene_size"].to_list() == [4, 9]
    assert held["describer"].to_list() == ["QDG-IA", "QDG-IA"]
    assert held["text"].str.len_chars().min() > 5  # type: ignore[operator]


def test_a_domain_of_ones_own(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "pets.toml"
    file.write_text(PETS, encoding="utf-8")
    shown = output(capsys, "describe", "BD=3 WC=3", "--domain", str(file), "--by", "greedy")
    assert "dog" in shown or "cat" in shown
    chinese = output(capsys, "describe", "BD=3 WC=3", "--domain", str(file), "--language", "zh", "--by", "greedy")
    assert "狗" in chinese or "猫" in chinese


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("BS=2 RX=2",), "No kind has the code 'RX'"),
        (("BS=-1 RC=5",), "there cannot be fewer than 0"),
        (("BS=2 RC=2", "--size", "5"), "add up to 4, not to 5"),
        (("BS=2 BS=2",), "counted twice"),
        (("two squares",), "is no scene"),
        (("BS=0",), "A scene cannot hold 0 things"),
        (("BS=2", "--chooser", "GE"), "in Mandarin only"),
        (("BS=2", "--out", "pairs.docx"), "cannot be written"),
        (("BS=2", "--by", "greedy", "--preferences", "pilot.csv"), "for QDG-IA only"),
        (("BS=2", "--preferences", "no-such-file.csv"), "no-such-file.csv"),
    ],
)
def test_bad_input_is_told(capsys: Capture, arguments: tuple[str, ...], told: str) -> None:
    assert told in complaint(capsys, "describe", *arguments)


def test_the_order_of_preference_is_learned_from_descriptions(capsys: Capture, tmp_path: Path) -> None:
    """Whoever begins with what there is none of makes QDG-IA begin so; the shipped order begins with *all*."""
    rows = ["subject,scene,text", *(f"{who},BS=1 RS=3,No object is a circle." for who in ("ann", "bo", "cy"))]
    file = tmp_path / "pilot.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    (shipped,) = result(capsys, "describe", "BS=1 RS=3")["descriptions"]
    (learned,) = result(capsys, "describe", "BS=1 RS=3", "--preferences", str(file))["descriptions"]
    assert shipped["logical_forms"][0].startswith("all(")
    assert learned["logical_forms"][0] == "no(object, circle)"
    file.write_bytes("\n".join([*rows, "a cell too few"]).replace(",", "#").encode("utf-16"))
    options = ("--preferences", str(file), "--delimiter", "#")
    (again,) = result(capsys, "describe", "BS=1 RS=3", *options, "--errors", "skip")["descriptions"]
    assert again == learned
    assert f"{file}, line 5: there is 1 cell, and 3 columns" in complaint(capsys, "describe", "BS=1 RS=3", *options)
