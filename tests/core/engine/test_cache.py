"""Is a finished batch found again, and never under another signature or content?"""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.engine.cache import BatchCache, content_key, passed
from hengliang.core.engine.mapping import LOCAL, Processes
from hengliang.core.signature import Signature
from tests.killed import killed

FRAME = pl.DataFrame({"content": ["他", "们"], "status": ["ok", "ok"]})


def test_a_batch_is_found_again(tmp_path: Path) -> None:
    cache = BatchCache(tmp_path, Signature.of(model="a"))
    assert cache.get("key") is None
    cache.put("key", FRAME)
    found = cache.get("key")
    assert found is not None
    assert found.equals(FRAME)
    assert (tmp_path / cache.signature.hash / "signature.txt").read_text() == "model:a\n"


def test_a_batch_is_computed_once_or_when_its_file_has_other_columns(tmp_path: Path) -> None:
    cache, asked = BatchCache(tmp_path, Signature.of(model="a")), []

    def compute() -> pl.DataFrame:
        asked.append(1)
        return FRAME

    for _ in range(2):
        assert cache.computed("key", compute, dict(FRAME.schema)).equals(FRAME)
    assert len(asked) == 1
    cache.put("key", FRAME.drop("status"))
    assert cache.computed("key", compute, dict(FRAME.schema)).equals(FRAME)
    assert len(asked) == 2


def test_another_signature_never_hits(tmp_path: Path) -> None:
    BatchCache(tmp_path, Signature.of(model="a")).put("key", FRAME)
    assert BatchCache(tmp_path, Signature.of(model="b")).get("key") is None


def test_a_broken_file_is_as_good_as_none(tmp_path: Path) -> None:
    cache = BatchCache(tmp_path, Signature.of(model="a"))
    cache.put("key", FRAME)
    file = tmp_path / cache.signature.hash / "key.parquet"
    file.write_bytes(file.read_bytes()[:30])
    assert cache.get("key") is None


def test_any_changed_byte_is_found_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache = BatchCache(tmp_path, Signature.of(model="a"))
    cache.put("key", FRAME)
    file = tmp_path / cache.signature.hash / "key.parquet"
    whole = file.read_bytes()
    rng = random.Random(1)
    for place in sorted(rng.sample(range(len(whole)), 300)):
        damaged = bytearray(whole)
        damaged[place] ^= rng.randrange(1, 256)
        file.write_bytes(damaged)
        assert cache.get("key") is None, place
        assert capsys.readouterr().err.count("computed again: 1 file of finished work") == 1
    file.write_bytes(whole)
    found = cache.get("key")
    assert found is not None and found.equals(FRAME)
    assert capsys.readouterr().err == ""


def test_a_well_formed_entry_that_we_did_not_write_is_not_believed(tmp_path: Path) -> None:
    cache = BatchCache(tmp_path, Signature.of(model="a"))
    cache.put("key", FRAME)
    FRAME.reverse().write_parquet(tmp_path / cache.signature.hash / "key.parquet")
    assert cache.get("key") is None


def test_damaged_entries_are_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache = BatchCache(tmp_path, Signature.of(model="a"))
    for key in "abc":
        cache.put(key, FRAME)
    for key in "ac":
        (tmp_path / cache.signature.hash / f"{key}.parquet").write_bytes(b"PAR1")
    found, damaged = cache.get_all("abcd")
    assert (list(found), damaged) == (["b"], 2)
    (line,) = capsys.readouterr().err.splitlines()
    assert "2 files of finished work" in line and "a.parquet" in line


def test_an_entry_is_still_a_parquet_file_and_always_the_same(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        cache = BatchCache(tmp_path / name, Signature.of(model="a"))
        cache.put("key", FRAME)
        files.append(tmp_path / name / cache.signature.hash / "key.parquet")
    assert pl.read_parquet(files[0]).equals(FRAME)
    assert files[0].read_bytes() == files[1].read_bytes()


@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_the_key_follows_the_content(left: list[str], right: list[str]) -> None:
    one, two = (pl.DataFrame({"content": texts}, schema={"content": pl.String}) for texts in (left, right))
    assert (content_key(one) == content_key(two)) == (left == right)


def test_the_key_follows_names_types_and_order() -> None:
    keys = {
        content_key(pl.DataFrame({"a": [1, 2]})),
        content_key(pl.DataFrame({"b": [1, 2]})),
        content_key(pl.DataFrame({"a": [2, 1]})),
        content_key(pl.DataFrame({"a": [1.0, 2.0]})),
        content_key(pl.DataFrame({"a": ["1", "2"]})),
        content_key(pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [2]})),
    }
    assert len(keys) == 6


# --- batches in their order -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Squares:
    """Squares numbers and notes which in a file."""

    log: Path

    def __call__(self, number: int) -> pl.DataFrame:
        with self.log.open("a") as stream:
            stream.write(f"{number}\n")
        return pl.DataFrame({"square": [number * number]})


@pytest.mark.parametrize("engine", [LOCAL, Processes(2)], ids=["local", "processes"])
@pytest.mark.parametrize("kept", [[], [0, 1], [1, 3], [4], [0, 1, 2, 3, 4]])
def test_results_come_in_order_wherever_they_come_from(engine: Processes, kept: list[int], tmp_path: Path) -> None:
    cache = BatchCache(tmp_path, Signature.of(work="squares"))
    for number in kept:
        cache.put(str(number), pl.DataFrame({"square": [number * number]}))
    found = cache.worked(Squares(tmp_path / "log"), ((str(number), number) for number in range(5)), engine=engine)
    assert [frame["square"].item() for frame in found] == [0, 1, 4, 9, 16]
    asked = (tmp_path / "log").read_text().split() if (tmp_path / "log").exists() else []
    assert sorted(asked) == [str(number) for number in range(5) if number not in kept]
    assert all(cache.get(str(number)) is not None for number in range(5))


def test_batches_are_taken_one_at_a_time_and_kept_before_the_next(tmp_path: Path) -> None:
    cache = BatchCache(tmp_path, Signature.of(work="squares"))
    found = cache.worked(Squares(tmp_path / "log"), ((str(number), number) for number in range(10**9)))
    assert [next(found)["square"].item() for _ in range(3)] == [0, 1, 4]
    assert (tmp_path / "log").read_text().split() == ["0", "1", "2"]
    assert cache.get("2") is not None


# --- within a batch ---------------------------------------------------------------------------------------------------

KINDS = ["<f8", "<f4", "<i8"]


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 3), st.integers(0, 4)), max_size=8), st.integers(0, 8))
def test_passes_are_found_again_bit_by_bit(
    tmp_path_factory: pytest.TempPathFactory, passes: list[tuple[str, int, int]], until: int
) -> None:
    cache = BatchCache(tmp_path_factory.mktemp("cache"), Signature.of(work="passes"))
    computed: list[int] = []

    def compute(place: int, kind: str, rows: int, columns: int) -> np.ndarray:
        if len(computed) == until and not stopped:
            raise KeyboardInterrupt
        computed.append(place)
        return np.random.default_rng(place).normal(size=(rows, columns)).astype(kind)

    def work(_batch: None) -> pl.DataFrame:
        # All passes have the same input: what came before tells them apart.
        found = [passed(partial(compute, place, *shape), np.zeros(2)) for place, shape in enumerate(passes)]
        raw = [(array.dtype.str, str(array.shape), array.tobytes()) for array in found]
        return pl.DataFrame(raw, schema={"kind": pl.String, "shape": pl.String, "raw": pl.Binary}, orient="row")

    stopped = True
    whole = work(None)
    computed.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hengliang.core.engine.cache.SECONDS_A_PIECE", 0.0)
        stopped = False
        try:
            cache.in_pieces(work)(("key", None))
        except KeyboardInterrupt:
            assert len(computed) == until
        stopped = True
        assert cache.in_pieces(work)(("key", None)).equals(whole)
    assert computed == list(range(len(passes)))


def test_little_work_leaves_no_pieces_and_none_is_kept_outside_of_a_batch(tmp_path: Path) -> None:
    cache = BatchCache(tmp_path, Signature.of(work="passes"))

    def work(_batch: None) -> pl.DataFrame:
        return pl.DataFrame({"number": passed(partial(np.ones, 3), np.zeros(1))})

    cache.in_pieces(work)(("key", None))
    work(None)
    assert not list(tmp_path.rglob("*"))


KILLED = """
import sys, time
from pathlib import Path
import numpy as np
import polars as pl
from hengliang.core.engine import cache
from hengliang.core.signature import Signature

def one(log, place):
    with Path(log).open("a") as stream:
        stream.write(f"{place}\\n")
    time.sleep(0.1)
    return np.array([place / 7])

def work(log):
    found = [cache.passed(lambda place=place: one(log, place), np.array([place])) for place in range(10)]
    return pl.DataFrame({"number": np.concatenate(found)})

cache.SECONDS_A_PIECE = 0.2
kept = cache.BatchCache(Path(sys.argv[1]), Signature.of(work="passes"))
(frame,) = kept.worked(work, [("batch", sys.argv[2])])
"""


@pytest.mark.untraced
def test_a_batch_that_is_killed_goes_on_within(tmp_path: Path) -> None:
    arguments = [str(tmp_path / "cache"), str(tmp_path / "log")]
    killed(arguments, tmp_path / "cache", 2, start=KILLED)
    (pieces,) = (tmp_path / "cache").glob("*/batch.pieces")
    known = sum(pl.read_parquet(file).height for file in pieces.glob("*.parquet"))
    assert 4 <= known < 10
    (tmp_path / "log").unlink()
    subprocess.run([sys.executable, "-c", KILLED, *arguments], check=True)
    assert (tmp_path / "log").read_text().split() == [str(place) for place in range(known, 10)]
    found = BatchCache(tmp_path / "cache", Signature.of(work="passes")).get("batch")
    assert found is not None and found["number"].to_list() == [place / 7 for place in range(10)]
    assert not pieces.exists()
