"""What does a corpus of elicited descriptions show, all at once?

The four findings with parser coverage, people beside algorithms, and how well the fitted meanings of vague quantifiers
hold for people who had no part in fitting them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from hengliang.analysis.descriptions.beside_describers import DESCRIBERS, SEEDS, DescriberCompleteness
from hengliang.analysis.descriptions.findings import DescriptionFindings
from hengliang.analysis.descriptions.observed import parse_all
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.signature import Signature, code_checksum, digest, version
from hengliang.core.terms import Bilingual
from hengliang.materials.quantifiers import QUANTIFIERS
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.vague_fitting import Fit, fit_meanings, held_out_fit
from hengliang.materials.vague_quantifiers import COUNT_WORDS
from hengliang.systems.readers.vague_uses import vague_uses

VAGUE = "vague meanings"
HELD_OUT = "vague meanings of others"


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """What a corpus shows: the estimates of all analyses, what they say, and how each is laid out.

    The first sentence says how many descriptions there are.
    """

    estimates: pl.DataFrame
    sentences: tuple[Bilingual, ...]
    layouts: dict[str, Layout]


def corpus_report(
    frame: pl.DataFrame,
    *,
    domain: Domain = DEFAULT_DOMAIN,
    describers: Sequence[str] = DESCRIBERS,
    seeds: Sequence[int] = SEEDS,
    draws: int = 2000,
    seed: int = 1,
    level: float = 0.95,
) -> CorpusReport:
    """Return everything that a table of descriptions (`read_descriptions`) shows; no describers leaves them out."""
    held = frame.sort("description_id")
    parses = parse_all(held, domain)
    findings = DescriptionFindings(domain=domain, draws=draws, seed=seed, level=level)
    tables = [findings.of_descriptions(held, parses)]
    told = [_counts(held), *findings.sentences(tables[0])]
    layouts = {findings.name: findings.layout()}
    if describers:
        beside = DescriberCompleteness(describers, seeds, domain=domain, draws=draws, seed=seed, level=level)
        tables.append(beside.of_descriptions(held, parses))
        told += beside.sentences(tables[-1])
        layouts[beside.name] = beside.layout()
    uses = vague_uses(held, parses, domain)
    if uses.height:
        fits = held_out_fit(uses, _sizes(held))
        tables.append(estimates_frame(_vague_estimates(uses, fits, _sizes(held))))
        told.append(_vague_words(fits[-1]))
        layouts |= {VAGUE: vague_layout(), HELD_OUT: held_out_layout()}
    return CorpusReport(pl.concat(tables), tuple(told), layouts)


def _sizes(frame: pl.DataFrame) -> list[int]:
    return [int(size) for size in frame["scene_size"].unique().sort()]


def _counts(frame: pl.DataFrame) -> Bilingual:
    english, chinese = [], []
    for size in _sizes(frame):
        own = frame.filter(pl.col("scene_size") == size)
        subjects, scenes = own["subject"].n_unique(), own["scene_number"].n_unique()
        english.append(f"{own.height} of {scenes} scenes of {size} things by {subjects} people")
        chinese.append(f"{size} 个物体的 {scenes} 个场景由 {subjects} 人给出 {own.height} 条")
    return Bilingual(f"Descriptions: {', '.join(english)}.", f"描述：{'，'.join(chinese)}。")


# --- how well vague meanings hold -----------------------------------------------------------------------------------


def _vague_estimates(uses: pl.DataFrame, fits: Sequence[Fit], sizes: Sequence[int]) -> Iterable[Estimate]:
    signature = str(
        Signature.of(
            hengliang=version(),
            code=code_checksum(corpus_report),
            uses=digest(str(uses.rows())),
            sizes=str(sizes),
        )
    )
    for word, meanings in fit_meanings(uses, sizes).items():
        for one in meanings:
            by = {"word": word, "size": str(one.size)}
            mean, what = ("count", "|A ∩ B|") if word in COUNT_WORDS else ("proportion", "|A ∩ B| / |A|")
            told = f"mean and spread of {what}, pulled towards the word's over all sizes"
            for statistic, value in ((mean, one.mean), ("spread", one.spread)):
                yield Estimate(VAGUE, by, statistic, value, n=one.uses, method=told, signature=signature)
    for fit in fits:
        by = {"word": fit.word}
        told = "uses of one person at a time, by meanings fitted to the others"
        gain = fit.log_likelihood - fit.uniform
        for statistic, value in (("covered", fit.covered), ("gain", gain)):
            yield Estimate(HELD_OUT, by, statistic, value, n=fit.uses, method=told, signature=signature)


def _vague_words(fit: Fit) -> Bilingual:
    gain = fit.log_likelihood - fit.uniform
    return Bilingual(
        f"Vague quantifiers, fitted without the person they are tried on: of {fit.uses} uses {100 * fit.covered:.1f} % "
        f"are taken as true, and the log-probability of a use is {gain:.2f} above that of numbers drawn evenly.",
        f"模糊量词（拟合时不含被检验者本人）：{fit.uses} 次使用中 {100 * fit.covered:.1f} % 判为真，"
        f"每次使用的对数概率比均匀分布高 {gain:.2f}。",
    )


def vague_layout() -> Layout:
    """Show a row a word and statistic, and a column a size."""
    return Layout(
        rows=("word", "statistic"),
        columns="size",
        statistics={
            "count": StatisticLabel(Bilingual("Mean number", "平均个数"), "number", 3),
            "proportion": StatisticLabel(Bilingual("Mean proportion", "平均比例"), "number", 3),
            "spread": StatisticLabel(Bilingual("Spread", "离散程度"), "number", 3),
        },
        factors={"word": _WORD, "size": Bilingual("Things in a scene", "场景中的物体数")},
        levels=_WORDS,
        figure="none",
    )


def held_out_layout() -> Layout:
    """Show a row a word: how well meanings fitted to others hold for somebody."""
    return Layout(
        rows=("word",),
        statistics={
            "covered": StatisticLabel(Bilingual("Held-out uses taken as true", "留出使用判为真"), "percent", 1),
            "gain": StatisticLabel(Bilingual("Gain in log-likelihood a use", "每次使用的对数似然增益"), "number", 3),
        },
        factors={"word": _WORD},
        levels=_WORDS,
        figure="none",
    )


_WORD = Bilingual("Quantifier", "量词")
_WORDS = {
    "all": Bilingual("all words", "全部词语"),
    **{name: one.title for name, one in QUANTIFIERS.items() if one.vague},
}
