"""How well does each model foresee a text, as estimates and as a table?"""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.terms import Bilingual, both
from hengliang.report.formats import Style
from hengliang.report.tables import Column, Table, text_table
from hengliang.systems.language_models.corpus_perplexity import CorpusPerplexity
from hengliang.systems.language_models.perplexity import Per

ANALYSIS = "perplexity"

_TWO, _COUNT = Style("number", 2), Style("integer")

_COUNTED: Mapping[Per, str] = {"word": "words", "character": "characters", "unit": "units of the model"}


def perplexity_estimates(found: Mapping[str, CorpusPerplexity]) -> pl.DataFrame:
    """Return the perplexities of each model as estimates: per word, per character, per unit, with what is unknown.

    `n` counts the words, characters or units, ends of sentences left out; `n_missing` the texts without a score.
    """
    rows = []
    for name, held in found.items():
        numbers = held.perplexity
        missing, signature = numbers.unscored, str(held.signature)
        counts: Mapping[Per, int] = {
            "word": numbers.words,
            "character": numbers.characters,
            "unit": numbers.units - numbers.ends,
        }
        statistics: list[tuple[str, float, int, str]] = [
            (view, numbers.per(view), counts[view], f"exp(−Σ log p / N), N = {_COUNTED[view]} and ends of sentences")
            for view in counts
        ]
        share = "units outside of the vocabulary / units, ends of sentences left out"
        statistics += [
            ("unknown", numbers.unknown_share, counts["unit"], share),
            ("logprob", numbers.logprob if numbers.texts else math.nan, numbers.texts, "Σ log p over all texts"),
        ]
        rows += [
            Estimate(
                ANALYSIS,
                {"system": name},
                statistic,
                None if math.isnan(value) else value,
                n=n,
                n_missing=missing,
                method=method,
                signature=signature,
            )
            for statistic, value, n, method in statistics
        ]
    return estimates_frame(rows)


def perplexity_table(found: Mapping[str, CorpusPerplexity]) -> Table:
    """Return perplexities and the counts behind them, one column a model."""
    rows = [
        (Bilingual("perplexity per word", "每词困惑度"), _TWO),
        (Bilingual("perplexity per character", "每字困惑度"), _TWO),
        (Bilingual("perplexity per unit", "每单元困惑度"), _TWO),
        (Bilingual("unknown units (%)", "未知单元（%）"), Style("percent", 2)),
        (Bilingual("words", "词"), _COUNT),
        (Bilingual("characters", "字"), _COUNT),
        (Bilingual("units of the model", "模型单元"), _COUNT),
        (Bilingual("ends of sentences", "句末"), _COUNT),
        (Bilingual("texts with a score", "已评分文本"), _COUNT),
        (Bilingual("texts without a score", "未评分文本"), _COUNT),
    ]
    names = [str(place) for place in range(len(rows))]
    labels = {name: title for name, (title, _) in zip(names, rows, strict=True)}
    styles = tuple(style for _, style in rows)
    header = Column("quantity", Bilingual("", ""), header=True, labels=labels)
    columns = [(Column(f"model {name}", both(name), _TWO, styles), _numbers(held)) for name, held in found.items()]
    return text_table([(header, names), *columns])


def _numbers(held: CorpusPerplexity) -> list[float | None]:
    sums = held.perplexity
    ratios = [*(sums.per(view) for view in _COUNTED), sums.unknown_share]
    counts = [sums.words, sums.characters, sums.units - sums.ends, sums.ends, sums.texts, sums.unscored]
    return [None if math.isnan(value) else value for value in (*ratios, *counts)]
