"""Which words, with which tags, does a trained model find in a sentence?

A model is a folder: the known words, a chain that finds words (each character begins a word, is in its middle, ends it,
or is a word alone), a chain that tags words, and digests of the sentences from which it learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.files import whole_file
from hengliang.core.labelling.spans import Labelled
from hengliang.core.labelling.words import without_bare_spaces
from hengliang.core.signature import number_of
from hengliang.core.text.characters import byte_offsets
from hengliang.systems.taggers.trained.chains import open_chain
from hengliang.systems.taggers.trained.features import character_features, widened, word_features
from hengliang.systems.taggers.trained.lexicon import Lexicon, read_lexicon

LEXICON = "words.tsv"
WORD_CHAIN = "words.crfsuite"
TAG_CHAIN = "tags.crfsuite"
SENTENCES = "sentences.npy"

Digests = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class TaggerModel:
    """A model that was read from its folder."""

    lexicon: Lexicon
    word_chain: Any
    tag_chain: Any

    def tagged(self, sentence: str) -> list[Labelled]:
        """Return the words of a sentence as byte spans that cover it, labelled by tag; white space alone has none."""
        edges = word_edges(sentence, self.lexicon, self.word_chain)
        if not edges:
            return []
        words = ["".join(widened(sentence[first:last]).split()) for first, last in pairwise(edges)]
        tags: list[str] = self.tag_chain.tag(word_features(words, self.lexicon))
        offsets: list[int] = byte_offsets(sentence)[edges].tolist()
        return list(zip(offsets[:-1], offsets[1:], tags, strict=True))


def word_edges(sentence: str, lexicon: Lexicon, word_chain: Any) -> list[int]:
    """Return the characters at which words begin, and the length of the sentence; white space alone has no words.

    A word begins after white space, whatever the chain says.
    """
    places = [place for place, character in enumerate(sentence) if not character.isspace()]
    if not places:
        return []
    text = widened("".join(sentence.split()))
    labels = word_chain.tag(character_features(text, lexicon))
    begun = [
        place
        for before, place, label in zip([-2, *places], places, labels, strict=False)
        if label in "BS" or before + 1 != place
    ]
    # Marks begin no word, and white space belongs to the word after it.
    starts, _ = without_bare_spaces(sentence, [*begun, len(sentence)], [""] * len(begun))
    return [*starts, len(sentence)]


def word_labels(words: Iterable[str]) -> list[str]:
    """Return the label of each character of the words: B, M and E for begin, middle and end, S for a word alone."""
    return [label for word in words for label in ("S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E")]


def read_model(folder: Path) -> TaggerModel:
    """Read a model from its folder."""
    lexicon = read_lexicon(folder / LEXICON)
    return TaggerModel(lexicon, open_chain(folder / WORD_CHAIN), open_chain(folder / TAG_CHAIN))


# --- the sentences from which it learned ----------------------------------------------------------------------------


def sentence_digests(sentences: Iterable[str]) -> Digests:
    """Return a number for each sentence that is the same for the same text, white space and width not counted."""
    return np.array([number_of(widened("".join(sentence.split()))) for sentence in sentences], np.uint64)


def write_digests(folder: Path, digests: Digests) -> None:
    """Write the digests of the training sentences, each once, in order."""
    with whole_file(folder / SENTENCES) as stream:
        np.save(stream, np.unique(digests))


def seen_sentences(folder: Path, sentences: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Say of each sentence whether the model in the folder has learned from one with the same text."""
    path = folder / SENTENCES
    try:
        with file_errors(path, "read"):
            held: Digests = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise UserError(f"{path} holds no digests of sentences.", remedy="Train the tagger again.") from error
    return np.isin(sentence_digests(sentences), held)
