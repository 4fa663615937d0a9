"""Tag maps: which tag of a tagger stands for which tag of the corpus, as tables that anybody can read and correct."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
