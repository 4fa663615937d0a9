"""Sequence labelling: texts in columns, labelled spans, and the base classes of taggers and recognisers."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
