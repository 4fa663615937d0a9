"""Analysis of rating files (the battery of `analyse`): checks, descriptions, comparisons, equivalence, mixed models."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
