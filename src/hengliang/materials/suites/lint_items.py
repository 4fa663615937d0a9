"""Does a suite say the same thing twice, and do the suites of a class have the same items?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from hengliang.materials.suites.lint_findings import LintFinding, LintSettings, about_item, about_suite
from hengliang.materials.suites.suite import Suite, SuiteItem

_MARKS_AND_CHARACTERS = "。，、！？；：“”（）的地得了着过这那一每某个是在把被和与就都也不很才会要能他她它我你"
FUNCTION_WORDS = frozenset(_MARKS_AND_CHARACTERS) | {
    *("这个", "那个", "一个", "每个", "没有", "已经"),
    *("我们", "你们", "他们", "她们"),
}
"""Words that two items may share without being alike."""

Contents = frozenset[str]


def check_items(suites: Sequence[Suite], settings: LintSettings) -> Iterator[LintFinding]:
    """Yield items that nearly repeat each other, and items that other suites of their class lack or change."""
    classes: dict[str, list[Suite]] = defaultdict(list)
    for suite in suites:
        classes[suite.class_.en].append(suite)
    for sisters in classes.values():
        contents = {
            (suite.name, item.id): content_words(suite, item, settings) for suite in sisters for item in suite.items
        }
        yield from _repeated(sisters, contents, settings)
        yield from _kept(sisters, contents, settings)


def content_words(suite: Suite, item: SuiteItem, settings: LintSettings) -> Contents:
    """Return the words of an item in all conditions without function words and modifiers."""
    kept = [place for place, region in enumerate(suite.regions) if region not in settings.modifier_regions]
    words = {word for sentence in item.sentences.values() for place in kept for word in sentence[place]}
    return frozenset(words - FUNCTION_WORDS)


def overlap(one: Contents, other: Contents) -> float:
    """Return the share of common words among all words of the two (Jaccard); nothing has nothing in common."""
    return len(one & other) / len(one | other) if one or other else 0.0


def _in_order(item: SuiteItem) -> tuple[int, str]:
    number = re.match(r"\d+", item.id)
    return int(number[0]) if number else 0, item.id


def _repeated(
    sisters: Sequence[Suite], contents: dict[tuple[str, str], Contents], settings: LintSettings
) -> Iterator[LintFinding]:
    """Yield each item that nearly repeats one before it, of its own suite if there is one, else of a sister suite."""
    every = [(suite, item) for suite in sisters for item in sorted(suite.items, key=_in_order)]
    pairs = sorted(combinations(every, 2), key=_own_suite_first)
    told: set[tuple[str, str, str]] = set()
    for (first, one), (second, other) in pairs:
        words, others = contents[first.name, one.id], contents[second.name, other.id]
        share = overlap(words, others)
        key = (second.name, min(one.id, other.id), max(one.id, other.id))
        # Items of function words alone have no content words to share.
        same = one.sentences == other.sentences
        if one.id == other.id or not (same or share >= settings.nearly_same) or key in told:
            continue
        told.add(key)
        where = f"item {one.id}" + ("" if first is second else f" of {first.name}")
        if same:
            yield about_item(second, other, "duplicate-item", "error", f"It is the same as {where}.")
        else:
            message = f"It shares {share:.0%} of its content words with {where}: {' '.join(sorted(words & others))}."
            yield about_item(second, other, "near-duplicate", "warning", message)


def _own_suite_first(pair: tuple[tuple[Suite, SuiteItem], tuple[Suite, SuiteItem]]) -> bool:
    return pair[0][0] is not pair[1][0]


def _kept(
    sisters: Sequence[Suite], contents: dict[tuple[str, str], Contents], settings: LintSettings
) -> Iterator[LintFinding]:
    first = sisters[0]
    known = {item.id: (suite.name, item) for suite in reversed(sisters) for item in suite.items}
    for suite in sisters:
        own = {item.id for item in suite.items}
        missing = sorted((item for id, (_, item) in known.items() if id not in own), key=_in_order)
        if missing:
            names = ", ".join(item.id for item in missing)
            message = f"Other suites of the class '{suite.class_.en}' have items that are missing here: {names}."
            yield about_suite(suite, "missing-item", "note", message)
        for item in suite.items if suite is not first else ():
            name = known[item.id][0]
            share = overlap(contents[name, item.id], contents[suite.name, item.id])
            if name != suite.name and share < settings.same_frame:
                message = (
                    f"It shares only {share:.0%} of its content words with item {item.id} of {name}: "
                    "an item keeps its words under other modifiers."
                )
                yield about_item(suite, item, "other-frame", "warning", message)
