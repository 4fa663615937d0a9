"""Accuracy of recorded models by class and modifier, beside the published accuracies.

Accuracy is the mean over all comparisons of all items and trainings; an item of the class classifier–noun has four. In
the suites of [1] every modifier of a class has the same number of items, so that this equals the mean over suites. A
tie counts half in the expected accuracy; beside it stands what coins could have made of it.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from hengliang.analyses.clustered import mean_with_interval
from hengliang.core.errors import unknown_name
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.judging import CONTROL
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.signature import Signature, code_checksum, path_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.grammar.accuracy import CoinTosses, Place, coin_tosses
from hengliang.grammar.prediction import toss, verdicts
from hengliang.grammar.published import published_accuracies, published_trainings
from hengliang.grammar.recorded_surprisals import RecordedModel, recorded_study
from hengliang.grammar.suites.formulas import TIE
from hengliang.grammar.suites.published import CLASSES
from hengliang.grammar.suites.recorded import left_out, recorded_trainings
from hengliang.statistics.resampling import Intervals, Resampling, describe_interval

ANALYSIS = "recorded accuracy"
CoinFor = Literal["comparison", "item"]
"""What one coin settles: a tied comparison, or all tied comparisons of an item and training."""

CLASS_TITLES: Mapping[str, Bilingual] = {kind.title.en: kind.title for kind in CLASSES.values()}

OUTCOME_COLUMNS = ("system", "seed", "suite", "class", "modifier", "frame", "set", "part", "outcome", "margin", "value")


@dataclass(frozen=True, slots=True)
class RecordedCell:
    """The accuracy of a model on a class (and modifier); `published` is as printed, `place` where it lies."""

    system: str
    class_: str
    modifier: str
    trainings: int
    items: int
    missing: int
    tosses: CoinTosses | None
    interval: Intervals | None
    settled: float | None = None
    published: str | None = None
    place: Place | None = None

    @property
    def by(self) -> dict[str, str]:
        """The cell's place in a table."""
        return {"system": self.system, "class": self.class_} | ({"modifier": self.modifier} if self.modifier else {})

    def statement(self) -> Bilingual:
        """Say whether the published accuracy follows from the recorded surprisals."""
        return _statement(self)


@dataclass(frozen=True, slots=True)
class RecordedTable:
    """The accuracies of all recorded models of a folder, and the suites in it that were left out."""

    cells: tuple[RecordedCell, ...]
    left_out: tuple[str, ...]
    coin_for: CoinFor
    coin_seed: int | None
    resampling: Resampling
    signature: Signature

    def estimates(self) -> pl.DataFrame:
        """Return the table as estimates: for each cell the accuracy in several respects."""
        return estimates_frame(row for cell in self.cells for row in _estimates(self, cell))

    def frame(self) -> pl.DataFrame:
        """Return the table, one row per cell."""
        return pl.DataFrame([_row(cell) for cell in self.cells], infer_schema_length=None)

    def cell(self, system: str, class_: str, modifier: str = "") -> RecordedCell:
        """Return one cell."""
        for cell in self.cells:
            if (cell.system, cell.class_, cell.modifier) == (system, class_, modifier):
                return cell
        wanted = ", ".join(filter(None, (system, class_, modifier)))
        raise unknown_name("cell", wanted, [", ".join(cell.by.values()) for cell in self.cells])


def recorded_table(
    folder: Path | str,
    *,
    modifiers: bool = False,
    coin_for: CoinFor = "comparison",
    coin_seed: int | None = None,
    resampling: Resampling | None = None,
    table: TableOptions = AS_RECOGNISED,
) -> RecordedTable:
    """Return the accuracy of each recorded model in a folder by class, with `modifiers` by class and modifier.

    With a `coin_seed` ties are settled once by coins of this seed, too. Published accuracies stand beside those models
    whose files are the published ones (`wang2021-surprisals` in the catalogue), all trainings of them. `table` says how
    the files are read.
    """
    if coin_for not in get_args(CoinFor):
        raise unknown_name("use of a coin", coin_for, get_args(CoinFor))
    material, systems = recorded_study(folder, table=table)
    how = resampling or Resampling()
    outcomes = recorded_outcomes(material.folder, coin_for=coin_for, coin_seed=coin_seed, table=table)
    published = {} if modifiers else _published(systems)
    keys = ["system", "class", "modifier"] if modifiers else ["system", "class"]
    cells = []
    for names, group in outcomes.group_by(keys, maintain_order=True):
        system, class_, modifier = (*map(str, names), "")[:3]
        printed = published.get((system, class_))
        cells.append(_cell((system, class_, modifier), group, coin_for, coin_seed, printed, how))
    signature = Signature.of(
        analysis=ANALYSIS,
        code=code_checksum(recorded_table),
        hengliang=version(),
        data=path_checksum(material.folder),
        table=table.signature(),
        ties="half",
        coin_for=coin_for,
        coin_seed=coin_seed,
        cluster="frame",
        draws=how.draws,
        seed=how.seed,
        level=how.level,
        interval=how.interval,
    )
    beside = left_out(recorded_trainings(material.folder))
    return RecordedTable(tuple(cells), beside, coin_for, coin_seed, how, signature)


def recorded_outcomes(
    folder: Path | str,
    *,
    coin_for: CoinFor = "comparison",
    coin_seed: int | None = None,
    table: TableOptions = AS_RECOGNISED,
) -> pl.DataFrame:
    """Return every counted comparison of every recorded training: outcome (0.5 a tie, NaN unscored) and margin in nats.

    `value` is the outcome with ties settled by coins of `coin_seed`; without one ties stay 0.5. A set that a model has
    scored in another wording is not missing.
    """
    material, systems = recorded_study(folder, table=table)
    items = material.items()
    answers = [
        system.answer(items).with_columns(system=pl.lit(system.name), seed=pl.lit(system.seed, dtype=pl.Int64))
        for system in systems
    ]
    responses = pl.concat(answers)
    judged = verdicts(items, responses).filter(~pl.col("part").str.starts_with(CONTROL))
    who = pl.DataFrame(
        [(f"{model.name} (seed {model.seed})", model.name, model.seed) for model in systems],
        schema={"scored_system": pl.String, "system": pl.String, "seed": pl.Int64},
        orient="row",
    ).with_row_index("order")
    sets = items.select("set", "suite", "class", "modifier", "frame").unique("set", maintain_order=True)
    sets = sets.with_row_index("place")
    joined = judged.join(sets, on="set").join(who, on="scored_system")
    once = ["scored_system", "suite", "frame", "part"]
    joined = joined.sort("order", pl.col("outcome").is_nan(), "place", "part").unique(
        once, keep="first", maintain_order=True
    )
    return _tossed(joined.sort("order", "place", "part"), coin_for, coin_seed).select(OUTCOME_COLUMNS)


def _tossed(found: pl.DataFrame, coin_for: CoinFor, coin_seed: int | None) -> pl.DataFrame:
    """Settle ties by coins that fall the same way whatever other rows there are, as those of `prediction` do."""
    if coin_seed is None:
        return found.with_columns(value="outcome")
    names = ["set", "scored_system", "part"][: 3 if coin_for == "comparison" else 2]
    coins = [
        toss(coin_seed, *row) if outcome == TIE else outcome for *row, outcome in found.select(*names, "outcome").rows()
    ]
    return found.with_columns(value=pl.Series(coins, dtype=pl.Float64))


def _published(systems: Sequence[RecordedModel]) -> Mapping[tuple[str, str], str]:
    """Return the published accuracies of the models of which all trainings are here, in the published files."""
    trainings = Counter(system.name for system in systems if system.published)
    all_of_them = Counter(system.name for system in systems)
    whole = {name for name, count in published_trainings().items() if trainings[name] == all_of_them[name] == count}
    return {key: text for key, text in published_accuracies().items() if key[0] in whole}


def _cell(
    names: tuple[str, str, str],
    group: pl.DataFrame,
    coin_for: CoinFor,
    coin_seed: int | None,
    published: str | None,
    how: Resampling,
) -> RecordedCell:
    known = group.filter(pl.col("outcome").is_not_nan())
    missing = group.height - known.height
    trainings, items = group["seed"].n_unique(), known["set"].n_unique()
    if not known.height:
        return RecordedCell(*names, trainings, items, missing, None, None, None, published)
    coins = known.select("set", "seed").rows() if coin_for == "item" else None
    tosses = coin_tosses(known["outcome"].to_numpy(), coins)
    decimals = len(published.partition(".")[2]) if published else None
    return RecordedCell(
        *names,
        trainings,
        items,
        missing,
        tosses,
        mean_with_interval(known["outcome"], known["frame"], how),
        None if coin_seed is None else _mean(known["value"]),
        published,
        tosses.place(float(published), decimals) if published else None,
    )


def _mean(values: pl.Series) -> float:
    return float(values.to_numpy().mean())


# --- as estimates and in words --------------------------------------------------------------------------------------


def _estimates(table: RecordedTable, cell: RecordedCell) -> Iterator[Estimate]:
    signature = str(table.signature)
    if cell.tosses is None or cell.interval is None:
        yield Estimate(
            ANALYSIS,
            cell.by,
            "accuracy",
            None,
            n=0,
            n_missing=cell.missing,
            method="nothing scored",
            signature=signature,
        )
        return
    tosses, n = cell.tosses, cell.tosses.comparisons
    low, high = (None if bound[0] != bound[0] else float(bound[0]) for bound in (cell.interval.low, cell.interval.high))
    over = f"ties count half; trainings: {cell.trainings}, items: {cell.items}"
    coins = f"{tosses.ties} ties, {tosses.coins} fair coins, one a tied {table.coin_for}"
    first, last = tosses.central(table.resampling.level)
    rows: list[tuple[str, float, float | None, float | None, float | None, str]] = [
        ("accuracy", tosses.expected, low, high, None,
         f"{over}; {describe_interval(table.resampling, cell.interval, 'frame')}"),
        ("tie-breaking", tosses.expected, tosses.lowest, tosses.highest, None, f"all ties lost to all won; {coins}"),
        ("tie-breaking, central", tosses.expected, first, last, None,
         f"exact central {table.resampling.level:g} of all tosses; {coins}"),
        ("ties", float(tosses.ties), None, None, None, "comparisons whose sides are equal"),
    ]  # fmt: skip
    if cell.settled is not None:
        rows.append(("settled by coin", cell.settled, None, None, None, f"coins of seed {table.coin_seed}; {coins}"))
    if cell.place is not None:
        where = "inside" if cell.place.inside else "outside"
        note = "p: a value at least as far from the expected one, over all tosses" if tosses.ties else "no ties"
        rows.append(
            (
                "published",
                cell.place.value,
                None,
                None,
                cell.place.probability,
                f"Table 6; {where} tie-breaking; {note}",
            )
        )
    for statistic, value, bottom, top, p, method in rows:
        yield Estimate(
            ANALYSIS, cell.by, statistic, value, bottom, top,
            p=p, n=n, n_missing=cell.missing, method=method, signature=signature,
        )  # fmt: skip


def _row(cell: RecordedCell) -> dict[str, object]:
    tosses, place = cell.tosses, cell.place
    first, last = tosses.central() if tosses else (None, None)
    return {
        **cell.by,
        "accuracy": tosses.expected if tosses else None,
        "lowest": tosses.lowest if tosses else None,
        "highest": tosses.highest if tosses else None,
        "central_low": first,
        "central_high": last,
        "ties": tosses.ties if tosses else None,
        "comparisons": tosses.comparisons if tosses else 0,
        "missing": cell.missing,
        "items": cell.items,
        "trainings": cell.trainings,
        "settled": cell.settled,
        "published": place.value if place else None,
        "inside": place.inside if place else None,
        "possible": place.possible if place else None,
        "p": place.probability if place else None,
    }


def _statement(cell: RecordedCell) -> Bilingual:
    class_ = CLASS_TITLES[cell.class_]
    en, zh = f"{cell.system}, {class_.en}", f"{cell.system}，{class_.zh}"
    tosses, place = cell.tosses, cell.place
    if tosses is None:
        return Bilingual(f"{en}: nothing is scored.", f"{zh}：没有得分。")
    if place is None:
        return Bilingual(f"{en}: no accuracy is published for these files.", f"{zh}：这些文件没有已发表的准确率。")
    en, zh = f"{en}: published {cell.published}", f"{zh}：发表值 {cell.published}"
    if not tosses.ties and place.possible:
        return Bilingual(f"{en} follows to the printed digit; there are no ties.", f"{zh} 复算一致；没有平局。")
    if not tosses.ties:
        accuracy = f"{tosses.expected:.4f}"
        return Bilingual(
            f"{en} does not follow, recomputed {accuracy}; no ties.", f"{zh} 复算得 {accuracy}；没有平局。"
        )
    low, high = (f"{bound:.3f}" for bound in tosses.central())
    return Bilingual(
        f"{en} lies {_IN[place.inside].en} what coins can give ({tosses.lowest:.3f} to {tosses.highest:.3f}) and "
        f"{_IN[place.central].en} the central 95 % ({low} to {high}); {tosses.ties} ties, "
        f"p = {place.probability:.3f} of a value at least as far from the expected {tosses.expected:.3f}.",
        f"{zh} 在掷币可得的范围（{tosses.lowest:.3f} 至 {tosses.highest:.3f}）之{_IN[place.inside].zh}，在中央 95% "
        f"区间（{low} 至 {high}）之{_IN[place.central].zh}；平局 {tosses.ties} 个，偏离期望值 {tosses.expected:.3f} "
        f"不小于此的概率 p = {place.probability:.3f}。",
    )


_IN = {True: Bilingual("inside", "内"), False: Bilingual("outside", "外")}
