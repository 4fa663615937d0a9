"""Does `hengliang scenes read` tell which scenes fit a description, and what it did not understand?"""

from __future__ import annotations

import pytest

from tests.cli.scene_runs import Capture, complaint, output, result


def test_the_scenes_that_fit(capsys: Capture) -> None:
    """Two of four are blue squares; the other two are any two of the three other kinds: C(2 + 2, 2) = 6 scenes."""
    held = result(capsys, "read", "Half of the objects are blue squares.", "--size", "4")["reading"]
    assert held["logical_forms"] == ["half(object, blue square)"]
    assert held["consistent_scenes"] == 6
    assert sum(row["probability"] for row in held["scenes"]) == pytest.approx(1)


@pytest.mark.parametrize(
    "text",
    ["All objects are squares. Half of them are blue.", "所有的图形都是方形。其中一半是蓝色的。"],
)
def test_a_complete_description_leaves_one_scene(capsys: Capture, text: str) -> None:
    shown = output(capsys, "read", text, "--size", "4", "--scene", "BS=2 RS=2")
    assert "1 scene fits (pragmatic reading)" in shown
    assert "expected swaps from BS=2 RS=2: 0.00 of 4 (0.0%)" in shown


def test_a_part_that_is_not_understood_is_told(capsys: Capture) -> None:
    shown = output(capsys, "read", "All objects are squares. Wherefore art thou.", "--size", "4")
    assert "all(object, square)" in shown
    assert "not understood: " in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("Colourless green ideas sleep furiously.", "--size", "4"), "could be understood"),
        (("", "--size", "4"), "could be understood"),
        (("All objects are squares. Half of the objects are circles.", "--size", "4"), "contradicts itself"),
        (("All objects are squares.", "--size", "4", "--scene", "BS=3"), "add up to 3, not to 4"),
        (("Half of the objects are red.", "--size", "3"), "cannot be true: no scene of 3 things fits"),
        (("天地玄黄。", "--size", "4"), "例如：一半的图形是蓝色的。"),
    ],
)
def test_bad_input_is_told(capsys: Capture, arguments: tuple[str, ...], told: str) -> None:
    assert told in complaint(capsys, "read", *arguments)
