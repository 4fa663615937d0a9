"""Replication: which published numbers follow from what their papers print?

The numbers that the papers print, claims recomputed from them, and a verdict on each to the printed digit.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
