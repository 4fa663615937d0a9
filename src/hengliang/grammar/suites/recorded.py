"""Recorded surprisals as test suites: sentences that other people's models have scored, token by token.

A folder of recorded surprisals holds a folder `<model>-<seed>` for each training of each model, and in it a file
`<suite>.tsv` for each suite, with the columns `sentence_id token_id token surprisal` (nats). A suite is called
`<class>_<modifier>`, as in [1] (`hengliang.grammar.suites.published`). Here it becomes a `Suite` with marked
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

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.tables import read_user_table
from hengliang.core.terms import Bilingual
from hengliang.corpora.catalogue import list_sources, locate
from hengliang.grammar.suites.library import suite_items
from hengliang.grammar.suites.published import SUITE_NAMES, item_of, layout_of, suite_of
from hengliang.grammar.suites.suite import Suite, Words

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


def read_recorded(path: Path, table: TableOptions = AS_RECOGNISED) -> tuple[RecordedSentence, ...]:
    """Read one file of surprisals; a line that cannot be right is refused with its number."""
    rows = read_user_table(path, table, what="token")
    if not set(COLUMNS) <= set(rows.columns):
        raise UserError(f"{path} has the columns {', '.join(rows.columns)}.", valid=f"Needed: {', '.join(COLUMNS)}.")
    sentences: list[RecordedSentence] = []
    words: list[str] = []
    surprisals: list[float] = []
    start = 0
    for number, cells in zip(rows.numbers, rows.frame.select(COLUMNS).iter_rows(), strict=True):
        sentence, position, word, surprisal = _cells(rows.where(number), cells)
        if position == 1:
            if words:
                sentences.append(RecordedSentence(tuple(words), tuple(surprisals), start))
            words, surprisals, start = [], [], number
        if (sentence, position) != (len(sentences) + 1, len(words) + 1):
            raise UserError(
                f"{rows.where(number)} has token {position} of sentence {sentence}.",
                valid=f"Token {len(words) + 1} of sentence {len(sentences) + 1}, or token 1 of the next: "
                "sentences and tokens are counted from 1.",
            )
        words.append(word)
        surprisals.append(surprisal)
    return (*sentences, RecordedSentence(tuple(words), tuple(surprisals), start))


def _cells(where: str, cells: Sequence[str]) -> tuple[int, int, str, float]:
    try:
        sentence, position, surprisal = int(cells[0]), int(cells[1]), float(cells[3])
    except ValueError as error:
        line = "\t".join(cells)
        raise UserError(
            f"{where}: '{line}' has no number where one belongs.",
            valid="Whole numbers for sentence and token, a number of nats for the surprisal.",
        ) from error
    word = unicodedata.normalize("NFC", cells[2])
    if word.split() != [word]:
        raise UserError(f"{where}: the token '{cells[2]}' is no word.", valid="A word without spaces.")
    if surprisal != surprisal:
        raise UserError(f"{where}: the surprisal of '{word}' is no number.", valid="A number of nats, or inf.")
    if surprisal < 0:
        raise UserError(
            f"{where}: the surprisal of '{word}' is {surprisal:g}, below zero.",
            valid="Surprisal is −log p, so 0 or more; log-probabilities have the other sign.",
        )
    return sentence, position, word, surprisal


# --- the folder -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordedTraining:
    """One training of a model: what the folder calls it, its seed, its files by suite, and how they are read."""

    folder: Path
    model: str
    seed: int
    files: Mapping[str, Path] = field(hash=False)
    table: TableOptions = AS_RECOGNISED

    def suite(self, name: str) -> tuple[RecordedSentence, ...]:
        """Return the sentences of a suite; none when this training has not scored it."""
        file = self.files.get(name)
        return () if file is None else _read_once(file, file.stat().st_mtime_ns, self.table)


@lru_cache(maxsize=1000)
def _read_once(path: Path, changed: int, table: TableOptions) -> tuple[RecordedSentence, ...]:
    # The items and the answers are made from the same files.
    return read_recorded(path, table)


def recorded_root(given: Path | str) -> Path:
    """Return a folder of recorded surprisals, given by its path or by its name in the catalogue of data."""
    if isinstance(given, str) and given in {source.name for source in list_sources()}:
        files = [file for file in locate(str(given)) if file.suffix == SUFFIX]
        if not files:
            raise UserError(f"The source {given} holds no recorded surprisals.", valid="wang2021-surprisals.")
        return Path(os.path.commonpath([file.parent.parent for file in files]))
    return Path(given)


def recorded_trainings(root: Path | str, table: TableOptions = AS_RECOGNISED) -> tuple[RecordedTraining, ...]:
    """Return the trainings in a folder, by model and seed."""
    folder = recorded_root(root)
    with file_errors(folder, "read"):
        inner = sorted(path for path in folder.iterdir() if path.is_dir())
    trainings = [recorded_training(path, table) for path in inner if any(path.glob(f"*{SUFFIX}"))]
    if not any(name in SUITE_NAMES for training in trainings for name in training.files):
        near = next((path for path in inner if any(path.glob(f"*/*{SUFFIX}"))), None)
        raise UserError(
            f"{folder} holds no recorded surprisals.",
            valid=LAYOUT,
            remedy=f"Did you mean {near}?" if near else "See docs/recorded-surprisals.md.",
        )
    return tuple(sorted(trainings, key=lambda training: (training.model, training.seed)))


def recorded_training(folder: Path, table: TableOptions = AS_RECOGNISED) -> RecordedTraining:
    """Return what one folder `<model>-<seed>` holds."""
    named = re.fullmatch(r"(?P<model>.+)-\D*(?P<seed>\d+)", folder.name)
    if named is None:
        raise UserError(f"The folder {folder} names no model and seed.", valid=LAYOUT)
    files = {file.stem: file for file in sorted(folder.glob(f"*{SUFFIX}"))}
    return RecordedTraining(folder, named["model"], int(named["seed"]), files, table)


def left_out(trainings: Sequence[RecordedTraining]) -> tuple[str, ...]:
    """Return the suites in the folder that are none of the layout's 24 and are not judged."""
    return tuple(sorted({name for training in trainings for name in training.files} - set(SUITE_NAMES)))


# --- the suites -------------------------------------------------------------------------------------------------------


def recorded_suites(root: Path | str, table: TableOptions = AS_RECOGNISED) -> tuple[Suite, ...]:
    """Return the suites that the models in a folder have scored, with marked regions and formulas."""
    trainings = recorded_trainings(root, table)
    names = [name for name in SUITE_NAMES if any(name in training.files for training in trainings)]
    return tuple(_suite(name, trainings) for name in names)


def _suite(name: str, trainings: Sequence[RecordedTraining]) -> Suite:
    wordings: dict[int, Counter[tuple[Words, ...]]] = {}
    lines: dict[tuple[Words, ...], int] = {}
    for training in trainings:
        for number, sentences in enumerate(_groups(training, name), 1):
            wording = tuple(sentence.words for sentence in sentences)
            wordings.setdefault(number, Counter())[wording] += 1
            lines.setdefault(wording, sentences[0].line)
    items = [
        item_of(name, f"{number}~{version}" if version > 1 else str(number), wording, lines[wording])
        for number, counted in sorted(wordings.items())
        for version, (wording, _) in enumerate(counted.most_common(), 1)
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

    def __init__(self, folder: Path, table: TableOptions = AS_RECOGNISED) -> None:
        self.folder = folder
        self.table = table

    def items(self) -> pl.DataFrame:
        """Return one item per sentence, as for our own suites."""
        items = suite_items(recorded_suites(self.folder, self.table))
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
