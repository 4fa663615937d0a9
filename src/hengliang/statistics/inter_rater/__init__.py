"""Inter-rater agreement: kappa, Krippendorff's alpha, intraclass correlation, noise ceilings."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
