"""Which nouns may a classifier of a paragraph count, once everything is left out that is no slot?

Here the rules meet: a trigger (`slot_triggers`), the readings around it (`slot_heads`), and what single forms ask for:
次 wants an event, 点 and 方 a few nouns of their own, 第三条 at the start of a paragraph is a heading.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hengliang.materials import slot_lexicon as lexicon
from hengliang.materials.slot_compatibility import Candidate
from hengliang.materials.slot_heads import Reading, reading_before, readings_after
from hengliang.materials.slot_triggers import Occurrence

_COUNTING_TIMES = lexicon.EVENT_CLASSIFIERS | {"趟", "回"}
_REACHED_BY_EVENTS = frozenset(("", "relative", "run", "的", "之", "and", "verb"))


class PossibleSlot(NamedTuple):
    """A classifier with its possible heads, before one of them is chosen; the nearest is the first.

    `start` is the word at which the phrase goes on after the classifier and a 多 or 半.
    """

    occurrence: Occurrence
    start: int
    readings: tuple[Reading, ...]
    candidates: tuple[Candidate, ...]


def possible_slot(
    words: Sequence[str], tags: Sequence[str], found: Occurrence, begin: int, end: int
) -> PossibleSlot | None:
    """Return the classifier with its possible heads in the sentence from `begin` to `end`, or None if it has none."""
    start = found.place + 1
    while start < end and words[start] in lexicon.APPROXIMATIONS and tags[start] in {"m", "a"}:
        start += 1
    if found.classifier in lexicon.WITH_DE and start < end and words[start] == "的":
        start += 1
    if _is_label(words, tags, found, start, end) or _is_verbal(words, tags, found):
        return None
    readings = readings_after(words, tags, start, end)
    if not readings and found.trigger == "numeral" and found.classifier not in lexicon.NOT_AFTER_NOUNS:
        before = reading_before(words, tags, found.left, start, begin, end)
        readings = [before] if before is not None else []
    readings = _suitable(words, tags, found, readings, end)
    if not readings or _is_one_verb(words, tags, found, readings[0]):
        return None
    return PossibleSlot(found, start, tuple(readings), tuple(_candidate(words, tags, each) for each in readings))


def _candidate(words: Sequence[str], tags: Sequence[str], reading: Reading) -> Candidate:
    noun = "".join(words[reading.first : reading.last + 1])
    before = tags[reading.first - 1] if reading.first else ""
    return Candidate(noun, tags[reading.last], reading.bridge, before == "a", before in {"n", "vn", "j", "ns"})


def _is_label(words: Sequence[str], tags: Sequence[str], found: Occurrence, start: int, end: int) -> bool:
    """Say whether the phrase names a part of a text, a rank or a session: 第三条, 九段, 八届五次会议."""
    form = found.classifier
    if words[found.left] == "头" and form == "条":
        return True  # 头条, the first column of a newspaper
    if found.trigger == "ordinal" and form in lexicon.ORDINAL_LABELS:
        before = found.left - 1
        return before < 0 or tags[before] == "w" or words[before].endswith(lexicon.LAWS) or tags[before] == "q"
    if form == "段" and (found.left and tags[found.left - 1] == "nr"):
        return True
    return form in lexicon.SERIALS and start < end and tags[start] == "m"


def _is_verbal(words: Sequence[str], tags: Sequence[str], found: Occurrence) -> bool:
    """Say whether the phrase says how often something was done: 看过三次电影, 坐了三趟火车."""
    if found.classifier not in _COUNTING_TIMES or found.trigger != "numeral":
        return False
    before = found.left - 1
    return before >= 0 and words[before] in {"了", "过"} and tags[before] in {"u", "v"}


def _is_one_verb(words: Sequence[str], tags: Sequence[str], found: Occurrence, reading: Reading) -> bool:
    """Say whether verb and object are one verb with 个 in between: 聚个餐, 来个转变."""
    if found.trigger != "elided":
        return False
    verb = found.place - 1
    while verb > 0 and tags[verb] == "u":
        verb -= 1
    noun = "".join(words[reading.first : reading.last + 1])
    return words[verb] + noun in lexicon.SEPARABLE_VERBS or (
        words[verb] in {"来", "玩", "弄"} and tags[reading.last] in {"vn", "an"}
    )


def _suitable(
    words: Sequence[str], tags: Sequence[str], found: Occurrence, readings: Sequence[Reading], end: int
) -> list[Reading]:
    """Keep the readings that a form with wishes of its own can have; the first that is left becomes the nearest."""
    form = found.classifier
    heads = lexicon.HEADS_OF.get(form)
    if heads is not None:
        kept = [one for one in readings if "".join(words[one.first : one.last + 1]) in heads]
    elif form in lexicon.EVENT_CLASSIFIERS:
        kept = _events(words, tags, found, readings)
    else:
        kept = [one for one in readings if tags[one.last] != "t" or form in lexicon.TIME_CLASSIFIERS]
        if form == "段" and kept and words[kept[0].last] in lexicon.RANKED:
            return []
    if kept and kept[0].bridge == "verb" and not _is_noun_by_use(words, found, kept[0], end):
        return []
    if kept and kept[0] != readings[0]:
        kept[0] = kept[0]._replace(bridge="")
    return kept


def _events(words: Sequence[str], tags: Sequence[str], found: Occurrence, readings: Sequence[Reading]) -> list[Reading]:
    """Keep the events. 三次放弃的机会 counts how often; only 一次 may stand before a clause (一次穿越时空的长谈)."""
    if not readings or words[readings[0].last].endswith(lexicon.VEHICLES_AND_PERSONS):
        return []
    numeral = words[found.place].removesuffix(found.classifier) or words[found.place - 1]  # 一次/m, 一/m 次/q
    once = numeral == "一" or words[found.place + 1] in lexicon.LASTING
    if not once and (readings[0].bridge == "relative" or tags[found.place + 1] == "p"):
        return []
    return [
        one
        for one in readings
        if one.bridge in _REACHED_BY_EVENTS and lexicon.is_event(words[one.last], tags[one.last])
    ]


def _is_noun_by_use(words: Sequence[str], found: Occurrence, reading: Reading, end: int) -> bool:
    """Say whether a word tagged as a verb is the head: 一种享受, 本轮比赛, “两个转变”."""
    verb, form = words[reading.last], found.classifier
    if form in {"场", "轮", "次"}:
        triggers = {"demonstrative"} if form == "次" else {"demonstrative", "ordinal"}
        return lexicon.is_event(verb, "v") and found.trigger in triggers
    if form == "个":
        return reading.last + 1 < end and words[reading.last + 1] in {"”", "』"}
    return form in lexicon.VERB_HEADS and found.trigger != "ordinal"
