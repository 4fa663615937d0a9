"""What does a linear model see of a slot: the noun, its characters, and which characters stand around the gap?

Each slot gets one feature a template: "the last two characters of the noun are 大桥", "the character before the gap is
这", "the noun ends in 桥 and a numeral stands before the gap". After Peinelt et al. [1] they describe the noun, the
trigger before the gap, the modifier between gap and noun, and the neighbourhood. A feature is a number of 64 bits, made
from its template and its characters; `Vocabulary` turns those that are known into columns. Everything is done on whole
columns of code points, a batch at a time: a Python loop over slots would be the slowest part of a model.

[1] Peinelt, N., Liakata, M., Hsieh, S.-K. (2017). ClassifierGuesser: a context-based classifier prediction system for
    Chinese language learners. IJCNLP 2017, system demonstrations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Places = NDArray[np.int64]

VERSION = 1
"""Raised whenever the same slot would get other features than before."""
BEFORE, AFTER, NOUN, MODIFIER = 6, 6, 12, 3
"""How many characters are looked at: before and after the gap, at the end of the noun, at the end of the modifier."""

_NUMERALS = "一二三四五六七八九十百千万亿两几零〇半多数"
_DIGITS = "0123456789０１２３４５６７８９"
_DETERMINERS = "余来第这那每各某该哪此同另上下前后全整首"
_CHARACTERS = 1 << 16
_BITS = 21
"""A code point has 21 bits, so three of them fit into one number of 64 bits."""
_ODD = 0x9E3779B97F4A7C15


def _classes() -> Codes:
    table = np.arange(_CHARACTERS, dtype=np.uint32)
    table[[ord(character) for character in _DIGITS]] = ord("0")
    table[[ord(character) for character in _NUMERALS]] = ord("N")
    return table


def _triggers() -> NDArray[np.bool_]:
    table = np.zeros(_CHARACTERS, np.bool_)
    table[[ord(character) for character in _NUMERALS + _DIGITS + _DETERMINERS]] = True
    return table


_CLASS_OF, _IS_TRIGGER = _classes(), _triggers()


# --- the characters -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SlotCharacters:
    """Code points around the slots, one row a slot; 0 stands where there is no character.

    `before` ends at the gap, `after` begins at it, `noun` holds the end of the noun and `noun_start` its first one,
    `modifier` the end of what stands between gap and noun, `behind` what follows the noun. `distance` is
    the length of the modifier in characters, -1 where the noun does not follow the gap.
    """

    before: Codes
    after: Codes
    noun: Codes
    noun_start: Codes
    noun_length: Places
    modifier: Codes
    behind: Codes
    distance: Places


def slot_characters(slots: pl.DataFrame) -> SlotCharacters:
    """Return the characters of slots (`SLOT_SCHEMA`).

    A gap outside the sentence, or one that cuts a character in two, counts as one at the end of the sentence.
    """
    read = slots.select(pl.col("sentence", "noun").fill_null(""), pl.col("slot").fill_null(0))
    text, start, end = _code_points(read["sentence"])
    nouns, noun_start, noun_end = _code_points(read["noun"])
    edges = _byte_edges(text)
    asked = edges[start] + read["slot"].to_numpy()
    gap = np.searchsorted(edges, np.clip(asked, edges[start], edges[end]))
    gap = np.where(edges[gap] == asked, gap, end)
    found = _noun_bytes(read, edges[gap] - edges[start])
    head = np.searchsorted(edges, edges[gap] + np.maximum(found, 0))
    noun_length = noun_end - noun_start
    after_noun = np.where(found < 0, gap, head + noun_length)
    return SlotCharacters(
        before=_window(text, gap, -BEFORE, 0, start, end),
        after=_window(text, gap, 0, AFTER, start, end),
        noun=_window(nouns, noun_end, -NOUN, 0, noun_start, noun_end),
        noun_start=_window(nouns, noun_start, 0, 1, noun_start, noun_end),
        noun_length=noun_length,
        modifier=_window(text, head, -MODIFIER, 0, gap, end),
        behind=_window(text, after_noun, 0, 2, start, end),
        distance=np.where(found < 0, -1, head - gap),
    )


def _code_points(texts: pl.Series) -> tuple[Codes, Places, Places]:
    """Return the characters of all texts in a row, and where each text starts and ends."""
    held = texts.to_list()
    text = np.frombuffer("".join(held).encode("utf-32-le"), dtype="<u4").astype(np.uint32, copy=False)
    lengths = np.fromiter(map(len, held), np.int64, len(held))
    ends = np.cumsum(lengths)
    return text, ends - lengths, ends


def _byte_edges(text: Codes) -> Places:
    """Return at which byte of the UTF-8 each character starts, and where the last one ends."""
    edges = np.ones(len(text) + 1, np.int64)
    edges[0] = 0
    for first_longer in (0x80, 0x800, 0x10000):
        edges[1:] += text >= first_longer
    return np.cumsum(edges, out=edges)


def _noun_bytes(read: pl.DataFrame, slot: Places) -> Places:
    """Return how many bytes stand between gap and noun, -1 where the noun does not follow the gap."""
    rest = pl.col("sentence").cast(pl.Binary).bin.slice(pl.lit(pl.Series(slot))).cast(pl.String)
    found = pl.when(pl.col("noun") != "").then(rest.str.find(pl.col("noun"), literal=True).cast(pl.Int64))
    return read.select(found.fill_null(-1).alias("found"))["found"].to_numpy()


def _window(text: Codes, place: Places, first: int, last: int, low: Places, high: Places) -> Codes:
    """Return the characters from `first` to `last` (exclusive) round each place, 0 outside `low` to `high`."""
    places = place[:, None] + np.arange(first, last)
    inside = (places >= low[:, None]) & (places < high[:, None])
    if not len(text):
        return np.zeros(places.shape, np.uint32)
    held = text[np.where(inside, places, 0)]
    held[~inside] = 0
    return held


# --- the features ---------------------------------------------------------------------------------------------------

_BAG = 6
_NOUN_TEMPLATES = 16
"""The first templates describe the noun, alone or with something beside it; the others only what is around it."""


def slot_keys(characters: SlotCharacters) -> Keys:
    """Return the feature keys of slots, one row a template and one column a slot; 0 stands for no feature."""
    packed = np.stack(_packed(characters))
    templates = np.arange(1, len(packed) + 1, dtype=np.uint64)
    # The characters of the noun are a bag: where in the noun they stand makes no difference.
    bag = slice(_NOUN_TEMPLATES - 5 - _BAG, _NOUN_TEMPLATES - 5)
    templates[bag] = templates[bag.start]
    keys = _mixed(packed + (templates * np.uint64(_ODD))[:, None])
    keys[bag][packed[bag] == 0] = 0
    return keys


def is_context(row: Places) -> NDArray[np.bool_]:
    """Say of rows of `slot_keys` whether they describe what is around the noun, and not the noun itself."""
    return row >= _NOUN_TEMPLATES


def _packed(seen: SlotCharacters) -> list[Keys]:
    before, after = seen.before.astype(np.uint64), seen.after.astype(np.uint64)
    noun, modifier = seen.noun.astype(np.uint64), seen.modifier.astype(np.uint64)
    behind = seen.behind.astype(np.uint64)
    classes = _class_of(seen.before[:, -3:]).astype(np.uint64)
    verb = _before_trigger(before, seen.before)
    last, word = noun[:, -1], _rolled(noun)
    steps = (np.minimum(seen.distance, 6) + 1).astype(np.uint64)
    near = np.minimum(steps, 4)
    return [
        # the noun
        word,
        last,
        _pair(noun[:, -2], last),
        seen.noun_start[:, 0].astype(np.uint64),
        np.minimum(seen.noun_length, 5).astype(np.uint64),
        *noun.T[-_BAG:],
        # the noun and something beside it
        word + _mixed(classes[:, -1]),
        _pair(last, classes[:, -1]),
        _triple(last, classes[:, -1], classes[:, -2]),
        _pair(last, near),
        _pair(last, after[:, 0]),
        # before the gap
        before[:, -1],
        _pair(before[:, -2], before[:, -1]),
        before[:, -2],
        before[:, -3],
        *_run(classes),
        verb[:, 1],
        _pair(verb[:, 0], verb[:, 1]),
        # behind the gap
        after[:, 0],
        _pair(after[:, 0], after[:, 1]),
        # the modifier, and what follows the noun
        steps,
        *_run(modifier),
        behind[:, 0],
        behind[:, 1],
        _pair(behind[:, 0], behind[:, 1]),
    ]


def _run(characters: Keys) -> tuple[Keys, Keys, Keys]:
    """Return the last character, the last two and the last three."""
    three, two, one = characters[:, -3], characters[:, -2], characters[:, -1]
    return one, _pair(two, one), _triple(three, two, one)


def _pair(one: Keys, two: Keys) -> Keys:
    return (one << np.uint64(_BITS)) | two


def _triple(one: Keys, two: Keys, three: Keys) -> Keys:
    return (((one << np.uint64(_BITS)) | two) << np.uint64(_BITS)) | three


def _class_of(codes: Codes) -> Codes:
    """Return each character, but one and the same for all numerals and one for all digits."""
    small = codes < _CHARACTERS
    return np.where(small, _CLASS_OF[np.where(small, codes, 0)], codes)


def _before_trigger(before: Keys, codes: Codes) -> Keys:
    """Return the two characters before the numerals and determiners that stand before the gap; often a verb's."""
    small = codes < _CHARACTERS
    trigger = _IS_TRIGGER[np.where(small, codes, 0)] & small
    # How many columns at the end are triggers without a break.
    run = np.cumprod(trigger[:, ::-1], axis=1, dtype=np.int64).sum(axis=1)
    places = before.shape[1] - 1 - run[:, None] + np.array([-1, 0])
    held = np.take_along_axis(before, np.maximum(places, 0), axis=1)
    held[places < 0] = 0
    return held


def _rolled(characters: Keys) -> Keys:
    """Return one number for all characters of each row."""
    total = np.zeros(len(characters), np.uint64)
    for column in range(characters.shape[1]):
        total = total * np.uint64(_ODD) + characters[:, column]
    return total


def _mixed(numbers: Keys) -> Keys:
    """Return well mixed bits of each number (the finishing step of SplitMix64 [2]); different ones stay different.

    [2] Steele, G., Lea, D., Flood, C. (2014). Fast splittable pseudorandom number generators. OOPSLA 2014.
    """
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


# --- shares of characters -------------------------------------------------------------------------------------------

GROUPS = ("noun", "last character of the noun", "before the gap", "behind the gap")
"""Over which characters the vectors of characters are averaged."""
_NEAR_BEFORE = 4


@dataclass(frozen=True, eq=False)
class CharacterShares:
    """Which share each known character has in each of the groups of characters that describe a slot.

    The mean vector of a group is the product of its shares and the vectors of the characters.
    """

    characters: Codes
    """Ascending, in the basic plane."""
    _columns: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        table = np.full(_CHARACTERS, -1, np.int32)
        table[self.characters] = np.arange(len(self.characters), dtype=np.int32)
        object.__setattr__(self, "_columns", table)

    def shares(self, seen: SlotCharacters) -> scipy.sparse.csr_matrix:
        """Return one row a slot, with as many columns for each group as there are known characters."""
        groups = (seen.noun, seen.noun[:, -1:], seen.before[:, -_NEAR_BEFORE:], seen.after)
        columns, values = [], []
        for number, codes in enumerate(groups):
            held = self._columns[np.where(codes < _CHARACTERS, codes, 0)]
            known = held >= 0
            count = np.maximum(known.sum(axis=1, keepdims=True), 1)
            columns.append(np.where(known, held + np.int32(number * len(self.characters)), np.int32(-1)))
            values.append(np.broadcast_to((1 / count).astype(np.float32), held.shape))
        shape = (len(seen.noun), len(groups) * len(self.characters))
        return _rows(np.concatenate(columns, axis=1), np.concatenate(values, axis=1), shape)


def _rows(
    columns: NDArray[np.int32], values: NDArray[np.float32] | None, shape: tuple[int, int]
) -> scipy.sparse.csr_matrix:
    """Return the sparse matrix with these columns in each row, without those that are -1; None: every value is 1."""
    known = columns >= 0
    indices = columns[known]
    data = np.ones(len(indices), np.float32) if values is None else values[known]
    ends = np.zeros(len(columns) + 1, np.int32)
    np.cumsum(known.sum(axis=1), out=ends[1:])
    return scipy.sparse.csr_matrix((data, indices, ends), shape=shape)


# --- the columns ----------------------------------------------------------------------------------------------------

_BUCKETS_A_KEY = 4


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Which features a model knows: their keys in ascending order, a column each.

    A key is looked up in a table of its leading bits, which says where keys that begin so stand: keys are well mixed,
    so that hardly two share a bucket. That is several times faster than a binary search.
    """

    keys: Keys
    _starts: NDArray[np.int32] = field(init=False)
    _shift: np.uint64 = field(init=False)
    _fullest: int = field(init=False)
    _padded: Keys = field(init=False)

    def __post_init__(self) -> None:
        bits = max(int(_BUCKETS_A_KEY * len(self.keys)).bit_length(), 1)
        shift = np.uint64(64 - bits)
        counts = np.bincount((self.keys >> shift).astype(np.int64), minlength=1 << bits)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)
        fullest = int(counts.max()) if len(self.keys) else 0
        for name, value in (
            ("_starts", starts),
            ("_shift", shift),
            ("_fullest", fullest),
            ("_padded", np.concatenate([self.keys, np.zeros(max(fullest, 1), np.uint64)])),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, keys: Keys, least: int = 2) -> Vocabulary:
        """Return the features that occur `least` times or more among the keys."""
        found, counts = np.unique(keys, return_counts=True)
        return cls(found[(counts >= least) & (found != 0)])

    def columns(self, keys: Keys) -> NDArray[np.int32]:
        """Return the column of each key, -1 for those that are not known."""
        flat = np.ravel(keys)
        place = self._starts[flat >> self._shift]
        columns = np.where(self._padded[place] == flat, place, np.int32(-1))
        # What is not the first of its bucket is mostly not known at all; only few keys are the second or a later one.
        left = np.flatnonzero(columns < 0)
        for step in range(1, self._fullest):
            here = place[left] + np.int32(step)
            found = self._padded[here] == flat[left]
            columns[left[found]] = here[found]
        columns[flat == 0] = -1
        return columns.reshape(keys.shape)

    def design(self, keys: Keys) -> scipy.sparse.csr_matrix:
        """Return the design matrix of slots from their keys (`slot_keys`): how often a slot has a feature."""
        return _rows(self.columns(keys).T, None, (keys.shape[1], len(self.keys)))
