"""How are the accuracies of recorded models shown beside the published ones?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hengliang.analysis.recorded_accuracy import CLASS_TITLES, RecordedCell, RecordedTable
from hengliang.core.terms import Bilingual, Language
from hengliang.materials.suites.class_layouts import CLASSES
from hengliang.report.formats import Style
from hengliang.report.tables import Column, Table, text_table

ACCURACY = Bilingual("Accuracy of the recorded models", "已记录模型的准确率")
PUBLISHED = Bilingual("published", "发表值")

_NUMBER = Style("number", 3)
_COUNT = Style("integer", 0)
_MODIFIER_TITLES = {title.en: title for kind in CLASSES.values() for title in kind.modifiers.values()}
_CLASS = Column("class", Bilingual("Class", "类别"), header=True, labels={**CLASS_TITLES, PUBLISHED.en: PUBLISHED})
_MODIFIER = Column("modifier", Bilingual("Modifier", "修饰语"), header=True, labels=_MODIFIER_TITLES)


def accuracy_table(table: RecordedTable) -> Table:
    """Return a row a class and a column a model; below a class stands what was published."""
    systems = list(dict.fromkeys(cell.system for cell in table.cells))
    cells = {(cell.class_, cell.modifier, cell.system): cell for cell in table.cells}
    rows = list(dict.fromkeys((cell.class_, cell.modifier) for cell in table.cells))
    places = [(row, printed) for row in rows for printed in (False, True)]
    places = [place for place in places if not place[1] or any(_value(cells, place, name) for name in systems)]
    names = [PUBLISHED.en if printed else class_ for (class_, _), printed in places]
    columns: list[tuple[Column, Sequence[object]]] = [(_CLASS, names)]
    if any(modifier for _, modifier in rows):
        columns.append((_MODIFIER, [modifier for (_, modifier), _ in places]))
    for name in systems:
        column = Column(name, Bilingual(name, name), _NUMBER)
        columns.append((column, [_value(cells, place, name) for place in places]))
    return replace(text_table(columns), title=ACCURACY)


def _value(
    cells: Mapping[tuple[str, str, str], RecordedCell], place: tuple[tuple[str, str], bool], system: str
) -> float | None:
    row, printed = place
    cell = cells.get((*row, system))
    if cell is None or cell.tosses is None:
        return None
    if printed:
        return cell.place.value if cell.place else None
    return cell.tosses.expected


def tie_tables(table: RecordedTable) -> list[Table]:
    """Return a table for each model that has ties: what its accuracy is over all tosses."""
    tied = [cell for cell in table.cells if cell.tosses is not None and cell.tosses.ties]
    systems = dict.fromkeys(cell.system for cell in tied)
    return [_tie_table(table, name, [cell for cell in tied if cell.system == name]) for name in systems]


def _tie_table(table: RecordedTable, system: str, cells: Sequence[RecordedCell]) -> Table:
    tosses = [cell.tosses for cell in cells if cell.tosses is not None]
    central = [one.central(table.resampling.level) for one in tosses]
    percent = f"{100 * table.resampling.level:g}%"
    columns: list[tuple[Column, Sequence[object]]] = [(_CLASS, [cell.class_ for cell in cells])]
    if any(cell.modifier for cell in cells):
        columns.append((_MODIFIER, [cell.modifier for cell in cells]))
    columns += [
        (Column("ties", Bilingual("Ties", "平局"), _COUNT), [one.ties for one in tosses]),
        (Column("range", Bilingual("Range", "范围")), [f"{one.lowest:.3f}–{one.highest:.3f}" for one in tosses]),
        (Column("central", Bilingual(percent, percent)), [f"{low:.3f}–{high:.3f}" for low, high in central]),
    ]
    if table.coin_seed is not None:
        title = Bilingual(f"Coin {table.coin_seed}", f"掷币 {table.coin_seed}")
        columns.append((Column("settled", title, _NUMBER), [cell.settled for cell in cells]))
    places = [cell.place for cell in cells]
    if any(places):
        values = [place.value if place else None for place in places]
        chances = [place.probability if place else None for place in places]
        columns.append((Column("published", PUBLISHED, _NUMBER), values))
        columns.append((Column("p", Bilingual("p", "p"), _NUMBER), chances))
    title = Bilingual(f"What coins can make of the ties: {system}", f"掷币处理平局的可能结果：{system}")
    return replace(text_table(columns), title=title)


def statements(table: RecordedTable) -> list[Bilingual]:
    """Say which published accuracies follow, where those with ties lie, and what was left out."""
    held = [cell for cell in table.cells if cell.place is not None and cell.tosses is not None]
    plain = [cell for cell in held if cell.tosses is not None and not cell.tosses.ties]
    follow = sum(cell.place is not None and cell.place.possible for cell in plain)
    said = []
    if plain:
        said.append(
            Bilingual(
                f"Without ties, {follow} of {len(plain)} published accuracies follow to the printed digit.",
                f"没有平局的 {len(plain)} 个发表值中，{follow} 个复算一致。",
            )
        )
    open_cells = [cell for cell in held if cell not in plain or not (cell.place and cell.place.possible)]
    said += [cell.statement() for cell in open_cells]
    missing = sum(cell.missing for cell in table.cells)
    if missing:
        said.append(Bilingual(f"{missing} comparisons are not recorded.", f"{missing} 个比较没有记录。"))
    if table.left_out:
        names = ", ".join(table.left_out)
        said.append(Bilingual(f"Left out, not among the 24 suites: {names}.", f"未计入（不属于 24 个套件）：{names}。"))
    return said


def tables_of(table: RecordedTable, language: Language = "en") -> list[Table]:
    """Return the tables that a terminal shows."""
    return [one.in_language(language) for one in (accuracy_table(table), *tie_tables(table))]
