"""Does `hengliang scenes draw` draw?"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from hengliang import UserError
from hengliang.cli.scenes_draw import draw
from hengliang.scenes import draw_scene, read_scene

PETS = """
name = "pets"

[[attributes]]
name = "animal"
noun = true
values.cat = {code = "C", zh = "猫", drawn = "triangle"}
values.dog = {code = "D", zh = "狗"}
"""


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(draw, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_image_is_printed() -> None:
    assert printed("BS=2 RC=2", "--seed", "3") == draw_scene(read_scene("BS=2 RC=2"), 3)


def test_the_image_is_written(tmp_path: Path) -> None:
    path = tmp_path / "scene.svg"
    assert printed("BS=2 RC=2", "--out", str(path), "--textures", "--language", "zh").strip() == str(path)
    expected = draw_scene(read_scene("BS=2 RC=2"), textures=True, language="zh")
    assert path.read_text(encoding="utf-8") == expected


def test_a_domain_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "pets.toml"
    path.write_text(PETS, encoding="utf-8")
    image = printed("C=1 D=2", "--domain", str(path), "--size", "3")
    root = ElementTree.fromstring(image)
    assert [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")] == ["D", "D"]
    assert "1 cat, 2 dogs" in image


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["BS=2 RC=2", "--size", "5"], "add up to 4, not to 5"),
        (["GS=2"], "No kind has the code 'GS'"),
        (["BS=-1"], "fewer than 0"),
        (["BS=2", "--out", "scene.png"], "scene.png is no name for an SVG image"),
        (["BS=2", "--domain", "none.toml"], "no such file"),
    ],
)
def test_what_cannot_be_drawn_is_told(arguments: list[str], told: str) -> None:
    with pytest.raises(UserError) as error:
        CliRunner().invoke(draw, arguments, catch_exceptions=False)
    assert told in str(error.value)
