"""What are the tables of the page on elicited descriptions, and is the page up to date?

`python -m tests.analysis.descriptions.page_tables` fits the vague quantifiers anew and writes both the file that ships
and the tables of the page, where HENGLIANG_MIRROR has the corpus.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from hengliang import Estimate
from hengliang.analysis.descriptions.argument_order import MEASURES as ORDER
from hengliang.analysis.descriptions.beside_describers import BY_COLUMN, DESCRIBERS, PEOPLE, less_people
from hengliang.analysis.descriptions.corpus import HELD_OUT, VAGUE, CorpusReport, corpus_report
from hengliang.analysis.descriptions.finding_titles import LEVELS
from hengliang.analysis.descriptions.finding_words import write_value
from hengliang.analysis.descriptions.findings import MEASURES
from hengliang.analysis.descriptions.size_trends import COEFFICIENT, TREND
from hengliang.core import estimate_records, write_json
from hengliang.materials import vague_quantifiers
from hengliang.materials.elicited_descriptions import read_descriptions
from hengliang.materials.quantifiers import quantifier
from hengliang.materials.vague_fitting import WORDS
from hengliang.statistics import p_remark, write_statistic
from hengliang.systems.readers.vague_uses import fitted_to_corpus
from tests import ROOT

PAGE = ROOT / "docs" / "elicited-descriptions.md"
SIZES = ("4", "9", "20")

Held = Mapping[tuple[str, ...], Estimate]


def held(report: CorpusReport, analysis: str) -> Held:
    """Return the estimates of one analysis by the levels of its factors and the statistic."""
    rows = estimate_records(report.estimates)
    return {(*one.by.values(), one.statistic): one for one in rows if one.analysis == analysis}


def page_tables(report: CorpusReport) -> dict[str, str]:
    """Return the three tables of the page in Markdown."""
    return {
        "findings": _findings(held(report, "description findings")),
        "beside": _beside(held(report, "describer completeness")),
        "vague": _vague(held(report, VAGUE), held(report, HELD_OUT)),
    }


def _table(head: str, rows: list[list[str]]) -> str:
    lines = [f"| {head} |", "|" + "---|" * (head.count("|") + 1), *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def _findings(found: Held) -> str:
    measures = [one for listed in (*MEASURES.values(), ORDER) for one in listed]
    rows = []
    for one in measures:
        trend = found[one.measure, TREND, COEFFICIENT]
        values = [write_value(found[one.measure, size, one.statistic]) for size in SIZES]
        rows.append([LEVELS[one.measure].en, *values, _trend(trend)])
    return _table(" | 4 things | 9 things | 20 things | for each doubling", rows)


def _trend(one: Estimate) -> str:
    if one.value is None or one.low is None or one.high is None or one.p is None:
        return "–"
    low, high = write_statistic(one.low), write_statistic(one.high)
    return f"{write_statistic(one.value)} [{low}, {high}], {p_remark(one.p)}"


def _beside(found: Held) -> str:
    rows = []
    columns = (PEOPLE, *DESCRIBERS, *map(less_people, DESCRIBERS))
    for measure, statistic in BY_COLUMN.values():
        for size in SIZES:
            values = [write_value(found[measure, name, size, statistic]) for name in columns]
            rows.append([LEVELS[measure].en, size, *values])
    return _table(f" | things | {' | '.join(columns)}", rows)


def _vague(found: Held, others: Held) -> str:
    rows = []
    for word in WORDS:
        mean, digits = ("count", 1) if word in vague_quantifiers.COUNT_WORDS else ("proportion", 3)
        means, spreads = ([found[word, size, name] for size in SIZES] for name in (mean, "spread"))
        covered = others.get((word, "covered"))
        told = f"{100 * (covered.value or 0):.0f} %" if covered else "–"
        uses = sum(one.n or 0 for one in means)
        values = [
            f"{one.value:.{digits}f} ± {two.value:.{digits}f}: {_taken(word, int(size))}"
            for one, two, size in zip(means, spreads, SIZES, strict=True)
        ]
        rows.append([word, *values, str(uses), told])
    return _table(" | 4 things | 9 things | 20 things | uses | held-out uses taken as true", rows)


def _taken(word: str, size: int) -> str:
    """Return of how many of all things of a scene a word is taken as true."""
    true = [count for count in range(size + 1) if quantifier(word).holds(size, count, (), size)]
    return f"{true[0]}–{true[-1]}" if len(true) > 1 else str(true[0])


def filled(page: str, tables: Mapping[str, str]) -> str:
    """Return the page with its tables replaced; each stands between `<!-- table: NAME -->` and `<!-- end -->`."""
    for name, table in tables.items():
        mark = f"<!-- table: {name} -->\n"
        page = re.sub(f"{re.escape(mark)}.*?<!-- end -->", f"{mark}{table}<!-- end -->", page, flags=re.DOTALL)
    return page


def main() -> None:
    """Fit the vague quantifiers and write the file that ships, then the page."""
    frame = read_descriptions()
    write_json(Path(vague_quantifiers.__file__).with_suffix(".json"), fitted_to_corpus(frame))
    vague_quantifiers.fitted_meanings.cache_clear()
    report = corpus_report(frame)
    PAGE.write_text(filled(PAGE.read_text("utf-8"), page_tables(report)), "utf-8")
    for sentence in report.sentences:
        print(sentence.en)


if __name__ == "__main__":
    main()
