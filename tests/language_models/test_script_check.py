"""Is a text in the wrong script told, and a text in the right one left alone?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.language_models import write_card
from hengliang.language_models.manner import file_script_warning, model_script, script_warning
from hengliang.language_models.ngram.model import NgramModel
from tests.language_models.small_models import CharacterPairs, SmallBigrams


def test_traditional_text_is_told_to_a_model_of_simplified_text() -> None:
    # 們, 買 (twice), 書 are traditional; 他 and 了 belong to both scripts, so that all four telling ones are wrong.
    warning = script_warning(SmallBigrams(), "news", ["他們買了書", "買"])
    assert "traditional characters (買們書: 100% of those that tell)" in warning
    assert "news has read simplified ones" in warning
    assert "hengliang.core.text.characters.to_simplified(text)" in warning


@pytest.mark.parametrize("lines", [["他们买了书。"], ["他来了。"], ["English"], [""], []])
def test_right_or_undecided_text_is_left_alone(lines: list[str]) -> None:
    assert script_warning(SmallBigrams(), "news", lines) == ""


def test_a_quoted_name_is_no_other_script() -> None:
    # One traditional character of ten that tell is a tenth, which is tolerated; two of eleven are more.
    assert script_warning(SmallBigrams(), "news", ["们买书车马鸟鱼龙门" + "漢"]) == ""
    assert "漢語" in script_warning(SmallBigrams(), "news", ["们买书车马鸟鱼龙门" + "漢語"])


def test_a_model_that_says_nothing_is_not_spoken_for() -> None:
    assert model_script(CharacterPairs()) == ""
    assert script_warning(CharacterPairs(), "pairs", ["他們買了書"]) == ""


def test_the_card_of_a_stored_model_says_its_script(tmp_path: Path) -> None:
    write_card(tmp_path, kind="ngram", script="traditional")
    model = NgramModel(tmp_path)
    assert model_script(model) == "traditional"
    assert "simplified characters" in script_warning(model, "old", ["他们买了书"])


def test_the_first_lines_of_a_file_are_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes("他們買了書\n".encode() + b"\xff\n")
    assert "traditional" in file_script_warning(SmallBigrams(), "news", file)
    file.write_text("他们买了书\n" * 1000 + "他們買了書\n" * 5000, encoding="utf-8")
    assert file_script_warning(SmallBigrams(), "news", file) == ""
