"""Is this text written in the script that the model has read?

A model that has read simplified characters only takes nearly every word of a traditional text for unknown, and still
returns numbers. They say nothing about the text, so commands refuse it unless they are told otherwise.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from hengliang.core.learning import is_trained, read_card
from hengliang.core.text.characters import script_of
from hengliang.corpora.plain_text import read_plain
from hengliang.systems.language_models.base import LanguageModel

TOLERATED = 0.1
"""Which share of the telling characters may be of the other script: a text quotes a name or a title now and then."""

LINES = 1000
"""How many lines of a file are looked at."""

_OTHER = {"simplified": "traditional", "traditional": "simplified"}
_SHOWN = 5


def model_script(model: LanguageModel) -> str:
    """Return the script that the model has read, "simplified" or "traditional"; empty where nobody says.

    A model says so itself, in an attribute `script`, or in the card of its folder.
    """
    folder = getattr(model, "folder", None)
    said = getattr(model, "script", None)
    if said is None and isinstance(folder, Path) and is_trained(folder):
        said = read_card(folder).get("script")
    return str(said) if said in _OTHER else ""


def script_warning(model: LanguageModel, name: str, lines: Iterable[str]) -> str:
    """Return one line that says what is wrong and what to do, or nothing when the script is right or cannot be told.

    `name` is what the user calls the model. Without OpenCC (extra `chinese`) the script cannot be told.
    """
    expected = model_script(model)
    if not expected or importlib.util.find_spec("opencc") is None:
        return ""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(line)
    scripts = {character: script_of(character) for character in counts}
    other = {character: count for character, count in counts.items() if scripts[character] == _OTHER[expected]}
    telling = sum(count for character, count in counts.items() if scripts[character] in _OTHER)
    if sum(other.values()) <= TOLERATED * telling:
        return ""
    shown = "".join(sorted(other, key=lambda character: (-other[character], character))[:_SHOWN])
    return (
        f"The text has {_OTHER[expected]} characters ({shown}{'…' if len(other) > _SHOWN else ''}: "
        f"{sum(other.values()) / telling:.0%} of those that tell), but {name} has read {expected} ones, so that many "
        f"words are unknown to it. Convert the text first: hengliang.core.text.characters.to_{expected}(text)."
    )


def file_script_warning(model: LanguageModel, name: str, path: Path, encoding: str = "utf-8") -> str:
    """Return the warning for the first lines of a file; none for what can be read only once, such as a pipe."""
    if not model_script(model) or not path.is_file():
        return ""
    lines = islice(read_plain(path, encoding=encoding, errors="skip"), LINES)
    return script_warning(model, name, (text for _, text in lines))
