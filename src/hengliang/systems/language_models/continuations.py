"""Which units are most probable after this beginning?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, raw_texts, read_texts, texts_of
from hengliang.core.text.segmentation import read_words
from hengliang.systems.language_models.base import LanguageModel


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
    return [Continuation(following.units[place], float(logprobs[place])) for place in order.tolist()]


def _prefix_texts(model: LanguageModel, prefix: str) -> Texts:
    segmenter = model.conventions().segmenter
    if not prefix.strip():
        return texts_of([read_words("", "characters")]) if segmenter else raw_texts([""])
    return read_texts([prefix], segmenter).with_words(segmenter) if segmenter else read_texts([prefix])
