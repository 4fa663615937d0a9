"""Treebanks of corpora by part: annotated, projected, chunked and control trees for the running text.

The sentences are those of `read_running_text`, in the same order and the same parts, so that models with and without
trees learn from the same text. A treebank in brackets has the trees of its annotators; those of CoNLL-U are projected
from the dependencies; those of tagged words are chunked. Two controls say nothing about structure: right-branching
trees, which any text can have, and the trees of other sentences of the same part and length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, get_args

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.running_text import LONGEST, Origin, RunningText, find_origin, read_running_text, sentences_of
from hengliang.corpora.tagged import read_pku
from hengliang.corpora.trees.chunking import chunked_tree
from hengliang.corpora.trees.constituents import Tree, right_branching, shuffled
from hengliang.corpora.trees.files import read_trees

Trees = Literal["given", "right-branching", "shuffled"]
"""Which trees the sentences get: their own, or those of a control."""

GIVEN: Trees = "given"
TREES: tuple[Trees, ...] = get_args(Trees)

Kind = Literal["annotated", "projected", "chunked", "right-branching", "shuffled"]
"""Where trees come from: annotators, dependencies, tags, or a control."""

KINDS: Mapping[str, Kind] = MappingProxyType(
    {"brackets": "annotated", "sinica": "annotated", "conllu": "projected", "pku": "chunked"}
)


@dataclass(frozen=True, slots=True, eq=False)
class Treebank:
    """The trees of a corpus by part, whose it is, and of which kind the trees are.

    Tree number i of a part has the words of sentence number i of that part of the running text.
    """

    name: str
    licence: str
    terms: str
    checksum: str
    kind: Kind
    trees: Mapping[Part, tuple[Tree, ...]]


def read_treebank(
    data: str,
    trees: str = GIVEN,
    *,
    segmenter: str = "rjieba",
    longest: int = LONGEST,
    seed: int = 1,
    first: Mapping[Part, int] | None = None,
) -> Treebank:
    """Read the trees of a source of the catalogue by its name, or of a file by its path.

    Trees have the default corpus and files *.pku (chunked), files *.conllu and the sources of Universal Dependencies
    (projected), files of brackets and sinica-treebank (annotated). `trees` is given, right-branching or shuffled;
    `segmenter` finds the words of plain text, and `seed` is that of shuffled trees. With `first` only so many sentences
    of each part are read, and shuffled among themselves.
    """
    if trees not in TREES:
        raise unknown_name("way to get trees", trees, TREES)
    origin = find_origin(data)
    text = read_running_text(data, segmenter=segmenter, longest=longest)
    kind: Kind
    by_part: Mapping[Part, tuple[Tree, ...]]
    if trees == "right-branching":
        kind, by_part = "right-branching", _right_branching(_first(text, first))
    else:
        limits = tuple(sorted(first.items())) if first else ()
        kind, by_part = _kind(data, origin), _given(origin, text.checksum, longest, data, limits)
        if trees == "shuffled":
            kind, by_part = "shuffled", {part: tuple(shuffled(own_trees, seed)) for part, own_trees in by_part.items()}
    return Treebank(text.name, text.licence, text.terms, text.checksum, kind, MappingProxyType(dict(by_part)))


def _kind(data: str, origin: Origin) -> Kind:
    kind = KINDS.get(origin.format)
    if kind is None:
        what = "plain text" if origin.format == "plain" else f"in the format {origin.format}"
        raise UserError(
            f"{data} is {what}: it has no trees.",
            valid="Trees have tagged words (*.pku), dependencies (*.conllu), brackets (*.brackets, *.mrg, *.ptb, "
            "*.nid, *.fid), and of the catalogue peoples-daily-199801, sinica-treebank and the UD treebanks.",
            remedy="Name one of these, or give any text trees without syntax: --trees right-branching",
        )
    return kind


def _first(text: RunningText, limits: Mapping[Part, int] | None) -> pl.DataFrame:
    """Return the first sentences of each part, as many as are wanted; of a part that is not named, all."""
    if not limits:
        return text.sentences
    most = pl.col("part").replace_strict(dict(limits), default=text.sentences.height, return_dtype=pl.Int64)
    return text.sentences.filter(pl.int_range(pl.len()).over("part") < most)


def _right_branching(sentences: pl.DataFrame) -> dict[Part, tuple[Tree, ...]]:
    by_part: dict[Part, list[Tree]] = {part: [] for part in PARTS}
    for part, line in sentences.select("part", "line").iter_rows():
        by_part[part].append(right_branching(line.split(" ")))
    return {part: tuple(trees) for part, trees in by_part.items()}


# --- trees of the corpus ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _given(
    origin: Origin, checksum: str, longest: int, data: str, limits: tuple[tuple[Part, int], ...]
) -> Mapping[Part, tuple[Tree, ...]]:
    """Read the trees of the first sentences of each part.

    `checksum` is only there so that a file that has changed is read again.
    """
    text = read_running_text(data, longest=longest)
    kept = {
        (paragraph, sentence): (part, line)
        for part, paragraph, sentence, line in _first(text, dict(limits))
        .select("part", "paragraph", "sentence", "line")
        .iter_rows()
    }
    by_part: dict[Part, list[Tree]] = {part: [] for part in PARTS}
    for key, tree in _chunked(origin, kept) if origin.format == "pku" else _annotated(origin, kept):
        part, line = kept.pop(key)
        _check(text.name, key, line.split(" "), tree)
        by_part[part].append(tree)
    if kept:
        paragraph, sentence = min(kept)
        raise UserError(f"{text.name}, paragraph {paragraph}, sentence {sentence} has no tree.", valid=_WHOLE)
    return MappingProxyType({part: tuple(trees) for part, trees in by_part.items()})


_Place = tuple[int, int]
"""A paragraph and a sentence in it, from 1, as in the running text."""

_WHOLE = "The trees of a treebank have the words of its sentences, in their order."


def _annotated(origin: Origin, kept: Mapping[_Place, object]) -> Iterator[tuple[_Place, Tree]]:
    for number, tree in enumerate(read_trees(origin.format, origin.paths), 1):
        if (number, 1) in kept:
            yield (number, 1), tree


def _chunked(origin: Origin, kept: Mapping[_Place, object]) -> Iterator[tuple[_Place, Tree]]:
    paragraphs = (paragraph for path in origin.paths for paragraph in read_pku(path))
    for number, paragraph in enumerate(paragraphs, 1):
        first = 0
        for sentence, words in enumerate(sentences_of(paragraph.words), 1):
            last = first + len(words)
            if (number, sentence) in kept:
                try:
                    tree = chunked_tree(words, paragraph.tags[first:last])
                except UserError as error:
                    problem = f"{origin.name}, line {paragraph.number}, sentence {sentence}: {error.problem}"
                    raise UserError(problem, valid=error.valid, remedy=error.remedy) from None
                yield (number, sentence), tree
            first = last


def _check(name: str, place: _Place, words: Sequence[str], tree: Tree) -> None:
    """Refuse a tree that has other words than its sentence."""
    leaves = tree.words()
    where = f"{name}, paragraph {place[0]}, sentence {place[1]}"
    spaced = next((word for word in leaves if word.split() != [word]), None)
    if spaced is not None:
        raise UserError(f"{where}: the word '{spaced}' has a space in it.", valid="A word has no space of any kind.")
    if leaves == tuple(words):
        return
    both = min(len(leaves), len(words))
    number = next((number for number in range(both) if leaves[number] != words[number]), both)
    said, held = (f"'{held[number]}'" if number < len(held) else "nothing" for held in (words, leaves))
    raise UserError(
        f"{where}: word {number + 1} is {said} in the text and {held} in the tree.",
        valid=_WHOLE,
        remedy="Correct the sentence in the file; a word has no spaces in it.",
    )
