"""Do the classifiers of a suite fit where they should, and clash where they should?"""

from __future__ import annotations

from collections.abc import Iterator

from hengliang.materials.classifier_inventory import Evidence, Inventory
from hengliang.materials.suites.lint_findings import LintFinding, Severity, about_item, shown
from hengliang.materials.suites.suite import ClassifierFact, Place, Suite, SuiteItem, Words

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
    held, noun = suite.words(item, fact.classifier), suite.words(item, fact.noun)
    classifier = classifier_of(held, inventory)
    if not classifier or not noun:
        what = f"{fact.classifier} ends in no known classifier: {shown(held)}" if noun else f"{fact.noun} is empty"
        yield about_item(suite, item, "no-classifier", "error", f"A classifier fact cannot be checked: {what}.")
        return
    evidence = noun_evidence(classifier, noun, inventory)
    pair = f"{classifier} with {''.join(noun)} ({fact.classifier}, {fact.noun})"
    exact = evidence.noun in {"".join(noun), noun[-1]}
    grave: Severity = "error" if exact else "warning"
    who = ", ".join(evidence.by) + ("" if exact else f", by its ending {evidence.noun}")
    others = " ".join(evidence.others)
    if evidence.verdict == "unknown":
        told = f"the noun is listed with {others}" if evidence.noun else "nobody lists the noun"
        yield about_item(suite, item, "classifier-unlisted", "note", f"{pair} cannot be judged: {told}.")
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
