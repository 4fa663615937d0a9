"""Treebank files: plain trees from brackets, the Sinica treebank and dependencies.

Brackets and the Sinica treebank hold trees; CoNLL-U holds dependencies, from which constituents follow. What comes out
are plain trees in the order of the files: phrases over words, without empty categories and parts of speech. A tree of
brackets of which no word is left is left out.

Brackets come with parts of speech around the single words, as in the Penn treebanks, or without, as `write_brackets`
and models write them. (NP 书) is a phrase in the second and a word with its tag in the first. Which it is follows from
the whole file: with parts of speech no word has anything beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hengliang.core.errors import UserError
from hengliang.corpora.trees.brackets import plain_tree, read_brackets
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.dependencies import read_dependencies
from hengliang.corpora.trees.sinica import read_sinica

RARE = 0.05
"""A share of words without part of speech so small that they are mistakes."""


def read_trees(format_name: str, paths: Sequence[Path]) -> Iterator[Tree]:
    """Read the trees of files in brackets, of the Sinica treebank, or of dependencies; other formats have none."""
    for path in paths:
        if format_name == "brackets":
            trees = list(read_brackets(path))
            tagged = has_parts_of_speech(trees, path)
            yield from (plain for tree in trees if (plain := plain_tree(tree, tagged=tagged)) is not None)
        elif format_name == "sinica":
            yield from read_sinica(path)
        elif format_name == "conllu":
            yield from (sentence.tree() for sentence in read_dependencies(path))


def has_parts_of_speech(trees: Sequence[Tree], path: Path) -> bool:
    """Say whether every word of a file has a part of speech around it, or words stand beside others in their phrases.

    Where nearly all words have one, the others are mistakes: were they taken for words of phrases, every part of speech
    of the file would become a phrase.
    """
    words, bare, where = 0, 0, ""
    for number, tree in enumerate(trees, 1):
        for part in (tree, *tree.parts()):
            if isinstance(part, Tree):
                leaves = [child for child in part.children if isinstance(child, str)]
                words += len(leaves)
                if len(part.children) > 1 and leaves:
                    bare += len(leaves)
                    where = where or f"{path}, tree {number}: the word '{leaves[0]}' in the constituent '{part.label}'"
    if 0 < bare < RARE * words:
        raise UserError(
            f"{where} has no part of speech, and all but {bare:,} of the {words:,} words of the file have one.",
            valid="Either every word is in a constituent of its own, (NN 书), or the file has no parts of speech.",
            remedy="Give these words their parts of speech.",
        )
    return not bare
