"""Which rank tests are there, for ratings whose order is all one may trust?"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
