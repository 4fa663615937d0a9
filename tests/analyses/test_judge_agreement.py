"""Can a study ask whether two of its measures agree?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from hengliang import Item, Judgement, Response, Tables, UserError
from hengliang.analyses.judge_agreement import SHOWN, JudgeAgreementAnalysis, Show, judge_agreement
from hengliang.core import (
    SYSTEM_SCHEMA,
    code_checksum,
    estimate_records,
    items_frame,
    judgements_frame,
    responses_frame,
    with_response_ids,
)

SYSTEMS = ("M", "N", "O")


def tables(items: int = 12, raters: Sequence[str] = ("p1", "p2", "p3"), seed: int = 1) -> Tables:
    """Three systems answer; O gives the answer of N to every third item. Readers rate each distinct answer once."""
    generator = np.random.default_rng(seed)
    asked = items_frame(Item(f"i{n:02}", f"i{n:02}", "made up", "", "句") for n in range(items))
    answers = [
        Response("", f"i{n:02}", system, None, "", "text", "同" if n % 3 == 0 and system != "M" else f"{system}{n}")
        for n in range(items)
        for system in SYSTEMS
    ]
    responses = with_response_ids(responses_frame(answers, "text"), "text")
    quality = {about: generator.normal() for about in dict.fromkeys(responses["id"].to_list())}
    judgements = []
    for about, system in responses.select("id", "system").rows():
        surprisal = -quality[about] + generator.normal(0, 0.5)
        judgements.append(Judgement(about, system, "surprisal", "", "machine", system, surprisal))
    for about, held in quality.items():
        for rater in raters:
            score = float(np.clip(round(4 + 1.5 * held + generator.normal()), 1, 7))
            judgements.append(Judgement(about, "", "fluency", "", "person", rater, score))
    systems = pl.DataFrame({"name": SYSTEMS, "seed": [None] * 3}, schema=SYSTEM_SCHEMA)
    return Tables(asked, systems, {"text": responses}, judgements_frame(judgements))


def analysis(show: Show = "agreement", **settings: object) -> judge_agreement:
    return judge_agreement("surprisal", "fluency", show, "first", draws=50, splits=10, **settings)  # type: ignore[arg-type]


def test_machine_and_readers_are_compared() -> None:
    rows = list(estimate_records(analysis().estimate(tables())))
    found = {(row.by["level"], row.statistic): row for row in rows}
    pearson = found["items", "pearson"]
    # 12 items × 3 systems, but O shares 4 answers with N: 32 distinct answers.
    assert pearson.n == 32
    assert pearson.value is not None
    assert pearson.value > 0.5
    assert pearson.low is not None
    assert found["systems", "pearson"].n == 3
    assert found["raters of fluency", "noise ceiling"].n == 32
    assert {row.by["compared"] for row in rows} == {"−surprisal × fluency"}
    assert all(row.signature == str(analysis().signature()) for row in rows)


@pytest.mark.parametrize("show", SHOWN)
def test_every_part_can_be_shown(show: Show) -> None:
    held = analysis(show, items=4)
    frame = held.estimate(tables())
    assert set(frame["analysis"]) <= {f"judge {show}"}
    statistics = set(frame["statistic"])
    layout = held.layout()
    assert statistics <= set(layout.statistics)
    if show == "items":
        assert frame.height == 4 * 3
    if show == "systems":
        assert frame.height == 3 * 4
    assert held.title.zh
    assert held.explanation.zh


def test_the_agreement_is_said_in_words_and_its_tables_are_not() -> None:
    told = analysis().conclude(tables())
    assert len(told.sentences) == 1 and "correlate" in told.sentences[0].en and "相关" in told.sentences[0].zh
    assert told.estimates.equals(analysis().estimate(tables()))
    assert not analysis("systems").conclude(tables()).sentences


def test_pairs_ranked_differently_have_p() -> None:
    # With other seeds systems of equal quality are ranked differently sooner or later.
    frames = [analysis("pairs").estimate(tables(seed=seed)) for seed in range(5)]
    rows = [row for frame in frames for row in estimate_records(frame)]
    assert rows
    assert all(row.p is not None and 0 < row.p <= 1 for row in rows)


def test_the_report_lays_it_out() -> None:
    from hengliang.report import estimate_table

    for show in SHOWN:
        held = analysis(show)
        frame = held.estimate(tables())
        if frame.height:
            assert len(estimate_table(frame, held.layout())) > 0


def test_arguments_and_code_are_signed() -> None:
    one, two = analysis().signature(), analysis(seed=2).signature()
    assert one.hash != two.hash
    keys = dict(one.pairs)
    assert keys["first"] == "surprisal"
    assert keys["code"] == code_checksum(JudgeAgreementAnalysis)


def test_it_keeps_the_promises_of_an_analysis() -> None:
    # The sample run has one measure; agreeing with itself it exercises the whole analysis.
    for held in (
        judge_agreement(),
        judge_agreement("match", "match", draws=20),
        judge_agreement("match", "match", "items"),
    ):
        assert [finding for finding in held.conformance() if not finding.kept] == []
    assert judge_agreement("match", "match", draws=20).estimate(_sample()).height > 0


def _sample() -> Tables:
    from hengliang.core import sample_tables

    return sample_tables()


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="Two measures are wanted") as error:
        judge_agreement().estimate(tables())
    assert "fluency, surprisal" in error.value.valid
    with pytest.raises(UserError, match="No measure is called 'clarity'"):
        judge_agreement("surprisal", "clarity").estimate(tables())
    with pytest.raises(UserError, match="No part of 'surprisal' is called 'one'"):
        judge_agreement("surprisal:one", "fluency").estimate(tables())
    with pytest.raises(UserError, match="show 'all' does not exist"):
        analysis("all").estimate(tables())  # type: ignore[arg-type]
