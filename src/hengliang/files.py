"""How is a file written so that it is whole or not there, and read so that a broken one is named?"""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import polars as pl

from hengliang.errors import Failure, UserError, explain_os_error, file_errors


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Give a stream whose bytes appear under `path` all at once when the block ends well, and never otherwise."""
    with file_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        beside = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            beside.chmod(0o644)
            beside.replace(path)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keep a second process out of a folder while we write into it; the kernel lets go when we die."""
    file = folder / ".lock"
    with file_errors(file, "write"):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"Another process is running in {folder}.",
                remedy="Wait until it has finished, or choose another --out.",
            ) from None
        yield
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8."""
    with whole_file(path) as stream:
        stream.write(text.encode())


def write_json(path: Path, value: object) -> None:
    """Write a JSON file that people can read."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    with file_errors(path, "read"):
        text = path.read_bytes()
    try:
        return json.loads(text)
    except ValueError as error:
        raise UserError(
            f"{path} is not a JSON file: {error}.", remedy="Remove it, then give the same command again."
        ) from error


def read_toml(path: Path, remedy: str = "Mend the line that is named.") -> dict[str, Any]:
    """Read a TOML file that somebody wrote; `remedy` says what to do about one that is none."""
    with file_errors(path, "read"):
        content = path.read_bytes()
    try:
        return tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path} is not TOML: {error}.", remedy=remedy) from error


def write_table(path: Path, frame: pl.DataFrame) -> None:
    """Write a Parquet file; the same frame gives the same bytes."""
    with whole_file(path) as stream:
        try:
            frame.rechunk().write_parquet(stream, compression="zstd", compression_level=3, row_group_size=100_000)
        except pl.exceptions.PolarsError as error:
            raise explain_polars_error(error, path) from error


def explain_polars_error(error: Exception, path: Path) -> UserError:
    """Find what the operating system said inside the text of a polars error."""
    number = re.search(r"os error (\d+)", str(error))
    if number:
        code = int(number.group(1))
        return explain_os_error(OSError(code, os.strerror(code)), path, "write")
    return Failure(f"Cannot write {path}: {error}.")


def read_table(path: Path, schema: Mapping[str, pl.DataType] | None = None) -> pl.DataFrame:
    """Read a Parquet file, and refuse one that is broken or holds other columns."""
    with file_errors(path, "read"):
        path.stat()
    try:
        # No memory map: the file may be replaced while we hold the frame.
        frame = pl.read_parquet(path, memory_map=False)
    except pl.exceptions.PolarsError as error:
        raise UserError(
            f"{path} is not a whole Parquet file: {error}.", remedy="Remove it and run the stage again."
        ) from error
    if schema is not None and dict(frame.schema) != dict(schema):
        raise UserError(f"{path} holds other columns than expected: {', '.join(frame.columns)}.")
    return frame
