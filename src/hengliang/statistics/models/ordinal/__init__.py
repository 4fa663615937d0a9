"""How do ordered ratings depend on systems, raters and items: our own cumulative-link mixed model?"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
