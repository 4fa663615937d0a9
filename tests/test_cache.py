"""Is a finished batch found again, and never under another signature or content?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from hengliang.cache import BatchCache, content_key
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


def test_another_signature_never_hits(tmp_path: Path) -> None:
    BatchCache(tmp_path, Signature.of(model="a")).put("key", FRAME)
    assert BatchCache(tmp_path, Signature.of(model="b")).get("key") is None


def test_a_broken_file_is_as_good_as_none(tmp_path: Path) -> None:
    cache = BatchCache(tmp_path, Signature.of(model="a"))
    cache.put("key", FRAME)
    file = tmp_path / cache.signature.hash / "key.parquet"
    file.write_bytes(file.read_bytes()[:30])
    assert cache.get("key") is None


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
