"""Acceptability: how acceptable is a sentence to a language model, and to people?

SLOR and other acceptability measures, rated sentences (Lau, SMOG, one's own), perturbed sentences and discrimination,
scoring and filtering of files, correlation with human ratings, named-entity recognition for replacement.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
