"""Are perplexities shown with the counts behind them, and as estimates with their signature?"""

from __future__ import annotations

import math

import pytest

from hengliang import Signature
from hengliang.language_models.manner import Reading
from hengliang.language_models.perplexity import CorpusPerplexity, Perplexity
from hengliang.language_models.views import perplexity_estimates, perplexity_table
from hengliang.report import estimate_rows

# 8 words and 2 ends share −20 nats: exp(20 / 10) per word; 18 characters and 2 ends: exp(20 / 20) per character.
FULL = CorpusPerplexity(
    Perplexity(-20.0, 8, 18, 10, 2, 1, 2, 1), Signature.of(model="a"), ("line 3: broken",), Reading()
)
WORDLESS = CorpusPerplexity(Perplexity(-20.0, 0, 20, 10, 0, 0, 2, 0), Signature.of(model="b"), (), Reading())


def test_estimates_hold_value_count_and_signature() -> None:
    rows = {row["statistic"]: row for row in estimate_rows(perplexity_estimates({"a": FULL}))}
    assert rows["word"]["value"] == pytest.approx(math.exp(2))
    assert rows["character"]["value"] == pytest.approx(math.e)
    assert rows["unit"]["value"] == pytest.approx(math.exp(2))
    assert rows["unknown"]["value"] == 1 / 8
    assert rows["logprob"]["value"] == -20
    assert {(row["n_missing"], row["signature"], row["by"]["system"]) for row in rows.values()} == {(1, "model:a", "a")}
    assert [rows[name]["n"] for name in ("word", "character", "unit", "logprob")] == [8, 18, 8, 2]


def test_what_cannot_be_counted_is_not_zero() -> None:
    rows = {row["statistic"]: row for row in estimate_rows(perplexity_estimates({"b": WORDLESS}))}
    assert rows["word"]["value"] is None
    assert "—" in str(perplexity_table({"b": WORDLESS})).split("\n")[3]


def test_the_table_has_a_column_for_each_model() -> None:
    lines = [line.split() for line in str(perplexity_table({"a": FULL, "b": WORDLESS})).split("\n")]
    assert lines[1] == ["a", "b"]
    assert ["perplexity", "per", "character", "2.72", "2.72"] in lines
    assert ["unknown", "units", "(%)", "12.50", "0.00"] in lines
    assert ["texts", "without", "a", "score", "1", "0"] in lines
