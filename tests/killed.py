"""How do tests kill work in its midst, and see that it goes on?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import Signature
from hengliang.core import BatchCache
from hengliang.core.engine.cache import _Pieces

_WORK = Signature.of(work="networks")
_START = "import sys; from hengliang.cli.main import main; main(sys.argv[1:])"


def killed(
    arguments: Sequence[str], folder: Path, finished: int, start: str = _START, **environment: str
) -> list[Path]:
    """Run a command, kill it when so many finished batches lie under the folder, and return the files of those."""
    process = subprocess.Popen(
        [sys.executable, "-c", start, *arguments], env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    while len(_batches(folder)) < finished and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the work was done before it could be killed"
    found = _batches(folder)
    assert len(found) >= finished
    return found


def _batches(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.parquet"))


def goes_on_within_a_batch(work: Callable[[], object], folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Stop the work at each pass through a network, and see that no pass is computed twice; return how many there are.

    The result is told by its numbers, which are the same to the last bit.
    """
    whole, computed, limit = _numbers(work()), 0, 0
    numbers = _Pieces.numbers

    def counted(pieces: _Pieces, compute: Callable[[], np.ndarray], inputs: Sequence[np.ndarray]) -> np.ndarray:
        def noted() -> np.ndarray:
            nonlocal computed
            if computed == limit:
                raise KeyboardInterrupt
            computed += 1
            return compute()

        return numbers(pieces, noted, inputs)

    monkeypatch.setattr(_Pieces, "numbers", counted)
    while True:
        try:
            found = within_a_batch(work, folder, monkeypatch)
            break
        except KeyboardInterrupt:
            assert computed == limit
            limit += 1
    assert computed == limit
    np.testing.assert_array_equal(found, whole)
    kept = BatchCache(folder, _WORK)
    assert kept.pieces("batch").folder.is_dir()
    kept.put("batch", pl.DataFrame())
    assert not kept.pieces("batch").folder.exists()
    return computed


def within_a_batch(work: Callable[[], object], folder: Path, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """Return the numbers of some work that is done as a batch is, each pass kept by itself."""
    monkeypatch.setattr("hengliang.core.engine.cache.SECONDS_A_PIECE", 0.0)

    def framed(_batch: None) -> pl.DataFrame:
        return pl.DataFrame({"number": _numbers(work())})

    return BatchCache(folder, _WORK).in_pieces(framed)(("batch", None))["number"].to_numpy()


def _numbers(found: object) -> np.ndarray:
    return np.asarray(found).reshape(-1)
