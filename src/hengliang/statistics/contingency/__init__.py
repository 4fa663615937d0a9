"""Contingency tables: chi-squared, exact and McNemar tests, and cut-offs of rating scales."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
