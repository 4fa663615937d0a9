"""Atomic files: written whole or not at all, locked, sealed by a checksum, and named when they are broken.

Text, JSON, TOML and Parquet. A file is written beside its place and moved there. A sealed one carries a checksum of its
own content, so that any byte that changes later is found.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import polars as pl

from hengliang.core.errors import Failure, UserError, explain_os_error, file_errors

if TYPE_CHECKING:
    from filelock import BaseFileLock


@contextmanager
def whole_file(path: Path, *, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Give a stream whose bytes appear under `path` all at once when the block ends well, and never otherwise.

    `mode` is who may read it; until it has its name, and with 0o600 for good, that is its owner alone.
    """
    with file_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        beside = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            beside.chmod(mode)
            beside.replace(path)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise


def remove_torn(folder: Path) -> None:
    """Remove what a kill left half written anywhere below a folder, which is ours alone."""
    for torn in folder.rglob(".*.tmp"):
        with suppress(OSError):
            torn.unlink()


@contextmanager
def locked_folder(folder: Path, option: str = "--out", *, wait: bool = False) -> Iterator[None]:
    """Keep a second process out of a folder while we write into it.

    One that comes second is refused, or waits for the first to finish. `option` is what the command at work calls the
    folder.
    """
    refusal = UserError(
        f"Another process is running in {folder}.",
        remedy=f"Wait until it has finished, or choose another {option}.",
    )
    lock = acquired_lock(folder / ".lock", refusal, wait=wait)
    try:
        yield
    finally:
        lock.release()


def acquired_lock(file: Path, refusal: UserError, *, wait: bool = False, mode: int = 0o644) -> BaseFileLock:
    """Return the lock that `file` stands for, held by nobody but this process until `release` or the process's death.

    Where another holds it, `refusal` is raised, or the lock is waited for. The file stays: it may be removed by its
    holder alone.
    """
    from filelock import FileLock, Timeout

    # The database releases its lock in another thread than took it.
    lock = FileLock(file, mode=mode, thread_local=False)
    with file_errors(file, "write"):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(blocking=wait)
        except Timeout:
            raise refusal from None
    return lock


def write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8."""
    with whole_file(path) as stream:
        stream.write(text.encode())


def write_json(path: Path, value: object) -> None:
    """Write a JSON file that people can read."""
    write_text(path, _json_text(value))


SEAL_OF_JSON = "sha256_of_the_rest"
"""The last entry of a sealed JSON file."""


def write_sealed_json(path: Path, value: Mapping[str, Any]) -> dict[str, Any]:
    """Write a JSON file that ends with a checksum of the rest of it, and return what was written."""
    sealed = _with_seal(value)
    write_json(path, sealed)
    return sealed


def is_sealed_json(path: Path) -> bool:
    """Say whether a JSON file has a seal and is to the byte as it was written."""
    content = read_json(path)
    return isinstance(content, dict) and path.read_bytes() == _json_bytes(_with_seal(content))


def _with_seal(value: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: entry for name, entry in value.items() if name != SEAL_OF_JSON}
    return {**rest, SEAL_OF_JSON: hashlib.sha256(_json_bytes(rest)).hexdigest()}


def _json_bytes(value: object) -> bytes:
    # Damaged bytes may be read as half a character, which UTF-8 has no bytes for; they are compared all the same.
    return _json_text(value).encode(errors="surrogatepass")


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


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
    """Read a TOML file that somebody wrote; `remedy` says what to do about a file that is not TOML."""
    import tomllib  # its patterns take longer to compile than most files to read

    with file_errors(path, "read"):
        content = path.read_bytes()
    try:
        return tomllib.loads(content.decode("utf-8-sig"))  # some editors of Windows begin a file with a mark
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path} is not TOML: {error}.", remedy=remedy) from error


_SEAL = b"hengliang.sha256"
_NO_SEAL = b"0" * 64
_BEFORE_SEAL = 2
"""Bytes between the name of the seal and the seal in the footer of a Parquet file: a field and a length."""


def write_table(path: Path, frame: pl.DataFrame, *, sealed: bool = False) -> None:
    """Write a Parquet file; the same frame gives the same bytes.

    A sealed one carries the SHA-256 of its own bytes in its footer, so that any byte that changes later is found.
    """
    with whole_file(path) as stream:
        try:
            if sealed:
                stream.write(_sealed(frame))
            else:
                _write_parquet(frame, stream)
        except pl.exceptions.PolarsError as error:
            raise explain_polars_error(error, path) from error


def _write_parquet(frame: pl.DataFrame, stream: IO[bytes], metadata: dict[str, str] | None = None) -> None:
    frame.rechunk().write_parquet(
        stream, compression="zstd", compression_level=3, row_group_size=100_000, metadata=metadata
    )


def _sealed(frame: pl.DataFrame) -> bytes:
    """Return a Parquet file with its seal: the hash of the file as it is with zeros in the place of the seal."""
    written = io.BytesIO()
    _write_parquet(frame, written, {_SEAL.decode(): _NO_SEAL.decode()})
    raw = written.getvalue()
    start = _seal_place(raw)
    if raw[start : start + len(_NO_SEAL)] != _NO_SEAL:
        raise AssertionError("this version of polars writes the footer of a Parquet file in another way")
    return raw[:start] + hashlib.sha256(raw).hexdigest().encode() + raw[start + len(_NO_SEAL) :]


def _seal_place(raw: bytes) -> int:
    return raw.rfind(_SEAL) + len(_SEAL) + _BEFORE_SEAL


def _is_sealed(raw: bytes) -> bool:
    """Say whether the bytes of a Parquet file are those that were sealed; without a seal they are not."""
    start = _seal_place(raw)
    seal = raw[start : start + len(_NO_SEAL)]
    state = hashlib.sha256(raw[:start])
    state.update(_NO_SEAL)
    state.update(raw[start + len(_NO_SEAL) :])
    return _SEAL in raw and seal == state.hexdigest().encode()


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
    # No memory map: the file may be replaced while we hold the frame.
    return _checked(_parsed(path, path), path, schema)


def read_sealed_table(path: Path, schema: Mapping[str, pl.DataType] | None = None) -> pl.DataFrame:
    """Read a Parquet file that was written with a seal, and refuse it if a single byte of it has changed since."""
    with file_errors(path, "read"):
        raw = path.read_bytes()
    if not _is_sealed(raw):
        raise UserError(
            f"{path} is not as it was written: its checksum is not the one in its footer.",
            remedy="Remove it, then give the same command again.",
        )
    return _checked(_parsed(raw, path), path, schema)


def _parsed(source: Path | bytes, path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(source, memory_map=False)
    except pl.exceptions.PolarsError as error:
        raise UserError(
            f"{path} is not a whole Parquet file: {error}.", remedy="Remove it and run the stage again."
        ) from error


def _checked(frame: pl.DataFrame, path: Path, schema: Mapping[str, pl.DataType] | None) -> pl.DataFrame:
    if schema is not None and dict(frame.schema) != dict(schema):
        raise UserError(f"{path} holds other columns than expected: {', '.join(frame.columns)}.")
    return frame
