"""Manner of a model's words: segmentation standard, full and half width, script (simplified or traditional).

Two things decide whether a model knows a word: where words are cut, and in which width digits, Latin letters and ASCII
marks are written. A model that learned the words of the People's Daily of 1998 knows ５％ and not 5%, 来 了 and not
来了. Its card says so. Raw text is cut by a segmenter of the standard that it learned, and words are looked up in the
width that it learned, one character for one, so that spans stay those of the text as it was written. The chapter ends
with the warning for texts in a script that the model has not read.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, fields
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.io.files import read_json
from hengliang.core.labelling.texts import Texts
from hengliang.core.learning import CARD, is_trained, read_card
from hengliang.core.text.characters import NARROW_BY_CLASS, script_of, width_folding
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.core.text.segmenters import PKU, why_missing
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.corpora.plain_text import read_plain
from hengliang.corpora.running_text import GIVEN
from hengliang.language_models.base import LanguageModel

# --- segmentation standard --------------------------------------------------------------------------------------------


STANDARDS: Mapping[str, str] = {DEFAULT_CORPUS: PKU}
"""The standards by which corpora of the catalogue are cut into words, as far as there is a segmenter for them."""

_FULL = " ".join(f"{name}=full" for name in NARROW_BY_CLASS)
# The conventions of corpora of the catalogue, for the cards of models that were trained before cards said so.
_WIDTHS: Mapping[str, str] = {DEFAULT_CORPUS: _FULL}

# Symbols of a vocabulary (<unk>, <ne:PERSON>) are not text.
_SYMBOL = r"^<[^<>\s]+>$"


@dataclass(frozen=True, slots=True)
class Manner:
    """Who cuts raw text for a model, and the widths into which words are folded before they are looked up.

    `standard` is that of the words it learned, empty where nobody knows; `lacking` says why the segmenter of this
    standard cannot be had, so that another one cuts.
    """

    segmenter: str = USUAL_SEGMENTER
    widths: str = ""
    standard: str = ""
    lacking: str = ""


def manner_of(folder: Path, *, fold: bool = True) -> Manner:
    """Return the manner of the model in a folder by its card; without one the usual segmenter, and no folding."""
    content = read_json(folder / CARD) if is_trained(folder) else {}
    card: Mapping[str, Any] = content if isinstance(content, dict) else {}
    widths = str(card.get("widths", _WIDTHS.get(card.get("data", ""), ""))) if fold else ""
    derived = word_standard(card.get("data", ""), card.get("words_of_the_data", ""))
    standard = str(card.get("word_standard") or derived)
    named = str(card.get("segmenter") or USUAL_SEGMENTER)
    # Cards that are older than the standard name the usual segmenter of that time.
    if standard != PKU or named not in (PKU, USUAL_SEGMENTER):
        return Manner(named, widths, standard)
    lacking = why_missing(PKU)
    return Manner(USUAL_SEGMENTER if lacking else PKU, widths, standard, lacking)


def word_standard(data: str, words: str) -> str:
    """Return the standard of the words of a corpus: `pku`, `given` for one of its own, or the segmenter's signature."""
    return STANDARDS.get(data, GIVEN) if words == GIVEN else words


# --- full and half width ----------------------------------------------------------------------------------------------


@cache
def folded_pattern(widths: str) -> str:
    """Return the regular expression of a character that is folded to these widths, which must not be empty."""
    return f"[{re.escape(''.join(width_folding(widths)))}]"


def folded(words: pl.Series, widths: str) -> pl.Series:
    """Return the words in these widths (`width_convention`); symbols of a vocabulary stay."""
    if not widths or not words.str.contains(folded_pattern(widths)).any():
        return words
    table = width_folding(widths)
    other = words.str.replace_many(list(table), list(table.values()))
    kept = pl.select(pl.when(words.str.contains(_SYMBOL)).then(words).otherwise(other).alias("word"))
    return kept["word"]


def folded_counts(contents: pl.Series, widths: str) -> npt.NDArray[np.int64]:
    """Return how many characters of each text are looked up in another width than they are written in."""
    if not widths:
        return np.zeros(len(contents), np.int64)
    return contents.str.count_matches(folded_pattern(widths)).to_numpy().astype(np.int64)


def as_written(model: LanguageModel) -> LanguageModel:
    """Return the same model without folding: words are looked up in the width in which they are written."""
    unfolded = copy(model)
    if hasattr(unfolded, "fold"):
        vars(unfolded)["fold"] = False
    elif hasattr(unfolded, "widths"):
        vars(unfolded)["widths"] = ""
    elif isinstance(inner := getattr(unfolded, "model", None), LanguageModel):
        vars(unfolded)["model"] = as_written(inner)
    return unfolded


# --- report of segmentation and folding -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """How texts were read: how many came with their words, how many were cut, and how many characters were folded."""

    given: int = 0
    cut: int = 0
    folded: int = 0

    def __add__(self, other: Reading) -> Reading:
        """Return how both were read together."""
        return Reading(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @classmethod
    def of(cls, texts: Texts, widths: str) -> Reading:
        """Return how these texts, which have not been cut yet, are read by a model that folds to these widths."""
        came_cut = int(texts.segmented.sum())
        return cls(came_cut, len(texts) - came_cut, int(folded_counts(texts.contents, widths).sum()))

    def told(self, segmenter: str, widths: str) -> str:
        """Say in a line what was done to the texts; nothing where they were read as they are written."""
        remarks = []
        if self.cut and segmenter:
            came_cut = f", {self.given:,} came cut" if self.given else ""
            remarks.append(f"{_texts(self.cut)} cut into words by {segmenter}{came_cut}")
        if self.folded:
            many = "1 character" if self.folded == 1 else f"{self.folded:,} characters"
            remarks.append(
                f"{many} read in the width that the model learned ({widths}); --no-fold reads them as written"
            )
        return "; ".join(remarks)


def _texts(count: int) -> str:
    return "1 text was" if count == 1 else f"{count:,} texts were"


def cost_of_lacking(manner: Manner, name: str) -> str:
    """Say that raw text is cut otherwise than a model learned, what that costs and what would help; else nothing."""
    if not manner.lacking:
        return ""
    return (
        f"{name} learned words of the standard {manner.standard}, and {manner.segmenter} cuts by another: nearly three "
        f"times as many words are unknown. There is no segmenter {manner.standard} here: {manner.lacking}"
    )


# --- check of the script ----------------------------------------------------------------------------------------------
# Warns of a text in another script than the model has read. A model that has read simplified characters only takes
# nearly every word of a traditional text for unknown, and still returns numbers. They say nothing about the text, so
# commands refuse it unless they are told otherwise.

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
    script = getattr(model, "script", None)
    if script is None and isinstance(folder, Path) and is_trained(folder):
        script = read_card(folder).get("script")
    return str(script) if script in _OTHER else ""


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
