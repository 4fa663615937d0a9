"""Preprocessing of texts for language models: named-entity replacement (RNE), part-of-speech tags, word classes."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
