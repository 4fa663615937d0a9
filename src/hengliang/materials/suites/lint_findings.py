"""What does the lint say of a suite: where, how grave, and in which words?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from hengliang.core.errors import UserError
from hengliang.materials.suites.suite import Suite, SuiteItem

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
