"""How are reconstructions read from a file that somebody kept in a spreadsheet?

CSV, TSV, JSON Lines, Parquet, Excel or SPSS, wide or long (`columns`). A count that is left empty is 0 where the others
add up to the size of the scene already, for nothing else is possible. An answer is missing when it has no count at all,
when its `status` is not ok, or when `understood` says no. Anything else that does not add up is refused with the number
of its row, or left out as missing where `wrong` says so. Rows that contradict themselves or each other are refused: a
scene beside other true counts, or a long answer whose rows do not agree in what is said of the whole answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from hengliang.analyses.ratings.reading import MISSING, ROW, RatingsFile, as_numbers, read_ratings_file
from hengliang.analysis.reconstruction.answers import UNDERSTOOD_NOT, Answer, Reconstructions, reconstructions
from hengliang.analysis.reconstruction.columns import FileColumns, find_columns
from hengliang.analysis.reconstruction.kinds import named_kind
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.terms import Bilingual
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, checked_scene, read_scene
from hengliang.statistics.results import check_choice

Wrong = Literal["refuse", "missing"]
UNEQUAL = "counts do not add up"
UNCOUNTED = "a count is no number"
_OK = frozenset({"", "ok", "given", "complete", "valid"})
_NO = frozenset({"no", "n", "false", "0", "否", "没有"})
_SHOWN = 5
_SHARED = ("describer", "experiment", "scene", "size", "status", "understood")
"""What all rows of one answer in a long file have in common; one that leaves it empty says what the others say."""


@dataclass(frozen=True, slots=True)
class _Given:
    """One reconstruction as the file has it: a count a kind, None where there is none; why it is missing, if it is."""

    row: int
    pair: str
    describer: str
    participant: str
    experiment: str
    reason: str
    scene: Scene
    counts: tuple[int | None, ...]
    cells: tuple[str, ...]
    """What stands in the cells of the counts."""


def read_reconstructions(
    path: str | Path,
    domain: Domain = DEFAULT_DOMAIN,
    table: TableOptions = AS_RECOGNISED,
    *,
    wrong: Wrong = "refuse",
) -> Reconstructions:
    """Read a file of reconstructions, or say what is wrong with which row."""
    check_choice("wrong", wrong, get_args(Wrong))
    file = read_ratings_file(path, table, row="reconstruction")
    columns = find_columns(file, domain)
    given = list((_long if columns.is_long else _wide)(file, columns, domain))
    faults = [(one, fault) for one in given if (fault := _fault(one))]
    if faults and wrong == "refuse":
        raise _refusal(file, faults)
    bad = {one.row: UNCOUNTED if _uncounted(one) else UNEQUAL for one, _ in faults}
    answers = [_answer(file, replace(one, reason=bad[one.row]) if one.row in bad else one) for one in given]
    return reconstructions(
        answers,
        domain,
        source=file.path.name,
        form=f"{file.form}, {'one row a count' if columns.is_long else 'one row a reconstruction'}",
        notes=_blank_note(given, set(bad)),
    )


# --- rows -------------------------------------------------------------------------------------------------------------


def _wide(file: RatingsFile, columns: FileColumns, domain: Domain) -> Iterator[_Given]:
    numbers = {name: _whole_numbers(file, name) for name in (*columns.kinds.values(), *columns.true_kinds.values())}
    for place, row in enumerate(file.frame.iter_rows(named=True)):
        counts = tuple(numbers[columns.kinds[kind]][place] for kind in range(len(domain.codes)))
        cells = tuple(row[columns.kinds[kind]].strip() for kind in range(len(domain.codes)))
        true = {kind: numbers[name][place] for kind, name in sorted(columns.true_kinds.items())}
        yield _given(columns, row, _scene(file, columns, row, domain, true), counts, cells)


def _long(file: RatingsFile, columns: FileColumns, domain: Domain) -> Iterator[_Given]:
    counted = _whole_numbers(file, columns.parts["count"])
    true_of = _whole_numbers(file, columns.parts["true"]) if "true" in columns.parts else None
    groups: dict[tuple[str, str], list[int]] = {}
    rows = file.frame.to_dicts()
    for place, row in enumerate(rows):
        groups.setdefault((_text(columns, row, "pair"), _text(columns, row, "participant")), []).append(place)
    for places in groups.values():
        counts: list[int | None] = [None] * len(domain.codes)
        cells = [""] * len(domain.codes)
        true: dict[int, int | None] = {}
        for kind, place in _kinds_of(file, columns, domain, {place: rows[place] for place in places}).items():
            counts[kind], cells[kind] = counted[place], _text(columns, rows[place], "count")
            if true_of is not None:
                true[kind] = true_of[place]
        whole = _shared(file, columns, [rows[place] for place in places])
        yield _given(columns, whole, _scene(file, columns, whole, domain, true), tuple(counts), tuple(cells))


def _kinds_of(
    file: RatingsFile, columns: FileColumns, domain: Domain, rows: Mapping[int, dict[str, str]]
) -> dict[int, int]:
    """Return at which place of a long file each kind of an answer is counted."""
    found: dict[int, int] = {}
    for place, row in rows.items():
        name = _text(columns, row, "kind")
        if not name and _text(columns, row, "count").lower() in MISSING:
            continue
        kind = named_kind(name, domain, _where(file, row))
        if kind in found:
            raise UserError(
                f"{_where(file, row)}: the kind {name} is counted twice for one answer.",
                valid=f"One row a kind; the other is row {rows[found[kind]][ROW]}.",
            )
        found[kind] = place
    return found


def _shared(file: RatingsFile, columns: FileColumns, rows: Sequence[dict[str, str]]) -> dict[str, str]:
    """Return the first row of a long answer with what any of its rows says of the whole, or say where they disagree."""
    whole = dict(rows[0])
    for part in (part for part in (*_SHARED, "reason") if part in columns.parts):
        stated = [row for row in rows if _text(columns, row, part)]
        if not stated:
            continue
        first = _text(columns, stated[0], part)
        for row in stated[1:] if part in _SHARED else ():
            if _text(columns, row, part).casefold() != first.casefold():
                raise UserError(
                    f"{_where(file, row)}: the {part} is '{_text(columns, row, part)}', in row {stated[0][ROW]} of the "
                    f"same answer '{first}'.",
                    valid=f"One {part} for all rows of an answer of one participant to one pair.",
                )
        whole[columns.parts[part]] = first
    return whole


def _given(
    columns: FileColumns, row: dict[str, str], scene: Scene, counts: tuple[int | None, ...], cells: tuple[str, ...]
) -> _Given:
    pair, describer, participant, experiment = (
        _text(columns, row, part) for part in ("pair", "describer", "participant", "experiment")
    )
    reason = _missing(columns, row, counts)
    return _Given(int(row[ROW]), pair, describer, participant, experiment, reason, scene, counts, cells)


def _missing(columns: FileColumns, row: dict[str, str], counts: tuple[int | None, ...]) -> str:
    """Say why there is no answer, or nothing when there is one."""
    status, reason, understood = (_text(columns, row, part) for part in ("status", "reason", "understood"))
    if understood.lower() in _NO and understood:
        return UNDERSTOOD_NOT
    if status.lower() not in _OK:
        return reason or status
    return (reason or "no counts") if all(count is None for count in counts) else ""


def _text(columns: FileColumns, row: dict[str, str], part: str) -> str:
    return str(row[columns.parts[part]] or "").strip() if part in columns.parts else ""


def _where(file: RatingsFile, row: dict[str, str]) -> str:
    return f"Row {row[ROW]} of {file.path.name}"


def _whole_numbers(file: RatingsFile, name: str) -> Sequence[int | None]:
    numbers, wrong = as_numbers(file.frame[name], decimal_comma=file.decimal_comma)
    broken = (numbers.is_not_null() & ((numbers != numbers.round()) | (numbers < 0))).arg_true()
    places = sorted([*wrong.to_list(), *broken.to_list()])
    if places:
        cell, row = file.frame[name][places[0]], file.frame[ROW][places[0]]
        more = f"; {len(places) - 1} more such cells." if len(places) > 1 else "."
        raise UserError(
            f"The column '{name}' holds '{cell}' in row {row} of {file.path.name}, where a count belongs{more}",
            valid="Whole numbers from 0; an answer that is missing has no counts.",
        )
    return [None if value is None else int(value) for value in numbers.to_list()]


def _scene(
    file: RatingsFile, columns: FileColumns, row: dict[str, str], domain: Domain, true: Mapping[int, int | None]
) -> Scene:
    """Return the scene of a row, checked against the size and the true counts that stand beside it.

    In a long file a kind without a row of its own is absent; a true count that is there and empty says nothing.
    """
    where = _where(file, row)
    written = _text(columns, row, "size")
    size, wrong = as_numbers(pl.Series([written]))
    if wrong.len() or (size[0] is not None and (size[0] != int(size[0]) or size[0] < 1)):
        raise UserError(f"{where}: '{written}' is no size of a scene.", valid="A whole number from 1.")
    said = None if size[0] is None else int(size[0])
    code = _text(columns, row, "scene")
    stated = {kind: count for kind, count in true.items() if count is not None}
    empty = [domain.codes[kind] for kind, count in true.items() if count is None]
    if not code and empty:
        raise UserError(
            f"{where}: the true count of {', '.join(empty)} is empty.",
            valid="A whole number from 0 for each kind; 0 where the scene has none of it.",
        )
    try:
        counted = tuple(stated.get(kind, 0) for kind in range(len(domain.codes)))
        whole = bool(stated) and (columns.is_long or len(columns.true_kinds) == len(domain.codes))
        scene = checked_scene(Scene(counted, domain), said) if whole and not code else read_scene(code, domain, said)
    except UserError as error:
        raise UserError(f"{where}, the scene: {error.problem}", valid=error.valid) from error
    for kind, count in stated.items():
        if scene.counts[kind] != count:
            raise UserError(
                f"{where}: the scene is {scene.code}, but the true count of {domain.codes[kind]} is {count}.",
                valid="A scene and true counts that say the same, or only one of the two.",
            )
    return scene


# --- answers ----------------------------------------------------------------------------------------------------------


def _fault(given: _Given) -> str:
    """Say what is wrong with an answer, or nothing."""
    if given.reason:
        return ""
    if unread := _uncounted(given):
        return f"{unread} stands beside counts that are given"
    held = [count for count in given.counts if count is not None]
    if sum(held) == given.scene.size:
        return ""
    blanks = len(given.counts) - len(held)
    left = f" and {blanks} {'is' if blanks == 1 else 'are'} empty" if blanks else ""
    return f"the counts {' + '.join(map(str, held))} = {sum(held)} do not add up to {given.scene.size}{left}"


def _uncounted(given: _Given) -> str:
    """Return a cell that says that a count is missing (nan, NA) and is not just empty, in an answer with counts."""
    named = zip(given.scene.domain.codes, given.counts, given.cells, strict=True)
    return next((f"'{cell}' for {code}" for code, count, cell in named if count is None and cell), "")


def _refusal(file: RatingsFile, faults: Sequence[tuple[_Given, str]]) -> UserError:
    (first, told), others = faults[0], faults[1:]
    rows = ", ".join(str(one.row) for one, _ in others[:_SHOWN]) + (", …" if len(others) > _SHOWN else "")
    more = f"; {len(others)} more, in rows {rows}." if others else "."
    return UserError(
        f"Row {first.row} of {file.path.name}, the answer of '{first.participant}' to the pair '{first.pair}': "
        f"{told}{more}",
        valid="Whole numbers that add up to the size of the scene, or none at all where there is no answer.",
        remedy="Correct the rows, or leave such answers out as missing: --wrong missing",
    )


def _answer(file: RatingsFile, given: _Given) -> Answer:
    where = f"row {given.row} of {file.path.name}"
    for part in ("pair", "describer", "participant"):
        if not getattr(given, part):
            raise UserError(f"{where[:1].upper()}{where[1:]} has no {part}.", valid=f"Every row has its {part}.")
    counts = None if given.reason else tuple(count or 0 for count in given.counts)
    return Answer(
        given.pair, given.describer, given.scene, given.participant, counts, given.reason, given.experiment, where
    )


def _blank_note(given: Sequence[_Given], bad: set[int]) -> tuple[Bilingual, ...]:
    blank = [one for one in given if not one.reason and None in one.counts and one.row not in bad]
    if not blank:
        return ()
    return (
        Bilingual(
            f"{len(blank)} {'answer leaves' if len(blank) == 1 else 'answers leave'} a count empty though the others "
            "add up already: it is 0.",
            f"有 {len(blank)} 个回答留空了某一数目，但其余数目之和已等于场景规模：该数目为 0。",
        ),
    )
