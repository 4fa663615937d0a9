"""Which tags do the tag sets have that several taggers and corpora share?

[1] Yu, S., Duan, H., Zhu, X., & Sun, B. (2002). The basic processing of contemporary Chinese corpus at Peking
    University. Journal of Chinese Information Processing, 16(5), 49-64 and 16(6), 58-65.
[2] Nivre, J. et al. (2020). Universal Dependencies v2: An evergrowing multilingual treebank collection. LREC 2020.
[3] Xia, F. (2000). The part-of-speech tagging guidelines for the Penn Chinese Treebank (3.0). University of
    Pennsylvania.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hengliang.corpora.tagged import PKU_TAGS

UD_TAGS: frozenset[str] = frozenset([
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X"
])  # fmt: skip
"""The 17 universal tags [2]."""

CTB_TAGS: frozenset[str] = frozenset([
    "AD", "AS", "BA", "CC", "CD", "CS", "DEC", "DEG", "DER", "DEV", "DT", "ETC", "FW", "IJ", "JJ", "LB", "LC", "M",
    "MSP", "NN", "NR", "NT", "OD", "ON", "P", "PN", "PU", "SB", "SP", "VA", "VC", "VE", "VV"
])  # fmt: skip
"""The 33 tags of the Penn Chinese Treebank [3]."""

UNUSED_PKU_TAGS: frozenset[str] = frozenset("gx")
"""Tags of the tag set that the People's Daily of January 1998 does without: no item of a test can ask for them."""

TAG_SETS: Mapping[str, frozenset[str]] = MappingProxyType({"pku": PKU_TAGS, "ud": UD_TAGS, "ctb": CTB_TAGS})
"""The tag sets that maps lead to, by name: that of the People's Daily [1], Universal Dependencies, the treebank."""
