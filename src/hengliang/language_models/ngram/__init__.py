"""N-gram models: counted, smoothed, stored, looked up, exchanged as ARPA."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
