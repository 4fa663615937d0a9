from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.language_models.huggingface.tokens import span_tokenizer
from hengliang.language_models.huggingface.unigram_counts import count_units, read_unit_counts
from tests.language_models.huggingface import tiny_models

TOKENIZER = span_tokenizer(tiny_models.word_piece())


def test_counts_come_back(tmp_path: Path) -> None:
    target = tmp_path / "counts.parquet"
    # The text with a zero-width space cannot be read and is left out, so that there are 2 501 texts.
    count_units(TOKENIZER, [*["他成为了"] * 2500, "他 the", "他\u200b"], target)
    size = len(TOKENIZER.tokens)
    counts = read_unit_counts(target, TOKENIZER.tokens, size + 3, [3])
    assert len(counts) == size + 3
    assert counts[TOKENIZER.tokens.index("他")] == 2501
    assert counts[TOKENIZER.tokens.index("了")] == 2500
    assert counts[TOKENIZER.tokens.index("the")] == 1
    assert counts[3] == 2501
    assert counts.sum() == 4 * 2500 + 2 + 2501
    assert read_unit_counts(target, TOKENIZER.tokens, size, []).sum() == 4 * 2500 + 2


def test_counts_of_another_tokenizer_are_refused(tmp_path: Path) -> None:
    target = tmp_path / "counts.parquet"
    count_units(TOKENIZER, ["他成为了"], target)
    with pytest.raises(UserError, match="another tokenizer"):
        read_unit_counts(target, span_tokenizer(tiny_models.unigram()).tokens, 103, [])


def test_another_table_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "counts.parquet"
    pl.DataFrame({"word": ["他"]}).write_parquet(target)
    with pytest.raises(UserError, match="other columns"):
        read_unit_counts(target, TOKENIZER.tokens, 10, [])
