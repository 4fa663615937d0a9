"""Views: what a measure or an analysis shows in a report besides its numbers, such as the items that systems fail.

Whoever knows what the judgements are about makes the view (`Measure.views`, `Analysis.views`), the run keeps it, and
the report renders it without knowing what it shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hengliang.core.errors import UserError
from hengliang.core.settings import check_settings
from hengliang.core.terms import Bilingual

RESERVED = frozenset(
    {
        *("analysis", "contents", "language", "main", "making", "open", "results", "theme"),
        *("analyses", "created", "estimates", "form", "materials", "measures", "name", "notes", "question"),
        *("schema_version", "simulated", "stages", "systems", "versions", "views"),
    }
)
"""Names and first words of anchors that a report keeps for itself: of ids on its page, and of entries of its JSON."""

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_ANCHOR = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class View:
    """A part of a report with a heading of its own. The report renders it unseen: as it is, wherever it comes from.

    - `name` is the entry of the report's JSON under which programs find `data`, which is plain JSON (or None: nothing).
    - `anchor` is the id of its section on the page, `title` the heading and the line in the contents.
    - `html` is what stands below the heading, in both languages as our pages are. It goes into the page unchecked, so
      every text in it has to be escaped: `html_tag`, `html_text` and `html_bilingual` of `hengliang.report` do. Ids in
      it begin with the anchor and a hyphen. No script in it runs, and nothing is loaded for it.
    - `markdown` is the same for a report in Markdown, texts escaped by `escape_markdown`.
    - `entries` are the parts that the contents list below the title: the id of each within `html`, and its title.
    """

    name: str
    anchor: str
    title: Bilingual
    html: str
    markdown: Bilingual
    entries: tuple[tuple[str, Bilingual], ...] = ()
    data: Any = None

    def __post_init__(self) -> None:
        _check_word("name", self.name, _NAME, "Small letters, digits and underscores, such as failing_items")
        _check_word("anchor", self.anchor, _ANCHOR, "Small letters, digits and hyphens, such as failing-items")
        for anchor, _ in self.entries:
            if not _ANCHOR.fullmatch(anchor) or not anchor.startswith(f"{self.anchor}-"):
                raise UserError(
                    f"The view '{self.name}' lists the part '{anchor}'.",
                    valid=f"An anchor that begins with '{self.anchor}-'.",
                )
            if f'id="{anchor}"' not in self.html:
                raise UserError(
                    f"The view '{self.name}' lists the part '{anchor}', and nothing in its HTML has that id.",
                    remedy=f'Give the element the attribute id="{anchor}".',
                )
        _check_distinct(self.anchors)
        try:
            json.dumps(self.data, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise UserError(
                f"The data of the view '{self.name}' are not JSON: {error}.",
                valid="Texts, numbers, lists and mappings; to_json of hengliang.core makes them of records.",
            ) from error

    @property
    def anchors(self) -> tuple[str, ...]:
        """The anchors that belong to the view: of its section, of its heading, and of its entries."""
        return (self.anchor, f"{self.anchor}-title", *(anchor for anchor, _ in self.entries))


def _check_word(what: str, word: object, pattern: re.Pattern[str], valid: str) -> None:
    if not isinstance(word, str) or not pattern.fullmatch(word):
        raise UserError(f"{word!r} is no {what} of a view.", valid=f"{valid}.")
    first = word.split("-")[0]
    if first in RESERVED:
        raise UserError(f"No view can have the {what} '{word}': the report itself uses '{first}'.", valid=f"{valid}.")


def _check_distinct(anchors: Sequence[str]) -> None:
    twice = sorted({anchor for anchor in anchors if anchors.count(anchor) > 1})
    if twice:
        raise UserError(f"A view has the anchor '{twice[0]}' twice.", remedy="Rename one of them.")


def checked_views(given: Mapping[str, Sequence[View]]) -> tuple[View, ...]:
    """Return the views of all that make some, in their order; `given` says who made which.

    What is not a view is refused, and so are two that would share a name or an anchor.
    """
    checked: list[View] = []
    taken: dict[str, str] = {}
    for maker, views in given.items():
        for view in views:
            if not isinstance(view, View):
                raise UserError(f"Among the views of {maker} is {view!r:.60} ({type(view).__name__}).", valid="A View.")
            check_settings(view, f"The view '{view.name}' of {maker}")
            for word in [f"name '{view.name}'", *(f"anchor '{anchor}'" for anchor in view.anchors)]:
                if word in taken:
                    raise UserError(
                        f"Two views of this study have the {word}: one of {taken[word]} and one of {maker}.",
                        remedy="Rename one of them, or leave out one of the two.",
                    )
                taken[word] = maker
            checked.append(view)
    return tuple(checked)
