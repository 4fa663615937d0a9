"""Unigram counts of subword tokens: counted in a corpus with the model's own tokenizer, kept in the cache.

The unigram probabilities of a subword model are those of its tokens, so they are counted with its own tokenizer. One is
added to each count, so that a token that the corpus lacks still has a probability.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hengliang.core import places
from hengliang.core.engine.cache import tell_damage
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_sealed_table, read_table, write_table
from hengliang.core.labelling.texts import read_texts
from hengliang.core.progress import Watcher
from hengliang.core.signature import digest, file_checksum
from hengliang.core.text.characters import Offsets, width_folding
from hengliang.corpora.catalogue import list_sources
from hengliang.corpora.plain_text import read_plain
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.huggingface.tokens import SpanTokenizer
from hengliang.language_models.opening import model
from hengliang.language_models.training_texts import read_corpus

# --- counting tokens --------------------------------------------------------------------------------------------------


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
    """Return how often each of the ids of a network was counted; the end symbol, if there is one, once per text."""
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


# --- counts for a model, from a corpus of the user's choice -----------------------------------------------------------
# A model of Hugging Face comes without unigrams. They are counted once, in a corpus that the user names: the counts are
# kept in the cache, by tokenizer, corpus and the widths in which the model reads a text.

_LINES = 1000


def model_with_unigrams(reference: str, unigrams: str, watcher: Watcher, *, fold: bool = True) -> LanguageModel:
    """Return a Hugging Face model with unigrams from a file of token counts (.parquet), a text file or a corpus.

    Without `fold` they are counted for a model that will read texts as they are written.
    """
    bare: Any = model(reference)
    if not hasattr(bare, "unigrams") or not hasattr(bare, "loaded"):
        raise UserError(
            f"'{reference}' has unigrams of its own or none at all: it does not take any.",
            valid="Models of Hugging Face do (hf:PATH).",
            remedy="Leave --unigrams out.",
        )
    path = Path(unigrams)
    if path.suffix == ".parquet":
        return model(reference, unigrams=path)
    widths = str(getattr(bare, "widths", "")) if fold else ""
    return model(reference, unigrams=_counted(bare.loaded().tokenizer, unigrams, widths, watcher))


def _counted(tokenizer: SpanTokenizer, corpus: str, widths: str, watcher: Watcher) -> Path:
    path = Path(corpus)
    named = corpus in {source.name for source in list_sources()}
    if not named and not path.is_file():
        raise UserError(
            f"There is no corpus {corpus} to count unigrams in.",
            valid="A text file, a sentence a line; token counts, *.parquet; a corpus of `hengliang data list`.",
        )
    key = file_checksum(path) if path.is_file() else read_corpus(corpus).source.checksum
    folded = [widths] if widths else []
    target = places.cache() / "unit counts" / f"{digest(tokenizer.backend.to_str(), key, *folded)}.parquet"
    if not _is_counted(target):
        # Units are counted as the model reads them: a character that `score` folds is folded here, too.
        table = {ord(character): other for character, other in width_folding(widths).items()}
        contents = _watched(path if path.is_file() else corpus, watcher)
        count_units(tokenizer, (content.translate(table) for content in contents), target)
    return target


def _is_counted(target: Path) -> bool:
    if not target.is_file():
        return False
    try:
        read_sealed_table(target, SCHEMA)
    except UserError:
        tell_damage([target])
        return False
    return True


def _watched(corpus: Path | str, watcher: Watcher) -> Iterator[str]:
    with watcher.watch(f"counting the units of {corpus}", None) as steps:
        for batch in _corpus_batches(corpus):
            yield from batch
            steps.advance(len(batch))


def _corpus_batches(corpus: Path | str) -> Iterator[list[str]]:
    """Yield the contents of a corpus, without the spaces that part Chinese words."""
    if isinstance(corpus, str):
        contents = iter(read_corpus(corpus).parts["train"].contents.to_list())
        while batch := list(islice(contents, _LINES)):
            yield batch
        return
    lines = read_plain(corpus, errors="skip")
    while read := [text for _, text in islice(lines, _LINES)]:
        try:
            yield read_texts(read).contents.to_list()
        except UserError:  # a word begins with a combining mark: the spaces of these lines stay
            yield read
