"""Roles of columns: which column names the items and which the raters, stated or recognised.

Ratings of one item resemble each other, and so do those of one rater: whoever does not know the two columns takes many
ratings of one sentence for many observations. The columns are stated (`--item`, `--rater`), or they are recognised by
their names, or they follow from what pairs ratings; the result says which of these it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from hengliang.core.io.column_names import RATER_NAMES, is_called, surest
from hengliang.core.terms import Bilingual

ITEM_NAMES = (
    *("item", "sentence", "sent", "stimulus", "stim", "utterance", "passage", "text"),
    *("句子", "例句", "语句", "句", "句号", "题目", "题", "题号", "题项", "项目", "条目", "刺激", "刺激材料", "材料"),
    *("语料", "文本", "样本", "试题", "短文", "段落"),
)
"""What the column of items is often called, the surest name first."""

_FEW, _LONGEST_SCALE = 4, 11

ITEM, RATER = Bilingual("item", "条目"), Bilingual("rater", "评分者")
"""What the two roles are called."""

How = Literal["stated", "name", "rest", "place"]
HOW: Mapping[How, Bilingual] = {
    "stated": Bilingual("stated", "已指定"),
    "name": Bilingual("recognised by name", "据列名识别"),
    "rest": Bilingual("guessed, as the rest of --pair", "推断：--pair 中其余的列"),
    "place": Bilingual("guessed from the order of --pair", "据 --pair 中的先后推断"),
}
"""How a role is known."""


@dataclass(frozen=True, slots=True)
class Role:
    """The columns that together say which item, or which rater, a rating belongs to, and how that is known."""

    columns: tuple[str, ...]
    how: How

    @property
    def name(self) -> str:
        """The name of the column, or of the combination of several."""
        return " × ".join(self.columns)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A column that is called like an item or a rater, and is rather a property of what `within` names."""

    what: Bilingual
    name: str
    count: int
    within: str
    option: str

    def note(self) -> Bilingual:
        """Say why the column is not taken for what it is called, and how that is stated."""
        return Bilingual(
            f"'{self.name}' is called like {'an' if self.what == ITEM else 'a'} {self.what.en} but has {self.count} "
            f"values only, the same in all rows of one '{self.within}', and is not taken for one; {self.option} "
            f"{self.name} states that it is.",
            f"“{self.name}”的列名像{self.what.zh}，但只有 {self.count} 个取值，且在同一“{self.within}”的各行中相同，"
            f"故不作为{self.what.zh}；如确实是，请用 {self.option} {self.name} 指定。",
        )


@dataclass(frozen=True, slots=True)
class Roles:
    """Who is who; nothing where it is not known. `doubtful` are columns that only their names speak for."""

    item: Role | None = None
    rater: Role | None = None
    doubtful: tuple[Doubt, ...] = ()

    def note(self) -> Bilingual:
        """Say which column has which role, how that is known, how it is stated, and which has none despite its name."""
        notes = [self._known(), *(doubt.note() for doubt in self.doubtful)]
        return Bilingual(" ".join(note.en for note in notes), "".join(note.zh for note in notes))

    def _known(self) -> Bilingual:
        if self.item is not None and self.rater is not None and self.item.how == self.rater.how:
            how = HOW[self.item.how]
            stating = (
                Bilingual("", "")
                if self.item.how == "stated"
                else Bilingual(" (--item, --rater)", "（--item、--rater）")
            )
            return Bilingual(
                f"Roles: item is '{self.item.name}' and rater '{self.rater.name}', {how.en}{stating.en}.",
                f"角色：条目为“{self.item.name}”，评分者为“{self.rater.name}”，{how.zh}{stating.zh}。",
            )
        sentences = [
            _told(ITEM, self.item, "--item"),
            _told(RATER, self.rater, "--rater"),
        ]
        return Bilingual(
            f"Roles: {'; '.join(each.en for each in sentences)}.", f"角色：{'；'.join(each.zh for each in sentences)}。"
        )


def _told(what: Bilingual, role: Role | None, option: str) -> Bilingual:
    if role is None:
        return Bilingual(
            f"the {what.en} is not known ({option} names its column), and ratings of one {what.en} count as "
            "independent",
            f"{what.zh}未知（可用 {option} 指明该列），同一{what.zh}的评分按相互独立处理",
        )
    how = HOW[role.how]
    stating = Bilingual(f"; {option} states it", f"；可用 {option} 指定")
    stating = stating if role.how != "stated" else Bilingual("", "")
    return Bilingual(
        f"{what.en} is '{role.name}' ({how.en}{stating.en})", f"{what.zh}为“{role.name}”（{how.zh}{stating.zh}）"
    )


def named_roles(pair: Sequence[str], item: str | None, rater: str | None, order: Sequence[str]) -> Roles:
    """Return the roles of columns that pair ratings: stated, by their names, or by what is left.

    Whatever is not the rater is the item, all such columns together, unless one of them is called so: two rounds of
    one sentence are one sentence. `order` is that of the columns in the file; it names a combination, so that the order
    in which they pair does not matter.
    """
    left = [name for name in pair if name not in (item, rater)]
    rater_role = Role((rater,), "stated") if rater else None
    if rater_role is None:
        rater_role = _rater_among(left, order, has_item=item is not None)
    if item is not None:
        return Roles(Role((item,), "stated"), rater_role)
    rest = [name for name in left if rater_role is None or name not in rater_role.columns]
    if not rest:
        return Roles(None, rater_role)
    called = [name for name in rest if is_called(name, ITEM_NAMES)]
    if len(called) == 1:
        return Roles(Role((called[0],), "name"), rater_role)
    rest.sort(key=list(order).index)
    how: How = "place" if rater_role is None or rater_role.how == "place" else "rest"
    return Roles(Role(tuple(rest), how), rater_role)


def _rater_among(names: Sequence[str], order: Sequence[str], *, has_item: bool) -> Role | None:
    """Return the rater among columns that pair ratings; one column that is not called so is an item."""
    called = [name for name in names if any(word in name.lower() for word in RATER_NAMES)]
    if called:
        whole = [name for name in called if is_called(name, RATER_NAMES)]
        return Role((min(whole or called, key=list(order).index),), "name")
    others = [name for name in names if not is_called(name, ITEM_NAMES)]
    if len(others) == 1 and (has_item or len(names) > 1):
        return Role((others[0],), "rest")
    return Role((names[-1],), "place") if len(names) > 1 else None


def recognised_roles(
    frame: pl.DataFrame, item: str | None, rater: str | None, taken: Sequence[str], paired: Roles | None = None
) -> Roles:
    """Return the roles of a file: those stated, those of columns that pair ratings, and those that names give away.

    A column is recognised where it is called so, every row has a value, and values repeat: without repetition there is
    nothing to take into account. A few values that are the same in all rows of an item are rather a property of items
    (`subject`: animate or inanimate) than raters, and the other way round: these are left to be stated.
    """
    known = paired or Roles()
    free = frame.select(pl.exclude(*(name for name in (*taken, item, rater) if name in frame.columns)))
    items, raters = _called(free, ITEM_NAMES), _called(free, RATER_NAMES)
    held_item = known.item or (Role((item,), "stated") if item else None)
    held_rater = known.rater or (Role((rater,), "stated") if rater else None)
    likely = held_item or (Role((items[0],), "name") if items else None)
    doubtful: list[Doubt] = []
    if held_rater is None:
        held_rater, doubts = _first_sure(frame, raters, likely, RATER, "--rater")
        doubtful += doubts
    if held_item is None:
        held_item, doubts = _first_sure(frame, items, held_rater, ITEM, "--item")
        doubtful += doubts
    return Roles(held_item, held_rater, tuple(doubtful))


def _called(frame: pl.DataFrame, known: Sequence[str]) -> list[str]:
    """Return the columns that are called so and whose values repeat, the surest name first."""
    fit = [name for name in frame.columns if is_called(name, known) and _repeats(frame[name])]
    return sorted(fit, key=lambda name: (surest(name, known), name))


def _first_sure(
    frame: pl.DataFrame, names: Sequence[str], other: Role | None, what: Bilingual, option: str
) -> tuple[Role | None, list[Doubt]]:
    """Return the first column that is not a property of the other role's, and those that were passed over."""
    doubts: list[Doubt] = []
    for name in names:
        count = frame[name].n_unique()
        within = frame.group_by(other.columns).agg(pl.col(name).n_unique()) if other and count <= _FEW else None
        if other is None or within is None or (within[name] > 1).any():
            return Role((name,), "name"), doubts
        doubts.append(Doubt(what, name, count, other.name, option))
    return None, doubts


def _repeats(cells: pl.Series) -> bool:
    text = cells.cast(pl.String).str.strip_chars()
    return not (text.is_in(["", "NA"]) | text.is_null()).any() and 1 < text.n_unique() < len(text)


def repeated_columns(frame: pl.DataFrame, taken: Sequence[str]) -> list[str]:
    """Return columns whose values repeat as ids of items or raters would.

    Numbers with decimals are measurements, and a few whole numbers are a scale.
    """
    repeated = []
    for name in frame.columns:
        if name in taken:
            continue
        text = frame[name].cast(pl.String).str.strip_chars().fill_null("")
        kinds = text.filter(text != "").n_unique()
        decimals = text.str.contains(r"^-?\d+[.,]\d+$").any()
        whole = text.filter(text != "").str.contains(r"^-?\d+$").all()
        least = _LONGEST_SCALE if whole else _FEW
        if not decimals and least < kinds <= len(text) / 2:
            repeated.append(name)
    return repeated
