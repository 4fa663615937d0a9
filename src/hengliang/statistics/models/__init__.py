"""Mixed models from lme4 formulas: linear, binomial and ordinal."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
