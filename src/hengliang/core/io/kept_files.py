"""Kept contents of files: read once, and again as soon as the files have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from hengliang.core.closure import outside_signatures
from hengliang.core.signature import digest, path_checksum

Content = TypeVar("Content")


@outside_signatures("what is kept is what reading the files again would give")
class KeptFiles(Generic[Content]):
    """What somebody read from files; it is read again as soon as their checksums are others.

    A material is asked for its items, its signature and its facts, and would read its file for each of them.
    """

    def __init__(self) -> None:
        self._kept: tuple[str, Content] | None = None

    def read(self, files: Iterable[Path], reader: Callable[[], Content]) -> Content:
        """Return what `reader` makes of these files, or what it made of the same contents the last time."""
        paths = list(files)
        if not all(path.exists() for path in paths):
            return reader()  # which says better what is missing
        checksum = _checksum(paths)
        while self._kept is None or self._kept[0] != checksum:
            content, before = reader(), checksum
            checksum = _checksum(paths)
            if checksum == before:  # else a file was changed while it was read
                self._kept = (checksum, content)
        return self._kept[1]

    def __getstate__(self) -> dict[str, Any]:
        """Leave the content behind: a copy in another process reads its own."""
        return {"_kept": None}


def _checksum(paths: Iterable[Path]) -> str:
    return digest(*map(path_checksum, paths))
