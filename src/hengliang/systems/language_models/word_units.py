"""How do models whose units are words turn texts into units, and log-probabilities into scores?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hengliang.core.labelling.texts import Texts, check_texts, edges_of
from hengliang.systems.language_models.scores import Numbers, Scores


def words_of_texts(texts: Texts, segmenter: str) -> Texts:
    """Return the texts with words everywhere and without empty ones, which are places rather than words."""
    check_texts(texts)
    texts = texts.with_words(segmenter)
    wide = texts.ends > texts.starts
    if wide.all():
        return texts
    offsets = edges_of(wide)[texts.offsets]
    return replace(
        texts, words=texts.words.filter(wide), offsets=offsets, starts=texts.starts[wide], ends=texts.ends[wide]
    )


def scores_of_words(
    texts: Texts, logprobs: Numbers, unigram_logprobs: Numbers, unknown: npt.NDArray[np.bool_]
) -> Scores:
    """Return the scores of texts whose units are their words and an end, zero bytes wide, after the content."""
    lengths = texts.contents.str.len_bytes().to_numpy().astype(np.int64)
    return Scores(
        texts.offsets + np.arange(len(texts.offsets), dtype=np.int64),
        np.insert(texts.starts, texts.offsets[1:], lengths),
        np.insert(texts.ends, texts.offsets[1:], lengths),
        logprobs,
        unigram_logprobs,
        unknown,
        ("",) * len(texts),
    )
