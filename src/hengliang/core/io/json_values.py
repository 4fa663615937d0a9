"""Checked JSON values: each knows its path from the root, and refuses to be of another type than it is.

They read files that people write by hand, such as test suites: a mistake is named by file and path.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from hengliang.core.errors import UserError
from hengliang.core.io.delimited import read_text_lines

UNFIT_FOR_NAMES = r'["\u0000-\u001f\u0085\u2028\u2029]|^\s|\s$'
"""What a name in a suite may not hold: a quote, a line break, a space at its edge. The same stands in the schema."""


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value with its path from the root and the file it stands in; asked for a type, it refuses others."""

    held: Any
    where: str
    path: str = "$"

    def error(self, problem: str, valid: str = "") -> UserError:
        """Return the error about this value."""
        return UserError(f"{self.where}, at {self.path}: {problem}.", valid=valid)

    def object(self, needed: Iterable[str] = (), known: Iterable[str] | None = None) -> Mapping[str, Value]:
        """Return the values by key; a needed key must be there, and no other than the known ones, if they are given."""
        if not isinstance(self.held, dict):
            raise self.error(f"{_kind(self.held)} stands here", "An object: {…}.")
        for key in needed:
            if key not in self.held:
                raise self.error(f"there is no '{key}'", f"Needed: {', '.join(needed)}.")
        allowed = None if known is None else [*needed, *known]
        for key in self.held:
            if allowed is not None and key not in allowed:
                raise self.error(f"'{key}' is unknown", f"Known: {', '.join(allowed)}.")
        return {key: Value(value, self.where, f"{self.path}.{key}") for key, value in self.held.items()}

    def array(self, *, at_least: int = 0) -> list[Value]:
        """Return the values of an array."""
        if not isinstance(self.held, list):
            raise self.error(f"{_kind(self.held)} stands here", "An array: […].")
        if len(self.held) < at_least:
            raise self.error(f"the array has {len(self.held)} elements", f"{at_least} or more.")
        return [Value(value, self.where, f"{self.path}[{index}]") for index, value in enumerate(self.held)]

    def text(self) -> str:
        """Return a text in NFC."""
        if not isinstance(self.held, str):
            raise self.error(f"{_kind(self.held)} stands here", "A text in quotes.")
        return unicodedata.normalize("NFC", self.held)

    def name(self) -> str:
        """Return a text that can be a name in formulas."""
        text = self.text()
        if not text or re.search(UNFIT_FOR_NAMES, text):
            raise self.error(f"{text!r} is no name", "A text without quotes, line breaks and spaces at its edges.")
        return text

    def word(self) -> str:
        """Return a text without white space."""
        text = self.text()
        if not text or re.search(r"\s", text):
            raise self.error(f"{text!r} is no word", "A text without white space; several words are several texts.")
        return text

    def truth(self) -> bool:
        """Return true or false."""
        if not isinstance(self.held, bool):
            raise self.error(f"{_kind(self.held)} stands here", "true or false.")
        return self.held

    def number(self, *, at_least: float = -math.inf) -> float:
        """Return a finite number."""
        if isinstance(self.held, bool) or not isinstance(self.held, int | float):
            raise self.error(f"{_kind(self.held)} stands here", "A number.")
        try:
            number = float(self.held)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number) or number < at_least:
            raise self.error(f"the number is {number:g}", f"A finite number of at least {at_least:g}.")
        return number

    def whole(self) -> int:
        """Return a whole number."""
        if isinstance(self.held, bool) or not isinstance(self.held, int):
            raise self.error(f"{_kind(self.held)} stands here", "A whole number.")
        return self.held


def _kind(held: object) -> str:
    kinds = {dict: "an object", list: "an array", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(held), "a number")


def read_value(path: Path | str) -> Value:
    """Read a JSON file; a key twice in one object, NaN and infinity are refused."""
    file = Path(path)
    text = "\n".join(read_text_lines(file))
    try:
        content = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise UserError(
            f"{file}, line {error.lineno}, character {error.colno}: it is not JSON ({error.msg})."
        ) from error
    except ValueError as error:
        raise UserError(f"{file}: {error}.") from error
    return Value(content, str(file))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise ValueError(f"an object has the key '{twice}' twice")
    return dict(pairs)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
