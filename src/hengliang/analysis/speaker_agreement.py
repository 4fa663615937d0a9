"""Do speakers choose the same classifier as each other, and as the corpus?

The limit of what a chooser can reach is what people agree on. Speakers are the systems with the trait `speaker`
(`hengliang.systems.classifier_choosers.human.speakers` makes one of each), those that are named, and persons among the
respondents. All numbers come from the counts of answers of each item:

accuracy              answers equal to the corpus's classifier, of all answers to items with a gold answer
plurality accuracy    the same of the answer that most speakers gave; k equally frequent ones count 1/k
leave-one-out         answers equal to the plurality of the other speakers; ties count 1/k again
pair agreement        pairs of speakers with the same answer, of all pairs of an item; the mean over items [1]
Krippendorff's α      nominal, from coincidences within items with two answers or more [2]
modal share           share of the most frequent answer of an item; the mean over items
entropy               of the answers of an item, in bits, as observed; the mean over items

Modal share and entropy depend on how many speakers answered: with few of them the share is too high and the entropy too
low, so compare items with equally many. Intervals resample items, or clusters of them; the speakers stay the same.

Speakers chose the corpus's classifier in 70.97 % of random sentences of the CCD and in 41.82 % of those with infrequent
classifiers [3].

[1] Fleiss, J. (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76.
[2] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.
[3] Chen, G. (2022). Computational generation of Chinese noun phrases. PhD thesis, Utrecht University. As reported by de
    Bruijn (2023), section 3.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import ClusteredAnalysis
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import Floats, IntervalKind, Intervals, bootstrap, cluster_codes
from hengliang.statistics.results import check_choice

Show = Literal["overall", "speakers", "items"]
SHOWN: tuple[Show, ...] = get_args(Show)

PUBLISHED: Mapping[str, float] = {"random sentences": 0.7097, "infrequent classifiers": 0.4182}
"""The accuracy of speakers against the corpus in [3]."""

OVERALL = (
    "accuracy", "plurality accuracy", "leave-one-out accuracy", "pair agreement", "krippendorff alpha nominal",
    "modal share", "entropy",
)  # fmt: skip
BY_SPEAKER = ("accuracy", "leave-one-out accuracy")
BY_ITEM = ("modal share", "pair agreement", "entropy")

_LABELS: Mapping[str, StatisticLabel] = {
    "accuracy": StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1),
    "plurality accuracy": StatisticLabel(Bilingual("Accuracy of the plurality", "多数答案的准确率"), "percent", 1),
    "leave-one-out accuracy": StatisticLabel(Bilingual("As most others", "与其他多数一致"), "percent", 1),
    "pair agreement": StatisticLabel(Bilingual("Pairs that agree", "两两一致率"), "percent", 1),
    "krippendorff alpha nominal": StatisticLabel(Bilingual("Krippendorff's α", "Krippendorff α"), "number", 3),
    "modal share": StatisticLabel(Bilingual("Share of the most frequent answer", "最常见答案的比例"), "percent", 1),
    "entropy": StatisticLabel(Bilingual("Entropy (bits)", "熵（比特）"), "number", 2),
}
_TITLES: Mapping[str, Bilingual] = {
    "overall": Bilingual("Do speakers agree?", "母语者是否一致？"),
    "speakers": Bilingual("Speaker by speaker", "逐个母语者"),
    "items": Bilingual("Items on which speakers part most", "母语者分歧最大的条目"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Who answered what: `codes` has a row a speaker and a column an item, −1 is no answer; `gold` the corpus's."""

    codes: NDArray[np.int64]
    gold: NDArray[np.int64]
    items: tuple[str, ...]
    speakers: tuple[str, ...]
    labels: tuple[str, ...]

    def counts(self) -> Floats:
        """Return how often each label was given to each item, a row an item."""
        counts = np.zeros((len(self.items), len(self.labels)))
        rows, columns = np.nonzero(self.codes >= 0)
        np.add.at(counts, (columns, self.codes[rows, columns]), 1.0)
        return counts


@register("speaker agreement")
class SpeakerAgreement(ClusteredAnalysis):
    """How far speakers agree with each other and with the corpus: overall, by speaker or by item.

    `speakers` names the systems that are people; without names they are those with the trait `speaker`, and persons
    among the respondents. `show` is what the report shows; of the items the `count` with the highest entropy.
    """

    conventions: Mapping[str, str] = {
        "ties": "one k-th each",
        "entropy": "observed, base 2",
        "pairs": "mean over items with two answers or more",
    }

    def __init__(
        self,
        speakers: Sequence[str] = (),
        show: Show = "overall",
        count: int = 10,
        cluster: str = "id",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.speakers = (speakers,) if isinstance(speakers, str) else tuple(speakers)
        self.show = show
        self.count = count
        self.name = name or ("speaker agreement" if show == "overall" else f"speaker agreement by {show[:-1]}")

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """What is shown."""
        return _TITLES.get(self.show, _TITLES["overall"])

    @property
    def explanation(self) -> Bilingual:  # type: ignore[override]
        """How it was made, and what others found."""
        random, infrequent = (f"{100 * value:.2f} %" for value in PUBLISHED.values())
        return Bilingual(
            "Answers of speakers to a cloze test. Intervals resample items; the speakers stay the same. For "
            f"orientation: the speakers of Chen (2022) chose the corpus's classifier in {random} of random sentences "
            f"and in {infrequent} of sentences with infrequent classifiers.",
            "母语者完形填空的回答。区间由重抽条目得出，母语者不变。供参考：Chen (2022) 的母语者在随机句中有 "
            f"{random} 与语料一致，在含低频量词的句子中有 {infrequent} 一致。",
        )

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the estimates of what is shown."""
        check_choice("show", self.show, SHOWN)
        rows = outcomes.with_clusters(self._rows(tables), tables, self.cluster)
        answers = answers_of(rows, tables)
        if self.show == "items":
            return estimates_frame(self._by_item(answers))
        clusters = rows.select("item", "cluster").unique("item").sort("item")["cluster"]
        codes, count = cluster_codes(clusters)
        if self.show == "overall":
            return estimates_frame(self._overall(answers, codes, count))
        return estimates_frame(self._by_speaker(answers, codes, count))

    def _rows(self, tables: Tables) -> pl.DataFrame:
        """Return the answers that speakers owed or gave, with the column `who`."""
        rows = outcomes.due_answers(tables, ("label", "ranking"))
        who = pl.when(pl.col("respondent") != "").then("respondent").otherwise("system").alias("who")
        known = rows["system"].unique().sort().to_list()
        for name in self.speakers:
            if name not in known:
                raise unknown_name("system", name, known)
        traits = tables.systems.schema.get("speaker") == pl.String
        named = tables.systems.filter(pl.col("speaker").is_not_null())["name"].to_list() if traits else []
        chosen = list(self.speakers) or named
        person = (pl.col("respondent") != "") & (not self.speakers)
        found = rows.filter(pl.col("system").is_in(chosen) | person).with_columns(who)
        if found["who"].n_unique() < 2:
            raise UserError(
                f"There are answers of {found['who'].n_unique()} speaker.",
                valid="At least two speakers can agree.",
                remedy="Take each speaker into the study as a system: speakers('cloze.csv'), or name the systems.",
            )
        twice = found.filter(pl.struct("who", "item").is_duplicated())
        if twice.height:
            raise UserError(f"The speaker '{twice['who'][0]}' has several answers to the item '{twice['item'][0]}'.")
        return found

    def _overall(self, answers: Answers, clusters: NDArray[np.int64], count: int) -> Iterator[Estimate]:
        sums = _clustered(item_sums(answers), clusters, count)
        found = bootstrap(scipy.sparse.csr_array(sums), overall_values, self.resampling())
        given, missing = int((answers.codes >= 0).sum()), int((answers.codes < 0).sum())
        note = f"{len(answers.speakers)} speakers, {len(answers.items)} items, {given} answers"
        yield from self.cell_estimates({"speakers": "all"}, OVERALL, found, (given, missing), note)

    def _by_speaker(self, answers: Answers, clusters: NDArray[np.int64], count: int) -> Iterator[Estimate]:
        for place, who in enumerate(answers.speakers):
            given = answers.codes[place] >= 0
            n, missing = int(given.sum()), int((~given).sum())
            sums = _clustered(_speaker_sums(answers, place), clusters, count)
            found: Intervals | None = bootstrap(scipy.sparse.csr_array(sums), _ratios, self.resampling()) if n else None
            yield from self.cell_estimates({"speaker": who}, BY_SPEAKER, found, (n, missing), "one speaker")

    def _by_item(self, answers: Answers) -> Iterator[Estimate]:
        counts = answers.counts()
        values = item_values(counts)
        n = counts.sum(axis=1)
        order = np.lexsort((np.arange(len(n)), -np.nan_to_num(values[:, 2], nan=-1.0)))
        signature = str(self.signature())
        for row in [row for row in order.tolist() if n[row]][: self.count]:
            place = {"item": answers.items[row], "answers": spelled(counts[row], answers.labels)}
            for statistic, value in zip(BY_ITEM, values[row].tolist(), strict=True):
                yield Estimate(
                    self.name,
                    place,
                    statistic,
                    None if np.isnan(value) else value,
                    n=int(n[row]),
                    n_missing=len(answers.speakers) - int(n[row]),
                    method="of the answers to one item; no interval",
                    signature=signature,
                )

    def layout(self) -> Layout:
        """Return how the estimates are laid out."""
        shown = {"overall": OVERALL, "speakers": BY_SPEAKER, "items": BY_ITEM}.get(self.show, OVERALL)
        rows = {"overall": ("speakers",), "speakers": ("speaker",), "items": ("item", "answers")}
        factors = {
            "speakers": Bilingual("Speakers", "母语者"),
            "speaker": Bilingual("Speaker", "母语者"),
            "item": Bilingual("Item", "条目"),
            "answers": Bilingual("Answers", "回答"),
        }
        chosen = rows.get(self.show, ("speakers",))
        return Layout(
            rows=chosen,
            statistics={name: _LABELS[name] for name in shown},
            factors={name: factors[name] for name in chosen},
            levels={"all": Bilingual("all", "全部")},
            figure="intervals" if self.show == "speakers" else "none",
        )

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say in a sentence how far speakers agree, and with what."""
        if self.show != "overall" or not estimates.height:
            return ()
        held = dict(estimates.select("statistic", "value").iter_rows())
        alpha, right = held["krippendorff alpha nominal"], held["accuracy"]
        known = f"{alpha:.3f}" if alpha is not None else "—"
        share = f"{100 * right:.1f} %" if right is not None else "—"
        others = held["leave-one-out accuracy"]
        mutual = f"{100 * others:.1f} %" if others is not None else "—"
        return (
            Bilingual(
                f"Speakers gave the corpus's classifier in {share} of their answers, and that of most other speakers "
                f"in {mutual} (Krippendorff's α = {known}).",
                f"母语者的回答有 {share} 与语料一致，有 {mutual} 与其他多数母语者一致（Krippendorff α = {known}）。",
            ),
        )


# --- from answers to numbers ----------------------------------------------------------------------------------------


def answers_of(rows: pl.DataFrame, tables: Tables) -> Answers:
    """Return the answers of `rows` (item, who, label) as codes, items and speakers by name."""
    items = tuple(rows["item"].unique().sort().to_list())
    speakers = tuple(rows["who"].unique().sort().to_list())
    gold = dict(tables.items.select("id", pl.col("gold").str.normalize("NFC")).iter_rows())
    labels = sorted({label for label in [*rows["label"].to_list(), *(gold.get(item) for item in items)] if label})
    place = {label: number for number, label in enumerate(labels)}
    codes = np.full((len(speakers), len(items)), -1, np.int64)
    row, column = ({name: number for number, name in enumerate(names)} for names in (speakers, items))
    for who, item, label in rows.select("who", "item", "label").iter_rows():
        codes[row[who], column[item]] = place.get(label, -1)
    return Answers(
        codes, np.array([place.get(gold.get(item), -1) for item in items], np.int64), items, speakers, tuple(labels)
    )


def item_values(counts: Floats) -> Floats:
    """Return modal share, pair agreement and entropy of each row of counts; NaN where there are too few answers."""
    n = counts.sum(axis=1)
    share = np.divide(counts, n[:, None], out=np.zeros_like(counts), where=n[:, None] > 0)
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    pairs = np.divide((counts * (counts - 1)).sum(axis=1), n * (n - 1), out=np.full(len(n), np.nan), where=n > 1)
    modal = np.where(n > 0, share.max(axis=1, initial=0.0), np.nan)
    # Written so that complete agreement is 0 and not −0.
    entropy = np.where(n > 0, 0.0 - (share * logs).sum(axis=1), np.nan)
    return np.column_stack([modal, pairs, np.where(entropy == 0, 0.0, entropy)])


def _credit(counts: Floats, label: NDArray[np.int64]) -> Floats:
    """Return of each row 1/k if the label is among the k most frequent ones, else 0; NaN where nothing is counted."""
    most = counts.max(axis=1, initial=0.0)
    best = (counts == most[:, None]) & (most[:, None] > 0)
    ties = best.sum(axis=1)
    hit = best[np.arange(len(counts)), label] & (label >= 0)
    return np.where(ties > 0, hit / np.maximum(ties, 1), np.nan)


def item_sums(answers: Answers) -> Floats:
    """Return the sums of each item from which `overall_values` follow, a row an item.

    Numerator and denominator of accuracy, plurality, leave-one-out, pair agreement, modal share and entropy; then for
    α the answers m, their coincidences and the count of each label, of items with two answers or more.
    """
    counts = answers.counts()
    n = counts.sum(axis=1)
    has_gold = answers.gold >= 0
    right = np.where(has_gold, counts[np.arange(len(n)), answers.gold], 0.0)
    plurality = np.where(has_gold, _credit(counts, answers.gold), np.nan)
    left_out = [_left_one_out(answers, counts, place) for place in range(len(answers.speakers))]
    alone = np.nansum(left_out, axis=0), np.isfinite(left_out).sum(axis=0)
    values = item_values(counts)
    pairs = _fraction(values[:, 1]), _fraction(values[:, 0]), _fraction(values[:, 2])
    paired = n > 1
    coincident = np.divide((counts * (counts - 1)).sum(axis=1), n - 1, out=np.zeros(len(n)), where=paired)
    return np.column_stack(
        [
            right,
            np.where(has_gold, n, 0.0),
            *_fraction(plurality),
            *alone,
            *(column for pair in pairs for column in pair),
            np.where(paired, n, 0.0),
            coincident,
            counts * paired[:, None],
        ]
    )


def _fraction(values: Floats) -> tuple[Floats, Floats]:
    """Return numerator and denominator of a mean over the values that are there."""
    return np.nan_to_num(values, nan=0.0), np.isfinite(values).astype(np.float64)


def _left_one_out(answers: Answers, counts: Floats, place: int) -> Floats:
    """Return for each item whether a speaker answers as most of the others; NaN where one of them is missing."""
    own = answers.codes[place]
    given = own >= 0
    others = counts.copy()
    others[np.flatnonzero(given), own[given]] -= 1.0
    return np.where(given, _credit(others, own), np.nan)


def _speaker_sums(answers: Answers, place: int) -> Floats:
    own = answers.codes[place]
    known = (own >= 0) & (answers.gold >= 0)
    right = (own == answers.gold) & known
    return np.column_stack([right, known, *_fraction(_left_one_out(answers, answers.counts(), place))]).astype(float)


def _clustered(sums: Floats, clusters: NDArray[np.int64], count: int) -> Floats:
    found = np.zeros((count, sums.shape[1]))
    np.add.at(found, clusters, sums)
    return found


def _ratios(sums: Floats) -> Floats:
    parts, wholes = sums[:, 0::2], sums[:, 1::2]
    ratio: Floats = np.divide(parts, wholes, out=np.full(parts.shape, np.nan), where=wholes > 0)
    return ratio


def overall_values(sums: Floats) -> Floats:
    """Return the statistics of `OVERALL` from sums over items, a row a resample."""
    ratios = _ratios(sums[:, :12])
    n, coincident, counts = sums[:, 12], sums[:, 13], sums[:, 14:]
    apart = n**2 - (counts**2).sum(axis=1)
    observed = (n - 1) * (n - coincident)
    alpha = 1 - np.divide(observed, apart, out=np.full(len(n), np.nan), where=apart > 0)
    return np.column_stack([ratios[:, :4], alpha, ratios[:, 4:]])


def spelled(counts: Floats, labels: Sequence[str]) -> str:
    """Return the answers of an item with their numbers, the most frequent first: 个 5, 只 2."""
    order = sorted((-count, label) for count, label in zip(counts.tolist(), labels, strict=True) if count)
    return ", ".join(f"{label} {-count:.0f}" for count, label in order)


# What users write among the analyses of a study.
speaker_agreement = SpeakerAgreement
