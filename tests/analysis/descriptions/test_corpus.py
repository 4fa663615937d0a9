"""Does the report on a corpus hold everything, and what the paper says of the QTUNA corpus?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import Estimate
from hengliang.analysis.descriptions.argument_order import BOTH_PLACES, SHAPE_FIRST
from hengliang.analysis.descriptions.corpus import HELD_OUT, VAGUE, CorpusReport, corpus_report
from hengliang.analysis.descriptions.size_trends import ALL, COEFFICIENT, TREND
from hengliang.core import LANGUAGES, estimate_records
from hengliang.materials.elicited_descriptions import read_descriptions
from hengliang.report import estimate_table
from hengliang.systems.describers import greedy, incremental
from tests.analysis.descriptions.described import random_corpus
from tests.analysis.descriptions.page_tables import PAGE, page_tables


@pytest.fixture(scope="module")
def small() -> CorpusReport:
    names = (greedy.Greedy().name, incremental.Incremental().name)
    return corpus_report(random_corpus(1)[0], describers=names, draws=100, seeds=(1,))


def test_everything_is_there(small: CorpusReport) -> None:
    assert set(small.layouts) == set(small.estimates["analysis"]) == {
        "description findings", "describer completeness", VAGUE, HELD_OUT,
    }  # fmt: skip
    assert small.sentences[0].en.startswith("Descriptions: 16 of 2 scenes of 4 things by 4 people")
    assert all(sentence[language] for sentence in small.sentences for language in LANGUAGES)
    assert (small.estimates["signature"].str.len_chars() > 0).all()


def test_layouts_take_their_estimates(small: CorpusReport) -> None:
    for name, layout in small.layouts.items():
        own = small.estimates.filter(pl.col("analysis") == name)
        for language in LANGUAGES:
            assert estimate_table(own, layout, language)


def test_without_describers_and_vague_uses() -> None:
    frame = random_corpus(1)[0].filter(~pl.col("text").str.contains("many"))
    report = corpus_report(frame, describers=(), draws=50)
    assert set(report.layouts) == {"description findings"}


# --- the corpus of the paper ----------------------------------------------------------------------------------------

Found = dict[tuple[str, str, str], Estimate]


@pytest.fixture(scope="module")
def whole() -> CorpusReport:
    return corpus_report(read_descriptions())


@pytest.fixture(scope="module")
def qtuna(whole: CorpusReport) -> Found:
    rows = [one for one in estimate_records(whole.estimates) if one.analysis == "description findings"]
    return {(one.by["measure"], one.by["size"], one.statistic): one for one in rows}


def trend(held: Found, measure: str) -> tuple[float, float]:
    one = held[measure, TREND, COEFFICIENT]
    assert one.value is not None
    assert one.p is not None
    return one.value, one.p


@pytest.mark.mirror
@pytest.mark.untraced
@pytest.mark.parametrize(
    ("measure", "sign"),
    [
        ("vague expressions (narrow)", 1),
        ("vague expressions (wide)", 1),
        ("descriptions with a vague word (narrow)", 1),
        ("descriptions with a vague word (wide)", 1),
        ("complete, of those parsed whole (pragmatic)", -1),
        ("complete, of those parsed whole (semantic)", -1),
        ("words", -1),
    ],
)
def test_findings_of_the_paper(mirror: Path, request: pytest.FixtureRequest, measure: str, sign: int) -> None:
    # Section 2.2: with the size vague quantifiers become more, complete descriptions fewer, and descriptions shorter.
    assert mirror
    value, p = trend(request.getfixturevalue("qtuna"), measure)
    assert value * sign > 0
    assert p < 0.05


@pytest.mark.mirror
@pytest.mark.untraced
def test_shape_before_colour(mirror: Path, request: pytest.FixtureRequest) -> None:
    # Section 2.2: the shape is more often in the first argument place, the colour in the second.
    assert mirror
    held: Found = request.getfixturevalue("qtuna")
    for measure, none in ((SHAPE_FIRST, 0.5), (BOTH_PLACES, 0.0)):
        one = held[measure, ALL, "share"]
        assert one.low is not None
        assert one.low > none


@pytest.mark.mirror
@pytest.mark.untraced
def test_the_page_has_these_figures(mirror: Path, request: pytest.FixtureRequest) -> None:
    # Where it has not: python -m tests.analysis.descriptions.page_tables
    assert mirror
    page = PAGE.read_text("utf-8")
    missing = [name for name, table in page_tables(request.getfixturevalue("whole")).items() if table not in page]
    assert not missing
