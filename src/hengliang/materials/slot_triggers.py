"""Where in a tagged paragraph does a classifier stand that counts or points at something?

A trigger is what licenses the classifier: a numeral (三 个), a demonstrative (这 个), a distributive (每 个), a
question word (哪 个), an ordinal (第一 个), a place in a sequence (上 个 月), a serial number (九 届), or an elided 一
(有 个 人).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from hengliang.materials import slot_lexicon as lexicon

Trigger = Literal[
    "numeral", "demonstrative", "distributive", "interrogative", "ordinal", "sequence", "serial", "elided"
]


class Occurrence(NamedTuple):
    """A classifier that ends word `place`; a fused token (一个/m) begins with its trigger.

    `left` is the first word of the phrase: numeral, demonstrative or, where 一 is elided, the classifier itself.
    """

    place: int
    classifier: str
    trigger: Trigger
    left: int


def occurrences(words: Sequence[str], tags: Sequence[str]) -> Iterator[Occurrence]:
    """Yield the classifiers of a paragraph with their triggers, from left to right."""
    for index, tag in enumerate(tags):
        if tag == "q":
            found = _of_word(words, tags, index)
        elif tag in {"m", "r"}:
            found = _of_fused(words, tags, index)
        else:
            continue
        if found is not None and not _is_repeated(words, found):
            yield found


def _of_word(words: Sequence[str], tags: Sequence[str], index: int) -> Occurrence | None:
    form = words[index]
    if form not in lexicon.CLASSIFIERS or index == 0:
        return None
    before = index - 1
    if tags[before] == "a" and words[before] in lexicon.SIZE_WORDS and before and tags[before - 1] == "m":
        before -= 1
    tag, word = tags[before], words[before]
    if tag == "m" or (tag == "a" and word == "多"):
        return _after_numeral(words, tags, Occurrence(index, form, "numeral", before))
    if tag == "r":
        trigger = _pointing(word)
        return Occurrence(index, form, trigger, before) if trigger else None
    if tag == "f" and word in lexicon.SEQUENTIALS:
        return Occurrence(index, form, "sequence", before)
    if form in lexicon.ELIDABLE and _elides(words, tags, before):
        return Occurrence(index, form, "elided", index)
    return None


def _of_fused(words: Sequence[str], tags: Sequence[str], index: int) -> Occurrence | None:
    parts = lexicon.split_fused(words[index], tags[index])
    if parts is None:
        return None
    front, form = parts
    if tags[index] == "r":
        trigger = _pointing(front)
        return Occurrence(index, form, trigger, index) if trigger else None
    return _after_numeral(words, tags, Occurrence(index, form, "numeral", index))


def _after_numeral(words: Sequence[str], tags: Sequence[str], found: Occurrence) -> Occurrence:
    """Tell by what stands before the numeral whether it counts, points or orders; `left` is the numeral's last word."""
    first = found.left
    while first and (tags[first - 1] == "m" or (tags[first - 1] == "a" and words[first - 1] == "多")):
        first -= 1
    trigger: Trigger = "numeral"
    if words[first].startswith("第") or words[found.left] in lexicon.ORDINAL_WORDS:
        trigger = "ordinal"
    elif first and tags[first - 1] == "r" and (pointing := _pointing(words[first - 1])):
        trigger = pointing
        first -= 1
    if found.classifier in lexicon.SERIALS and trigger in {"numeral", "ordinal"}:
        trigger = "serial"
    return found._replace(trigger=trigger, left=first)


def _pointing(word: str) -> Trigger | None:
    if word in lexicon.DEMONSTRATIVES:
        return "demonstrative"
    if word in lexicon.DISTRIBUTIVES:
        return "distributive"
    return "interrogative" if word in lexicon.INTERROGATIVES else None


def _elides(words: Sequence[str], tags: Sequence[str], before: int) -> bool:
    """Say whether the word before a bare classifier is a verb, alone or with 了, 着, 过, after which 一 may go."""
    if tags[before] == "u" and words[before] in {"了", "着", "过"} and before:
        before -= 1
    return tags[before] == "v" and words[before] not in lexicon.VERBS_OF_MANNER


def _is_repeated(words: Sequence[str], found: Occurrence) -> bool:
    """Say whether the phrase is one half of a distributive repetition: 一个一个, 一件又一件."""
    size = found.place - found.left + 1
    phrase = words[found.left : found.place + 1]
    after = found.place + 1
    before = found.left - 1
    if after < len(words) and words[after] == "又":
        after += 1
    if before >= 0 and words[before] == "又":
        before -= 1
    return words[after : after + size] == phrase or words[max(0, before - size + 1) : before + 1] == phrase
