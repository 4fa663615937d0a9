"""What does a study look like whose every name and label tries to break out of the page?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from hengliang.core import from_json, to_json
from hengliang.report.content import ReportContent

Record = TypeVar("Record")

PAYLOAD = (
    "</script></style></title><script>window.broken=1</script>\"'><img src=x onerror=window.broken=1>\u2028${1}`|&lt;"
)
# Words that the report itself gives a meaning; a study cannot choose others.
_KEPT = {"format", "figure", "columns", "pair", "form", "division"}


def hostile(content: ReportContent) -> ReportContent:
    """Return the content with the payload after every text, keys of mappings included."""
    value = content.to_json()
    made = {key: part if key == "schema_version" else _spoil(part, key) for key, part in value.items()}
    # A view escapes its texts itself; `hostile_records` are for that. Its title and its contents are the report's.
    made["views"] = [
        {
            **view,
            "title": _spoil(view["title"], "title"),
            "entries": [[anchor, _spoil(title, "title")] for anchor, title in view["entries"]],
        }
        for view in value["views"]
    ]
    return ReportContent.from_json(made)


def hostile_records(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the records with the payload after every text, keys of mappings included."""
    return tuple(from_json(type(record), _spoil(to_json(record), ""), "It") for record in records)


_NAMES = {"statistics", "factors", "levels", "by", "traits", "versions", "tallies", "given"}


def _spoil(value: Any, key: str) -> Any:
    if isinstance(value, str):
        return value if key in _KEPT or (key == "rows" and value == "statistic") else value + PAYLOAD
    if isinstance(value, list):
        return [_spoil(part, key) for part in value]
    if isinstance(value, dict):
        named = key in _NAMES
        return {name + PAYLOAD if named else name: _spoil(part, "" if named else name) for name, part in value.items()}
    return value
