"""Does a card know its model's files, and is a damaged model noticed?"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from hengliang import UserError, places
from hengliang.core import file_checksum, read_json, version, write_json
from hengliang.systems.language_models.cards import SMALL, read_card, write_card


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


def flipped(file: Path, place: int, by: int) -> bytes:
    """Change one byte of a file behind everybody's back, with its time set back, and return what it held."""
    state, whole = file.stat(), file.read_bytes()
    damaged = bytearray(whole)
    damaged[place] ^= by
    file.write_bytes(damaged)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    return whole


def test_any_changed_byte_of_any_file_is_found(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    card = write_card(folder, kind="ngram", segmenter="rjieba", dev={"per_word": 101.25, "share": 1e-05})
    rng = random.Random(1)
    for name in (*card["files"], "card.json"):
        file = folder / name
        size = file.stat().st_size
        for place in sorted(rng.sample(range(size), min(size, 250))):
            whole = flipped(file, place, rng.randrange(1, 256))
            with pytest.raises(UserError):
                read_card(folder)
            file.write_bytes(whole)
    assert read_card(folder) == card


def test_a_damaged_model_names_itself_and_the_commands_that_make_it_again(tmp_path: Path) -> None:
    folder = model(places.models() / "ngram-3-tale-sp")
    recipe = {"kind": "ngram", "size": "3", "data": "tale.txt", "preprocess": "sp", "segmenter": "rjieba"}
    write_card(folder, kind="ngram", recipe=recipe)
    flipped(folder / "weights.bin", 3, 64)
    with pytest.raises(
        UserError, match=r"The model ngram-3-tale-sp in .* is damaged: weights\.bin has other content"
    ) as raised:
        read_card(folder)
    assert raised.value.remedy.endswith(
        "hengliang models remove ngram-3-tale-sp, "
        "then hengliang lm train ngram --size 3 --data tale.txt --preprocess sp"
    )
    other = model(tmp_path / "chooser")
    write_card(other, kind="classifier chooser", family="LINEAR", seed=4)
    flipped(other / "weights.bin", 3, 64)
    with pytest.raises(UserError) as raised:
        read_card(other)
    assert raised.value.remedy.endswith(
        f"rm -r {other}, then hengliang classifiers train LINEAR --seed 4 --out {other}"
    )


def test_a_large_file_is_read_once_until_it_or_the_day_changes(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    (folder / "ngrams.bin").write_bytes(bytes(SMALL + 1))
    write_card(folder, kind="ngram")
    read_card(folder)
    (memory,) = (places.cache() / "checksums").iterdir()
    # Memory that is itself damaged refuses no model: the file is read before anything is said.
    write_json(memory, {**read_json(memory), "sha256": "0" * 64})
    read_card(folder)
    time.sleep(0.02)  # the clock of a file system ticks a few hundred times a second
    flipped(folder / "ngrams.bin", SMALL // 2, 1)
    with pytest.raises(UserError, match=r"ngrams\.bin has other content"):
        read_card(folder)


def test_a_card_that_an_older_version_wrote_is_read_and_its_files_are_compared(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    card = write_card(folder, kind="ngram")
    old = {**card, "format": 1}
    del old["sha256_of_the_rest"]
    write_json(folder / "card.json", old)
    assert read_card(folder) == old
    flipped(folder / "weights.bin", 0, 1)
    with pytest.raises(UserError, match=r"weights\.bin has other content"):
        read_card(folder)


@pytest.mark.parametrize(
    "entry", [None, 8, "8", [], {}, {"bytes": 8}, {"bytes": "8", "sha256": "0"}, {"bytes": 8, "sha256": None}]
)
def test_an_entry_of_an_old_card_that_tells_no_size_or_checksum_is_damage(tmp_path: Path, entry: object) -> None:
    # Cards of the first format carry no checksum of themselves, so that anything may stand there.
    folder = model(tmp_path / "m")
    write_json(folder / "card.json", {"files": {"weights.bin": entry}, "format": 1, "recipe": None})
    with pytest.raises(UserError, match=r"is damaged: card\.json does not tell .* of weights\.bin") as raised:
        read_card(folder)
    assert raised.value.remedy.startswith("Copy the folder again")


def test_a_folder_without_a_card_is_an_unfinished_training(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no trained model"):
        read_card(model(tmp_path / "m"))


@pytest.mark.parametrize("text", ["[]", "{}", '{"files": {}, "format": 99}', "not json"])
def test_what_is_no_card_is_refused(tmp_path: Path, text: str) -> None:
    folder = model(tmp_path / "m")
    (folder / "card.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"card\.json is not a"):
        read_card(folder)
