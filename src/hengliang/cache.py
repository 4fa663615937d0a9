"""Which batches of work are done already, in this run or in any other?

Finished batches lie in one folder a signature, one file a batch, named by the hash of the batch's content. So a run
that was killed goes on where it stopped, two studies that put the same items to the same system share the work, and
whatever changes the signature can never meet an old answer. The cache may be deleted at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hengliang.errors import UserError
from hengliang.files import read_table, write_table, write_text
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
        """Return the batch, or None when it is not there or its file is broken."""
        file = self._file(key)
        if not file.is_file():
            return None
        try:
            return read_table(file)
        except UserError:
            return None

    def put(self, key: str, frame: pl.DataFrame) -> None:
        """Keep a finished batch; the signature is written beside it for people who look into the folder."""
        note = self.folder / self.signature.hash / "signature.txt"
        if not note.exists():
            write_text(note, f"{self.signature}\n")
        write_table(self._file(key), frame)
