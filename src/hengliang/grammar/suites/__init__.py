"""Grammar test suites: how one writes, reads, checks and exchanges them, and those that ship."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
