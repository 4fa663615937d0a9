"""Sinica Treebank: its trees of clauses with roles, read as constituents of a small set of labels.

A line of the treebank [1] is a clause: a number, a tree in which every part has a role (`agent:NP(Head:Nhaa:他)`), and
after `#` the punctuation mark that follows, if one does. Roles and parts of speech are left out; the mark becomes the
last word under the root. Labels become those of a small set (`phrase_of`): NP, VP, S, PP and GP stay, phrases marked
by 的 or 地 are called as in the Penn Chinese Treebank (DNP, CP, DVP), and words that are coordinated or doubled under
the label of a part of speech become a phrase of that class.

[1] Huang, C.-R., Chen, F.-Y., Chen, K.-J., Gao, Z., Chen, K.-Y. (2000). Sinica Treebank: Design criteria, annotation
    guidelines, and on-line interface. Second Chinese Language Processing Workshop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from sys import intern

from hengliang.core.errors import UserError
from hengliang.corpora.catalogue import reads
from hengliang.corpora.plain_text import Faults, OnBroken, Reading, decoded_lines, nothing_found, open_reading
from hengliang.corpora.trees.brackets import plain_tree
from hengliang.corpora.trees.constituents import Tree

__all__ = ["phrase_of", "read_sinica"]

_LINE = re.compile(r"#[^\[\]]*\[[^\]]*\]\s+(?P<tree>[^#]+)#\s*(?:(?P<mark>[^#\s()]+)\([A-Z]+\))?\s*")
_TOKEN = re.compile(r"[()|]|[^()|]+")
_FEATURES = re.compile(r"\[[^\]]*\]")
_FORM = "A line is #1:1.[1] LABEL(role:LABEL(…)|role:tag:word)#。(PERIODCATEGORY)."
_REMEDY = "Correct the line; in Python, errors='skip' leaves broken ones out."

_MARKER = "‧"
_PHRASES = {label: label for label in ("NP", "VP", "S", "PP", "GP")} | {
    "ADV": "ADVP",
    "DM": "QP",
    "interjection": "INTJ",
    "conjunction": "CONJP",
    # A role where the label should be, once, over a noun with its adjective.
    "goal": "NP",
}
# Parts of speech by the beginning of their names, longer beginnings first.
_CLASSES = {"Ne": "QP", "N": "NP", "V": "VP", "A": "ADJP", "D": "ADVP", "P": "PP", "C": "CONJP", "I": "INTJ"}
_PART_OF_SPEECH = re.compile(r"(?:N|A|D|P|C|I|V[A-Z_]?)[a-z]*[0-9]*")
_CLAUSES = frozenset(("V", "VP", "S"))


def phrase_of(label: str) -> str:
    """Return the label of the small set for a label of the treebank, or nothing if it is not known.

    >>> [phrase_of(label) for label in ("NP", "S‧的", "N‧的", "VP‧地", "得‧VP", "Nab", "NP[+theme]", "subject")]
    ['NP', 'CP', 'DNP', 'DVP', 'VP', 'NP', 'NP', '']
    """
    name = _FEATURES.sub("", label)
    first, marked, last = name.partition(_MARKER)
    if not marked:
        return _plain_phrase(name)
    if last in {"的", "地"} and _plain_phrase(first):
        return "DVP" if last == "地" else "CP" if first in _CLAUSES else "DNP"
    return _plain_phrase(last) if first == "得" else ""


def _plain_phrase(name: str) -> str:
    if name in _PHRASES:
        return _PHRASES[name]
    if not _PART_OF_SPEECH.fullmatch(name):
        return ""
    return next(phrase for beginning, phrase in _CLASSES.items() if name.startswith(beginning))


class _Broken(Exception):
    """What is wrong with a line; the reader adds file and number."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


@reads("sinica")
def read_sinica(path: Path | str, *, encoding: str = "utf-8", errors: OnBroken = "raise") -> Reading[Tree]:
    """Read the trees of the Sinica treebank: phrases over words, without parts of speech and unary cycles.

    A broken line is an error that names file and line; with `errors='skip'` it is left out and counted in `skipped`.
    """
    checked, codec, faults = open_reading(path, encoding, errors)
    return Reading(_tree_rows(checked, codec, faults), faults)


def _tree_rows(path: Path, encoding: str, faults: Faults) -> Iterator[Tree]:
    any_tree = False
    for number, line in decoded_lines(path, encoding, faults):
        if not line.strip():
            continue
        try:
            tree = _tree(line)
        except _Broken as broken:
            faults.note(UserError(f"{path}, line {number}: {broken.fault}.", valid=_FORM, remedy=_REMEDY))
            continue
        any_tree = True
        yield tree
    if not any_tree:
        raise nothing_found(path, "trees", faults)


def _tree(line: str) -> Tree:
    cut = _LINE.fullmatch(line.strip())
    if not cut:
        raise _Broken(f"'{line.strip()[:20]}' begins no line of the Sinica treebank")
    grown = _grown(cut["tree"].strip())
    tree = plain_tree(grown, tagged=False) or grown
    # Only now, for a VP that holds nothing but a VP is one whether a mark follows it or not.
    return Tree(tree.label, (*tree.children, cut["mark"])) if cut["mark"] else tree


def _grown(text: str) -> Tree:
    opened: list[tuple[str, list[Tree | str]]] = [("", [])]
    before = "|"
    for token in (*_TOKEN.findall(text), "|"):
        _check_order(before, token, opened[-1][0])
        if token == "(":
            opened.append((_label(before), []))
        elif token in {")", "|"}:
            if before != ")":
                opened[-1][1].append(_word(before))
            if token == ")":
                _close(opened)
        before = token
    if len(opened) > 1:
        raise _Broken(f"{len(opened) - 1} of the brackets never close")
    roots = opened[0][1]
    if len(roots) != 1 or isinstance(roots[0], str):
        raise _Broken(f"there are {len(roots)} parts side by side where one tree is due")
    return roots[0]


def _check_order(before: str, token: str, label: str) -> None:
    is_text = token not in {"(", ")", "|"}
    if before == "(" and token == ")":
        raise _Broken(f"a constituent '{label}' is empty")
    if before in {"(", "|"} and not is_text:
        raise _Broken(f"a part is missing between '{before}' and '{token}'")
    if before == ")" and token not in {")", "|"}:
        raise _Broken(f"there is no '|' between ')' and '{token}'")


def _close(opened: list[tuple[str, list[Tree | str]]]) -> None:
    label, parts = opened.pop()
    if not opened:
        raise _Broken("a bracket closes that was never opened")
    opened[-1][1].append(Tree(label, tuple(parts)))


def _label(said: str) -> str:
    label = said.rpartition(":")[2].strip()
    phrase = phrase_of(label)
    if not phrase:
        raise _Broken(f"'{label}' is no label" if label else "a constituent has no label")
    return intern(phrase)


def _word(said: str) -> str:
    tagged, _, word = said.strip().rpartition(":")
    if not word or not tagged.rpartition(":")[2]:
        raise _Broken(f"'{said}' is no word with its part of speech")
    return word
