"""Which trees do the files of a treebank hold, whatever their form?

Brackets and the Sinica treebank hold trees; CoNLL-U holds dependencies, from which constituents follow. What comes out
are plain trees in the order of the files: phrases over words, without empty categories and parts of speech. A tree of
brackets of which no word is left is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hengliang.materials.text_origins import Form
from hengliang.materials.trees.brackets import plain_tree, read_brackets
from hengliang.materials.trees.constituents import Tree
from hengliang.materials.trees.dependencies import read_dependencies
from hengliang.materials.trees.sinica import read_sinica


def read_trees(form: Form, paths: Sequence[Path]) -> Iterator[Tree]:
    """Read the trees of files in brackets, of the Sinica treebank, or of dependencies; other forms have none."""
    for path in paths:
        if form == "brackets":
            yield from (plain for tree in read_brackets(path) if (plain := plain_tree(tree)) is not None)
        elif form == "sinica":
            yield from read_sinica(path)
        elif form == "dependencies":
            yield from (sentence.tree() for sentence in read_dependencies(path))
