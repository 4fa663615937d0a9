"""Lint of test suites: shape, words, repeated items and classifiers, checked before any model is asked.

Each check is a function from a suite (or the suites of a class) to findings; the last section puts the checks together.
What a check needs besides the suite is handed in: a table of frequencies, the classifier inventory, a table of
transitivity. `docs/suite-lint.md` lists the codes.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations
from typing import Any, Literal, get_args

from hengliang.core.errors import UserError
from hengliang.core.text.characters import Script, is_han, script_of
from hengliang.corpora.frequencies import FrequencyTable
from hengliang.grammar.suites.formulas import Expression, Formula, Measured, Operation
from hengliang.grammar.suites.suite import ClassifierFact, Place, Sentence, Suite, SuiteItem, Words
from hengliang.grammar.suites.verbs import TransitivityTable
from hengliang.materials.classifier_inventory import Evidence, Inventory

# --- findings and settings --------------------------------------------------------------------------------------------
# A finding says where in a suite something is wrong, how grave it is, and in which words.


Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something that is wrong with a suite or worth a look; `item` is empty where it concerns the suite as a whole."""

    suite: str
    item: str
    line: int
    code: str
    severity: Severity
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LintSettings:
    """Where the lint draws its lines.

    `greatest_ratio` bounds the frequencies of a balanced region, each count plus one; `rare_below` is the count under
    which a word of a compared region is noted; `nearly_same` is the share of common content words (Jaccard) from which
    on two items are near-duplicates; `same_frame` is the share that versions of an item under other modifiers should
    have; `objectless` is the share of uses without object above which a verb may well do without one, judged by
    `fewest_uses` or more; `modifier_regions` are left out when items are compared.
    """

    greatest_ratio: float = 4.0
    rare_below: int = 20
    nearly_same: float = 0.8
    same_frame: float = 0.5
    objectless: float = 0.10
    fewest_uses: int = 10
    modifier_regions: tuple[str, ...] = ("modifier", "relative")

    def __post_init__(self) -> None:
        for name, least, most in (
            ("greatest_ratio", 1.0, float("inf")),
            ("rare_below", 0, float("inf")),
            ("nearly_same", 0.0, 1.0),
            ("same_frame", 0.0, 1.0),
            ("objectless", 0.0, 1.0),
            ("fewest_uses", 0, float("inf")),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                upper = f" to {most:g}" if most < float("inf") else " or more"
                raise UserError(f"The lint's setting {name} is {value}.", valid=f"{least:g}{upper}.")


def about_suite(suite: Suite, code: str, severity: Severity, message: str) -> LintFinding:
    """Return a finding that concerns the suite as a whole."""
    return LintFinding(suite.name, "", 0, code, severity, message)


def about_item(suite: Suite, item: SuiteItem, code: str, severity: Severity, message: str) -> LintFinding:
    """Return a finding that concerns one item."""
    return LintFinding(suite.name, item.id, item.line, code, severity, message)


def shown(words: Sequence[str]) -> str:
    """Return words as a message shows them."""
    return " ".join(words) if words else "(empty)"


# --- shape of suites --------------------------------------------------------------------------------------------------
# Checks that the conditions of a suite differ only in what is under test, and that its predictions compare something.

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
        part = waiting.pop()
        if isinstance(part, Operation):
            if part.sign in _COMPARISONS:
                yield part
            else:
                waiting += [part.right, part.left]


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
    """Return the regions that counted predictions compare, those of whole sentences separately."""
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
    compared: dict[tuple[str, str], dict[str, None]] = {}
    order = [condition.name for condition in suite.conditions]
    for prediction in suite.predictions:
        for comparison in comparisons(prediction.formula):
            for term, other in combinations(dict.fromkeys(terms(comparison)), 2):
                same_stretch = term.first and (term.first, term.last) == (other.first, other.last)
                if same_stretch and term.condition != other.condition:
                    first, second = sorted((term.condition, other.condition), key=order.index)
                    compared.setdefault((first, second), {}).update(dict.fromkeys(regions_of(suite, term)))
    return {pair: tuple(regions) for pair, regions in compared.items()}


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
    for (condition, first), (other, second) in combinations(item.sentences.items(), 2):
        if _text(first) == _text(second):
            message = f"The conditions {condition} and {other} are the same sentence: {_text(first)}"
            yield about_item(suite, item, "identical-conditions", "error", message)


def _targets(suite: Suite, item: SuiteItem, pairs: Compared) -> Iterator[LintFinding]:
    places = {region: position for position, region in enumerate(suite.regions)}
    for (condition, other), regions in pairs.items():
        for region in regions:
            first, second = (item.sentences[name][places[region]] for name in (condition, other))
            if first != second and region not in suite.balanced:
                message = (
                    f"The compared region {region} differs: {shown(first)} in {condition}, {shown(second)} in {other}. "
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
    words_of = dict(zip(suite.regions, item.sentences[term.condition], strict=True))
    return tuple(word for region in regions_of(suite, term) for word in words_of[region])


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
    position = suite.regions.index(term.first)
    before = tuple(word for region in item.sentences[term.condition][:position] for word in region)
    return before, _stretch(suite, item, term)


def _lengths(suite: Suite, item: SuiteItem, pairs: Compared) -> Iterator[LintFinding]:
    for region in suite.balanced:
        position = suite.regions.index(region)
        texts = {"".join(sentence[position]) for sentence in item.sentences.values()}
        if len({len(text) for text in texts}) > 1:
            listed = ", ".join(f"{text or '(empty)'} ({len(text)})" for text in sorted(texts, key=len))
            message = f"The balanced region {region} has words of unequal length in characters: {listed}."
            yield about_item(suite, item, "unequal-length", "warning", message)
    for this, other in pairs:
        shared = [
            (len(first), len(second))
            for first, second in zip(item.sentences[this], item.sentences[other], strict=True)
            if first and second
        ]
        words, others = (sum(sizes) for sizes in zip(*shared, strict=True)) if shared else (0, 0)
        if abs(words - others) > 1:
            message = (
                f"{this} has {words} words and {other} {others}, regions that one of them leaves empty not counted: "
                "conditions that are compared should differ by one word at most."
            )
            yield about_item(suite, item, "unequal-conditions", "warning", message)


# --- items beside each other ----------------------------------------------------------------------------------------

Pattern = tuple[int, ...]
"""For each condition the first one that has the same words."""

_FEWEST_ITEMS = 3


def _patterns(suite: Suite) -> Iterator[LintFinding]:
    """Yield items in which other conditions share the words of a region than in most items: a slip of the pen."""
    for position, region in enumerate(suite.regions):
        shapes = {item.id: _pattern(item, position) for item in suite.items}
        usual, count = Counter(shapes.values()).most_common(1)[0]
        if len(shapes) < _FEWEST_ITEMS or 2 * count <= len(shapes):
            continue
        for item in suite.items:
            if shapes[item.id] != usual:
                here = ", ".join(f"{name} {shown(sentence[position])}" for name, sentence in item.sentences.items())
                message = (
                    f"In the region {region} other conditions are alike than in {count} of {len(shapes)} items, where "
                    f"{_said(suite, usual)}; here: {here}."
                )
                yield about_item(suite, item, "other-pattern", "warning", message)


def _pattern(item: SuiteItem, place: int) -> Pattern:
    words = [sentence[place] for sentence in item.sentences.values()]
    return tuple(words.index(entry) for entry in words)


def _said(suite: Suite, pattern: Pattern) -> str:
    groups: dict[int, list[str]] = {}
    for condition, group in zip(suite.conditions, pattern, strict=True):
        groups.setdefault(group, []).append(condition.name)
    if len(groups) == 1:
        return "all have the same words"
    return " and ".join(" = ".join(names) for names in groups.values()) + " differ"


# --- words ------------------------------------------------------------------------------------------------------------
# Checks that the words of a suite are known, of similar frequency where they should be, fit for their class, and
# written correctly.

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
        position = suite.regions.index(region)
        counts = {words: region_count(words, frequencies) for words in (s[position] for s in item.sentences.values())}
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
    position = suite.regions.index(_VERB)
    starred = [condition.name for condition in suite.conditions if not condition.acceptable]
    for item in suite.items:
        for verb in dict.fromkeys(
            " ".join(item.sentences[name][position]) for name in starred if item.sentences[name][position]
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
    scripts = Counter(_script(character) for of_item in words.values() for word in of_item for character in word)
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
    match = _HALF_WIDTH.search(word)
    foreign = word.isascii() and any(character.isalnum() for character in word)
    return match[0] if match and not foreign else ""


@cache
def _script(character: str) -> Script:
    """Return the script of a character; without OpenCC nobody can tell, and every one may belong to both."""
    if not is_han(character):
        return "none"
    try:
        return script_of(character)
    except UserError:
        return "both"


# --- repeated and missing items ---------------------------------------------------------------------------------------
# Finds items that say the same thing twice, and items that other suites of a class do not have.

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
    kept = [position for position, region in enumerate(suite.regions) if region not in settings.modifier_regions]
    words = {word for sentence in item.sentences.values() for position in kept for word in sentence[position]}
    return frozenset(words - FUNCTION_WORDS)


def overlap(one: Contents, other: Contents) -> float:
    """Return the share of common words among all words of the two (Jaccard); 0 where neither has any."""
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
    reported: set[tuple[str, str, str]] = set()
    for (first, earlier), (second, other) in pairs:
        words, others = contents[first.name, earlier.id], contents[second.name, other.id]
        share = overlap(words, others)
        key = (second.name, min(earlier.id, other.id), max(earlier.id, other.id))
        # Items of function words alone have no content words to share.
        same = earlier.sentences == other.sentences
        if earlier.id == other.id or not (same or share >= settings.nearly_same) or key in reported:
            continue
        reported.add(key)
        where = f"item {earlier.id}" + ("" if first is second else f" of {first.name}")
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


# --- classifiers ------------------------------------------------------------------------------------------------------
# Checks that the classifiers of a suite fit where they should, and clash where they should.

_FUSED = tuple("这那哪一每某两几各此该本半")


def check_classifiers(suite: Suite, inventory: Inventory) -> Iterator[LintFinding]:
    """Yield the classifier facts of a suite that the inventory does not bear out."""
    for item in suite.items:
        for fact in suite.facts:
            yield from _fact(suite, item, fact, inventory)
        yield from _between(suite, item, inventory)


def classifier_of(words: Words, inventory: Inventory) -> str:
    """Return the classifier in which a region ends, less a numeral or determiner it is fused with; else nothing."""
    last = words[-1] if words else ""
    if last in inventory.forms:
        return last
    rest = last[1:]
    return rest if last.startswith(_FUSED) and rest in inventory.forms else ""


def noun_evidence(classifier: str, words: Words, inventory: Inventory) -> Evidence:
    """Return what is known of a classifier with a noun of one or more words: as a whole, else of its last word."""
    whole = inventory.fits(classifier, "".join(words))
    if whole.noun == "".join(words) or len(words) < 2:
        return whole
    last = inventory.fits(classifier, words[-1])
    return last if last.verdict != "unknown" else whole


def _fact(suite: Suite, item: SuiteItem, fact: ClassifierFact, inventory: Inventory) -> Iterator[LintFinding]:
    phrase, noun = suite.words(item, fact.classifier), suite.words(item, fact.noun)
    classifier = classifier_of(phrase, inventory)
    if not classifier or not noun:
        what = f"{fact.classifier} ends in no known classifier: {shown(phrase)}" if noun else f"{fact.noun} is empty"
        yield about_item(suite, item, "no-classifier", "error", f"A classifier fact cannot be checked: {what}.")
        return
    evidence = noun_evidence(classifier, noun, inventory)
    pair = f"{classifier} with {''.join(noun)} ({fact.classifier}, {fact.noun})"
    exact = evidence.noun in {"".join(noun), noun[-1]}
    grave: Severity = "error" if exact else "warning"
    who = ", ".join(evidence.by) + ("" if exact else f", by its ending {evidence.noun}")
    others = " ".join(evidence.others)
    if evidence.verdict == "unknown":
        known = f"the noun is listed with {others}" if evidence.noun else "nobody lists the noun"
        yield about_item(suite, item, "classifier-unlisted", "note", f"{pair} cannot be judged: {known}.")
    elif fact.fits and evidence.verdict == "contradicted":
        message = f"{pair} should fit, but the noun is listed with {others} only ({who})."
        yield about_item(suite, item, "classifier-misfit", grave, message)
    elif not fact.fits and evidence.verdict == "attested":
        yield about_item(suite, item, "classifier-fits", grave, f"{pair} should clash, but is listed ({who}).")


def _between(suite: Suite, item: SuiteItem, inventory: Inventory) -> Iterator[LintFinding]:
    """Yield words between a classifier and its noun that it fits as well: they may be taken for the noun."""
    claimed = {fact.noun for fact in suite.facts}
    for fact in suite.facts:
        classifier = classifier_of(suite.words(item, fact.classifier), inventory)
        first, last = (suite.regions.index(place.region) for place in (fact.classifier, fact.noun))
        same = fact.classifier.condition == fact.noun.condition
        for region in suite.regions[first + 1 : last] if same else ():
            place = Place(fact.noun.condition, region)
            for word in suite.words(item, place) if place not in claimed else ():
                evidence = inventory.fits(classifier, word)
                if evidence.verdict == "attested" and evidence.noun == word:
                    message = f"{classifier} in {fact.classifier} also fits {word} before its noun ({place})."
                    yield about_item(suite, item, "classifier-fits-between", "warning", message)


# --- all checks together ----------------------------------------------------------------------------------------------

_DEFAULT = LintSettings()


def lint(
    suites: Sequence[Suite],
    *,
    frequencies: FrequencyTable | None = None,
    inventory: Inventory | None = None,
    transitivity: TransitivityTable | None = None,
    settings: LintSettings = _DEFAULT,
) -> list[LintFinding]:
    """Return what is wrong with suites, suite by suite in the order given, each by line; a good suite has nothing.

    Checks whose table is not handed in are left out.
    """
    names = [suite.name for suite in suites]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise UserError(f"Two suites are called '{twice}'.", remedy="Rename one of the files.")
    findings = list(check_items(suites, settings))
    for suite in suites:
        findings += check_shape(suite)
        findings += check_writing(suite)
        if frequencies is not None:
            findings += check_frequencies(suite, frequencies, settings)
        if inventory is not None:
            findings += check_classifiers(suite, inventory)
        if transitivity is not None:
            findings += check_transitivity(suite, transitivity, settings)
    places = {name: rank for rank, name in enumerate(names)}

    def in_order(finding: LintFinding) -> tuple[int, int, str, int, str, str]:
        grave = SEVERITIES.index(finding.severity)
        return places[finding.suite], finding.line, finding.item, grave, finding.code, finding.message

    return sorted(set(findings), key=in_order)
