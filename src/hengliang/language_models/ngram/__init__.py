"""N-gram models: counting, Kneser-Ney smoothing, storage, lookup, ARPA files, KenLM."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
