"""Diagnostic test sets for taggers: how they are built, reviewed, written and read."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
