"""Scenes: quantified descriptions of coloured shapes, how they are generated and understood.

Scenes and domains, quantifiers and their meanings, describers (referring expression generation: incremental, greedy),
readers that parse English and Mandarin descriptions, reconstruction by readers and its swaps, elicited descriptions.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
