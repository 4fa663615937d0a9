"""Signatures of numbers: everything that can change a number, as one line of text and a hash.

A signature is an ordered list of `key:value` pairs, in the spirit of sacreBLEU [1]. Equal signatures promise equal
numbers on equal content; anything that can change a number must be in it. The line is for people, the hash for
machines.

[1] Post, M. (2018). A call for clarity in reporting BLEU scores. WMT 2018.
"""

from __future__ import annotations

import hashlib
import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Self

from hengliang.core import places
from hengliang.core.closure import closure, outside_signatures
from hengliang.core.closure import digest as digest
from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.files import read_json, write_json

Value = str | int | float | bool | None

_ESCAPES = {"\\": "\\\\", "|": "\\p", ":": "\\c", "\n": "\\n"}


def number_of(text: str) -> int:
    """Return a number of 64 bits for a text: as good as drawn at random, and the same everywhere and always.

    >>> number_of("马") % 10
    3
    """
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


@cache
def version() -> str:
    """Return the version of hengliang that runs."""
    return metadata.version("hengliang")


@outside_signatures("a signature names numbers and changes none")
@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that can change a number, as ordered pairs."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, **parts: Value | Signature) -> Self:
        """Make a signature from keyword arguments; a signature among them is inlined under its key."""
        return cls().and_(**parts)

    def and_(self, **parts: Value | Signature) -> Self:
        """Return this signature with more pairs; a repeated key is a programming mistake and is refused."""
        pairs = list(self.pairs)
        taken = {key for key, _ in pairs}
        for key, value in parts.items():
            added = (
                [(f"{key}.{inner}", text) for inner, text in value.pairs]
                if isinstance(value, Signature)
                else [(key, _plain(value))]
            )
            for name, text in added:
                if name in taken:
                    raise ValueError(f"the signature has '{name}' already")
                taken.add(name)
                pairs.append((name, text))
        return type(self)(tuple(pairs))

    @property
    def hash(self) -> str:
        """Return 16 hexadecimal digits that stand for the whole line."""
        return digest(*(text for pair in self.pairs for text in pair))

    def __str__(self) -> str:
        return "|".join(f"{_escape(key)}:{_escape(value)}" for key, value in self.pairs)

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read back the line that `str` gives."""
        pairs = []
        for pair in line.split("|") if line else []:
            key, _, value = pair.partition(":")
            pairs.append((_unescape(key), _unescape(value)))
        return cls(tuple(pairs))


def _plain(value: Value) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value)
    return str(value)


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _unescape(text: str) -> str:
    back = {code[1]: character for character, code in _ESCAPES.items()}
    pieces, index = [], 0
    while index < len(text):
        if text[index] == "\\" and index + 1 < len(text):
            pieces.append(back.get(text[index + 1], text[index + 1]))
            index += 2
        else:
            pieces.append(text[index])
            index += 1
    return "".join(pieces)


@outside_signatures("a signature names numbers and changes none")
def code_checksum(*things: Callable[..., object]) -> str:
    """Return a hash of the code behind classes or functions: of every definition that they reach (see `closure`).

    It belongs in the signature of everything whose results are kept: whoever edits a plug-in must never be shown the
    answers of its former self.
    """
    return _remembered_code(things)


@cache
def _remembered_code(things: tuple[Callable[..., object], ...]) -> str:
    return closure(*things).checksum


@outside_signatures("a signature names numbers and changes none")
def constructor_signature(thing: object) -> Signature:
    """Return the signature that follows from how `thing` was made: class, code, and every constructor argument.

    Constructors of systems, measures and analyses store their arguments as attributes of the same name and do nothing
    else, so that this is complete. A file is named by its content, a part with a signature of its own is inlined.
    """
    kind: type = type(thing)
    signature = Signature.of(**{"class": kind.__qualname__, "code": code_checksum(kind), "hengliang": version()})
    for name in inspect.signature(kind).parameters:
        if not hasattr(thing, name):
            raise TypeError(f"{kind.__qualname__} does not keep its argument '{name}' as an attribute")
        signature = signature.and_(**{name: _argument(getattr(thing, name))})
    return signature


def _argument(value: object) -> Value | Signature:
    own = getattr(value, "signature", None)
    if callable(own):
        inner = own()
        if isinstance(inner, Signature):
            return inner
    if isinstance(value, Path):
        return path_checksum(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}={_text(part)}" for key, part in sorted(value.items())) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_text(part) for part in value) + "]"
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    raise TypeError(f"{value!r} cannot be part of a signature: give it a method signature()")


def _text(value: object) -> str:
    inner = _argument(value)
    return f"({inner})" if isinstance(inner, Signature) else _plain(inner)


def path_checksum(path: Path) -> str:
    """Return a hash of a file's bytes, or of all files below a folder with their names."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return digest(*(part for file in files for part in (str(file.relative_to(path)), file_checksum(file))))
    return file_checksum(path)[:16]


LARGE = 1 << 20
"""Bytes from which a file's checksum is remembered until the file changes."""


def file_checksum(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; a large file is read once until it changes."""
    with file_errors(path, "read"):
        state = path.stat()
        if state.st_size < LARGE:
            return _checksum_of_stream(path)
        # A write moves st_ctime even if whoever wrote has set the time of change back.
        changed = (state.st_mtime_ns, state.st_ctime_ns)
        return _remembered_checksum(path.absolute(), state.st_ino, state.st_size, changed)


@lru_cache(maxsize=1000)
def _remembered_checksum(path: Path, inode: int, size: int, changed: tuple[int, int]) -> str:
    # A model of a gigabyte is asked for its signature many times in a run.
    return _checksum_of_stream(path)


def _checksum_of_stream(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


REMEMBERED = 24 * 60 * 60
"""For so many seconds a checksum is remembered of a file that has not changed."""


def remembered_checksum(path: Path | str, *, afresh: bool = False) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; one that has not changed is read once a day.

    What is remembered lies in the cache folder under the file's path, and holds for a day, as long as size, times of
    change and place on the disk stay the same. A write that sets the time of change back is noticed all the same; only
    a disk that loses bits by itself can hide that from us, until the next day.
    """
    real = Path(path).resolve()
    memory = places.cache() / "checksums" / f"{digest(str(real))}.json"
    state = real.stat() if real.exists() else None
    known = {
        "path": str(real),
        "size": state and state.st_size,
        "changed": state and state.st_mtime_ns,
        "altered": state and state.st_ctime_ns,
        "inode": state and state.st_ino,
    }
    if not afresh and (remembered := _recall(memory, known)):
        return remembered
    checksum = file_checksum(real)
    with suppress(UserError):  # the cache may be read-only; then the file is read again next time
        write_json(memory, {**known, "sha256": checksum, "checked": time.time()})
    return checksum


def _recall(memory: Path, known: Mapping[str, object]) -> str:
    try:
        note = read_json(memory) if memory.is_file() else {}
    except UserError:
        return ""
    if not isinstance(note, dict) or any(note.get(key) != value for key, value in known.items()):
        return ""
    checked = note.get("checked")
    if not isinstance(checked, int | float) or not 0 <= time.time() - checked < REMEMBERED:
        return ""
    return str(note.get("sha256", ""))
