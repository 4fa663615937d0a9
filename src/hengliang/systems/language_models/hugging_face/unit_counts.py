"""How often does each token of a tokenizer occur in a corpus?

The unigram probabilities of a subword model are those of its tokens, so they are counted with its own tokenizer. One
is added to each count, so that a token that the corpus lacks still has a probability.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.files import read_table, write_table
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.hugging_face.tokens import SpanTokenizer

SCHEMA = {"id": pl.Int64(), "token": pl.String(), "count": pl.Int64()}

TEXTS = -1
"""The id under which the number of texts stands: so often was there an end."""


def count_units(tokenizer: SpanTokenizer, contents: Iterable[str], target: Path) -> None:
    """Count the tokens of many texts and write them to a file; a text that cannot be read is left out."""
    counts, texts = np.zeros(len(tokenizer.tokens), np.int64), 0
    for batch in _batches(contents):
        for tokens in tokenizer.tokenise(batch):
            if not tokens.problem:
                np.add.at(counts, tokens.ids, 1)
                texts += 1
    seen = np.flatnonzero(counts)
    rows = {
        "id": [TEXTS, *seen.tolist()],
        "token": ["", *(tokenizer.tokens[number] for number in seen.tolist())],
        "count": [texts, *counts[seen].tolist()],
    }
    write_table(target, pl.DataFrame(rows, schema=SCHEMA), sealed=True)


def _batches(contents: Iterable[str]) -> Iterable[list[str]]:
    batch: list[str] = []
    for content in contents:
        batch.append(content)
        if len(batch) == 1000:
            yield batch
            batch = []
    if batch:
        yield batch


def read_unit_counts(path: Path, tokens: Sequence[str], vocabulary: int, end: Sequence[int]) -> Offsets:
    """Return how often each of the ids of a network was counted; the end symbol, if there is one, once a text."""
    frame = read_table(path, SCHEMA)
    known = frame.filter(pl.col("id") != TEXTS)
    for number, token in known.select("id", "token").iter_rows():
        if number >= len(tokens) or tokens[number] != token:
            raise UserError(
                f"The token counts in {path} are of another tokenizer: its token {number} is '{token}'.",
                remedy="Count the corpus with this model's own: count_units(model.loaded().tokenizer, texts, file).",
            )
    counts = np.zeros(vocabulary, np.int64)
    inside = known.filter(pl.col("id") < vocabulary)
    counts[inside["id"].to_numpy()] = inside["count"].to_numpy()
    texts = int(frame.filter(pl.col("id") == TEXTS)["count"].sum())
    counts[list(end)] += texts
    return counts
