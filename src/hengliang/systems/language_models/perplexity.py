"""How well does a model foresee these texts?

Perplexity is exp(−Σ log p / N) over all scored texts. N counts the units of the chosen view (words, characters, or the
model's own units) and one end of sentence a text where the model scores it, so that the sum and the count speak of the
same events. Of a masked model it is a pseudo-perplexity [1]: comparable among masked models only.

[1] Salazar, J., Liang, D., Nguyen, T. Q., Kirchhoff, K. (2020). Masked language model scoring. ACL 2020.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from hengliang.core.labelling.texts import Texts
from hengliang.systems.language_models.regions import sentence_logprobs
from hengliang.systems.language_models.scores import Scores

Per = Literal["word", "character", "unit"]


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The perplexities of a model on a batch of texts, and the counts behind them.

    `words` is 0, and the perplexity per word NaN, where some text carries no words. `ends` counts the scored ends of
    sentences.
    """

    logprob: float
    words: int
    characters: int
    units: int
    ends: int
    unknown: int
    texts: int
    unscored: int

    def __add__(self, other: Perplexity) -> Perplexity:
        """Return the perplexity of both batches together."""
        sums = {field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)}
        # Texts without words would add to the log-probability and not to the count of words.
        if any(part.characters and not part.words for part in (self, other)):
            sums["words"] = 0
        return Perplexity(**sums)

    def per(self, view: Per) -> float:
        """Return the perplexity per word, per character or per unit of the model; NaN where there are none."""
        count = {"word": self.words, "character": self.characters, "unit": self.units - self.ends}[view]
        total = count + self.ends
        return float(np.exp(-self.logprob / total)) if count else float("nan")

    @property
    def unknown_share(self) -> float:
        """The share of units that the model did not know."""
        return self.unknown / (self.units - self.ends) if self.units > self.ends else float("nan")


def perplexity(scores: Scores, texts: Texts) -> Perplexity:
    """Sum up the scores of these texts; texts that were not scored are counted and left out."""
    scored = scores.scored
    units = np.repeat(scored, scores.counts)
    # An end is of no width; a unit of no width elsewhere would be an empty word, and no model has those.
    ends = units & (scores.starts == scores.ends)
    lengths = texts.contents.str.len_chars().to_numpy()
    # An empty text has no words, whether anybody has said so or not.
    segmented = bool((texts.segmented | (lengths == 0))[scored].all())
    return Perplexity(
        logprob=float(np.nansum(sentence_logprobs(scores))),
        words=int(np.diff(texts.offsets)[scored].sum()) if segmented else 0,
        characters=int(lengths[scored].sum()),
        units=int(units.sum()),
        ends=int(ends.sum()),
        unknown=int(scores.unknown[units].sum()),
        texts=int(scored.sum()),
        unscored=int((~scored).sum()),
    )
