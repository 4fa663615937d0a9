"""CSV for spreadsheets: tables that every program reads alike, guarded against formulas in their texts.

A spreadsheet takes what begins with = + - @ for a formula, and where its list separator is the semicolon (as in much of
Europe) or a tab, it begins a new cell in the middle of a text, whatever the quotation marks say. So an apostrophe goes
before a formula at the beginning of a text and after every semicolon, tab and line break in it: `fine;'=1+1;x`. Taking
these apostrophes away again gives every text back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

KEY = ("participant", "version", "language", "trial", "role", "item", "about", "occurrence")
"""The first columns of every table of answers, by which such a file is known again."""

STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What a formula begins with."""

_FORMULA = rf"[{''.join(map(re.escape, STARTS))}]"
# What a spreadsheet may pass over before a formula. Apostrophes are among it, so that one more can be told from none.
_PASSED = r"""['"\x00-\x20\x7f\u00a0\u3000]*"""
_CONTROL = r"'*[\x00-\x1f]"
# A cell begins where the text does, and where another program may part it.
_BEGINS = r"(?<![^;\t\r\n])"
_GUARD = re.compile(rf"\A(?={_CONTROL})|{_BEGINS}(?={_PASSED}{_FORMULA})")
_GUARDED = re.compile(rf"\A'(?={_CONTROL})|{_BEGINS}'(?={_PASSED}{_FORMULA})")
# The same for polars, whose expressions know no look-around.
_NEEDS_GUARD = rf"^{_CONTROL}|(?:^|[;\t\r\n]){_PASSED}{_FORMULA}"
_NEEDS_QUOTES = r'^$|[",;\t\r\n]'


def guarded(text: str) -> str:
    """Return a text in which no spreadsheet finds a formula.

    >>> guarded("=1+1"), guarded("fine;=1+1;x"), guarded("fine")
    ("'=1+1", "fine;'=1+1;x", 'fine')
    """
    return _GUARD.sub("'", text)


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given.

    >>> unguarded("fine;'=1+1;x")
    'fine;=1+1;x'
    """
    return _GUARDED.sub("", text)


def is_export(header: Sequence[str]) -> bool:
    """Return whether a file with these columns is one of our tables of answers, whose texts are guarded."""
    return tuple(header[: len(KEY)]) == KEY


def csv_bytes(table: pl.DataFrame) -> bytes:
    """Return a table as CSV in UTF-8 with commas: every text guarded, and in quotation marks where a program needs it.

    Semicolons and tabs need them too: some programs take any of the three for a separator. Numbers stay as they are.
    """
    names = pl.Series("name", table.columns, dtype=pl.String)
    header = ",".join(_quoted(_guarded_column(names)))
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    safe = table.with_columns(_quoted(_guarded_column(table[name])) for name in texts)
    # Quoted above: polars would leave semicolons and tabs bare.
    return f"{header}\n{safe.write_csv(include_header=False, quote_style='never')}".encode()


def _guarded_column(column: pl.Series) -> pl.Series:
    """Guard the texts that need it, each once: of a hundred thousand answers these are few."""
    dangerous = column.filter(column.str.contains(_NEEDS_GUARD)).unique()
    return column.replace(dangerous, pl.Series([guarded(text) for text in dangerous], dtype=pl.String))


def _quoted(column: pl.Series) -> pl.Series:
    text = pl.col(column.name)
    marked = pl.format('"{}"', text.str.replace_all('"', '""', literal=True))
    return column.to_frame().select(pl.when(text.str.contains(_NEEDS_QUOTES)).then(marked).otherwise(text)).to_series()
