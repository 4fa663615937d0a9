"""How does work on a file of any size go on after a crash, and end with the same bytes?

Each finished batch is a Parquet file of its own in a work folder beside the result, named by the signature of the work
and the content of its batch, and written whole or not at all, with a checksum of its bytes. The same work begun again
does only what is missing or damaged.
"""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol, TypeVar

import polars as pl

from hengliang.core.engine.cache import tell_damage
from hengliang.core.engine.mapping import Engine, map_batches
from hengliang.errors import UserError
from hengliang.files import explain_polars_error, read_sealed_table, whole_file, write_table
from hengliang.progress import Watcher

_ROWS = 100_000


def check_result(path: Path, out: Path, formats: Sequence[str]) -> None:
    """Refuse a result that cannot be written, before any work."""
    if out.suffix not in formats:
        raise UserError(
            f"Scores cannot be written as '{out.suffix or out.name}'.", valid=f"The file ends in {', '.join(formats)}."
        )
    if out.is_dir():
        raise UserError(f"{out} is a folder.", valid="A file is expected here.")
    if out.exists() and path.exists() and out.samefile(path):
        raise UserError(f"{out} would be overwritten with its own scores.", remedy="Choose another --out.")


def note_of(out: Path) -> Path:
    """Return the file beside a result that says what it is."""
    return out.with_name(f"{out.name}.about.json")


class Chunk(Protocol):
    """A batch of lines: a hash of everything in it, and how many lines of the file it took to read it."""

    @property
    def key(self) -> str:
        """A hash of everything in it."""

    @property
    def last(self) -> int:
        """The number of its last line."""


AnyChunk = TypeVar("AnyChunk", bound=Chunk)
Append = Callable[[IO[bytes], pl.DataFrame, bool], None]
"""Writes the rows of a part to a stream; told whether it is the first part."""


class FinishedParts:
    """The finished batches of one file, in order."""

    def __init__(self, folder: Path, prefix: str, schema: Mapping[str, pl.DataType]) -> None:
        self.folder = folder
        self.prefix = prefix
        self.schema = schema
        self.files: list[Path] = []

    def clean(self) -> None:
        """Remove what a kill left half written."""
        for torn in self.folder.glob(".*.tmp"):
            torn.unlink()

    def fill(
        self,
        work: Callable[[AnyChunk], pl.DataFrame],
        chunks: Iterator[AnyChunk],
        engine: Engine,
        watcher: Watcher,
        total: int | None,
    ) -> None:
        """Work on the batches that are missing."""
        missing: deque[tuple[Path, int]] = deque()
        damaged: list[Path] = []
        with watcher.watch("scoring", total) as steps:

            def unfinished() -> Iterator[AnyChunk]:
                last = 0
                for number, chunk in enumerate(chunks):
                    file = self.folder / f"{self.prefix}-{number:08d}-{chunk.key}.parquet"
                    self.files.append(file)
                    read, last = chunk.last - last, chunk.last
                    if self._is_whole(file, damaged):
                        steps.advance(read)
                    else:
                        missing.append((file, read))
                        yield chunk

            def tell(event: object) -> None:
                watcher.say(str(event))

            for frame in map_batches(work, unfinished(), engine=engine, on_event=tell):
                file, read = missing.popleft()
                write_table(file, frame, sealed=True)
                steps.advance(read)
        tell_damage(damaged)

    def _is_whole(self, file: Path, damaged: list[Path]) -> bool:
        if not file.is_file():
            return False
        with suppress(UserError):
            read_sealed_table(file, self.schema)
            return True
        damaged.append(file)
        return False

    def rows(self) -> pl.LazyFrame:
        """Return the rows of all parts, read as they are needed."""
        return pl.scan_parquet(self.files)

    def join(self, target: Path, append: Append) -> None:
        """Write all parts as one file, a piece at a time: Parquet, or whatever `append` writes."""
        with whole_file(target) as stream:
            if target.suffix == ".parquet":
                _sink(self.rows(), stream, target)
            else:
                for number, file in enumerate(self.files):
                    append(stream, pl.read_parquet(file, memory_map=False), number == 0)

    def forget_if_empty(self) -> None:
        """Leave no work folder behind where nothing was finished."""
        if not any(self.folder.glob("*.parquet")):
            with suppress(OSError):
                shutil.rmtree(self.folder)


def _sink(rows: pl.LazyFrame, stream: IO[bytes], target: Path) -> None:
    """Write rows as they come. Measured on 9 million rows in 300 parts: 180 MB of memory, the same bytes each time."""
    try:
        rows.sink_parquet(stream, compression="zstd", compression_level=3, row_group_size=_ROWS)
    except pl.exceptions.PolarsError as error:
        raise explain_polars_error(error, target) from error
