"""Treebanks: constituents, brackets, dependencies, and a chunker that makes trees from tagged words."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
