"""Do the conditions of a suite differ in what is under test only, and do its predictions compare something?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from hengliang.materials.suites.formulas import Expression, Formula, Measured, Operation
from hengliang.materials.suites.lint_findings import LintFinding, about_item, about_suite, shown
from hengliang.materials.suites.suite import Sentence, Suite, SuiteItem, Words

_COMPARISONS = frozenset((">", ">=", "<", "<=", "="))


def check_shape(suite: Suite) -> Iterator[LintFinding]:
    """Yield what is wrong with predictions and conditions, item by item."""
    yield from _predictions(suite)
    yield from _conditions(suite)
    pairs = _compared(suite)
    for item in suite.items:
        if not item.gloss:
            yield about_item(suite, item, "no-gloss", "warning", "There is no English gloss: put one after the number.")
        yield from _identical(suite, item)
        yield from _targets(suite, item, pairs)
        yield from _crossed_targets(suite, item)
        yield from _empty_targets(suite, item)
        yield from _same_prefixes(suite, item)
        yield from _lengths(suite, item, pairs)
    yield from _patterns(suite)


# --- formulas -------------------------------------------------------------------------------------------------------


def comparisons(formula: Formula) -> Iterator[Operation]:
    """Yield every comparison of a formula."""
    waiting: list[Expression] = [formula.expression]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Operation):
            if one.sign in _COMPARISONS:
                yield one
            else:
                waiting += [one.right, one.left]


def terms(expression: Expression) -> Iterator[Measured]:
    """Yield every term of an expression, from left to right."""
    if isinstance(expression, Operation):
        yield from terms(expression.left)
        yield from terms(expression.right)
    elif isinstance(expression, Measured):
        yield expression


def regions_of(suite: Suite, term: Measured) -> tuple[str, ...]:
    """Return the regions that a term is about; all of them where it is about the whole sentence."""
    if not term.first:
        return suite.regions
    return suite.regions[suite.regions.index(term.first) : suite.regions.index(term.last) + 1]


def target_regions(suite: Suite) -> frozenset[str]:
    """Return the regions that counted predictions compare, those of whole sentences apart."""
    return frozenset(
        region
        for prediction in suite.predictions
        if prediction.counts
        for term in prediction.formula.terms
        if term.first
        for region in regions_of(suite, term)
    )


Compared = dict[tuple[str, str], tuple[str, ...]]
"""For two conditions the regions in which a prediction compares them."""


def _compared(suite: Suite) -> Compared:
    """Return which conditions are compared in which regions; terms over the same stretch are held to be compared."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    order = [condition.name for condition in suite.conditions]
    for prediction in suite.predictions:
        for comparison in comparisons(prediction.formula):
            for one, other in combinations(dict.fromkeys(terms(comparison)), 2):
                same_stretch = one.first and (one.first, one.last) == (other.first, other.last)
                if same_stretch and one.condition != other.condition:
                    first, second = sorted((one.condition, other.condition), key=order.index)
                    found.setdefault((first, second), {}).update(dict.fromkeys(regions_of(suite, one)))
    return {pair: tuple(regions) for pair, regions in found.items()}


def _predictions(suite: Suite) -> Iterator[LintFinding]:
    for prediction in suite.predictions:
        for comparison in comparisons(prediction.formula):
            where = f"'{comparison}' in the prediction '{prediction.name}'"
            if not any(terms(comparison)):
                yield about_suite(suite, "no-region", "error", f"{where} names no region: it always says the same.")
            elif comparison.left == comparison.right:
                yield about_suite(suite, "self-comparison", "error", f"{where} compares a thing with itself.")


def _conditions(suite: Suite) -> Iterator[LintFinding]:
    used = {term.condition for prediction in suite.predictions for term in prediction.formula.terms}
    for condition in suite.conditions:
        if condition.name not in used:
            message = f"No prediction uses the condition '{condition.name}': use it, or leave it out."
            yield about_suite(suite, "unused-condition", "warning", message)
    if not any(condition.acceptable for condition in suite.conditions):
        names = ", ".join(f"*{condition.name}" for condition in suite.conditions)
        message = f"Every condition is starred ({names}): one that speakers find good is needed to compare with."
        yield about_suite(suite, "no-good-condition", "error", message)


# --- items ----------------------------------------------------------------------------------------------------------


def _text(sentence: Sentence) -> str:
    return "".join(word for region in sentence for word in region)


def _identical(suite: Suite, item: SuiteItem) -> Iterator[LintFinding]:
    for (one, first), (other, second) in combinations(item.sentences.items(), 2):
        if _text(first) == _text(second):
            message = f"The conditions {one} and {other} are the same sentence: {_text(first)}"
            yield about_item(suite, item, "identical-conditions", "error", message)


def _targets(suite: Suite, item: SuiteItem, pairs: Compared) -> Iterator[LintFinding]:
    places = {region: place for place, region in enumerate(suite.regions)}
    for (one, other), regions in pairs.items():
        for region in regions:
            first, second = (item.sentences[name][places[region]] for name in (one, other))
            if first != second and region not in suite.balanced:
                message = (
                    f"The compared region {region} differs: {shown(first)} in {one}, {shown(second)} in {other}. "
                    f"Make it the same, or declare 'balanced: {region}' where it has to differ."
                )
                yield about_item(suite, item, "target-differs", "error", message)


def _crossed_targets(suite: Suite, item: SuiteItem) -> Iterator[LintFinding]:
    """Yield comparisons of one stretch with another that has other words, whatever the two are called."""
    for prediction in suite.predictions:
        for comparison in comparisons(prediction.formula):
            sides = [side for side in (comparison.left, comparison.right) if isinstance(side, Measured) and side.first]
            if len(sides) < 2 or len({(side.first, side.last) for side in sides}) == 1:
                continue
            first, second = (_stretch(suite, item, side) for side in sides)
            if first != second:
                message = f"'{comparison}' compares different words: {shown(first)} and {shown(second)}."
                yield about_item(suite, item, "target-differs", "error", message)


def _stretch(suite: Suite, item: SuiteItem, term: Measured) -> Words:
    held = dict(zip(suite.regions, item.sentences[term.condition], strict=True))
    return tuple(word for region in regions_of(suite, term) for word in held[region])


def _empty_targets(suite: Suite, item: SuiteItem) -> Iterator[LintFinding]:
    for term in dict.fromkeys(term for prediction in suite.predictions for term in prediction.formula.terms):
        if not _stretch(suite, item, term):
            message = f"The compared stretch {term} is empty: it has no surprisal."
            yield about_item(suite, item, "empty-target", "error", message)


def _same_prefixes(suite: Suite, item: SuiteItem) -> Iterator[LintFinding]:
    """Yield comparisons of two sentences that are the same up to the end of what is compared."""
    for prediction in suite.predictions:
        for comparison in comparisons(prediction.formula):
            sides = [side for side in (comparison.left, comparison.right) if isinstance(side, Measured) and side.first]
            if len(sides) == 2 and len({side.condition for side in sides}) == 2:
                first, second = (_prefix(suite, item, side) for side in sides)
                if first == second:
                    message = (
                        f"'{comparison}' is a tie for every model that reads from left to right: both sentences are "
                        f"{shown(tuple(word for region in first for word in region))} up to there."
                    )
                    yield about_item(suite, item, "same-prefix", "error", message)


def _prefix(suite: Suite, item: SuiteItem, term: Measured) -> tuple[Words, ...]:
    """Return the words up to where the stretch begins, and those of the stretch."""
    place = suite.regions.index(term.first)
    before = tuple(word for region in item.sentences[term.condition][:place] for word in region)
    return before, _stretch(suite, item, term)


def _lengths(suite: Suite, item: SuiteItem, pairs: Compared) -> Iterator[LintFinding]:
    for region in suite.balanced:
        place = suite.regions.index(region)
        found = {"".join(sentence[place]) for sentence in item.sentences.values()}
        if len({len(text) for text in found}) > 1:
            listed = ", ".join(f"{text or '(empty)'} ({len(text)})" for text in sorted(found, key=len))
            message = f"The balanced region {region} has words of unequal length in characters: {listed}."
            yield about_item(suite, item, "unequal-length", "warning", message)
    for one, other in pairs:
        shared = [
            (len(first), len(second))
            for first, second in zip(item.sentences[one], item.sentences[other], strict=True)
            if first and second
        ]
        words, others = (sum(sizes) for sizes in zip(*shared, strict=True)) if shared else (0, 0)
        if abs(words - others) > 1:
            message = (
                f"{one} has {words} words and {other} {others}, regions that one of them leaves empty not counted: "
                "conditions that are compared should differ by one word at most."
            )
            yield about_item(suite, item, "unequal-conditions", "warning", message)


# --- items beside each other ----------------------------------------------------------------------------------------

Pattern = tuple[int, ...]
"""For each condition the first one that has the same words."""

_FEWEST_ITEMS = 3


def _patterns(suite: Suite) -> Iterator[LintFinding]:
    """Yield items in which other conditions share the words of a region than in most items: a slip of the pen."""
    for place, region in enumerate(suite.regions):
        found = {item.id: _pattern(item, place) for item in suite.items}
        usual, count = Counter(found.values()).most_common(1)[0]
        if len(found) < _FEWEST_ITEMS or 2 * count <= len(found):
            continue
        for item in suite.items:
            if found[item.id] != usual:
                held = ", ".join(f"{name} {shown(sentence[place])}" for name, sentence in item.sentences.items())
                message = (
                    f"In the region {region} other conditions are alike than in {count} of {len(found)} items, where "
                    f"{_said(suite, usual)}; here: {held}."
                )
                yield about_item(suite, item, "other-pattern", "warning", message)


def _pattern(item: SuiteItem, place: int) -> Pattern:
    words = [sentence[place] for sentence in item.sentences.values()]
    return tuple(words.index(held) for held in words)


def _said(suite: Suite, pattern: Pattern) -> str:
    groups: dict[int, list[str]] = {}
    for condition, group in zip(suite.conditions, pattern, strict=True):
        groups.setdefault(group, []).append(condition.name)
    if len(groups) == 1:
        return "all have the same words"
    return " and ".join(" = ".join(names) for names in groups.values()) + " differ"
