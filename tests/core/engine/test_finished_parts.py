"""Is finished work kept, found again, and joined to the same bytes?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from hengliang.core.engine.cache import BatchCache, FinishedParts, finished_result, note_of, parts_of
from hengliang.core.engine.mapping import LOCAL, Processes
from hengliang.core.errors import UserError
from hengliang.core.io.files import locked_folder, write_json, write_text
from hengliang.core.progress import Silent, SilentSteps
from hengliang.core.signature import Signature, file_checksum

SCHEMA: dict[str, pl.DataType] = {"number": pl.Int64(), "square": pl.Int64()}


@dataclass(frozen=True)
class Numbers:
    """A batch of whole numbers."""

    values: tuple[int, ...]

    @property
    def key(self) -> str:
        return "-".join(map(str, self.values))

    @property
    def last(self) -> int:
        return self.values[-1]


@dataclass(frozen=True)
class Squares:
    """Squares numbers, notes which in a file, and refuses one of them."""

    log: Path
    refused: int = -1

    def __call__(self, batch: Numbers) -> pl.DataFrame:
        if self.refused in batch.values:
            raise UserError(f"{self.refused} cannot be squared.")
        with self.log.open("a") as stream:
            stream.write(f"{batch.key}\n")
        return pl.DataFrame([(value, value * value) for value in batch.values], schema=SCHEMA, orient="row")


def batches() -> Iterator[Numbers]:
    return (Numbers((first, first + 1)) for first in (1, 3, 5, 7))


def cache_of(folder: Path, work: str = "squares") -> BatchCache:
    return BatchCache(folder, Signature.of(work=work), flat=True)


def filled(
    folder: Path, log: Path, prefix: str = "squares", refused: int = -1, engine: object = LOCAL
) -> FinishedParts:
    parts = FinishedParts(cache_of(folder, prefix), SCHEMA)
    parts.fill(Squares(log, refused), batches(), engine, Silent(), None)  # type: ignore[arg-type]
    return parts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "parts"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def test_a_part_with_one_changed_byte_is_made_again_and_told(
    folder: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = filled(folder, log).rows().collect()
    file = sorted(folder.glob("*.parquet"))[1]
    damaged = bytearray(file.read_bytes())
    # The first data page begins after the four bytes PAR1 and its header of some twenty bytes.
    damaged[40] ^= 16
    file.write_bytes(damaged)
    assert_frame_equal(filled(folder, log).rows().collect(), first)
    assert log.read_text().split() == ["1-2", "3-4", "5-6", "7-8", "3-4"]
    assert "1 file of finished work" in capsys.readouterr().err


def test_parts_are_kept_in_order(folder: Path, log: Path) -> None:
    rows = filled(folder, log).rows().collect()
    assert rows["number"].to_list() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert rows["square"].to_list() == [1, 4, 9, 16, 25, 36, 49, 64]


def test_what_is_finished_is_not_done_again(folder: Path, log: Path) -> None:
    with pytest.raises(UserError, match="5 cannot"):
        filled(folder, log, refused=5)
    assert log.read_text().split() == ["1-2", "3-4"]
    filled(folder, log)
    assert log.read_text().split() == ["1-2", "3-4", "5-6", "7-8"]


@pytest.mark.parametrize("damage", ["torn", "other columns", "other work"])
def test_a_part_that_is_not_of_this_work_is_made_again(folder: Path, log: Path, damage: str) -> None:
    first = filled(folder, log).files[0]
    if damage == "torn":
        first.write_bytes(first.read_bytes()[:30])
    elif damage == "other columns":
        pl.DataFrame({"cube": [1]}).write_parquet(first)
    log.unlink()
    again = filled(folder, log, "cubes" if damage == "other work" else "squares")
    assert log.read_text().split() == (["1-2", "3-4", "5-6", "7-8"] if damage == "other work" else ["1-2"])
    assert again.rows().collect()["square"].sum() == 204  # 1 + 4 + 9 + … + 64


def test_processes_leave_the_same_parts(folder: Path, log: Path) -> None:
    here = filled(folder, log)
    there = filled(folder.with_name("others"), log, engine=Processes(workers=2))
    assert [file.name for file in there.files] == [file.name for file in here.files]
    assert [file.read_bytes() for file in there.files] == [file.read_bytes() for file in here.files]


@dataclass(frozen=True)
class Told:
    """What is said beside a result."""

    signature: str
    checksum: str
    out: str = ""
    problems: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def test_a_finished_result_leaves_the_parts_of_other_work_that_goes_on(folder: Path, log: Path, tmp_path: Path) -> None:
    out, signature = tmp_path / "squares.txt", Signature.of(work="squares")
    write_text(out, "1 4 9")
    write_json(note_of(out), Told(str(signature), file_checksum(out)).to_json())
    with locked_folder(parts_of(out)):  # another process overwrites the same file
        files = filled(parts_of(out), log, "cubes").files
        assert finished_result(out, Told, signature) is not None
        assert all(file.is_file() for file in files)
    assert finished_result(out, Told, signature) is not None
    assert not parts_of(out).exists()


def test_parts_are_joined_in_any_form(folder: Path, log: Path, tmp_path: Path) -> None:
    def append(suffix: str, stream: IO[bytes], frame: pl.DataFrame, first: bool) -> None:
        stream.write(b"[\n" if first else b"")
        stream.write("".join(f"{json.dumps(row)}\n" for row in frame.iter_rows()).encode())

    parts = filled(folder, log)
    parts.join(tmp_path / "all.txt", append)
    lines = (tmp_path / "all.txt").read_text().splitlines()
    assert (lines[0], lines[1], len(lines)) == ("[", "[1, 1]", 9)
    parts.join(tmp_path / "all.parquet", append)
    assert_frame_equal(pl.read_parquet(tmp_path / "all.parquet"), parts.rows().collect())


def test_what_a_kill_left_is_removed(folder: Path, log: Path) -> None:
    parts = filled(folder, log)
    (folder / ".part.parquet.x.tmp").write_bytes(b"half")
    parts.clean()
    assert sorted(folder.iterdir()) == sorted([*parts.files, parts.cache.note])


def test_what_an_earlier_version_left_unfinished_is_refused(folder: Path, log: Path) -> None:
    parts = filled(folder, log)
    # Work of this version with other options stands beside it and is left alone.
    FinishedParts(cache_of(folder, "cubes"), SCHEMA).clean()
    # Earlier versions wrote no note of the signature beside the batches.
    parts.cache.note.unlink()
    with pytest.raises(UserError, match=rf"4 finished batches of an earlier version.*rm -r '{folder}'"):
        FinishedParts(cache_of(folder, "cubes"), SCHEMA).clean()
    # If nothing has changed that can change a number, its signature is the same, and it goes on.
    parts.clean()
    log.unlink()
    filled(folder, log)
    assert not log.exists()


def test_no_folder_stays_where_nothing_was_finished(folder: Path, log: Path) -> None:
    folder.mkdir()
    parts = FinishedParts(cache_of(folder), SCHEMA)
    with pytest.raises(UserError):
        parts.fill(Squares(log, 1), batches(), LOCAL, Silent(), None)
    parts.forget_if_empty()
    assert not folder.exists()
    kept = filled(folder, log)
    kept.forget_if_empty()
    assert all(file.is_file() for file in kept.files)


class Counting(SilentSteps):
    """Counts the steps."""

    done: int = 0

    def advance(self, steps: int = 1) -> None:
        self.done += steps

    def watch(self, what: str, total: int | None) -> Counting:
        assert total == 8
        return self

    def say(self, message: str) -> None:
        raise AssertionError(message)

    def __enter__(self) -> Counting:
        return self


def test_progress_counts_lines_done_now_or_before(folder: Path, log: Path) -> None:
    for _ in range(2):
        steps = Counting()
        FinishedParts(cache_of(folder), SCHEMA).fill(Squares(log), batches(), LOCAL, steps, 8)
        assert steps.done == 8
