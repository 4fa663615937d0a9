"""Reading of what users bring: tables of any form, encoding and quoting."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
