"""Which columns of a file say the pair, the describer, the scene, the participant and the counts?

A file has one row a reconstruction and one column a kind (wide), or one row a count (long). Columns are known by their
names; what a name may be is data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hengliang.analyses.ratings.reading import RatingsFile
from hengliang.analysis.reconstruction.kinds import kind_place
from hengliang.core.errors import UserError
from hengliang.materials.kind_words import listed_kinds
from hengliang.materials.scene_domains import Domain

NAMES: Mapping[str, tuple[str, ...]] = {
    "pair": ("pair", "pair id", "id", "item", "配对"),
    "describer": ("describer", "model", "system", "condition", "描述者"),
    "participant": ("participant", "reader", "respondent", "subject", "参与者", "读者"),
    "scene": ("scene", "scene code", "true scene", "场景"),
    "size": ("size", "scene size", "domain size", "n", "规模"),
    "kind": ("kind", "object", "类别"),
    "count": ("count", "answer", "数量"),
    "true": ("true", "true count", "实际数量"),
    "experiment": ("experiment", "实验"),
    "status": ("status", "状态"),
    "reason": ("reason", "原因"),
    "understood": ("understood", "是否理解"),
}
"""What a column may be called, in small letters, the usual name first; `_` is a space."""

NEEDED = ("pair", "describer", "participant")
_TRUE = ("true ", "scene ", "实际")


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The names of the columns by their part; `kinds` and `true_kinds` are those of a wide file, by place."""

    parts: Mapping[str, str]
    kinds: Mapping[int, str] = field(default_factory=dict)
    true_kinds: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_long(self) -> bool:
        """Whether the file has one row a count."""
        return "kind" in self.parts and "count" in self.parts


def find_columns(file: RatingsFile, domain: Domain) -> FileColumns:
    """Return which column is which, or say which one is missing."""
    plain = {name: " ".join(name.replace("_", " ").lower().split()) for name in file.columns}
    parts: dict[str, str] = {}
    for part, known in NAMES.items():
        found = [name for one in known for name, text in plain.items() if text == one]
        if found:
            parts[part] = found[0]
    if "kind" in parts and "count" in parts:
        columns = FileColumns(parts)
    else:
        columns = FileColumns(parts, *_kind_columns(file, plain, domain))
    _check(file, columns, domain)
    return columns


def _kind_columns(file: RatingsFile, plain: Mapping[str, str], domain: Domain) -> tuple[dict[int, str], dict[int, str]]:
    kinds: dict[int, str] = {}
    true_kinds: dict[int, str] = {}
    for name, text in plain.items():
        place = kind_place(text, domain)
        if place is not None:
            _name_once(file, kinds, place, name, f"the counts of {domain.codes[place]}")
        for mark in _TRUE:
            if text.startswith(mark) and (place := kind_place(text.removeprefix(mark), domain)) is not None:
                _name_once(file, true_kinds, place, name, f"the true counts of {domain.codes[place]}")
    return kinds, true_kinds


def _name_once(file: RatingsFile, found: dict[int, str], place: int, name: str, what: str) -> None:
    before = found.setdefault(place, name)
    if before != name:
        raise UserError(
            f"{file.path} has two columns for {what}: '{before}' and '{name}'.",
            valid="One column a kind.",
            remedy=f"Remove one of them, or give it a name that means no kind, such as 'old {name}'.",
        )


def _check(file: RatingsFile, columns: FileColumns, domain: Domain) -> None:
    here = f"Columns of {file.path.name}: {', '.join(file.columns)}."
    for part in NEEDED:
        if part not in columns.parts:
            raise UserError(
                f"{file.path} has no column for the {part}.",
                valid=f"It may be called {', '.join(NAMES[part])}. {here}",
            )
    if not columns.is_long:
        missing = [code for place, code in enumerate(domain.codes) if place not in columns.kinds]
        if missing:
            raise UserError(
                f"{file.path} has no column for the counts of {', '.join(missing)}.",
                valid=f"One column for each of {listed_kinds(domain)}; or one row a count, with the columns kind and "
                f"count. {here}",
            )
    wide_truth = len(columns.true_kinds) == len(domain.codes)
    if "scene" not in columns.parts and not wide_truth and not (columns.is_long and "true" in columns.parts):
        raise UserError(
            f"{file.path} does not say what the scenes were.",
            valid=f"A column scene with codes such as {domain.codes[0]}=2 {domain.codes[-1]}=2, or the true counts: "
            f"{'a column true' if columns.is_long else ', '.join(f'true {code}' for code in domain.codes)}. {here}",
        )
