"""Is a finished batch found again, and never under another signature or content?"""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.engine.cache import BatchCache, content_key
from hengliang.signature import Signature

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
