"""Language models: who says how probable a text is, unit by unit."""

from hengliang.core.labelling.texts import Texts, raw_texts, read_texts
from hengliang.language_models.base import Conventions, LanguageModel, NextUnits
from hengliang.language_models.conformance import language_model_promises
from hengliang.language_models.perplexity import Perplexity, perplexity
from hengliang.language_models.regions import region_scores, sentence_logprobs, word_regions
from hengliang.language_models.sampling import sample
from hengliang.language_models.scores import Scores, scores_of

__all__ = [
    "Conventions",
    "LanguageModel",
    "NextUnits",
    "Perplexity",
    "Scores",
    "Texts",
    "language_model_promises",
    "perplexity",
    "raw_texts",
    "read_texts",
    "region_scores",
    "sample",
    "scores_of",
    "sentence_logprobs",
    "word_regions",
]
