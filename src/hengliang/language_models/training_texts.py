"""Training corpora of language models: texts by part (train, dev, test) with their source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, read_segmented_texts, read_texts
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.running_text import LONGEST, RunningText, read_running_text


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The texts of a corpus by part, with what is known of the corpus (`source`)."""

    source: RunningText
    parts: Mapping[Part, Texts]


def read_corpus(data: str, *, segmenter: str = "rjieba", longest: int = LONGEST) -> Corpus:
    """Read a source of the catalogue by its name, or a file by its path, into texts by part; none may be empty."""
    source = read_running_text(data, segmenter=segmenter, longest=longest)
    parts = {}
    for part in PARTS:
        sentences = source.sentences.filter(pl.col("part") == part)
        if not sentences.height:
            raise UserError(
                f"{data} has no sentences for the part '{part}'.",
                valid="Of each ten blocks of paragraphs the fifth goes to dev and the tenth to test.",
                remedy="Give a text of at least ten paragraphs, one a line.",
            )
        parts[part] = _texts(sentences, segmenter)
    return Corpus(source, parts)


def _texts(sentences: pl.DataFrame, segmenter: str) -> Texts:
    """Return sentences as they were written where that is known: whoever looks for names needs their spaces."""
    if sentences["content"].null_count():
        return read_segmented_texts(sentences["line"])
    return read_texts(sentences["content"], segmenter).with_words(segmenter)
