"""The battery of `analyse`: ratings from a file, checked, compared, modelled."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
