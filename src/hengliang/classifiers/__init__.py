"""Mandarin classifiers (measure words): which one goes between a number and a noun?

Classifier slots of corpora, portions for learning curves, inventory and categories, choosers (rule, dictionary, linear,
LSTM, encoder, language models, people), proofreading, match with the corpus, confusion, variation and label noise,
experiments with readers.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
