"""Rated sentences in a user's own table, of any form that `hengliang.core.io.tables` reads.

What every row needs is a sentence and a rating, or a list of single ratings; a cell without a rating is a sentence
that nobody has rated. Where a sentence has a row for each of its ratings, these rows are one, unless another column
tells them apart.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.column_names import RATER_NAMES, is_called
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.tables import read_user_table
from hengliang.core.records import RESERVED_ATTRIBUTES
from hengliang.materials.rated_sentences.rated_row import (
    RatedRow,
    check_keys,
    number_of,
    numbers_of,
    problem,
    spread,
)

COLUMNS = {
    "text": "sentence",
    "rating": "rating",
    "ratings": "ratings",
    "id": "id",
    "mode": "mode",
    "origin": "origin",
    "raters": "raters",
    "rating_sd": "rating_sd",
    "source_sentence": "source_sentence",
}
"""What a column may be for, and how it is called unless the user says otherwise."""

_WITHHELD = -1
"""What test parts have instead of a label that is not told."""

_SUMMARIES = {"ratings", "raters", "rating_sd"}
"""Columns that say of a row that it sums up several ratings."""

Cells = Mapping[str, str]


def read_rated_table(
    path: Path | str,
    columns: Mapping[str, str] | None = None,
    *,
    keep: Sequence[str] = (),
    table: TableOptions = AS_RECOGNISED,
) -> tuple[RatedRow, ...]:
    """Read a table of rated sentences; `columns` says which column is for what, `keep` names further attributes.

    `table` says how the file is to be read, where that is not recognised. Rows with the same sentence and one rating
    each are one sentence with its ratings; if a column for which no use is stated tells them apart, as a context would,
    the table is refused.
    """
    file = Path(path)
    names = _names(columns or {})
    read = read_user_table(file, table, what="rated sentence")
    lines, present = list(read), read.columns
    used = _used(names, columns or {}, present, file)
    for name in keep:
        if name not in present:
            raise unknown_name(f"column of {file.name}", name, present)
        if name in RESERVED_ATTRIBUTES or name in {*COLUMNS, "dataset", "textbook", "rating_z", "length"}:
            raise UserError(f"The column '{name}' cannot be kept: the name is taken.", remedy="Rename the column.")
    rows = tuple(_row(file, line, place, cells, used, keep) for place, (line, cells) in enumerate(lines, 1))
    if all(row.rating == _WITHHELD for row in rows):
        raise UserError(
            f"{file} has no ratings: '{used.get('rating') or used['ratings']}' is {_WITHHELD} in every row.",
            valid="Ratings, or empty cells where nobody has rated a sentence.",
            remedy="Test parts are often published without their labels: take another part.",
        )
    if not _SUMMARIES & used.keys():
        others = [name for name in present if name not in {*used.values(), *keep}]
        rest = [{name: cells.get(name, "").strip() for name in others} for _, cells in lines]
        rows = _with_single_ratings(rows, rest, file, by_id="id" in used)
    check_keys(rows, file)
    return rows


def _names(columns: Mapping[str, str]) -> dict[str, str]:
    for purpose in columns:
        if purpose not in COLUMNS:
            raise unknown_name("purpose of a column", purpose, COLUMNS)
    return {**COLUMNS, **columns}


def _used(names: Mapping[str, str], asked: Mapping[str, str], present: Sequence[str], file: Path) -> dict[str, str]:
    """Return the columns that are there; one that was asked for, and the sentence and its rating, must be."""
    used = {purpose: name for purpose, name in names.items() if name in present}
    for purpose in (*asked, "text"):
        if purpose not in used:
            raise unknown_name(
                f"column of {file.name}", names[purpose], present, remedy=f"Say which: {purpose}='COLUMN'."
            )
    if "rating" not in used and "ratings" not in used:
        raise unknown_name(f"column of {file.name}", names["rating"], present, remedy="Say which: rating='COLUMN'.")
    return used


def _row(file: Path, line: int, place: int, cells: Cells, used: Mapping[str, str], keep: Sequence[str]) -> RatedRow:
    held = {purpose: cells.get(name, "").strip() for purpose, name in used.items()}
    if not held["text"]:
        raise problem(file, line, "there is no sentence", valid="Every row has a sentence; its rating may be empty.")
    ratings = numbers_of(held["ratings"].strip("[]"), file, line) if held.get("ratings") else ()
    rating = number_of(held["rating"], file, line, "rating") if held.get("rating") else None
    if rating is None and ratings:
        rating = statistics.fmean(ratings)
    raters = _raters(held.get("raters", ""), file, line)
    deviation = number_of(held["rating_sd"], file, line, "deviation") if held.get("rating_sd") else None
    if deviation is not None and deviation < 0:
        raise problem(file, line, f"the standard deviation {held['rating_sd']} is negative")
    return RatedRow(
        line,
        held.get("id") or str(place),
        held["text"],
        held.get("mode", ""),
        held.get("origin") or None,
        None,
        rating,
        ratings,
        raters if raters is not None else len(ratings) or None,
        deviation if deviation is not None else spread(ratings),
        held.get("source_sentence", ""),
        tuple((name, cells.get(name, "").strip()) for name in keep),
    )


# --- a row a rating ---------------------------------------------------------------------------------------------------


def _with_single_ratings(
    rows: Sequence[RatedRow], rest: Sequence[Cells], file: Path, *, by_id: bool
) -> tuple[RatedRow, ...]:
    """Make one row of the ratings of each sentence, where a file has a row for each of them.

    Rows belong together by their id, or if they have none, by their sentence; always within a mode. `rest` are the
    cells of each row that are used for nothing.
    """
    places: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault((row.mode, row.key if by_id else row.text), []).append(place)
    groups = [[rows[place] for place in held] for held in places.values()]
    repeated = [group for group in groups if len(group) > 1]
    if not repeated:
        return tuple(rows)
    if not by_id and 2 * len(repeated) <= len(groups):
        first, second, *_ = repeated[0]
        raise problem(
            file,
            second.line,
            f"the sentence is that of line {first.line}, and most others stand there once",
            valid="Rows with a mean each, or rows with a single rating each, several a sentence.",
            remedy="Different items have ids: id='COLUMN'. Of means, say of how many ratings: raters='COLUMN'.",
        )
    if not by_id:
        _check_not_told_apart(groups, [[rest[place] for place in held] for held in places.values()], file)
    return tuple(_of_single(group, file, place, by_id=by_id) for place, group in enumerate(groups, 1))


def _check_not_told_apart(groups: Sequence[Sequence[RatedRow]], rest: Sequence[Sequence[Cells]], file: Path) -> None:
    """Refuse rows with one sentence that another column tells apart: they may be several items."""
    for name in rest[0][0]:
        if not _tells_apart(name, rest):
            continue
        group, held = next(
            (group, held)
            for group, held in zip(groups, rest, strict=True)
            if any(cells[name] != held[0][name] for cells in held)
        )
        place = next(place for place, cells in enumerate(held) if cells[name] != held[0][name])
        raise problem(
            file,
            group[place].line,
            f"the sentence is that of line {group[0].line}, but its '{name}' is '{held[place][name]}' and not "
            f"'{held[0][name]}'",
            valid="Rows that differ by the rater are ratings of one sentence; others may be items of their own.",
            remedy=f"To rate them apart, say mode='{name}', or id='COLUMN' if items have ids. To take them for ratings "
            "of one sentence, name its column as the id too.",
        )


def _tells_apart(name: str, groups: Sequence[Sequence[Cells]]) -> bool:
    """Say whether a column tells the rows of one sentence apart as a condition does.

    Then it differs within a sentence and comes back in others. What names the raters or follows from them (their age,
    their list) is no condition; where each rater has rated a sentence once, numbers are taken for measurements or for
    an order.
    """
    if is_called(name, RATER_NAMES) or all(len({cells[name] for cells in held}) == 1 for held in groups):
        return False
    found = Counter(value for held in groups for value in {cells[name] for cells in held} if value)
    if len(groups) > 1 and max(found.values()) < 2:
        return False
    raters = [other for other in groups[0][0] if is_called(other, RATER_NAMES)]
    rows = [cells for held in groups for cells in held]
    follows = any(
        len({(cells[rater], cells[name]) for cells in rows}) == len({cells[rater] for cells in rows})
        for rater in raters
    )
    once = any(all(len({cells[rater] for cells in held}) == len(held) for held in groups) for rater in raters)
    return not follows and not (once and all(map(_is_number, found)))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _of_single(group: Sequence[RatedRow], file: Path, place: int, *, by_id: bool) -> RatedRow:
    """Return the row of a sentence, from those of its ratings; they must agree on everything else."""
    first = group[0]
    key = first.key if by_id else str(place)
    for row in group[1:]:
        if row.text != first.text:
            check_keys(group, file)
        told = {"origin": first.origin, "source_sentence": first.source_sentence, **dict(first.further)}
        other = {"origin": row.origin, "source_sentence": row.source_sentence, **dict(row.further)}
        differs = next((name for name in told if told[name] != other[name]), None)
        if differs is not None:
            raise problem(
                file,
                row.line,
                f"it is a rating of the sentence in line {first.line}, but its '{differs}' is '{other[differs]}' "
                f"and not '{told[differs]}'",
                valid="What is kept of a sentence is the same in all rows with its ratings.",
                remedy="Leave the column out, or give different items ids of their own: id='COLUMN'.",
            )
    ratings = tuple(row.rating for row in group if row.rating is not None)
    mean = statistics.fmean(ratings) if ratings else None
    raters, deviation = len(ratings) or None, spread(ratings)
    return replace(first, key=key, rating=mean, ratings=ratings, raters=raters, rating_sd=deviation, merged=len(group))


def _raters(text: str, file: Path, line: int) -> int | None:
    if not text:
        return None
    count = number_of(text, file, line, "number of raters")
    if count < 1 or count != int(count):
        raise problem(file, line, f"'{text}' is no number of raters", valid="A whole number, 1 or more.")
    return int(count)
