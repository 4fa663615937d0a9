"""Commands: shared options, groups that load lazily, and what every subject's commands print."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
