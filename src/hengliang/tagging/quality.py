"""Traditional tagging scores (precision, recall, F1 of segmentation and tags), and error counts by tagger.

Both stand beside the diagnosis on test sets and are computed on the sentences of a tagged corpus: the scores say how
often a tagger is right, the counts of mining what it gets wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import Floats, IntervalKind, Intervals, bootstrap, cluster_codes, cluster_counts
from hengliang.tagging import sentences as tagged_sentences
from hengliang.tagging.diagnosis import interval_at, signed
from hengliang.tagging.errors import LEAST, SHARE, candidates, error_instances, pair_counts
from hengliang.tagging.sentences import gold_spans

# --- precision, recall and F1 -----------------------------------------------------------------------------------------
# The scores of words, of words with their tags, and of each tag. A word is right when it starts and ends where one of
# the corpus does.


SEGMENTATION, TAGGED = "segmentation", "words with tags"
RATIOS: tuple[str, ...] = ("precision", "recall", "F1")
SUPPORT, TAG_ACCURACY = "support", "tag accuracy"

STATISTICS: Mapping[str, StatisticLabel] = {
    "precision": StatisticLabel(Bilingual("Precision", "精确率"), "percent", 2),
    "recall": StatisticLabel(Bilingual("Recall", "召回率"), "percent", 2),
    "F1": StatisticLabel(Bilingual("F1", "F1"), "percent", 2),
    TAG_ACCURACY: StatisticLabel(Bilingual("Tags of words cut right", "切分正确之词的标注正确率"), "percent", 2),
    SUPPORT: StatisticLabel(Bilingual("Words in the corpus", "语料词数"), "integer", 0),
}
LEVELS: Mapping[str, Bilingual] = {
    SEGMENTATION: Bilingual("words (segmentation)", "词（分词）"),
    TAGGED: Bilingual("words with tags", "词与词性"),
}

_WORD_SCHEMA = {"item": pl.String, "start": pl.Int64, "end": pl.Int64, "tag": pl.String}


@register("tagging quality")
class TaggingQuality(ClusteredAnalysis):
    """Precision, recall and F1 of segmentation, of words with tags and of each tag, by system.

    Sentences that a tagger failed on are left out and counted in `n_missing`; `n` are the sentences that count. A ratio
    without a denominator is not available: a tag that was never given has no precision. `tags=False` leaves the tags
    away. The answers of several seeds are pooled.
    """

    title = Bilingual("Segmentation and tagging", "分词与词性标注的总体得分")
    explanation = Bilingual(
        "Precision: how many of the tagger's words are words of the corpus. Recall: how many words of the corpus the "
        "tagger found. F1: their harmonic mean. First for words alone, then for words with their tags, then for the "
        "words of each tag. Tags are compared after they were mapped to those of the corpus.",
        "精确率：程序给出的词中与语料一致的比例。召回率：语料的词中被程序给出的比例。F1：二者的调和平均。"
        "先只看切分，再看切分与词性，最后按词性逐一给出。词性先映射到语料的标记集再比较。",
    )
    conventions: Mapping[str, str] = {
        "failed": "left out and counted",
        "zero_division": "not available",
        "word": "same start and end",
    }

    def __init__(
        self,
        tags: bool = True,
        cluster: str = "block",
        draws: int = 1000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        material: str = tagged_sentences.NAME,
        name: str = "tagging quality",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.tags = tags
        self.material = material
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each system, ratio, and segmentation, words with tags or tag."""
        tagged_items = tables.items.filter((pl.col("material") == self.material) & pl.col("gold").is_not_null())
        if not tagged_items.height:
            raise UserError(
                f"This run has no sentences of the material '{self.material}' with gold words.",
                valid=f"Materials of this run: {', '.join(tables.items['material'].unique().sort().to_list())}.",
                remedy="Add the material tagged_sentences to the study.",
            )
        own = Tables(tagged_items, tables.systems, tables.responses, tables.judgements)
        rows = outcomes.with_clusters(outcomes.due_answers(own, ("tagging",)), own, self.cluster)
        gold = gold_words(tagged_items)
        given_words = tables.responses["tagging"].filter(pl.col("status") == "ok", pl.col("content").list.len() > 0)
        estimates: list[Estimate] = []
        for by, cell in outcomes.cells(rows, ()):
            answers = given_words.filter(pl.col("system") == by["system"]).select("item", "seed", "content")
            estimates += self._system(by, cell, answers.join(cell, on=["item", "seed"], nulls_equal=True), gold)
        return signed(estimates, self.signature())

    def _system(
        self, by: Mapping[str, str], cell: pl.DataFrame, answers: pl.DataFrame, gold: pl.DataFrame
    ) -> Iterator[Estimate]:
        counts = (answers.height, cell.height - answers.height)
        if not answers.height:
            nothing = {**by, "tag": SEGMENTATION}
            for statistic in RATIOS:
                note = "no sentence was tagged"
                yield Estimate(self.name, nothing, statistic, None, n=0, n_missing=cell.height, method=note)
            return
        words = matched_words(answers, gold)
        tags = words["tag"].unique().to_list() if self.tags else []
        support = dict(words.filter("in_gold").group_by("tag").len().iter_rows())
        order = sorted(tags, key=lambda tag: (-support.get(tag, 0), tag))
        intervals = self._intervals(words, order)
        levels = [SEGMENTATION, TAGGED, *order]
        for number, level in enumerate(levels):
            size = support.get(level, 0) if number > 1 else sum(support.values())
            for column, statistic in enumerate(RATIOS, start=3 * number):
                yield self._row({**by, "tag": level}, statistic, intervals, column, counts)
            yield Estimate(
                self.name, {**by, "tag": level}, SUPPORT, float(size), n=counts[0], n_missing=counts[1],
                method="words of the corpus in the sentences that count",
            )  # fmt: skip
        yield self._row({**by, "tag": TAGGED}, TAG_ACCURACY, intervals, 3 * len(levels), counts)

    def _row(
        self,
        place: Mapping[str, str],
        statistic: str,
        intervals: Intervals,
        column: int,
        counts: tuple[int, int],
    ) -> Estimate:
        value, low, high = interval_at(intervals, column)
        # The number of draws without a value is that of the rarest tag, so it says nothing about this ratio.
        how = self._how(replace(intervals, undefined=0), bounded=low is not None)
        note = f"{_FORMULAS[statistic]}; {how}, draws without a value left out"
        note = "not available: nothing to divide by" if value is None else note
        n, missing = counts
        return Estimate(self.name, place, statistic, value, low, high, n=n, n_missing=missing, method=note)

    def _intervals(self, words: pl.DataFrame, tags: list[str]) -> Intervals:
        """Return three ratios for segmentation, words with tags and each tag, then the accuracy of tags."""
        codes, count = cluster_codes(words["cluster"])
        number = {tag: offset for offset, tag in enumerate(tags)}
        tag = words["tag"].replace_strict(number, default=-1, return_dtype=pl.Int64).to_numpy()
        cut, right, in_gold, given = (words[name].to_numpy() for name in ("cut", "right", "in_gold", "given"))
        # Four sums over all words, then found, given and gold by tag.
        sums = (cut & in_gold, right & in_gold, in_gold, given)
        parts = [(flag, np.full(len(tag), offset)) for offset, flag in enumerate(sums)]
        parts += [
            (flag & (tag >= 0), 4 + offset * len(tags) + tag)
            for offset, flag in enumerate((right & in_gold, given, in_gold))
        ]
        row = np.concatenate([codes[flag] for flag, _ in parts])
        column = np.concatenate([columns[flag] for flag, columns in parts])
        return bootstrap(cluster_counts(row, column, shape=(count, 4 + 3 * len(tags))), _ratios, self.resampling())

    def layout(self) -> Layout:
        """Return what is scored as rows and the systems as columns."""
        return Layout(
            rows=("tag", "statistic"),
            columns="system",
            statistics=STATISTICS,
            factors={"tag": Bilingual("What is scored", "评分对象"), "system": FACTOR_TITLES["system"]},
            levels=LEVELS,
            figure="none" if self.tags else "intervals",
            figure_statistics=("F1",),
        )


_FORMULAS = {
    "precision": "right words / words of the tagger",
    "recall": "right words / words of the corpus",
    "F1": "2 · right words / (words of the tagger + words of the corpus)",
    TAG_ACCURACY: "words with the right tag / words cut right",
}


def gold_words(items: pl.DataFrame) -> pl.DataFrame:
    """Return the words of the items' gold: item, start, end, tag."""
    spans = [gold_spans(gold) for gold in items["gold"].to_list()]
    flat = [span for row in spans for span in row]
    return pl.DataFrame(
        {
            "item": items["id"].gather(np.repeat(np.arange(items.height), [len(row) for row in spans])),
            "start": [start for start, _, _ in flat],
            "end": [end for _, end, _ in flat],
            "tag": [tag for _, _, tag in flat],
        },
        schema=_WORD_SCHEMA,
    )


def matched_words(answers: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    """Return the words of both sides: cluster, tag, in_gold, given, cut (the other side has the word), right (and tag).

    `answers` have item, cluster and content. A word that both have stands there twice, once for each side, with the tag
    of that side.
    """
    numbered = answers.with_row_index("answer").select("answer", "item", "cluster", "content")
    theirs = numbered.explode("content").unnest("content")
    ours = numbered.drop("content").join(gold, on="item", maintain_order="left")
    on = ["answer", "start", "end"]
    sides = []
    for side, other, in_gold in ((ours, theirs, True), (theirs, ours, False)):
        joined = side.join(other.select(*on, other="tag"), on=on, how="left", maintain_order="left")
        sides.append(
            joined.select(
                "cluster",
                "tag",
                in_gold=pl.lit(in_gold),
                given=pl.lit(not in_gold),
                cut=pl.col("other").is_not_null(),
                right=pl.col("tag").eq_missing(pl.col("other")),
            )
        )
    return pl.concat(sides)


def _ratios(totals: Floats) -> Floats:
    cut, right, gold, given = (totals[:, [column]] for column in range(4))
    found_by_tag, given_by_tag, gold_by_tag = np.split(totals[:, 4:], 3, axis=1)
    counts_found = np.hstack([cut, right, found_by_tag])
    answered = np.hstack([given, given, given_by_tag])
    wanted = np.hstack([gold, gold, gold_by_tag])
    ratios = [_ratio(counts_found, answered), _ratio(counts_found, wanted), _ratio(2 * counts_found, answered + wanted)]
    # One level after the other, with its three ratios beside each other.
    return np.hstack([np.stack(ratios, axis=2).reshape(len(totals), -1), _ratio(right, cut)])


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
    return ratio


# What users write among the analyses of a study.
tagging_quality = TaggingQuality


# --- error counts -----------------------------------------------------------------------------------------------------
# The counts of mining [1, sections 2.1.2 to 2.1.4]: instances and error pairs of each tagger, the candidates that
# enough taggers share, and of the most frequent candidates how often each tagger makes them.
#
# [1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
#     Information Processing, 34(9), 9–18.

EVERYBODY = "all taggers"
COUNT_STATISTICS: Mapping[str, StatisticLabel] = {
    "instances": StatisticLabel(Bilingual("Instances", "实例"), "integer", 0),
    "error pairs": StatisticLabel(Bilingual("Error pairs", "错误对"), "integer", 0),
    "candidates": StatisticLabel(Bilingual("Candidates", "候选项目"), "integer", 0),
    "candidates about words": StatisticLabel(Bilingual("of which about words", "其中涉及分词"), "integer", 0),
}


@register("error counts")
class ErrorCounts(Analysis):
    """Instances and error pairs of each tagger, and the candidates that more than `share` of them, and `least`, make.

    A tagger makes a pair when it has `times` instances of it. Sentences that a tagger failed on have no instances.
    """

    title = Bilingual("Errors found", "发现的错误")
    explanation = Bilingual(
        "An instance is a smallest group of words that begins and ends together in corpus and tagger and is cut or "
        "tagged otherwise. An error pair names the tags on both sides. A candidate is a pair that enough taggers make.",
        "实例指语料与标注器中起止相同、而切分或标注不同的最小词组；错误对记下两边的标记；足够多的标注器都犯的错误对为候选项目。",
    )

    def __init__(
        self, share: float = SHARE, least: int = LEAST, times: int = 1, shown: int = 40, name: str = "error counts"
    ) -> None:
        self.share = share
        self.least = least
        self.times = times
        self.shown = shown
        self.name = name
        if times > 1:
            self.title = Bilingual(f"Errors found, made {times} times or more", f"发现的错误（至少 {times} 次）")

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the counts of each tagger and of all, then those of the most frequent candidates."""
        responses = tables.responses["tagging"]
        systems = responses["system"].unique(maintain_order=True).to_list()
        instances = error_instances(tables.items, responses)
        pairs = candidates(instances, systems, self.share, self.least, self.times)
        return estimates_frame([*self._totals(systems, instances, pairs), *self._pairs(systems, instances, pairs)])

    def _totals(self, systems: list[str], instances: pl.DataFrame, found: pl.DataFrame) -> Iterator[Estimate]:
        for system in systems:
            own = instances.filter(pl.col("system") == system)
            yield self._count(system, "", "instances", own.height)
            yield self._count(system, "", "error pairs", own["pair"].n_unique())
        kept = found.filter("kept")
        yield self._count(EVERYBODY, "", "instances", instances.height)
        yield self._count(EVERYBODY, "", "error pairs", found.height)
        yield self._count(EVERYBODY, "", "candidates", kept.height)
        yield self._count(EVERYBODY, "", "candidates about words", kept.filter(pl.col("direction") != "same").height)

    def _pairs(self, systems: list[str], instances: pl.DataFrame, found: pl.DataFrame) -> Iterator[Estimate]:
        counts = {
            (pair, system): count
            for pair, system, count in pair_counts(instances).select("pair", "system", "instances").iter_rows()
        }
        for pair in found.filter("kept")["pair"].head(self.shown).to_list():
            for system in systems:
                yield self._count(system, pair, "instances", counts.get((pair, system), 0))

    def _count(self, system: str, pair: str, statistic: str, count: int) -> Estimate:
        by = {"system": system, "pair": pair or "all pairs"}
        method = f"count; a tagger makes a pair with {self.times} instances; more than {self.share:g} of the taggers"
        how = f"{method}, and at least {self.least}"
        return Estimate(self.name, by, statistic, float(count), n=count, method=how, signature=str(self.signature()))

    def layout(self) -> Layout:
        """Show pairs as rows and a tagger's counts as columns."""
        return Layout(
            rows=("pair", "system"),
            statistics=COUNT_STATISTICS,
            factors={"system": FACTOR_TITLES["system"], "pair": Bilingual("Error pair", "错误对")},
            levels={
                EVERYBODY: Bilingual(EVERYBODY, "全部标注器"),
                "all pairs": Bilingual("all pairs", "全部错误对"),
            },
            figure="none",
        )


# What users write among the analyses of a study.
error_counts = ErrorCounts
