"""How do the log-probabilities of tokens become the scores of units?"""

from __future__ import annotations

import numpy as np

from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.hugging_face.tokens import Tokens
from hengliang.systems.language_models.scores import Numbers, Scores, scores_of

NO_NUMBER = "the model gives a token no probability that is a number"


def units_of(tokens: Tokens, ids: Offsets, logprobs: Numbers, unigrams: Numbers | None, unknown: int) -> Scores:
    """Return the units of one text: sums over their tokens.

    `ids` are those of the tokens and, where it is scored, of the end symbol, which is a last unit of no width.
    `unigrams` are log-probabilities by id, `unknown` is the id of the unknown token.
    """
    problem = tokens.problem or ("" if np.isfinite(logprobs).all() else NO_NUMBER)
    if problem:
        return scores_of([problem])
    size, ended = len(tokens.starts), len(ids) - len(tokens.ids)
    units = np.append(tokens.units, [size] * ended).astype(np.int64)
    last = [int(tokens.ends[-1]) if size else 0] * ended
    unigram = np.full(len(ids), np.nan) if unigrams is None else unigrams[ids]
    return Scores(
        np.array([0, size + ended], np.int64),
        np.append(tokens.starts, last).astype(np.int64),
        np.append(tokens.ends, last).astype(np.int64),
        np.bincount(units, logprobs, size + ended).astype(np.float64),
        np.bincount(units, unigram, size + ended).astype(np.float64),
        np.bincount(units, ids == unknown, size + ended) > 0,
        ("",),
    )
