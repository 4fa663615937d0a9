"""What did people say of the sentences of SMOG: of the British National Corpus, of Wikipedia, of a textbook of syntax?

The four files [1] are tab-separated without quoting, with six columns: mode of presentation, language, text, length,
rating list and mean rating. Raters chose between two (MOP2, coded 1 and 4) or four categories (MOP4, 1 to 4), or set a
slider (MOP100, 1 to 100). In the files of the BNC and of Wikipedia (ENWIKI) the language is the one through which a
sentence was translated there and back; in the others it says whether the textbook has the sentence as good or bad.

[1] Lau, J. H., Clark, A., Lappin, S. (2017). Grammaticality, acceptability, and probability: A probabilistic view of
    linguistic knowledge. Cognitive Science 41.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import file_checksum
from hengliang.corpora import catalogue as sources
from hengliang.corpora.plain_text import decoded_lines, open_reading
from hengliang.materials.rated_sentences.rated_row import RatedRow, number_of, numbers_of, problem, spread
from hengliang.materials.rated_sentences.source_sentences import source_sentences

SmogPart = Literal["bnc", "enwiki", "adger", "adger filtered"]
PARTS: tuple[SmogPart, ...] = get_args(SmogPart)

HEADER = ("MOP", "language", "text", "length", "rating_list", "mean_rating")
ORIGINAL = "en"
TEXTBOOK = {"adger-good": "good", "adger-bad": "bad"}
_TEXTBOOK_ORIGIN = "adger"


def smog_file(part: str) -> Path:
    """Return where the file of a part is on this machine."""
    if part not in PARTS:
        raise unknown_name("part of SMOG", part, PARTS)
    return sources.locate("smog", f"smog/{part.replace(' ', '_')}.csv")


def read_smog(part: str) -> tuple[RatedRow, ...]:
    """Read a part of SMOG from the catalogue."""
    path = smog_file(part)
    return _read(path, file_checksum(path))


@lru_cache(maxsize=4)
def _read(path: Path, _checksum: str) -> tuple[RatedRow, ...]:
    return read_smog_file(path)


def read_smog_file(path: Path | str) -> tuple[RatedRow, ...]:
    """Read a file in the layout of SMOG; rows are numbered within their mode, from 1."""
    file, encoding, faults = open_reading(path, "utf-8", "raise")
    rows: list[RatedRow] = []
    numbers: Counter[str] = Counter()
    for line, text in decoded_lines(file, encoding, faults):
        cells = text.split("\t")
        if line == 1:
            if tuple(cells) != HEADER:
                raise problem(file, line, "the header is another", valid=f"Columns: {', '.join(HEADER)}.")
        elif text.strip():
            numbers[cells[0]] += 1
            rows.append(_row(file, line, cells, numbers[cells[0]]))
    if not rows:
        raise UserError(f"{file} holds no rated sentences.", remedy="Check that the file arrived whole.")
    return _with_sources(rows, file.stem)


def _row(file: Path, line: int, cells: Sequence[str], number: int) -> RatedRow:
    if len(cells) != len(HEADER):
        raise problem(file, line, f"there are {len(cells)} columns", valid=f"Columns: {', '.join(HEADER)}.")
    mode, language, text, _, listed, mean = cells
    ratings = numbers_of(listed, file, line)
    for rating in ratings:
        if not _in_range(mode, rating):
            raise problem(file, line, f"{rating:g} is no rating of {mode}", valid=_SCALES)
    if not text.strip():
        raise problem(file, line, "there is no sentence")
    return RatedRow(
        line,
        f"{number:04}",
        text.strip(),
        mode,
        _TEXTBOOK_ORIGIN if language in TEXTBOOK else language,
        TEXTBOOK.get(language),
        number_of(mean, file, line, "mean rating"),
        ratings,
        len(ratings),
        spread(ratings),
    )


_SCALES = "MOP2: 1 or 4. MOP4: 1, 2, 3, 4. MOP100: whole numbers from 1 to 100."


def _in_range(mode: str, rating: float) -> bool:
    if mode == "MOP2":
        return rating in {1, 4}
    highest = {"MOP4": 4, "MOP100": 100}.get(mode, 0)
    return rating == int(rating) and 1 <= rating <= highest


# --- from which sentence each was made ------------------------------------------------------------------------------


def _with_sources(rows: Sequence[RatedRow], name: str) -> tuple[RatedRow, ...]:
    """Name the source of each row: of a textbook sentence its text, of the others what translations have in common."""
    if all(row.textbook for row in rows):
        return tuple(replace(row, source_sentence=f"adger: {straight(row.text)}") for row in rows)
    found = _sources_of_translations(rows, name)
    return tuple(replace(row, source_sentence=found[row.origin or "", row.text]) for row in rows)


def straight(text: str) -> str:
    """Return a text with straight apostrophes: the two textbook files differ in them."""
    return text.replace("’", "'")


def translation_blocks(rows: Sequence[RatedRow]) -> dict[str, list[str]]:
    """Return the sentences of each language in the order of the file, the originals first, each sentence once.

    The modes list the same sentences in the same order, so that the first mode gives the order.
    """
    languages = sorted({row.origin or "" for row in rows}, key=_originals_first)
    return {language: list(dict.fromkeys(r.text for r in rows if r.origin == language)) for language in languages}


def _originals_first(language: str) -> tuple[bool, str]:
    return (language != ORIGINAL, language)


def _sources_of_translations(rows: Sequence[RatedRow], name: str) -> dict[tuple[str, str], str]:
    blocks = translation_blocks(rows)
    found = source_sentences(blocks)
    return {
        (language, sentence): f"{name}-{number + 1:03}"
        for language, block in blocks.items()
        for sentence, number in zip(block, found.sources[language].tolist(), strict=True)
    }
