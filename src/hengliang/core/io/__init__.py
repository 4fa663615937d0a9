"""Input and output: tables of users in any form, encoding and quoting, and files of ours that are whole or absent."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
