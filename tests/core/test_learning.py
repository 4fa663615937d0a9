"""Is a model learned once and resumed, does its card know its files, and is it found in the store?"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hengliang import UserError
from hengliang.classifiers import Rule
from hengliang.core import file_checksum, locked_folder, places, read_json, version, write_json, write_text
from hengliang.core.learning import (
    BEGUN,
    CARD,
    SMALL,
    TEMPORARY,
    check_stored,
    is_trained,
    model_folder,
    read_card,
    remove_model,
    stored_model,
    stored_models,
    train_once,
    write_card,
)
from tests.tiny import Sentences

RECIPE = {"kind": "toy", "seed": 1}


@dataclass
class Lesson:
    """Learns by writing a file in two parts, and may be stopped between them."""

    folder: Path
    stops: int = 0
    begun: int = 0

    def learn(self) -> Mapping[str, Any]:
        half = self.folder / TEMPORARY / "half"
        if not half.is_file():
            self.begun += 1
            write_text(half, "first ")
        if self.stops:
            self.stops -= 1
            raise KeyboardInterrupt
        write_text(self.folder / "known.txt", half.read_text(encoding="utf-8") + "second")
        return {"kind": "toy", "words": 2}


def test_a_model_is_learned_once(tmp_path: Path) -> None:
    lesson = Lesson(tmp_path / "m")
    assert train_once(lesson.folder, RECIPE, lesson.learn) == lesson.folder
    card = read_card(lesson.folder)
    assert (card["kind"], card["words"], card["recipe"]) == ("toy", 2, RECIPE)
    assert list(card["files"]) == ["known.txt"]
    assert {file.name for file in lesson.folder.iterdir()} == {"known.txt", CARD, ".lock"}
    train_once(lesson.folder, RECIPE, lesson.learn)
    assert lesson.begun == 1


@pytest.mark.parametrize("note", [BEGUN, "recipe.json"])
def test_what_was_begun_goes_on(tmp_path: Path, note: str) -> None:
    lesson = Lesson(tmp_path / "m", stops=2)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            train_once(lesson.folder, RECIPE, lesson.learn)
    assert not is_trained(lesson.folder)
    check_stored(lesson.folder)  # which has nothing to compare it with
    # Language models of earlier versions have a note of another name.
    (lesson.folder / BEGUN).rename(lesson.folder / note)
    with pytest.raises(UserError, match="holds another model: its seed is 1, not 2"):
        train_once(lesson.folder, {**RECIPE, "seed": 2}, lesson.learn)
    train_once(lesson.folder, RECIPE, lesson.learn)
    assert lesson.begun == 1
    assert (lesson.folder / "known.txt").read_text(encoding="utf-8") == "first second"
    assert {file.name for file in lesson.folder.iterdir()} == {"known.txt", CARD, ".lock"}


def test_another_recipe_and_a_folder_of_other_things_are_refused(tmp_path: Path) -> None:
    lesson = Lesson(tmp_path / "m")
    train_once(lesson.folder, RECIPE, lesson.learn)
    with pytest.raises(UserError, match="holds another model: its seed is 1, not 2"):
        train_once(lesson.folder, {**RECIPE, "seed": 2}, lesson.learn)
    mine = Lesson(tmp_path / "mine")
    write_text(mine.folder / "letter.txt", "dear")
    with pytest.raises(UserError, match="is not empty and holds no model"):
        train_once(mine.folder, RECIPE, mine.learn)
    assert [file.name for file in mine.folder.iterdir()] == ["letter.txt"]


def test_a_damaged_model_is_not_passed_on(tmp_path: Path) -> None:
    lesson = Lesson(tmp_path / "m")
    train_once(lesson.folder, RECIPE, lesson.learn)
    flipped(lesson.folder / "known.txt", 0, 1)
    with pytest.raises(UserError, match=r"known\.txt has other content than when it was written"):
        train_once(lesson.folder, RECIPE, lesson.learn)


def test_a_note_that_a_crash_left_beside_the_card_is_no_part_of_the_model(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    write_json(folder / BEGUN, RECIPE)
    assert set(write_card(folder, recipe=RECIPE)["files"]) == {"weights.bin", "inner/words.tsv"}
    assert train_once(folder, RECIPE, Lesson(folder).learn) == folder
    # Neither it nor the work in progress stays for ever.
    assert {file.name for file in folder.iterdir()} == {"weights.bin", "inner", CARD}


def test_work_in_progress_is_kept_until_the_card_is_written(tmp_path: Path) -> None:
    lesson = Lesson(tmp_path / "m")

    def learn_badly() -> Mapping[str, Any]:
        return {**lesson.learn(), "kind": object()}  # which no card can hold

    with pytest.raises(TypeError):
        train_once(lesson.folder, RECIPE, learn_badly)
    train_once(lesson.folder, RECIPE, lesson.learn)
    assert lesson.begun == 1


def test_files_that_a_kill_left_half_written_do_not_stay_in_the_model(tmp_path: Path) -> None:
    lesson = Lesson(tmp_path / "m", stops=1)
    with pytest.raises(KeyboardInterrupt):
        train_once(lesson.folder, RECIPE, lesson.learn)
    (lesson.folder / ".known.txt.x1y2.tmp").write_text("first sec", encoding="utf-8")
    train_once(lesson.folder, RECIPE, lesson.learn)
    assert {file.name for file in lesson.folder.iterdir()} == {"known.txt", CARD, ".lock"}


def test_a_second_process_is_refused_or_waits_for_the_first(tmp_path: Path) -> None:
    lesson = Lesson(tmp_path / "m")
    waiting = threading.Thread(target=train_once, args=(lesson.folder, RECIPE, lesson.learn), kwargs={"wait": True})
    with locked_folder(lesson.folder):
        with pytest.raises(UserError, match="Another process is running"):
            train_once(lesson.folder, RECIPE, lesson.learn)
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        write_text(lesson.folder / "known.txt", "by the first")
        write_card(lesson.folder, recipe=RECIPE)
    waiting.join(20)
    assert not waiting.is_alive()
    # What the first has made is not made again.
    assert lesson.begun == 0


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
        "then hengliang lm train ngram --size 3 --data tale.txt --segmenter rjieba --preprocess sp"
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


def test_a_saved_chooser_is_a_stored_model() -> None:
    Rule(train=Sentences(), seed=3).save(model_folder("rule-3"))
    model = stored_model("rule-3")
    assert model.card["kind"] == "classifier chooser"
    assert model.card["seed"] == 3
    assert model.size > 0
    assert Rule.load(model.folder).counts().table.height == 6


def test_a_folder_without_a_card_is_no_model() -> None:
    write_text(places.models() / "half" / "weights", "x")
    write_json(places.models() / "whole" / "card.json", {})
    assert [model.name for model in stored_models()] == ["whole"]


def test_a_model_is_removed() -> None:
    write_json(places.models() / "old" / "card.json", {})
    assert remove_model("old").name == "old"
    with pytest.raises(UserError, match="No model is called 'old'"):
        remove_model("old")


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "/etc"])
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="cannot be the name of a model"):
        model_folder(name)


def test_to_learn_once_loads_no_library_of_networks() -> None:
    code = "import sys, hengliang.core.learning; print({'torch', 'scipy', 'transformers'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
