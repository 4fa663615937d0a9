"""Ordinal regression: cumulative-link mixed models of ordered ratings, by systems, raters and items."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
