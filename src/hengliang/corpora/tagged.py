"""Tagged corpora in the PKU and CoNLL-U formats: words and tags, paragraph by paragraph.

Two formats are read, both as a stream: a file of any size needs the memory of one paragraph. The PKU format is that of
the tagged People's Daily [1]: one paragraph per line, `word/tag` parted by spaces. CoNLL-U is that of Universal
Dependencies [2]. Words and tags come out as they stand in the file; nothing is normalised and no stray tag is mended.

[1] Yu, S., Duan, H., Zhu, X., & Sun, B. (2002). The basic processing of contemporary Chinese corpus at Peking
    University. Journal of Chinese Information Processing, 16(5), 49-64 and 16(6), 58-65.
[2] Nivre, J. et al. (2020). Universal Dependencies v2: An evergrowing multilingual treebank collection. LREC 2020.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Literal, get_args

from hengliang.core.errors import UserError
from hengliang.corpora.catalogue import reads
from hengliang.corpora.plain_text import (
    Faults,
    OnBroken,
    Reading,
    decoded_lines,
    nothing_found,
    open_reading,
    read_plain,
)

__all__ = [
    "PKU_TAGS",
    "Bracket",
    "Reading",
    "TagColumn",
    "TaggedParagraph",
    "check_columns",
    "conllu_blocks",
    "read_conllu",
    "read_pku",
    "read_plain",
    "stray_tags",
]

TagColumn = Literal["upos", "xpos"]

PKU_TAGS: frozenset[str] = frozenset("abcdefghijklmnopqrstuvwxyz") | frozenset(
    ("ad", "an", "nr", "ns", "nt", "nx", "nz", "vd", "vn", "Ag", "Bg", "Dg", "Mg", "Ng", "Rg", "Tg", "Vg")
)
"""The tags in regular use in the tagged People's Daily of January 1998, with `g` and `x`, which it does without."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """Words that the corpus marks as one name: `words[start:end]` of the paragraph, with the tag of the whole."""

    start: int
    end: int
    tag: str


@dataclass(frozen=True, slots=True)
class TaggedParagraph:
    """A paragraph (PKU) or a sentence (CoNLL-U) with one tag per word.

    `number` is the line of the file on which it starts, from 1. `id` is the file's own name for it, if it has one.
    `space_after` says for each word whether a space follows in the running text; it is empty where the file is silent.
    """

    number: int
    words: tuple[str, ...]
    tags: tuple[str, ...]
    id: str = ""
    brackets: tuple[Bracket, ...] = ()
    space_after: tuple[bool, ...] = ()

    @property
    def text(self) -> str:
        """The running text: without spaces, as Chinese is written, unless the file says where they are."""
        if not any(self.space_after):
            return "".join(self.words)
        spaced = (word + " " * space for word, space in zip(self.words, self.space_after, strict=True))
        return "".join(spaced).rstrip(" ")


def stray_tags(paragraphs: Iterable[TaggedParagraph], known: Iterable[str] = PKU_TAGS) -> dict[str, int]:
    """Return how often each tag occurs that is not among the `known` ones, the most frequent first."""
    counts: Counter[str] = Counter()
    for paragraph in paragraphs:
        counts.update(paragraph.tags)
    return {tag: count for tag, count in counts.most_common() if tag not in frozenset(known)}


# --- PKU --------------------------------------------------------------------------------------------------------------

_PARAGRAPH_ID = re.compile(r"(\d{8}-\d{2}-\d{3}-\d{3})/m")
# Openings, the shortest word, its tag, closings with their tags. A slash between a bracket and its tag is common in
# corpora made after this one: [中国/ns 科学院/n]/nt.
_BRACKETED = re.compile(r"(\[*)(.+?)/([^/\[\]]+)((?:\]/?[^/\[\]]+)*)")
_FORM = "A token is word/tag, tokens are apart by spaces, and a name of several words is [word/tag word/tag]tag."


class _BrokenToken(Exception):
    """A token that does not follow the format, and why; the reader adds file and line."""

    def __init__(self, token: str, fault: str) -> None:
        super().__init__(token, fault)
        self.token = token
        self.fault = fault


@reads("pku")
def read_pku(
    path: Path | str, *, encoding: str = "utf-8", errors: OnBroken = "raise", ids: bool = True
) -> Reading[TaggedParagraph]:
    """Read a corpus in the PKU format, one paragraph per line; blank lines are left out.

    The tag follows the last slash of a token, so a word may contain slashes. A first token like
    `19980101-01-001-001/m` becomes the paragraph's `id` unless `ids` is False. A broken line is an error that names
    file, line and token; with `errors='skip'` it is left out and counted in `skipped`.
    """
    checked, codec, faults = open_reading(path, encoding, errors)
    return Reading(_pku_rows(checked, codec, faults, ids), faults)


def _pku_rows(path: Path, encoding: str, faults: Faults, ids: bool) -> Iterator[TaggedParagraph]:
    any_words = False
    for number, line in decoded_lines(path, encoding, faults):
        try:
            paragraph = _pku_paragraph(number, line, ids)
        except _BrokenToken as broken:
            faults.note(
                UserError(
                    f"{path}, line {number}: {broken.fault} in '{broken.token}'.",
                    valid=_FORM,
                    remedy="Correct the line, or leave broken lines out: errors='skip', or --errors skip.",
                )
            )
            continue
        if paragraph.words:
            any_words = True
            yield paragraph
    if not any_words:
        raise nothing_found(path, "tagged words", faults)


def _pku_paragraph(number: int, line: str, ids: bool) -> TaggedParagraph:
    # Only ASCII spaces separate tokens: an ideographic space may itself be a word.
    tokens = [token for token in line.replace("\t", " ").split(" ") if token]
    name = ""
    if ids and tokens and (match := _PARAGRAPH_ID.fullmatch(tokens[0])):
        name = match[1]
        del tokens[0]
    if not tokens or (len(tokens) == 1 and tokens[0].isspace()):
        return TaggedParagraph(number, (), (), name)
    if "[" in line or "]" in line:
        return _bracketed_paragraph(number, tokens, name)
    words, tags = [], []
    for token in tokens:
        word, _, tag = token.rpartition("/")
        if not word or not tag:
            raise _BrokenToken(token, _fault(token))
        words.append(word)
        tags.append(intern(tag))
    return TaggedParagraph(number, tuple(words), tuple(tags), name)


def _fault(token: str) -> str:
    if "/" not in token:
        return "there is no '/'"
    if token.endswith("/"):
        return "the tag is empty"
    if token.startswith("/"):
        return "the word is empty"
    return "the brackets are misplaced"


def _bracketed_paragraph(number: int, tokens: list[str], name: str) -> TaggedParagraph:
    words: list[str] = []
    tags: list[str] = []
    brackets: list[Bracket] = []
    opened: list[tuple[int, str]] = []
    for token in tokens:
        match = _BRACKETED.fullmatch(token)
        if not match:
            raise _BrokenToken(token, _fault(token))
        openings, word, tag, closings = match.groups()
        if openings and "]" in word:  # [1]/m is a word that holds brackets
            openings, word = "", openings + word
        opened.extend((len(words), token) for _ in openings)
        words.append(word)
        tags.append(intern(tag))
        for closing in closings.split("]")[1:]:
            if not opened:
                raise _BrokenToken(token, "a bracket closes that was never opened")
            brackets.append(Bracket(opened.pop()[0], len(words), closing.removeprefix("/")))
    if opened:
        raise _BrokenToken(opened[-1][1], "a bracket opens that never closes")
    brackets.sort(key=_outermost_first)
    return TaggedParagraph(number, tuple(words), tuple(tags), name, tuple(brackets))


def _outermost_first(bracket: Bracket) -> tuple[int, int]:
    return bracket.start, -bracket.end


# --- CoNLL-U ----------------------------------------------------------------------------------------------------------

_COLUMNS = 10
_COLUMN_OF: dict[TagColumn, int] = {"upos": 3, "xpos": 4}
_WORD_ID = re.compile(r"[1-9][0-9]*")
_OTHER_ID = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|[0-9]+\.[1-9][0-9]*")
_NO_SPACE = "SpaceAfter=No"


@reads("conllu")
def read_conllu(
    path: Path | str, tag: TagColumn = "upos", *, encoding: str = "utf-8", errors: OnBroken = "raise"
) -> Reading[TaggedParagraph]:
    """Read the words and one of the two tag columns of a CoNLL-U file, sentence by sentence.

    Ranges of fused words (`1-2`) and empty nodes (`8.1`) are passed over: the words are the syntactic ones. `number` is
    the first line of the sentence's block, comments included. With `errors='skip'` a broken line drops its sentence.
    """
    if tag not in get_args(TagColumn):
        raise UserError(f"CoNLL-U has no tag column '{tag}'.", valid=f"Tag columns: {', '.join(get_args(TagColumn))}.")
    checked, codec, faults = open_reading(path, encoding, errors)
    return Reading(_conllu_rows(checked, codec, faults, tag), faults)


def _conllu_rows(path: Path, encoding: str, faults: Faults, tag: TagColumn) -> Iterator[TaggedParagraph]:
    any_words = False
    for block in conllu_blocks(path, encoding, faults):
        try:
            sentence = _conllu_sentence(path, block, tag)
        except UserError as problem:
            faults.note(problem)
            continue
        if sentence.words:
            any_words = True
            yield sentence
    if not any_words:
        raise nothing_found(path, "tagged words", faults)


def conllu_blocks(path: Path, encoding: str, faults: Faults) -> Iterator[list[tuple[int, str]]]:
    """Cut the file at its blank lines; a line that does not decode takes its block with it."""
    block: list[tuple[int, str]] = []
    spoiled = faults.count
    for number, line in decoded_lines(path, encoding, faults):
        if line.strip():
            block.append((number, line))
            continue
        if block and faults.count == spoiled:
            yield block
        block, spoiled = [], faults.count
    if block and faults.count == spoiled:
        yield block


def _conllu_sentence(path: Path, block: list[tuple[int, str]], tag: TagColumn) -> TaggedParagraph:
    words: list[str] = []
    tags: list[str] = []
    spaces: list[bool] = []
    range_end, range_space = 0, False
    name, has_text = "", False
    for number, line in block:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            name = value.strip() if key.strip() == "sent_id" else name
            has_text = has_text or key.strip() == "text"
            continue
        columns = line.split("\t")
        check_columns(path, number, columns, len(words) + 1)
        space = _NO_SPACE not in columns[9].split("|")
        if not _WORD_ID.fullmatch(columns[0]):
            if "-" in columns[0]:
                range_end, range_space = int(columns[0].partition("-")[2]), space
            continue
        words.append(_form(path, number, columns))
        tags.append(_tag(path, number, columns, tag))
        spaces.append(space if len(words) > range_end else range_space and len(words) == range_end)
    # Without any mark of version 2 the column for spaces was not filled in, and Chinese has none.
    spaces_known = has_text or not all(spaces)
    return TaggedParagraph(block[0][0], tuple(words), tuple(tags), name, (), tuple(spaces) if spaces_known else ())


def check_columns(path: Path, number: int, columns: list[str], expected: int) -> None:
    """Check that a line of CoNLL-U has ten columns and the number that is due, if it is that of a word."""
    where = f"{path}, line {number}"
    if len(columns) != _COLUMNS:
        raise UserError(
            f"{where} has {len(columns)} column{'s' * (len(columns) != 1)}: '{columns[0]}'.",
            valid=f"A CoNLL-U line has {_COLUMNS} columns, apart by tabs.",
            remedy="Correct the line, or leave broken sentences out: errors='skip', or --errors skip.",
        )
    if _OTHER_ID.fullmatch(columns[0]):
        return
    if columns[0] != str(expected):
        raise UserError(
            f"{where} has the word number '{columns[0]}' where {expected} is due.",
            valid="Words count 1, 2, 3 within a sentence; 1-2 is a range of fused words, 8.1 an empty node.",
            remedy="Put a blank line between sentences, or leave broken ones out: errors='skip', or --errors skip.",
        )


def _form(path: Path, number: int, columns: list[str]) -> str:
    if not columns[1]:
        raise UserError(f"{path}, line {number}: the word is empty.", valid="The second column holds the word.")
    return columns[1]


def _tag(path: Path, number: int, columns: list[str], tag: TagColumn) -> str:
    value = columns[_COLUMN_OF[tag]]
    if value in {"", "_"}:
        other = "xpos" if tag == "upos" else "upos"
        raise UserError(
            f"{path}, line {number}: the word '{columns[1]}' has no {tag} tag.",
            valid="Every word needs a tag.",
            remedy=f"Read the other column with tag='{other}', or leave such sentences out: errors='skip', or "
            "--errors skip.",
        )
    return intern(value)
