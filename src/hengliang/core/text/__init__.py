"""Text: characters and their byte offsets, Chinese script and width, sentences and words."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
