"""How is a text file of any size put to a model, some lines at a time?

One line is one text. A line that cannot be read keeps its place and says why, so that a broken byte or two never stop
the work on a large file and never go unnoticed either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, read_texts
from hengliang.core.signature import digest
from hengliang.corpora.plain_text import Faults, OnBroken, decoded_lines, nothing_found, open_reading
from hengliang.systems.language_models.base import LanguageModel
from hengliang.systems.language_models.scores import Scores

BATCH = 1000
"""How many lines go to the model at a time unless the user says otherwise."""

SEARCHED, PRETRAINED = 50, 100
"""Lines for a model that searches, or is large: work for every process, and little that a killed run loses."""


def lines_at_once(model: LanguageModel, most: int = BATCH) -> int:
    """Return how many lines to give to this model at a time; a kill loses a batch, so a slow model gets fewer."""
    if model.batch_size < most:
        return model.batch_size
    return min(most, PRETRAINED) if model.conventions().unit in {"subword", "byte"} else most


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a file: their numbers (from 1), their texts, and why a line could not be read (else empty)."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    problems: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def key(self) -> str:
        """A hash of everything in it."""
        return digest(*(str(number) for number in self.numbers), *self.texts, *self.problems)

    @property
    def last(self) -> int:
        """The number of its last line."""
        return self.numbers[-1]


Line = tuple[int, str, str]
"""Number, text, and why it could not be read."""


def read_chunks(
    path: Path, *, batch: int = BATCH, encoding: str = "utf-8", broken: OnBroken = "skip"
) -> Iterator[Chunk]:
    """Read a file as chunks of `batch` lines; blank lines are left out.

    A line that does not decode ends the reading (`raise`) or becomes a line with a problem (`skip`). The file is
    checked at once, and read as the chunks are asked for.
    """
    if batch < 1:
        raise UserError(f"A batch of {batch} lines is not possible.", valid="A batch has 1 line or more.")
    checked, codec, faults = open_reading(path, encoding, broken)
    kept = _KeptFaults(faults)
    return _chunks(_lines(checked, codec, kept), checked, kept, batch)


class _KeptFaults(Faults):
    """Faults that remember which problems have come up since the last line that could be read."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults.errors)
        self.fresh: list[str] = []

    def note(self, problem: UserError) -> None:
        """Raise the problem, or count and remember it."""
        super().note(problem)
        self.fresh.append(problem.problem)


def _lines(path: Path, encoding: str, faults: _KeptFaults) -> Iterator[Line]:
    last = 0
    for number, line in decoded_lines(path, encoding, faults):
        yield from _broken_lines(path, last, faults)
        last = number
        if text := line.strip():
            yield number, text, ""
    yield from _broken_lines(path, last, faults)


def _broken_lines(path: Path, last: int, faults: _KeptFaults) -> Iterator[Line]:
    # Only broken lines lie between two that were given out, so that their numbers follow from the last one.
    for number, problem in enumerate(faults.fresh, start=last + 1):
        yield number, "", problem.removeprefix(f"{path}, line {number} is ")
    faults.fresh.clear()


def _chunks(lines: Iterator[Line], path: Path, faults: Faults, batch: int) -> Iterator[Chunk]:
    held: list[Line] = []
    found = False
    for line in lines:
        found = found or not line[2]
        held.append(line)
        if len(held) == batch:
            yield _chunk(held)
            held = []
    if not found:
        raise nothing_found(path, "text", faults)
    if held:
        yield _chunk(held)


def _chunk(lines: list[Line]) -> Chunk:
    numbers, texts, problems = zip(*lines, strict=True)
    return Chunk(numbers, texts, problems)


def line_count(path: Path) -> int | None:
    """Return how many lines a file has; None for what can be read only once, such as a pipe."""
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        ends, last = 0, b"\n"
        while piece := stream.read(1 << 20):
            ends, last = ends + piece.count(b"\n"), piece[-1:]
    return ends + (last != b"\n")


def texts_of_chunk(chunk: Chunk, segmenter: str = "") -> tuple[Texts, tuple[str, ...]]:
    """Return the lines as texts, and of each line why it is none; such a line is an empty text.

    The model's segmenter says whether spaces part words (Chinese) or are a part of writing (English).
    """
    try:
        return read_texts(chunk.texts, segmenter), chunk.problems
    except UserError:
        return _texts_one_by_one(chunk, segmenter)


def _texts_one_by_one(chunk: Chunk, segmenter: str) -> tuple[Texts, tuple[str, ...]]:
    """Find the lines that made the whole batch unreadable (a word that begins with a combining mark)."""
    lines, problems = list(chunk.texts), list(chunk.problems)
    for place, line in enumerate(chunk.texts):
        try:
            read_texts([line], segmenter)
        except UserError as error:
            lines[place], problems[place] = "", error.problem
    return read_texts(lines, segmenter), tuple(problems)


def scores_of_texts(model: LanguageModel, texts: Texts) -> Scores:
    """Return what the model says of the texts, and refuse an answer that leaves out texts."""
    scores = model.score(texts)
    if len(scores) != len(texts):
        raise UserError(
            f"The language model '{model.name}' returned the scores of {len(scores)} texts for {len(texts)}.",
            remedy=f"Return the units of every text, in order, then try: hengliang check {model.name}",
        )
    return scores
