"""What is wrong with test suites, before any model is asked?

Each check is a function from a suite (or the suites of a class) to findings; here they are put together. What a check
needs besides the suite is handed in: a table of frequencies, the classifier inventory, a table of transitivity.
`docs/suite-lint.md` lists the codes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.core.errors import UserError
from hengliang.corpora.frequencies import FrequencyTable
from hengliang.materials.classifier_inventory import Inventory
from hengliang.materials.suites.lint_classifiers import check_classifiers
from hengliang.materials.suites.lint_findings import SEVERITIES, LintFinding, LintSettings
from hengliang.materials.suites.lint_items import check_items
from hengliang.materials.suites.lint_shape import check_shape
from hengliang.materials.suites.lint_words import check_frequencies, check_transitivity, check_writing
from hengliang.materials.suites.suite import Suite
from hengliang.materials.transitivity import TransitivityTable

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
    found = list(check_items(suites, settings))
    for suite in suites:
        found += check_shape(suite)
        found += check_writing(suite)
        if frequencies is not None:
            found += check_frequencies(suite, frequencies, settings)
        if inventory is not None:
            found += check_classifiers(suite, inventory)
        if transitivity is not None:
            found += check_transitivity(suite, transitivity, settings)
    places = {name: place for place, name in enumerate(names)}

    def in_order(finding: LintFinding) -> tuple[int, int, str, int, str, str]:
        grave = SEVERITIES.index(finding.severity)
        return places[finding.suite], finding.line, finding.item, grave, finding.code, finding.message

    return sorted(set(found), key=in_order)
