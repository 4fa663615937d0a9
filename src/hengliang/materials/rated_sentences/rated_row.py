"""What is known about one rated sentence, and does the printed mean follow from its ratings?"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hengliang.core.errors import UserError

TOLERANCE = 1e-9
"""By how much a printed mean may differ from that of the ratings: published files print twelve digits."""


@dataclass(frozen=True, slots=True)
class RatedRow:
    """One row of a file: a sentence, how it was shown, and what people said of it; None where nobody says.

    `key` is unique within dataset and mode. `ratings` are the single ratings, where the file has them. `rating` is the
    mean as it is printed. `source_sentence` names the sentence from which this one was made, or itself. `merged` is how
    many rows of the file, with a single rating each, this one was made of.
    """

    line: int
    key: str
    text: str
    mode: str = ""
    origin: str | None = None
    textbook: str | None = None
    rating: float | None = None
    ratings: tuple[float, ...] = ()
    raters: int | None = None
    rating_sd: float | None = None
    source_sentence: str = ""
    further: tuple[tuple[str, str], ...] = ()
    merged: int = 1

    @property
    def mean_differs(self) -> bool:
        """Whether the printed mean is not that of the ratings."""
        if self.rating is None or not self.ratings:
            return False
        mean = statistics.fmean(self.ratings)
        return not math.isclose(self.rating, mean, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def spread(ratings: Sequence[float]) -> float | None:
    """Return the standard deviation of the ratings (n − 1 below the line), None for fewer than two."""
    return statistics.stdev(ratings) if len(ratings) > 1 else None


def problem(path: Path, line: int, fault: str, *, valid: str = "", remedy: str = "") -> UserError:
    """Return the error for one line of a file."""
    return UserError(f"{path}, line {line}: {fault}.", valid=valid, remedy=remedy)


def number_of(text: str, path: Path, line: int, what: str) -> float:
    """Return a cell as a number, or name the line in which there is none."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise problem(path, line, f"the {what} '{text[:40]}' is no number", valid="A number such as 3 or 3.25.")
    return value


def numbers_of(text: str, path: Path, line: int, separator: str = ",") -> tuple[float, ...]:
    """Return a cell with a list of ratings as numbers."""
    if not text.strip():
        raise problem(path, line, "there are no ratings", valid="Numbers with commas between them: 4, 3, 4.")
    return tuple(number_of(part.strip(), path, line, "rating") for part in text.split(separator))


def check_keys(rows: Iterable[RatedRow], path: Path) -> None:
    """Refuse two rows of one mode that have the same id."""
    seen: dict[tuple[str, str], int] = {}
    for row in rows:
        first = seen.setdefault((row.mode, row.key), row.line)
        if first != row.line:
            shown = f" ({row.mode})" if row.mode else ""
            raise problem(
                path,
                row.line,
                f"the id '{row.key}'{shown} is that of line {first}",
                valid="One id a sentence and mode, with the mean of its ratings or with a row for each of them.",
                remedy="Give each sentence an id of its own.",
            )
