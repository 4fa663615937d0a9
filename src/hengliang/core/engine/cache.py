"""Which batches of work are done already, in this run or in any other?

Finished batches lie in one folder a signature, one file a batch, named by the hash of the batch's content. So a run
that was killed goes on where it stopped, two studies that put the same items to the same system share the work, and
whatever changes the signature can never meet an old answer. Each file carries a checksum of its bytes, compared at each
reading: a damaged one is told and computed again. The cache may be deleted at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hengliang.errors import UserError
from hengliang.files import read_sealed_table, write_table, write_text
from hengliang.progress import long_watcher
from hengliang.signature import Signature, digest


def content_key(*frames: pl.DataFrame) -> str:
    """Return a hash of the frames' columns and values."""
    return digest(*(part for frame in frames for part in (str(frame.schema), frame.write_ndjson())))


@dataclass(frozen=True, slots=True)
class BatchCache:
    """Finished batches of one stage under one signature."""

    folder: Path
    signature: Signature

    def _file(self, key: str) -> Path:
        return self.folder / self.signature.hash / f"{key}.parquet"

    def get(self, key: str) -> pl.DataFrame | None:
        """Return the batch, or None when it is not there or its file is damaged, which is told."""
        return self.get_all([key])[0].get(key)

    def get_all(self, keys: Iterable[str]) -> tuple[dict[str, pl.DataFrame], int]:
        """Return the batches that are there, and how many files were damaged; of these one line is told for all."""
        found: dict[str, pl.DataFrame] = {}
        damaged = []
        for key in dict.fromkeys(keys):
            file = self._file(key)
            if not file.is_file():
                continue
            try:
                found[key] = read_sealed_table(file)
            except UserError:
                damaged.append(file)
        tell_damage(damaged)
        return found, len(damaged)

    def put(self, key: str, frame: pl.DataFrame) -> None:
        """Keep a finished batch; the signature is written beside it for people who look into the folder."""
        note = self.folder / self.signature.hash / "signature.txt"
        if not note.exists():
            write_text(note, f"{self.signature}\n")
        write_table(self._file(key), frame, sealed=True)


def tell_damage(files: Sequence[Path]) -> None:
    """Say on the error stream, in one line, how many files of finished work are not as they were written."""
    if files:
        what = "1 file" if len(files) == 1 else f"{len(files):,} files"
        long_watcher().say(
            f"Damaged, or written by an older version, and computed again: {what} of finished work, {files[0]}"
            f"{' and others' if len(files) > 1 else ''}."
        )
