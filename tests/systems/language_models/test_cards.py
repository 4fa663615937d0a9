"""Does a card know its model's files, and is a damaged model noticed?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.errors import UserError
from hengliang.signature import file_checksum, version
from hengliang.systems.language_models.cards import read_card, write_card


def model(folder: Path) -> Path:
    (folder / "inner").mkdir(parents=True)
    (folder / "weights.bin").write_bytes(b"12345678")
    (folder / "inner" / "words.tsv").write_text("他\t2\n", encoding="utf-8")
    (folder / "training").mkdir()
    (folder / "training" / "checkpoint").write_bytes(b"not part of the model")
    return folder


def test_the_card_names_every_file_with_its_checksum(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    card = write_card(folder, kind="ngram", data="story.txt")
    assert read_card(folder) == card
    assert set(card["files"]) == {"weights.bin", "inner/words.tsv"}
    assert card["files"]["weights.bin"] == {"bytes": 8, "sha256": file_checksum(folder / "weights.bin")}
    assert (card["kind"], card["hengliang"]) == ("ngram", version())


def test_a_truncated_or_missing_file_is_named(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    write_card(folder, kind="ngram")
    (folder / "weights.bin").write_bytes(b"1234")
    with pytest.raises(UserError, match=r"weights\.bin has 4 bytes instead of 8"):
        read_card(folder)
    (folder / "weights.bin").unlink()
    with pytest.raises(UserError, match=r"weights\.bin is missing"):
        read_card(folder)


def test_a_folder_without_a_card_is_an_unfinished_training(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no trained model"):
        read_card(model(tmp_path / "m"))


@pytest.mark.parametrize("text", ["[]", "{}", '{"files": {}, "format": 99}', "not json"])
def test_what_is_no_card_is_refused(tmp_path: Path, text: str) -> None:
    folder = model(tmp_path / "m")
    (folder / "card.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"card\.json is not a"):
        read_card(folder)
