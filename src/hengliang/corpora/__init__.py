"""Corpora and treebanks: which data there is, and how it is read.

Catalogue of sources (locate, download, verify), plain text, tagged corpora (PKU, CoNLL-U), running text and its parts
for training and test, word frequencies, constituent and dependency trees, brackets, silver trees from a chunker.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
