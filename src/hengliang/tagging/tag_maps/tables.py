"""Tag maps: tag sets, word forms, and tables that translate the tags of one tag set into another.

First the tag sets to which maps lead and the forms by which a row may tell words apart, then the map itself and the
reading of its file.

A tag map is a table: own tag, target tag, form, note. It is a *minimal* one [4]: it gives each of a tagger's tags the
name that the corpus has for it and corrects none of its errors. A tag that has the same name and meaning on both sides
stays; of a tag that the corpus does not know, its meaning decides, and in doubt what the corpus most often says of such
words (`hengliang taggers maps NAME --corpus CORPUS` counts). A row may hold for words of one form only, or for one word
(`=的`); the more particular row wins.

The file is a tab-separated table, with lines `# from:`, `# to:`, `# title:` above it that name the tag sets.

[4] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 2.1.2.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

import polars as pl

from hengliang.core.closure import outside_signatures, package_data
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import read_text_lines
from hengliang.core.signature import Signature, code_checksum, digest
from hengliang.core.text.characters import is_han, is_han_text
from hengliang.corpora.tagged import PKU_TAGS

# --- tag sets ---------------------------------------------------------------------------------------------------------
# The tags of the tag sets that several taggers and corpora share: that of the People's Daily [1], Universal
# Dependencies [2] and the Penn Chinese Treebank [3].
#
# [1] Yu, S., Duan, H., Zhu, X., & Sun, B. (2002). The basic processing of contemporary Chinese corpus at Peking
#     University. Journal of Chinese Information Processing, 16(5), 49-64 and 16(6), 58-65.
# [2] Nivre, J. et al. (2020). Universal Dependencies v2: An evergrowing multilingual treebank collection. LREC 2020.
# [3] Xia, F. (2000). The part-of-speech tagging guidelines for the Penn Chinese Treebank (3.0). University of
#     Pennsylvania.

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


# --- word forms -------------------------------------------------------------------------------------------------------
# The kind of characters of which a word is made. Some taggers give one tag to things that the corpus distinguishes:
# jieba tags a comma and a wide digit alike. The look of the word then decides. A word has one form; the space before it
# does not count.

Form = Literal["punctuation", "digits", "latin", "han", "other"]
"""Marks and symbols alone; digits with the marks of numbers; letters of an alphabet without a Chinese character;
Chinese characters alone (those for numbers too); anything else."""

FORMS: tuple[Form, ...] = get_args(Form)

_MARKS_OF_NUMBERS = frozenset(".,%:/-+~．，％：／－＋～‰·")


@lru_cache(maxsize=65536)
def form_of(word: str) -> Form:
    """Return the form of a word.

    >>> [form_of(word) for word in ("，", "９８．５％", "ＣＤ－２", "一九九八年", "Ｔ恤")]
    ['punctuation', 'digits', 'latin', 'han', 'other']
    """
    body = word.strip()
    if is_han_text(body):
        return "han"
    kinds = [unicodedata.category(character)[0] for character in body]
    if kinds and all(kind in "PS" for kind in kinds):
        return "punctuation"
    if "N" in kinds and all(kind == "N" or mark in _MARKS_OF_NUMBERS for kind, mark in zip(kinds, body, strict=True)):
        return "digits"
    if "L" in kinds and not any(is_han(character) for character in body):
        return "latin"
    return "other"


# --- tag maps ---------------------------------------------------------------------------------------------------------


ANY = "any"
"""The form of a row that holds for every word."""

WORD = "="
"""What stands before a word in the column of forms when the row holds for this word alone."""

UNMAPPED = "?"
"""What is put before a tag that a map does not know and that its target tag set does not have."""


@dataclass(frozen=True, slots=True)
class TagRow:
    """One row of a tag map; `line` is its line in the file."""

    own: str
    target: str
    form: str = ANY
    note: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class TagMap:
    """How the tags of one tag set are written in another.

    `origin` and `target` name the tag sets (pku, ud, ctb; anything else for a tagger's own), `path` is the file.
    """

    name: str
    rows: tuple[TagRow, ...]
    origin: str = ""
    target: str = "pku"
    title: str = ""
    path: str = field(default="", compare=False)

    def mapped(
        self, tags: pl.Series, words: Sequence[str] | pl.Series | None = None, places: pl.Series | None = None
    ) -> pl.Series:
        """Return the tags in the target tag set, one for each of `tags`; without words, rows for any form decide.

        A tag that no row names stays when the target tag set has it; else a question mark is put before it. The words
        are those of all tags or, where `places` are given, of the tags there: `dependent` says where they matter.
        """
        mapped = self._without_words(tags)
        if words is None or not self.conditional:
            return mapped
        texts = words if isinstance(words, pl.Series) else pl.Series(words, dtype=pl.String)
        if len(texts) != len(tags if places is None else places):
            wanted = len(tags) if places is None else len(places)
            raise UserError(f"{len(texts)} words were given for {wanted} tags.", valid="Each tag has its word.")
        if places is None:
            places = self.dependent(tags)
            texts = texts.gather(places)
        return self._by_word(mapped, tags, places, texts)

    def dependent(self, tags: pl.Series) -> pl.Series:
        """Return at which places the target depends on the word."""
        depends = pl.repeat(False, len(tags), eager=True)
        for tag in self.conditional:  # few: comparing with each is quicker than looking up in a set
            depends |= (tags == tag).fill_null(False)
        return depends.arg_true()

    def one(self, tag: str, word: str | None = None) -> str:
        """Return the target tag of one tag, which may depend on its word."""
        return self._targets_by_form.get((tag, self.form_that_decides(tag, word))) or self._fallback(tag)

    def form_that_decides(self, tag: str, word: str | None = None) -> str:
        """Return the form of the row that decides about a tag with its word."""
        if word is None or tag not in self.conditional:
            return ANY
        body = word.strip()
        if (tag, WORD + body) in self._targets_by_form:
            return WORD + body
        form = form_of(body)
        return form if (tag, form) in self._targets_by_form else ANY

    @cached_property
    def targets(self) -> frozenset[str]:
        """All tags that the rows of the map can give."""
        return frozenset(row.target for row in self.rows)

    @cached_property
    def own_tags(self) -> frozenset[str]:
        """All tags that the rows of the map name."""
        return frozenset(row.own for row in self.rows)

    @cached_property
    def conditional(self) -> frozenset[str]:
        """The tags whose target depends on the word."""
        return frozenset(row.own for row in self.rows if row.form != ANY)

    def unmapped(self, tags: pl.Series) -> dict[str, int]:
        """Return how often each tag occurs that no row names, the most frequent first."""
        counts = tags.filter(~tags.is_in(list(self.own_tags))).drop_nulls().value_counts(sort=True, name="n")
        return dict(counts.iter_rows())

    def composed(self, other: TagMap) -> TagMap:
        """Return the map that maps by this one and then by `other`, which must know all that this one gives."""
        if self.target != other.origin and {self.target, other.origin} <= set(TAG_SETS):
            raise UserError(
                f"The map {self.name} leads to {self.target} tags, {other.name} starts from {other.origin}."
            )
        unknown = sorted(self.targets - other.own_tags)
        if unknown:
            raise UserError(
                f"The map {other.name} says nothing of {', '.join(unknown)}, which the map {self.name} gives.",
                remedy=f"Add {'rows' if len(unknown) > 1 else 'a row'} for {' '.join(unknown)} to {other.name}.",
            )
        rows = tuple(row for own in dict.fromkeys(row.own for row in self.rows) for row in self._onward(own, other))
        return TagMap(f"{self.name}+{other.name}", rows, self.origin, other.target, f"{self.title}; {other.title}")

    def signature(self) -> Signature:
        """Return what can change a mapped tag: the rows, whatever the file is called, and the code."""
        cells = (cell for row in self.rows for cell in (row.own, row.target, row.form))
        return Signature.of(rows=digest(*cells), target=self.target, code=code_checksum(TagMap))

    # --- looking up ---------------------------------------------------------------------------------------------------

    @cached_property
    def _plain(self) -> dict[str, str]:
        """The target of each tag where nothing is known of the word."""
        return {row.own: self.one(row.own) for row in self.rows}

    @cached_property
    def _targets_by_form(self) -> dict[tuple[str, str], str]:
        return {(row.own, row.form): row.target for row in self.rows}

    def _fallback(self, tag: str) -> str:
        return tag if tag in TAG_SETS.get(self.target, ()) or tag.startswith(UNMAPPED) else UNMAPPED + tag

    def _of_form(self, tag: str, form: str) -> str:
        """Return the target of a tag for words of a form that no row names one by one."""
        return self._targets_by_form.get((tag, form)) or self.one(tag)

    def _onward(self, own: str, other: TagMap) -> list[TagRow]:
        """Return where one tag leads by this map and another: for any word, then where either distinguishes words."""
        here = [row for row in self.rows if row.own == own]
        reached = {row.target for row in here}
        forms = dict.fromkeys(row.form for row in (*here, *(row for row in other.rows if row.own in reached)))
        made = [TagRow(own, other.one(self.one(own)))]
        for form in forms:
            if form.startswith(WORD):
                word = form.removeprefix(WORD)
                made.append(TagRow(own, other.one(self.one(own, word), word), form))
            elif form != ANY:
                made.append(TagRow(own, other._of_form(self._of_form(own, form), form), form))
        return made

    def _without_words(self, tags: pl.Series) -> pl.Series:
        targets = tags.replace_strict(self._plain, default=None, return_dtype=pl.String)
        if targets.null_count() > tags.null_count():
            unknown = {tag: self._fallback(tag) for tag in tags.filter(targets.is_null()).drop_nulls().unique()}
            targets = tags.replace_strict({**self._plain, **unknown}, default=None, return_dtype=pl.String)
        return targets.rename(tags.name)

    def _by_word(self, found: pl.Series, tags: pl.Series, places: pl.Series, words: pl.Series) -> pl.Series:
        """Put right what was found without words where a word says otherwise; each distinct word is looked at once."""
        there = tags.gather(places)
        for tag in self.conditional:
            chosen = (there == tag).arg_true()
            texts, usual = words.gather(chosen), self.one(tag)
            targets = {word: self.one(tag, word) for word in texts.unique() if word is not None}
            if any(target != usual for target in targets.values()):
                found = found.scatter(places.gather(chosen), texts.replace_strict(targets, default=usual))
        return found


# --- files of tag maps ------------------------------------------------------------------------------------------------
# The maps that come with hengliang, and how the file of a map is read and checked.

COLUMNS = ("own", "target", "form", "note")

SAME_TAGS: Mapping[str, str] = MappingProxyType(
    {"rjieba": "jieba", "crf": "pku", "hanlp": "pku", "stanza": "ud", "spacy": "ud"}
)
"""Taggers whose tags are those of a map of another name."""

_SUFFIX = ".tsv"
_FORMS = (ANY, *FORMS)


@outside_signatures("a map is signed by its rows")
def tag_map_names() -> list[str]:
    """Return the names of the maps that come with hengliang."""
    files = package_data(__name__).iterdir()
    return sorted(file.name.removesuffix(_SUFFIX) for file in files if file.name.endswith(_SUFFIX))


def tag_map(name: str | Path) -> TagMap:
    """Return the map of this name, of the tagger of this name, or in the file of this path.

    A file that contradicts itself, or that says nothing of some words of a tag, is refused.
    """
    opened = open_map(name)
    _check(opened)
    return opened


def open_map(name: str | Path) -> TagMap:
    """Return a map as its file has it, contradictions and all: that is what the lint looks at."""
    known = tag_map_names()
    map_name = SAME_TAGS.get(str(name), str(name))
    if map_name in known:
        return _held(map_name)
    if not is_map_file(name):
        raise unknown_name(
            "tag map", str(name), [*known, *SAME_TAGS], remedy="A map of your own is given by the path of its file."
        )
    path = Path(name)
    return parse_map("\n".join(read_text_lines(path)), path.stem, str(path))


def is_map_file(name: str | Path) -> bool:
    """Say whether a name is the path of a file rather than the name of a map."""
    return isinstance(name, Path) or name.endswith((_SUFFIX, ".txt")) or "/" in name or Path(name).is_file()


@cache
@outside_signatures("a map is signed by its rows")
def _held(name: str) -> TagMap:
    file = package_data(__name__, f"{name}{_SUFFIX}")
    return parse_map(file.read_text(encoding="utf-8"), name, f"{name}{_SUFFIX}")


def parse_map(text: str, name: str, path: str) -> TagMap:
    """Return the map that the text of a file holds; `path` is what errors call the file."""
    rows: list[TagRow] = []
    head: dict[str, str] = {}
    headed = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            key, colon, value = line.lstrip("# ").partition(":")
            if colon and key in ("from", "to", "title") and not rows:
                head[key] = value.strip()
        elif line.strip():
            cells = [cell.strip() for cell in line.split("\t")]
            if not headed and tuple(cells) == COLUMNS[: len(cells)]:
                headed = True
            else:
                rows.append(_row(cells, f"{path}, line {number}", number))
    if not rows:
        raise UserError(f"{path} holds no rows.", valid=f"A row has the columns {', '.join(COLUMNS)}, apart by tabs.")
    return TagMap(name, tuple(rows), head.get("from", name), head.get("to", "pku"), head.get("title", name), path)


def _row(cells: list[str], where: str, number: int) -> TagRow:
    if not 2 <= len(cells) <= len(COLUMNS) or not all(cells[:2]):
        raise UserError(
            f"{where}: '{' | '.join(cells)[:60]}' is no row of a tag map.",
            valid=f"A row has the columns {', '.join(COLUMNS)}, apart by tabs; form and note may be missing.",
        )
    own, target, form, note = (*cells, "", "")[:4]
    form = form or ANY
    spaced = [tag for tag in (own, target) if any(character.isspace() for character in tag)]
    if spaced:
        raise UserError(f"{where}: the tag '{spaced[0]}' has a space in it.", valid="Tags have no spaces.")
    if form not in _FORMS and not (form.startswith(WORD) and len(form) > 1):
        raise UserError(
            f"{where}: no form is called '{form}'.", valid=f"Forms: {', '.join(_FORMS)}, or one word: {WORD}的."
        )
    return TagRow(own, target, form, note, number)


def _check(found: TagMap) -> None:
    first: dict[tuple[str, str], TagRow] = {}
    for row in found.rows:
        earlier = first.setdefault((row.own, row.form), row)
        if earlier.target != row.target:
            raise UserError(
                f"{found.path}, line {row.line}: {row.own} becomes {row.target} here and {earlier.target} in line "
                f"{earlier.line}.",
                valid="A tag becomes one other for words of the same form.",
                remedy=f"Try: hengliang taggers maps {found.path} --lint",
            )
    for row in found.rows:
        if (row.own, ANY) not in first:
            raise UserError(
                f"{found.path}, line {row.line}: {row.own} has rows for some words, but none for any other.",
                remedy=f"Add a row with the form {ANY}.",
            )
