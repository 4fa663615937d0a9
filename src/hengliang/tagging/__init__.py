"""Tagging: word segmentation and part-of-speech tagging of Chinese, and what taggers get wrong.

Taggers (jieba, THULAC, LAC, SnowNLP, spaCy, token classification, our own CRF), tag maps, error mining, diagnostic
test sets and their D, Z and R scores, correction rules and targeted training.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
