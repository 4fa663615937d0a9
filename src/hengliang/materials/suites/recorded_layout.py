"""Which sentences did somebody else's models score, token by token, and what do their suites predict?

A folder of recorded surprisals holds a folder `<model>-<seed>` for each training of each model, and in it a file
`<suite>.tsv` for each suite, with the columns `sentence_id token_id token surprisal` (nats). A suite is called
`<class>_<modifier>`, as in [1] (`hengliang.materials.suites.class_layouts`). Here it becomes a `Suite` with marked
regions and formulas, so that recorded models are judged as all others are.

Two models may have scored different sentences under the same number. Each wording is then an item of its own (`5`,
`5~2`, the more widely recorded one first) of the same frame, and a model answers the wording that it has scored.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.errors import UserError, file_errors
from hengliang.materials.base import Material
from hengliang.materials.plain_text import Faults, decoded_lines
from hengliang.materials.sources import list_sources, locate
from hengliang.materials.suites.class_layouts import SUITE_NAMES, item_of, layout_of, suite_of
from hengliang.materials.suites.library import suite_items
from hengliang.materials.suites.suite import Suite, Words

NAME = "recorded suites"
COLUMNS = ("sentence_id", "token_id", "token", "surprisal")
LAYOUT = "DIR/<model>-<seed>/<suite>.tsv, for example DIR/lstm-trial0/cls_none.tsv."
SUFFIX = ".tsv"
_OTHER_WORDING = re.compile(r"~\d+$")


# --- one file -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordedSentence:
    """The words of a sentence, the surprisal of each in nats, and the line of the file where it begins."""

    words: Words
    surprisals: tuple[float, ...]
    line: int


def read_recorded(path: Path) -> tuple[RecordedSentence, ...]:
    """Read one file of surprisals; a line that cannot be right is refused with its number."""
    lines = decoded_lines(path, "utf-8", Faults())
    _, head = next(lines, (1, ""))
    if tuple(head.split("\t")) != COLUMNS:
        raise UserError(f"{path}, line 1 has the columns '{head}'.", valid="Apart by tabs: " + " ".join(COLUMNS) + ".")
    found: list[RecordedSentence] = []
    words: list[str] = []
    surprisals: list[float] = []
    start = 0
    for number, line in lines:
        if not line.strip():
            continue
        sentence, place, word, surprisal = _cells(path, number, line)
        if place == 1:
            if words:
                found.append(RecordedSentence(tuple(words), tuple(surprisals), start))
            words, surprisals, start = [], [], number
        if (sentence, place) != (len(found) + 1, len(words) + 1):
            raise UserError(
                f"{path}, line {number} has token {place} of sentence {sentence}.",
                valid=f"Token {len(words) + 1} of sentence {len(found) + 1}, or token 1 of the next: "
                "sentences and tokens are counted from 1.",
            )
        words.append(word)
        surprisals.append(surprisal)
    if not words:
        raise UserError(f"{path} holds no sentence.", remedy="Check that the file arrived whole.")
    return (*found, RecordedSentence(tuple(words), tuple(surprisals), start))


def _cells(path: Path, number: int, line: str) -> tuple[int, int, str, float]:
    cells = line.split("\t")
    if len(cells) != len(COLUMNS):
        raise UserError(
            f"{path}, line {number} has {len(cells)} columns.", valid=f"Four, apart by tabs: {' '.join(COLUMNS)}."
        )
    try:
        sentence, place, surprisal = int(cells[0]), int(cells[1]), float(cells[3])
    except ValueError as error:
        raise UserError(
            f"{path}, line {number}: '{line}' has no number where one belongs.",
            valid="Whole numbers for sentence and token, a number of nats for the surprisal.",
        ) from error
    word = unicodedata.normalize("NFC", cells[2])
    if word.split() != [word]:
        raise UserError(f"{path}, line {number}: the token '{cells[2]}' is no word.", valid="A word without spaces.")
    if surprisal != surprisal:
        raise UserError(
            f"{path}, line {number}: the surprisal of '{word}' is no number.", valid="A number of nats, or inf."
        )
    if surprisal < 0:
        raise UserError(
            f"{path}, line {number}: the surprisal of '{word}' is {surprisal:g}, below zero.",
            valid="Surprisal is −log p, so 0 or more; log-probabilities have the other sign.",
        )
    return sentence, place, word, surprisal


# --- the folder -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordedTraining:
    """One training of a model: what the folder calls it, the number of its seed, and its files by suite."""

    folder: Path
    model: str
    seed: int
    files: Mapping[str, Path] = field(hash=False)

    def suite(self, name: str) -> tuple[RecordedSentence, ...]:
        """Return the sentences of a suite; none when this training has not scored it."""
        return _read_once(self.files[name], self.files[name].stat().st_mtime_ns) if name in self.files else ()


@lru_cache(maxsize=1000)
def _read_once(path: Path, changed: int) -> tuple[RecordedSentence, ...]:
    # The items and the answers are made from the same files.
    return read_recorded(path)


def recorded_root(given: Path | str) -> Path:
    """Return a folder of recorded surprisals, given by its path or by its name in the catalogue of data."""
    if isinstance(given, str) and given in {source.name for source in list_sources()}:
        files = [file for file in locate(str(given)) if file.suffix == SUFFIX]
        if not files:
            raise UserError(f"The source {given} holds no recorded surprisals.", valid="wang2021-surprisals.")
        return Path(os.path.commonpath([file.parent.parent for file in files]))
    return Path(given)


def recorded_trainings(root: Path | str) -> tuple[RecordedTraining, ...]:
    """Return the trainings in a folder, by model and seed."""
    folder = recorded_root(root)
    with file_errors(folder, "read"):
        inner = sorted(path for path in folder.iterdir() if path.is_dir())
    found = [recorded_training(path) for path in inner if any(path.glob(f"*{SUFFIX}"))]
    if not any(name in SUITE_NAMES for training in found for name in training.files):
        near = next((path for path in inner if any(path.glob(f"*/*{SUFFIX}"))), None)
        raise UserError(
            f"{folder} holds no recorded surprisals.",
            valid=LAYOUT,
            remedy=f"Did you mean {near}?" if near else "See docs/recorded-surprisals.md.",
        )
    return tuple(sorted(found, key=lambda training: (training.model, training.seed)))


def recorded_training(folder: Path) -> RecordedTraining:
    """Return what one folder `<model>-<seed>` holds."""
    named = re.fullmatch(r"(?P<model>.+)-\D*(?P<seed>\d+)", folder.name)
    if named is None:
        raise UserError(f"The folder {folder} names no model and seed.", valid=LAYOUT)
    files = {file.stem: file for file in sorted(folder.glob(f"*{SUFFIX}"))}
    return RecordedTraining(folder, named["model"], int(named["seed"]), files)


def left_out(trainings: Sequence[RecordedTraining]) -> tuple[str, ...]:
    """Return the suites in the folder that are none of the layout's 24 and are not judged."""
    return tuple(sorted({name for training in trainings for name in training.files} - set(SUITE_NAMES)))


# --- as suites ------------------------------------------------------------------------------------------------------


def recorded_suites(root: Path | str) -> tuple[Suite, ...]:
    """Return the suites that the models in a folder have scored, with marked regions and formulas."""
    trainings = recorded_trainings(root)
    held = [name for name in SUITE_NAMES if any(name in training.files for training in trainings)]
    return tuple(_suite(name, trainings) for name in held)


def _suite(name: str, trainings: Sequence[RecordedTraining]) -> Suite:
    wordings: dict[int, Counter[tuple[Words, ...]]] = {}
    lines: dict[tuple[Words, ...], int] = {}
    for training in trainings:
        for number, sentences in enumerate(_groups(training, name), 1):
            wording = tuple(sentence.words for sentence in sentences)
            wordings.setdefault(number, Counter())[wording] += 1
            lines.setdefault(wording, sentences[0].line)
    items = [
        item_of(name, f"{number}~{place}" if place > 1 else str(number), wording, lines[wording])
        for number, counted in sorted(wordings.items())
        for place, (wording, _) in enumerate(counted.most_common(), 1)
    ]
    return suite_of(name, items)


def _groups(training: RecordedTraining, name: str) -> Iterator[Sequence[RecordedSentence]]:
    """Yield the sentences of each item in the order of the file."""
    kind, sentences = layout_of(name), training.suite(name)
    size = len(kind.lines)
    if len(sentences) % size:
        raise UserError(
            f"{training.files[name]} holds {len(sentences)} sentences.",
            valid=f"An item of the class {kind.title.en} has {size}: {', '.join(kind.lines)}.",
        )
    for start in range(0, len(sentences), size):
        yield sentences[start : start + size]


class RecordedSuites(Material):
    """The sentences that recorded models have scored, as items."""

    name = NAME
    title = Bilingual("Recorded test suites", "已记录的测试套件")

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def items(self) -> pl.DataFrame:
        """Return one item a sentence, as those of our own suites."""
        items = suite_items(recorded_suites(self.folder))
        return items.with_columns(material=pl.lit(NAME), frame=pl.col("frame").str.replace(_OTHER_WORDING.pattern, ""))

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what is in the folder, what is left out, and where models scored different words."""
        trainings = recorded_trainings(self.folder)
        beside = left_out(trainings)
        other = items.filter(pl.col("set").str.contains(_OTHER_WORDING.pattern))["set"].n_unique()
        return [
            (Bilingual("Suites", "套件"), str(items["suite"].n_unique())),
            (Bilingual("Trainings", "训练"), ", ".join(training.folder.name for training in trainings)),
            (Bilingual("Left out", "未计入"), ", ".join(beside) or "–"),
            (Bilingual("Items in another wording", "另有措辞的题目"), str(other)),
        ]
