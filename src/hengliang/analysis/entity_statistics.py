"""How long are the sentences of each dataset, how many entities and unknown words have they, and of which types?

Table 4 and Figure 1 of the paper [1]. Counters are systems whose answers are counts: one that counts entities by type
(`PERSON` 2, `DATE` 1), one that counts words and unknown words. A kind that an answer does not name was not there; an
answer that was not given is missing, and is never taken for none. The numbers describe these very sentences, so they
have no intervals. A distribution of types says nothing about the effect of a type.

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36, Table 4 and Figure 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.subsets import Where, as_names, restricted
from hengliang.analysis.perturbed_sentences import FACTORS, LEVELS, PERTURBATION
from hengliang.analysis.published_correlation import DATASET, same_dataset
from hengliang.analysis.rating_correlation import RATING_FACTORS, in_words
from hengliang.analysis.replication.published import paper_003
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.recognisers import ENTITY_TYPES
from hengliang.core.labelling.texts import WORD
from hengliang.core.records import Estimate, attribute_names, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import check_choice

WORDS, UNKNOWN = "words", "unknown"
"""What a counter of words counts; every other kind is a type of entity."""

SENTENCES, ENTITIES, SHARE, TYPE = "sentences", "entities", "share", "type"
COUNTER, WHOSE = "counter", "whose"
OURS, PAPER = "ours", "paper"

Show = Literal["averages", "types"]
"""Averages a sentence (Table 4), or the share of each type among all entities (Figure 1)."""

TITLES: Mapping[Show, Bilingual] = {
    "averages": Bilingual("Sentences, words, entities and unknown words", "句数、词数、实体数与未登录词数"),
    "types": Bilingual("Types of entities", "实体类型分布"),
}
EXPLANATIONS: Mapping[Show, Bilingual] = {
    "averages": Bilingual(
        "Averages a sentence. Words are those as written, punctuation among them; entities and unknown words are what "
        "the counters found. Sentences that a counter could not read are left out of its average and counted.",
        "均为每句平均数。词数按原文计，含标点；实体与未登录词由相应的计数系统给出。"
        "计数系统未能处理的句子不计入平均，但予以计数。",
    ),
    "types": Bilingual(
        "As in Figure 1 of Daultani and Okazaki (2022): the share of each type among all entities of the dataset. This "
        "is a distribution, not an effect: it does not say that a type helps or hurts. On a logarithmic axis, as in "
        "the paper, a type that does not occur could not be drawn; here shares are drawn as they are.",
        "形式同 Daultani 与 Okazaki（2022）图 1：各类型占该数据集全部实体的比例。"
        "这是分布而非效应，不能说明某一类型有利或有害。若如论文采用对数坐标，未出现的类型将无法绘出；此处按原比例绘制。",
    ),
}

BESIDE = Bilingual(
    "Beside ours stands Table 4 of Daultani and Okazaki (2022). Its unknown words are those of models that learned "
    "from a far larger text, its words may be cut in another way, its entities found with another version of a "
    "recogniser or another one.",
    "并列有 Daultani 与 Okazaki（2022）表 4 的数值。其未登录词依据在大得多的文本上训练的模型，"
    "分词方式与实体识别工具（或其版本）也可能不同。",
)


def entity_counters(tables: Tables) -> list[str]:
    """Return the systems that count entities: those that named a kind other than words and unknown words, in order."""
    frame = tables.responses.get("counts")
    if frame is None or not frame.height:
        return []
    kinds = pl.col("content").list.eval(pl.element().struct.field("kind"))
    of_words = kinds.list.set_intersection(pl.lit([WORDS, UNKNOWN])).list.len() > 0
    counters = set(frame.filter(pl.col("status") == "ok").group_by("system").agg(of_words.any().alias("words"))
                   .filter(~pl.col("words"))["system"])  # fmt: skip
    stated = [name for name in tables.systems["name"].unique(maintain_order=True) if name in counters]
    return list(dict.fromkeys([*stated, *sorted(counters)]))


def chosen_counter(tables: Tables, counter: str = "") -> str:
    """Return the counter of entities of this name, or the only one there is."""
    known = entity_counters(tables)
    if counter and counter not in known:
        raise unknown_name("counter of entities", counter, known)
    if not known:
        raise UserError(
            "No system counts entities.",
            valid="Systems whose answers are counts by type.",
            remedy="Put a counter of entities among the systems of the study.",
        )
    if not counter and len(known) > 1:
        raise UserError(
            f"{len(known)} systems count entities.",
            valid=f"Counters: {', '.join(known)}.",
            remedy=f"Name one: counter='{known[0]}'",
        )
    return counter or known[0]


def counted(tables: Tables, kinds: Sequence[str] | None = None) -> pl.DataFrame:
    """Return `system item count` of all counters: how many of these kinds, or of all kinds of entities.

    A row a counter and item of every material it looked at; the count is null where the answer is missing.
    """
    frame = tables.responses.get("counts")
    if frame is None or not frame.height:
        return pl.DataFrame(schema={"system": pl.String, "item": pl.String, "count": pl.Int64})
    kind = pl.element().struct.field("kind")
    wanted = ~kind.is_in([WORDS, UNKNOWN]) if kinds is None else kind.is_in(list(kinds))
    total = pl.col("content").list.eval(pl.element().filter(wanted).struct.field("count")).list.sum()
    good = (pl.col("status") == "ok") & pl.col("content").is_not_null()
    given = frame.select("system", "item", count=pl.when(good).then(total))
    # A counter is no model: its seeds, if it has any, must agree, and the first answer that is there stands.
    given = given.sort("system", "item", "count", nulls_last=True).unique(["system", "item"], keep="first")
    due = outcomes.due_answers(tables, ("counts",)).select("system", "item").unique()
    return due.join(given, on=["system", "item"], how="left").sort("system", "item")


@register("entity statistics")
class EntityStatistics(Analysis):
    """Sentences, words, entities and unknown words of each dataset, or how its entities divide into types.

    `counter` names the system that counts entities; left out, the only one is taken, and averages are given for all.
    `published` puts what the paper prints beside the averages of its datasets.
    """

    def __init__(
        self,
        show: Show = "averages",
        by: str | Sequence[str] = ("dataset",),
        counter: str = "",
        where: Where | None = None,
        published: bool = False,
        name: str = "",
    ) -> None:
        self.show: Show = show
        self.by = as_names(by)
        self.counter = counter
        self.where = dict(where or {})
        self.published = published
        self.name = name or f"entity {show}"

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """What is shown."""
        return TITLES.get(self.show, TITLES["averages"])

    @property
    def explanation(self) -> Bilingual:  # type: ignore[override]
        """How to read it."""
        own = EXPLANATIONS.get(self.show, EXPLANATIONS["averages"])
        return Bilingual(f"{own.en} {BESIDE.en}", f"{own.zh}{BESIDE.zh}") if self._beside else own

    @property
    def _beside(self) -> bool:
        return self.published and self.show == "averages" and self.by == (DATASET,)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the averages, or the shares of types, for each combination of levels."""
        check_choice("show", self.show, get_args(Show))
        tables = restricted(tables, "", self.where)
        if self.show == "types":
            return estimates_frame(self._types(tables, chosen_counter(tables, self.counter)))
        if self.counter:
            chosen_counter(tables, self.counter)
        ours = list(self._averages(tables))
        if not self._beside:
            return estimates_frame(ours)
        marked = [replace(row, by={**row.by, WHOSE: OURS}) for row in ours]
        datasets = list(dict.fromkeys(row.by[DATASET] for row in ours))
        return estimates_frame([*marked, *(row for dataset in datasets for row in self._printed(dataset))])

    def _printed(self, dataset: str) -> Iterator[Estimate]:
        """Give what the paper prints of a dataset; nothing of one that it does not have."""
        table = paper_003().tables["4"]
        known = next((name for name in table["rows"] if same_dataset(dataset, name)), None)
        if known is not None:
            for statistic, text in zip(table["columns"], table["rows"][known], strict=True):
                method = f"as printed in Table 4 of Daultani and Okazaki (2022), {known}"
                place, signature = {DATASET: dataset, WHOSE: PAPER}, str(self.signature())
                yield Estimate(self.name, place, statistic, float(text), method=method, signature=signature)

    def _items(self, tables: Tables, frame: pl.DataFrame) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
        """Give the rows of each combination of levels, levels in the order in which items have them."""
        known = ["material", "condition", *attribute_names(tables.items)]
        for name in self.by:
            if name not in known:
                raise unknown_name("attribute of items", name, known)
        held = tables.items.select(pl.col("id").alias("item"), *self.by).join(frame, on="item")
        for name in self.by:
            levels = tables.items[name].drop_nulls().unique(maintain_order=True)
            place = pl.col(name).replace_strict(levels, range(len(levels)), default=len(levels), return_dtype=pl.Int64)
            held = held.with_columns(place.alias(f"place of {name}"))
        held = held.sort(*(f"place of {name}" for name in self.by), "item")
        if not self.by:
            yield {}, held
            return
        for key, cell in held.group_by(self.by, maintain_order=True):
            yield {name: outcomes.level_name(level) for name, level in zip(self.by, key, strict=True)}, cell

    def _averages(self, tables: Tables) -> Iterator[Estimate]:
        words = pl.col("spans").list.eval(pl.element().struct.field("name") == WORD).list.sum()
        sentences = tables.items.sort("id").select(item="id", count=pl.when(words > 0).then(words))
        for by, cell in self._items(tables, sentences):
            yield self._estimate(by, SENTENCES, float(cell.height), (cell.height, 0), "number of sentences")
            if cell["count"].count():
                yield self._mean(by, WORDS, cell, "words as written")
        entities = entity_counters(tables)
        shown = [name for name in entities if not self.counter or name == self.counter]
        found = counted(tables).filter(pl.col("system").is_in(shown))
        yield from self._counted(tables, found, ENTITIES, "entities")
        others = counted(tables, [UNKNOWN]).filter(~pl.col("system").is_in(entities))
        yield from self._counted(tables, others, UNKNOWN, "unknown words")

    def _counted(self, tables: Tables, frame: pl.DataFrame, statistic: str, what: str) -> Iterator[Estimate]:
        systems = frame["system"].unique().sort().to_list()
        for system in systems:
            for by, cell in self._items(tables, frame.filter(pl.col("system") == system).select("item", "count")):
                place = {**by, COUNTER: system} if len(systems) > 1 else by
                yield self._mean(place, statistic, cell, f"{what} found by {system}")

    def _mean(self, by: Mapping[str, str], statistic: str, cell: pl.DataFrame, what: str) -> Estimate:
        held = cell["count"].drop_nulls()
        value = None if held.is_empty() else float(held.sum()) / len(held)
        counts = (len(held), cell.height - len(held))
        return self._estimate(by, statistic, value, counts, f"average a sentence, {what}")

    def _types(self, tables: Tables, counter: str) -> Iterator[Estimate]:
        frame = tables.responses["counts"].filter((pl.col("system") == counter) & (pl.col("status") == "ok"))
        flat = frame.sort("item", "seed").unique("item", keep="first").select("item", "content").explode("content")
        flat = flat.drop_nulls("content").unnest("content")
        totals = dict(flat.group_by("kind").agg(pl.col("count").sum()).iter_rows())
        order = [*(kind for kind in ENTITY_TYPES if kind in totals), *sorted(set(totals) - set(ENTITY_TYPES))]
        order.sort(key=lambda kind: -totals[kind])
        asked = counted(tables).filter(pl.col("system") == counter).select("item", "count")
        for by, cell in self._items(tables, asked):
            own = flat.join(cell.select("item"), on="item", how="semi")
            held = dict(own.group_by("kind").agg(pl.col("count").sum()).iter_rows())
            total, missing = sum(held.values()), cell["count"].null_count()
            for kind in order:
                share = held.get(kind, 0) / total if total else None
                method = (
                    f"share of {total} entities found by {counter}" if total else "no number: there are no entities"
                )
                yield self._estimate({**by, TYPE: kind}, SHARE, share, (total, missing), method)

    def _estimate(
        self, by: Mapping[str, str], statistic: str, value: float | None, counts: tuple[int, int], method: str
    ) -> Estimate:
        n, missing = counts
        signature = str(self.signature())
        return Estimate(self.name, by, statistic, value, n=n, n_missing=missing, method=method, signature=signature)

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say of each dataset which type is the most frequent."""
        groups: dict[tuple[str, ...], list[Estimate]] = {}
        for row in estimate_records(estimates):
            if row.statistic == SHARE and row.value is not None:
                groups.setdefault(tuple(row.by[name] for name in self.by), []).append(row)
        return [_most_frequent(rows) for rows in groups.values()]

    def layout(self) -> Layout:
        """Return datasets as rows and averages as columns, or types as rows and datasets as columns."""
        types = self.show == "types"
        names = (*self.by[1:], TYPE) if types else (*self.by, *([WHOSE] if self._beside else []), COUNTER)
        numbers = {
            SENTENCES: StatisticLabel(Bilingual("Sentences", "句数"), "integer", 0),
            WORDS: StatisticLabel(Bilingual("Words", "词数"), "number", 2),
            ENTITIES: StatisticLabel(Bilingual("Entities", "实体数"), "number", 2),
            UNKNOWN: StatisticLabel(Bilingual("Unknown words", "未登录词数"), "number", 2),
            SHARE: StatisticLabel(Bilingual("Share", "比例"), "percent", 1),
        }
        factors = {
            **RATING_FACTORS,
            **FACTORS,
            TYPE: Bilingual("Type", "类型"),
            COUNTER: Bilingual("Counter", "计数系统"),
            WHOSE: Bilingual("Whose", "出处"),
        }
        originals = {"": Bilingual("original", "原句")} if PERTURBATION in self.by else {}
        kinds = {kind: Bilingual(kind, f"{kind}（{title.zh}）") for kind, title in ENTITY_TYPES.items()}
        return Layout(
            rows=names,
            columns=self.by[0] if types and self.by else "statistic",
            statistics={name: label for name, label in numbers.items() if (name == SHARE) == types},
            factors={name: factors[name] for name in (*self.by, *names) if name in factors},
            levels={
                **LEVELS,
                OURS: Bilingual("ours", "本次"),
                PAPER: Bilingual("paper", "论文"),
                **originals,
                **(kinds if types else {}),
            },
            figure="bars" if types else "none",
        )


def _most_frequent(rows: Sequence[Estimate]) -> Bilingual:
    best = max(rows, key=lambda row: row.value or 0.0)
    absent = sum(row.value == 0 for row in rows)
    share = f"{100 * (best.value or 0):.1f} %"
    english = f", and {absent} of {len(rows)} types do not occur" if absent else ""
    chinese = f"，{len(rows)} 种类型中有 {absent} 种未出现" if absent else ""
    kind = best.by[TYPE]
    where = in_words({name: level for name, level in best.by.items() if name != TYPE})
    return Bilingual(
        f"{where.en}: of {best.n} entities {share} are {kind}{english}.",
        f"{where.zh}：{best.n} 个实体中 {share} 为 {kind}{chinese}。",
    )


# What users write among the analyses of a study.
entity_statistics = EntityStatistics
