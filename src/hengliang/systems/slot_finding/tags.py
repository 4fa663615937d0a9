"""Which tag of Peking University does a tag of another set amount to?

The rules that find slots are written for the tags of the People's Daily. One table serves three other sets, which have
no tag in common that means two things: LAC's, the fine ones of the Chinese Treebank (what `spacy:…/fine` gives for
Chinese), and the coarse ones of Universal Dependencies. The last have no classifiers: there a noun that is one of our
classifiers and follows a number or a determiner is taken for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hengliang.core.errors import UserError
from hengliang.corpora.tagged import PKU_TAGS
from hengliang.materials.slot_lexicon import CLASSIFIERS

_LAC = {"PER": "nr", "LOC": "ns", "ORG": "nt", "TIME": "t", "nw": "nz", "xc": "y"}
_TREEBANK = {
    "NN": "n", "NR": "nz", "NT": "t", "VV": "v", "VC": "v", "VE": "v", "VA": "a", "JJ": "b", "AD": "d", "CD": "m",
    "OD": "m", "M": "q", "PN": "r", "DT": "r", "P": "p", "BA": "p", "LB": "p", "SB": "p", "CC": "c", "CS": "c",
    "DEC": "u", "DEG": "u", "DER": "u", "DEV": "u", "AS": "u", "ETC": "u", "MSP": "u", "SP": "y", "LC": "f",
    "PU": "w", "FW": "nx", "IJ": "e", "ON": "o", "INF": "x", "URL": "x",
}  # fmt: skip
_UNIVERSAL = {
    "NOUN": "n", "PROPN": "nz", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "d", "NUM": "m", "PRON": "r", "DET": "r",
    "ADP": "p", "CCONJ": "c", "SCONJ": "c", "PART": "u", "PUNCT": "w", "SYM": "w", "INTJ": "e", "X": "x",
}  # fmt: skip
_KNOWN = {tag: tag for tag in PKU_TAGS} | _LAC | _TREEBANK | _UNIVERSAL


def pku_tags(words: Sequence[str], tags: Iterable[str], tagger: str = "") -> list[str]:
    """Return the tags of a sentence as tags of Peking University; `tagger` is who gave them, for an error."""
    found: list[str] = []
    for word, tag in zip(words, tags, strict=True):
        known = _KNOWN.get(tag)
        if known is None:
            raise UserError(
                f"The tagger '{tagger}' tags '{word}' as {tag}, which is no tag we know.",
                valid="Tag sets: Peking University, LAC, the Chinese Treebank (fine tags), Universal Dependencies.",
                remedy="Use the tagger lac, or a pipeline of spaCy for Chinese with /fine after its name.",
            )
        if tag == "NOUN" and word in CLASSIFIERS and found and found[-1] in {"m", "r"}:
            known = "q"
        found.append(known)
    return found
