"""How is a test set for taggers written to a file and read back?

Two formats. Ours is a table, apart by tabs, with a head that names the corpora and their checksums and ends in the
signature of what follows; it records where in the sentence the word stands, and may leave the text of the sentences
out. The plain one is that of the published set [1]: a line with # names an item, one with ## a word, and its sentences
follow, a line each. There the place is not recorded; `hengliang.materials.fine_grained_set` finds it again.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 3.2.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.files import write_text
from hengliang.core.signature import digest
from hengliang.corpora.plain_text import decoded_lines, open_reading
from hengliang.materials.error_pairs import error_pair
from hengliang.materials.tagging_sets import (
    EXTRA_SCHEMA,
    FORMAT_VERSION,
    SET_SCHEMA,
    HeldCorpus,
    TaggingSet,
    check_entries,
    sorted_corpora,
    without_text,
)

TITLE = "# hengliang tagging set"
"""How a file in our format begins; the version of the format follows."""

LISTING_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "word": pl.String(),
    "content": pl.String(),
    "line": pl.Int64(),
}
"""A row of the plain format; `content` is null for a word without a sentence."""

_BREAKS = re.compile(r"[\t\n\r]")
_REMEDY = "See the format in docs/tagging-sets.md, or write the set again: hengliang taggers build"

Lines = Iterator[tuple[int, str]]


def is_set_file(path: Path | str) -> bool:
    """Say whether a file begins like one in our format."""
    checked, _, faults = open_reading(path, "utf-8", "skip")
    return next((line for _, line in decoded_lines(checked, "utf-8", faults)), "").startswith(TITLE)


# --- our format -----------------------------------------------------------------------------------------------------


def write_set(path: Path | str, tagging_set: TaggingSet, *, text: bool = False) -> None:
    """Write a set in our format; without `text` the sentences of a corpus are named by their place only."""
    written = tagging_set if text else without_text(tagging_set)
    write_text(Path(path), "".join(f"{line}\n" for line in _set_lines(written)))


def _set_lines(tagging_set: TaggingSet) -> Iterator[str]:
    yield f"{TITLE} {FORMAT_VERSION}"
    yield f"# name: {_one_line(tagging_set.name)}"
    yield f"# version: {tagging_set.version}"
    for corpus in sorted_corpora(tagging_set.corpora):
        yield f"# corpus: {_one_line(corpus.name)} {corpus.sha256 or '-'}"
    yield f"# table: {_table_digest(tagging_set.entries)}"
    yield f"# signature: {tagging_set.signature()}"
    columns = _columns(tagging_set.entries)
    yield "\t".join(columns)
    # An entry stands where its word stands, so that a word without a sentence keeps its place too.
    rows: dict[tuple[str, str], list[str]] = {word: [] for word in tagging_set.words}
    for entry in tagging_set.entries.select("pair", "word", *columns[2:]).iter_rows():
        rows[entry[0], entry[1]].append("\t".join("" if value is None else _one_line(str(value)) for value in entry))
    for word, lines in rows.items():
        yield from lines or ["\t".join([*map(_one_line, word), *[""] * (len(columns) - 2)])]


def _table_digest(entries: pl.DataFrame) -> str:
    """Return a digest of all cells of the table; the signature leaves out the parts and sentences of a corpus."""
    cells = [pl.col(name).cast(pl.String).fill_null("") for name in _columns(entries)]
    return digest(*sorted(entries.select(row=pl.concat_str(cells, separator="\t"))["row"].to_list()))


def _columns(entries: pl.DataFrame) -> list[str]:
    extra = [name for name in EXTRA_SCHEMA if name in entries.columns]
    # The sentence comes last: it is the longest.
    return [*(name for name in SET_SCHEMA if name != "content"), *extra, "content"]


def _one_line(value: str) -> str:
    if _BREAKS.search(value):
        raise UserError(f"'{value}' holds a tab or a line break.", valid="Words and sentences stand on one line each.")
    return value


def read_set(path: Path | str) -> TaggingSet:
    """Read a set in our format and check every entry, and that nothing changed since the signature was written."""
    checked, _, faults = open_reading(path, "utf-8", "raise")
    lines = decoded_lines(checked, "utf-8", faults)
    head, number, columns = _read_head(checked, lines)
    rows, places, listed = _read_rows(checked, lines, columns)
    schema = {name: {**SET_SCHEMA, **EXTRA_SCHEMA}[name] for name in columns}
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    entries = _typed(checked, table, places, schema)
    extra = [name for name in EXTRA_SCHEMA if name in columns]
    entries = check_entries(entries.select(*SET_SCHEMA, *extra), checked, places)
    corpora = tuple(_corpus(checked, value) for value in head.get("corpus", []))
    version = _whole_number(f"{checked}, line {number}", "version", head.get("version", ["1"])[0])
    found = TaggingSet(entries, head.get("name", [""])[0], version, corpora, tuple(dict.fromkeys(listed)))
    _check_signature(checked, head, found)
    return found


def _read_head(path: Path, lines: Lines) -> tuple[dict[str, list[str]], int, list[str]]:
    """Read up to the names of the columns; `# corpus` may stand there more than once."""
    _, first = next(lines, (1, ""))
    if first != f"{TITLE} {FORMAT_VERSION}":
        newer = f"Only version {FORMAT_VERSION} of the format is read here." if first.startswith(TITLE) else ""
        raise UserError(
            f"{path} does not begin like a test set for taggers but with '{first[:40]}'.",
            valid=newer or f"The first line is '{TITLE} {FORMAT_VERSION}'.",
            remedy=_REMEDY,
        )
    head: dict[str, list[str]] = {}
    for number, line in lines:
        if not line.startswith("#"):
            return head, number, _checked_columns(path, number, line.split("\t"))
        key, _, value = line[1:].partition(":")
        head.setdefault(key.strip(), []).append(value.removeprefix(" "))
    raise UserError(f"{path} has a head but no table.", remedy=_REMEDY)


def _checked_columns(path: Path, number: int, columns: list[str]) -> list[str]:
    valid = f"Columns: {', '.join(SET_SCHEMA)}; further ones may be {', '.join(EXTRA_SCHEMA)}."
    missing = [name for name in SET_SCHEMA if name not in columns]
    strange = [name for name in columns if name not in SET_SCHEMA and name not in EXTRA_SCHEMA]
    if missing or strange or len(set(columns)) < len(columns):
        fault = (
            f"there is no column '{missing[0]}'" if missing else f"the column '{(strange or columns)[0]}' is strange"
        )
        raise UserError(f"{path}, line {number}: {fault}.", valid=valid, remedy=_REMEDY)
    return columns


def _read_rows(
    path: Path, lines: Lines, columns: list[str]
) -> tuple[list[list[str | None]], list[int], list[tuple[str, str]]]:
    rows: list[list[str | None]] = []
    places: list[int] = []
    listed: list[tuple[str, str]] = []
    pair, word = columns.index("pair"), columns.index("word")
    for number, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise UserError(
                f"{path}, line {number} has {len(cells)} cell{'s' * (len(cells) != 1)}.",
                valid=f"The table has {len(columns)} columns, apart by tabs.",
            )
        if not cells[pair] or not cells[word]:
            raise UserError(f"{path}, line {number}: an item and a word stand in every row.")
        listed.append((error_pair_name(path, number, cells[pair]), cells[word]))
        if sum(map(bool, cells)) > 2:
            rows.append([cell or None for cell in cells])
            places.append(number)
    return rows, places, listed


def error_pair_name(path: Path, number: int, text: str) -> str:
    """Return the short name of an error pair that stands on this line of a file, or say what is wrong with it."""
    try:
        return error_pair(text).name
    except UserError as error:
        raise UserError(f"{path}, line {number}: {error.problem}", valid=error.valid) from error


def _typed(path: Path, table: pl.DataFrame, places: list[int], schema: dict[str, pl.DataType]) -> pl.DataFrame:
    numbers = [name for name, kind in schema.items() if kind == pl.Int64()]
    typed = table.with_columns(pl.col(name).cast(pl.Int64, strict=False) for name in numbers)
    for name in numbers:
        wrong = (typed[name].is_null() & table[name].is_not_null()).arg_true()
        if len(wrong):
            raise _no_number(f"{path}, line {places[wrong[0]]}", name, table[name][wrong[0]])
    return typed


def _whole_number(where: str, name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise _no_number(where, name, value) from None


def _no_number(where: str, name: str, value: str) -> UserError:
    return UserError(f"{where}: {name} '{value}' is no whole number.", valid="A number is written 12, without spaces.")


def _corpus(path: Path, value: str) -> HeldCorpus:
    name, _, checksum = value.rpartition(" ")
    if not name or not re.fullmatch(r"[0-9a-f]{64}|-", checksum):
        raise UserError(
            f"{path}: '# corpus: {value}' names no corpus.", valid="The name of a corpus, a space, its SHA-256 or '-'."
        )
    return HeldCorpus(name, "" if checksum == "-" else checksum)


def _check_signature(path: Path, head: dict[str, list[str]], found: TaggingSet) -> None:
    if "signature" not in head:
        return
    written = {key: head.get(key, [""])[0] for key in ("signature", "table")}
    remedy = "If you changed it yourself, raise its version and take the line '# signature' out."
    if written["signature"] != str(found.signature()):
        raise UserError(
            f"{path} was changed after it was written: its entries have the signature {found.signature()}.",
            valid=f"In its head stands {written['signature']}.",
            remedy=remedy,
        )
    if written["table"] and written["table"] != _table_digest(found.entries):
        problem = f"{path} was changed after it was written: a sentence or a part of the corpus is another one."
        raise UserError(problem, remedy=remedy)


# --- the plain format -----------------------------------------------------------------------------------------------


def read_listing(path: Path | str, encoding: str = "utf-8") -> pl.DataFrame:
    """Read a set in the plain format as a table of items, words and sentences (`LISTING_SCHEMA`)."""
    checked, codec, faults = open_reading(path, encoding, "raise")
    rows: list[tuple[str, str, str | None, int]] = []
    pair = word = ""
    for number, line in decoded_lines(checked, codec, faults):
        text = unicodedata.normalize("NFC", line.strip())
        if not text:
            continue
        if text.startswith("##"):
            word = text[2:].strip()
            if not pair or not word:
                raise _misplaced(checked, number, "a word without an item" if word else "an item's word is empty")
            rows.append((pair, word, None, number))
        elif text.startswith("#"):
            pair, word = error_pair_name(checked, number, text[1:]), ""
        elif not word:
            raise _misplaced(checked, number, "a sentence without a word")
        else:
            rows.append((pair, word, text, number))
    if not rows:
        raise UserError(f"{checked} holds no words to test.", valid=_PLAIN_FORM)
    return _without_headings(pl.DataFrame(rows, schema=LISTING_SCHEMA, orient="row"))


_PLAIN_FORM = "Lines: # [['p', 'r'], ['d']] for an item, ## 就此 for a word, then its sentences."


def _misplaced(path: Path, number: int, fault: str) -> UserError:
    return UserError(f"{path}, line {number}: {fault}.", valid=_PLAIN_FORM)


def _without_headings(rows: pl.DataFrame) -> pl.DataFrame:
    """Drop the row of a word that has sentences: they follow it and name it too."""
    sentences = pl.col("content").is_not_null().sum().over("pair", "word")
    twice = pl.col("content").is_null() & ~pl.struct("pair", "word").is_first_distinct()
    return rows.filter(pl.col("content").is_not_null() | ((sentences == 0) & ~twice))


def write_listing(path: Path | str, tagging_set: TaggingSet, *, line_end: str = "\r\n") -> None:
    """Write a set in the plain format, as published with the line ends of Windows; places and gold words are lost."""
    if not tagging_set.has_text:
        raise UserError(
            "The plain format holds sentences, but this set holds only where they stand.",
            remedy="Take them from the corpus first: filled(tagging_set, corpus).",
        )
    write_text(Path(path), "".join(line + line_end for line in _listing_lines(tagging_set)))


def _listing_lines(tagging_set: TaggingSet) -> Iterator[str]:
    sentences: dict[str, dict[str, list[str]]] = {pair: {} for pair in tagging_set.pairs}
    for pair, word in tagging_set.words:
        sentences[pair][word] = []
    for pair, word, content in tagging_set.entries.select("pair", "word", "content").iter_rows():
        sentences[pair][word].append(content)
    for pair, words in sentences.items():
        named = error_pair(pair)
        yield f"# {[list(named.gold), list(named.predicted)]}"
        for word, contents in words.items():
            yield f"## {_readable(word)}"
            yield from map(_readable, contents)


def _readable(text: str) -> str:
    """Refuse what would be read back as something else."""
    if text != text.strip() or not text or text.startswith("#") or _BREAKS.search(text):
        raise UserError(
            f"'{text}' cannot stand in the plain format.",
            valid="There a text has no line break, no white space around it, and does not begin with #.",
            remedy="Write the set in our own format: write_set(path, tagging_set, text=True).",
        )
    return text
