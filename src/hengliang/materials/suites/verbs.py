"""Which verbs do the suites about a missing object use, and how often does a corpus have them without one?

The verb of a starred condition must need its object; that of a control must not. The share of uses without an object
is a check on the writers' judgement, not a replacement of it: `hengliang.materials.transitivity` says what it misses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from hengliang.materials.suites.suite import Suite
from hengliang.materials.transitivity import TransitivityTable, VerbUses

VERB = "verb"
Role = Literal["needs an object", "needs none"]


class SuiteVerb(NamedTuple):
    """A verb of the suites: what it is there for, in which items, and how the corpus uses it."""

    role: Role
    items: tuple[str, ...]
    uses: VerbUses


def suite_verbs(suites: Sequence[Suite], transitivity: TransitivityTable) -> list[SuiteVerb]:
    """Return the verbs of all suites that have a region `verb` and controls, by role and then by their characters."""
    found: dict[tuple[Role, str], dict[str, None]] = {}
    for suite in suites:
        bad = {condition.name for condition in suite.conditions if not condition.acceptable}
        controls = [condition.name for condition in suite.conditions if condition.name.startswith("control")]
        if VERB not in suite.regions or not controls:
            continue
        place = suite.regions.index(VERB)
        for item in suite.items:
            for name, sentence in item.sentences.items():
                if name in bad or name in controls:
                    role: Role = "needs an object" if name in bad else "needs none"
                    found.setdefault((role, " ".join(sentence[place])), {})[item.id] = None
    return [SuiteVerb(role, tuple(items), transitivity.uses(verb)) for (role, verb), items in sorted(found.items())]
