"""How surprising is each word of one sentence to each of several models?

Rows are the words of the sentence, the same for all models, so that the models can be compared by eye. A unit of a
model that crosses the edge between two words is given to neither: one model alone is then shown unit by unit, and of
several models the words that a unit holds together are shown together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, read_texts
from hengliang.core.text.characters import ByteSpan, byte_offsets, slices
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.core.text.segmenters import segmented_by
from hengliang.systems.language_models.base import Conventions, LanguageModel
from hengliang.systems.language_models.line_chunks import scores_of_texts
from hengliang.systems.language_models.manner import folded_counts
from hengliang.systems.language_models.perplexity import Perplexity, perplexity
from hengliang.systems.language_models.regions import (
    CROSSED,
    Regions,
    region_scores,
    sentence_logprobs,
    word_regions,
)
from hengliang.systems.language_models.scores import Scores

Division = Literal["words", "units", "joined words"]


@dataclass(frozen=True, slots=True)
class ModelSurprisals:
    """What one model says of a sentence, in nats: a number a row (NaN where there is none), the end, the total.

    `unknown` marks the rows in which a unit is outside the vocabulary. `end` is NaN where the model does not score the
    end of a sentence. `problem` says why there are no numbers at all. `folded` counts the characters that the model
    looked up in another width than they are written in.
    """

    name: str
    model: LanguageModel
    segmenter: str
    conventions: Conventions
    surprisals: tuple[float, ...]
    unknown: tuple[bool, ...]
    end: float
    total: float
    perplexity: Perplexity
    problem: str
    folded: int

    @property
    def signature(self) -> str:
        """What can change these numbers; to find it takes longer than to score a sentence."""
        return str(self.model.signature().and_(**segmented_by(self.segmenter, "words")))


@dataclass(frozen=True, slots=True)
class SentenceSurprisals:
    """One sentence in rows, and what each model says of them. `crossing` names the models whose units cross words.

    `cut_by` is the segmenter that found the words, empty where the sentence came with them.
    """

    content: str
    rows: tuple[str, ...]
    spans: tuple[ByteSpan, ...]
    division: Division
    crossing: tuple[str, ...]
    models: tuple[ModelSurprisals, ...]
    cut_by: str


def sentence_surprisals(models: Mapping[str, LanguageModel], sentence: str, segmenter: str = "") -> SentenceSurprisals:
    """Score a sentence with every model, each under the name that the user has for it.

    White space in the sentence means that its words stand apart; else they are found by `segmenter`, or where none is
    asked for by that of the first model that names one, or by rjieba. All models get the same words.
    """
    if not sentence.strip():
        raise UserError("The sentence is empty.", valid="A sentence, its words apart or not: '他 来 了 。'")
    segmenter = segmenter or segmenter_of_models(list(models.values()))
    given = read_texts([sentence], segmenter)
    texts = given.with_words(segmenter)
    scores = {name: scores_of_texts(model, texts) for name, model in models.items()}
    words = word_regions(texts)
    crossing = tuple(name for name, held in scores.items() if CROSSED in region_scores(held, words).problems)
    spans, division = _rows(texts, scores, crossing)
    return SentenceSurprisals(
        texts.contents[0],
        tuple(piece.strip() for piece in slices(texts.contents[0], spans)),
        spans,
        division,
        crossing,
        tuple(_model_surprisals(name, models[name], scores[name], texts, spans, segmenter) for name in models),
        "" if given.segmented.all() else segmenter,
    )


def segmenter_of_models(models: Sequence[LanguageModel]) -> str:
    """Return who finds words for several models alike: the segmenter of the first that names one, or the usual one."""
    return next(filter(None, (model.conventions().segmenter for model in models)), USUAL_SEGMENTER)


def _rows(
    texts: Texts, scores: Mapping[str, Scores], crossing: tuple[str, ...]
) -> tuple[tuple[ByteSpan, ...], Division]:
    words = list(zip(texts.starts.tolist(), texts.ends.tolist(), strict=True))
    if not crossing:
        return tuple(words), "words"
    # Units of bytes may end within a character, which is shown whole.
    edges = {0, *byte_offsets(texts.contents[0]).tolist()}
    for name in crossing:
        edges &= {0, *scores[name].ends.tolist()}
    if len(scores) > 1:
        edges &= {0, *(end for _, end in words)}
    return tuple(pairwise(sorted(edges))), "joined words" if len(scores) > 1 else "units"


def _model_surprisals(
    name: str, model: LanguageModel, scores: Scores, texts: Texts, spans: tuple[ByteSpan, ...], segmenter: str
) -> ModelSurprisals:
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    regions = Regions(np.zeros(len(spans), np.int64), starts, ends)
    unknown = list(zip(scores.starts[scores.unknown].tolist(), scores.ends[scores.unknown].tolist(), strict=True))
    closing = scores.logprobs[scores.starts == scores.ends]
    return ModelSurprisals(
        name,
        model,
        segmenter,
        model.conventions(),
        tuple(region_scores(scores, regions).surprisals.tolist()),
        tuple(any(start <= first and last <= end for first, last in unknown) for start, end in spans),
        float(-closing.sum() + 0.0) if len(closing) else float("nan"),
        float(-sentence_logprobs(scores)[0] + 0.0),
        perplexity(scores, texts),
        scores.problems[0],
        int(folded_counts(texts.contents, model.conventions().widths).sum()),
    )
