"""Are the words of a suite known, of like frequency where they should be, fit for their class, and rightly written?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from hengliang.core.errors import UserError
from hengliang.core.text.characters import Script, is_han, script_of
from hengliang.corpora.frequencies import FrequencyTable
from hengliang.materials.suites.lint_findings import LintFinding, LintSettings, about_item, shown
from hengliang.materials.suites.lint_shape import target_regions
from hengliang.materials.suites.suite import Suite, SuiteItem, Words
from hengliang.materials.transitivity import TransitivityTable

_HALF_WIDTH = re.compile(r"[,.!?;:()\"'\[\]<>]")


def check_frequencies(suite: Suite, frequencies: FrequencyTable, settings: LintSettings) -> Iterator[LintFinding]:
    """Yield unknown words, rare ones in compared regions, and balanced regions whose frequencies are far apart.

    A suite that does not say what its words are has nothing that could be looked up.
    """
    if not suite.segmented:
        return
    targets = target_regions(suite) | frozenset(suite.balanced)
    for item in suite.items:
        yield from _unknown(suite, item, frequencies)
        yield from _rare(suite, item, frequencies, targets, settings)
        yield from _unequal(suite, item, frequencies, settings)


def _unknown(suite: Suite, item: SuiteItem, frequencies: FrequencyTable) -> Iterator[LintFinding]:
    for word in _words(item):
        if word not in frequencies:
            message = f"The word '{word}' does not occur in {frequencies.name}: take a known one, or cut it otherwise."
            yield about_item(suite, item, "unknown-word", "warning", message)


def _rare(
    suite: Suite, item: SuiteItem, frequencies: FrequencyTable, targets: frozenset[str], settings: LintSettings
) -> Iterator[LintFinding]:
    words = {
        word: region
        for sentence in item.sentences.values()
        for region, words in zip(suite.regions, sentence, strict=True)
        if region in targets
        for word in words
    }
    for word, region in words.items():
        count = frequencies.count(word)
        if 0 < count < settings.rare_below:
            message = f"'{word}' of the region {region} occurs {count} times, fewer than {settings.rare_below}."
            yield about_item(suite, item, "rare-word", "note", message)


def region_count(words: Words, frequencies: FrequencyTable) -> int:
    """Return how frequent a region is: as its rarest word."""
    return min((frequencies.count(word) for word in words), default=0)


def _unequal(
    suite: Suite, item: SuiteItem, frequencies: FrequencyTable, settings: LintSettings
) -> Iterator[LintFinding]:
    for region in suite.balanced:
        place = suite.regions.index(region)
        counts = {words: region_count(words, frequencies) for words in (s[place] for s in item.sentences.values())}
        low, high = min(counts.values()), max(counts.values())
        ratio = (high + 1) / (low + 1)
        if ratio > settings.greatest_ratio:
            listed = ", ".join(f"{shown(words)} {count}" for words, count in sorted(counts.items(), key=_by_count))
            message = (
                f"The balanced region {region} has words whose frequencies, each plus one, are {ratio:.1f} to 1: "
                f"{listed}. At most {settings.greatest_ratio:g} to 1."
            )
            yield about_item(suite, item, "unequal-frequency", "error", message)


def _by_count(pair: tuple[Words, int]) -> tuple[int, Words]:
    return pair[1], pair[0]


# --- verbs ----------------------------------------------------------------------------------------------------------

NEEDS_OBJECT = "missing object"
"""The class of suites whose verbs should not do without an object."""
_VERB = "verb"


def check_transitivity(suite: Suite, transitivity: TransitivityTable, settings: LintSettings) -> Iterator[LintFinding]:
    """Yield verbs that often do without an object, in starred conditions of suites about a missing object."""
    if suite.class_.en != NEEDS_OBJECT or _VERB not in suite.regions:
        return
    place = suite.regions.index(_VERB)
    starred = [condition.name for condition in suite.conditions if not condition.acceptable]
    for item in suite.items:
        for verb in dict.fromkeys(
            " ".join(item.sentences[name][place]) for name in starred if item.sentences[name][place]
        ):
            uses = transitivity.uses(verb)
            figures = f"{uses.without_object} of {uses.uses} uses in {transitivity.name} have no object"
            if uses.share is None or uses.uses < settings.fewest_uses:
                message = f"'{verb}' is too rare for its need of an object to be judged: {figures}."
                yield about_item(suite, item, "few-uses", "note", message)
            elif uses.share > settings.objectless:
                message = f"'{verb}' may do without an object: {figures} ({uses.share:.0%})."
                yield about_item(suite, item, "objectless-verb", "warning", message)


# --- writing --------------------------------------------------------------------------------------------------------


def check_writing(suite: Suite) -> Iterator[LintFinding]:
    """Yield characters of the other script than the suite is mostly written in, and half-width marks among Chinese."""
    words = {item.id: _words(item) for item in suite.items}
    scripts = Counter(_script(character) for held in words.values() for word in held for character in word)
    foreign = "traditional" if scripts["simplified"] >= scripts["traditional"] else "simplified"
    mixed = bool(scripts["simplified"] and scripts["traditional"])
    for item in suite.items:
        chinese = any(is_han(character) for word in words[item.id] for character in word)
        for word in words[item.id] if chinese else ():
            strange = [character for character in word if mixed and _script(character) == foreign]
            if strange:
                message = f"'{word}' has the {foreign} character {strange[0]}, and the suite is in the other script."
                yield about_item(suite, item, "mixed-script", "warning", message)
            if mark := _half_width_mark(word):
                message = (
                    f"'{word}' has the half-width mark {mark}: write the full-width one, as in ，。？！：；“”（）."
                )
                yield about_item(suite, item, "half-width", "warning", message)


def _words(item: SuiteItem) -> list[str]:
    """Return the different words of an item."""
    return list(dict.fromkeys(word for sentence in item.sentences.values() for region in sentence for word in region))


def _half_width_mark(word: str) -> str:
    """Return a half-width mark that stands alone or beside Chinese; one within Latin letters or a number is right."""
    found = _HALF_WIDTH.search(word)
    foreign = word.isascii() and any(character.isalnum() for character in word)
    return found[0] if found and not foreign else ""


@cache
def _script(character: str) -> Script:
    """Return the script of a character; without OpenCC nobody can tell, and every one may belong to both."""
    if not is_han(character):
        return "none"
    try:
        return script_of(character)
    except UserError:
        return "both"
