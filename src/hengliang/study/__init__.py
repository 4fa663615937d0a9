"""Studies: Study, Run, the stages in between, and what a run folder says of itself."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
