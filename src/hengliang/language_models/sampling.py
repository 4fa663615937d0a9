"""Sampling of texts from a language model, and next-token probabilities after a prefix.

A text is drawn unit by unit from the distribution of the next unit, until its end or a limit: a number of units, or
what the model can read. The same seed gives the same texts whatever their number: each text has a random stream of its
own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable
from unicodedata import normalize

import numpy as np

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, raw_texts, read_texts, texts_of
from hengliang.core.text.characters import characters
from hengliang.core.text.segmentation import Segmented, join_words, read_words
from hengliang.language_models.base import END, LanguageModel
from hengliang.language_models.scores import Numbers

# --- sampling ---------------------------------------------------------------------------------------------------------


@runtime_checkable
class Drawing(Protocol):
    """A model that draws texts by itself."""

    def draw(self, prefix: str, *, count: int, seed: int, longest: int, temperature: float) -> list[str]:
        """Return `count` texts that begin with the prefix, the same for the same seed."""


def sample(
    model: LanguageModel,
    prefix: str = "",
    *,
    count: int = 1,
    seed: int = 0,
    longest: int = 100,
    temperature: float = 1.0,
) -> list[Segmented]:
    """Draw `count` texts that begin with `prefix`, each of at most `longest` units more.

    A temperature below 1 sharpens the distribution. A model of words or characters is asked for its next units; one of
    subwords draws by itself (`Drawing`), because half a character is not a text to go on from, and gives whole texts.
    """
    if not 0 < temperature < np.inf:
        raise UserError(f"The temperature {temperature} is not possible.", valid="A temperature is a number above 0.")
    for name, number in (("count", count), ("longest", longest), ("seed", seed)):
        if number < 0:
            raise UserError(f"{name}={number} is not possible.", valid="It is a whole number, 0 or more.")
    conventions = model.conventions()
    if isinstance(model, Drawing):
        texts = model.draw(prefix, count=count, seed=seed, longest=longest, temperature=temperature)
        return [Segmented(text, [(0, len(text.encode()))] if text else []) for text in texts]
    if conventions.unit not in {"word", "character"}:
        raise UserError(
            f"The units of '{model.name}' are of the kind {conventions.unit}, and it does not draw texts by itself.",
            valid="A model of words or characters can be sampled from, or one with a method draw.",
        )
    segmenter = conventions.segmenter or "characters"
    (read,) = read_texts([prefix], segmenter).with_words(segmenter)
    join, begun = (
        (_join_characters, list(read.content)) if conventions.unit == "character" else (join_words, read.words)
    )
    streams = [np.random.default_rng([seed, number]) for number in range(count)]
    drawn = [list(begun) for _ in range(count)]
    going = list(range(count))
    for _ in range(longest):
        if not going:
            break
        following = model.next_units(texts_of([join(drawn[number]) for number in going]))
        still = []
        for number, row in zip(going, following.logprobs, strict=True):
            if np.isnan(row).any():
                continue
            unit = following.units[draw_one(row, temperature, streams[number])]
            if unit != END:
                drawn[number].append(unit)
                still.append(number)
        going = still
    return [join(words) for words in drawn]


def _join_characters(units: list[str]) -> Segmented:
    """Join what a model of characters has written, where no space stands between two letters unless it is drawn."""
    content = normalize("NFC", "".join(units))
    return Segmented(content, characters(content))


def draw_one(logprobs: Numbers, temperature: float, stream: np.random.Generator) -> int:
    """Return a unit drawn from a distribution; a temperature below 1 sharpens it."""
    sums = np.cumsum(np.exp((logprobs - logprobs.max()) / temperature))
    # The product is below the last sum, so that a unit of no probability is never drawn.
    return int(np.searchsorted(sums, stream.random() * sums[-1], "right"))


# --- most probable next units -----------------------------------------------------------------------------------------
# Returns the most probable units after the beginning of a sentence.


@dataclass(frozen=True, slots=True)
class Continuation:
    """A unit that may come next (`</s>`: the sentence ends here) and its natural-log probability."""

    unit: str
    logprob: float

    @property
    def probability(self) -> float:
        """The probability itself."""
        return float(np.exp(self.logprob))


def continuations(model: LanguageModel, prefix: str, top: int = 10) -> list[Continuation]:
    """Return the `top` most probable next units, the most probable first; equals stand in the model's own order."""
    if top < 1:
        raise UserError(f"{top} units cannot be shown.", valid="1 or more.")
    following = model.next_units(_prefix_texts(model, prefix))
    logprobs = following.logprobs[0]
    if np.isnan(logprobs).any():
        raise UserError(
            f"The language model '{model.name}' cannot say what comes after '{prefix}'.",
            valid=f"Its context is: {model.conventions().context}.",
        )
    # A stable sort, so that ties keep the order of the vocabulary.
    order = np.argsort(-logprobs, kind="stable")[:top]
    return [Continuation(following.units[index], float(logprobs[index])) for index in order.tolist()]


def _prefix_texts(model: LanguageModel, prefix: str) -> Texts:
    segmenter = model.conventions().segmenter
    if not prefix.strip():
        return texts_of([read_words("", "characters")]) if segmenter else raw_texts([""])
    return read_texts([prefix], segmenter).with_words(segmenter) if segmenter else read_texts([prefix])
