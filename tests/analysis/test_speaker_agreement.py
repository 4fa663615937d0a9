from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Item, Response, Study, Tables, UserError
from hengliang.analysis.speaker_agreement import OVERALL, PUBLISHED, SpeakerAgreement, item_values, speaker_agreement
from hengliang.core import Choice, estimate_records, items_frame, response_id, responses_frame, sample_tables
from hengliang.core import find_registered as find
from hengliang.measures.label_match import LabelMatch
from hengliang.statistics import krippendorff_alpha
from hengliang.systems.classifier_choosers.human import speakers
from tests.systems.classifier_choosers.lessons import Lessons

# Four speakers, five items; "" is no answer.
GOLD = ("个", "本", "条", "只", None)
GIVEN = {
    "P1": ("个", "本", "条", "个", "位"),
    "P2": ("个", "本", "只", "只", "位"),
    "P3": ("个", "部", "条", "头", ""),
    "P4": ("位", "", "", "只", ""),
}


def tables(given: Mapping[str, Sequence[str]] = GIVEN, gold: Sequence[str | None] = GOLD, blocks: int = 1) -> Tables:
    items = items_frame(
        Item(f"i{n}", f"i{n}", "cloze", "", f"句{n}", (), label, attributes={"block": n // blocks})
        for n, label in enumerate(gold)
    )
    rows = []
    for who, labels in given.items():
        for n, label in enumerate(labels):
            content = (Choice(label, 1.0),) if label else None
            status, reason = ("ok", "") if label else ("missing", "no answer")
            about = response_id(f"i{n}", "ranking", content)
            rows.append(Response(about, f"i{n}", who, None, "", "ranking", content, status, reason))  # type: ignore[arg-type]
    systems = pl.DataFrame({"name": list(given), "seed": None, "speaker": list(given)}).cast({"seed": pl.Int64})
    return Tables(items, systems, {"ranking": responses_frame(rows, "ranking")}, sample_tables().judgements.clear())


def values(analysis: SpeakerAgreement, held: Tables) -> dict[tuple[str, str], float | None]:
    rows = estimate_records(analysis.estimate(held))
    return {("".join(row.by.values()), row.statistic): row.value for row in rows}


def test_overall_by_hand() -> None:
    found = {name: value for (_, name), value in values(SpeakerAgreement(draws=50), tables()).items()}
    assert tuple(found) == OVERALL
    # Items 1 to 4 have a gold answer and 4 + 3 + 3 + 4 = 14 answers; right are 3 + 2 + 2 + 2.
    assert found["accuracy"] == pytest.approx(9 / 14)
    # Most said 个, 本, 条 and 只: right each time.
    assert found["plurality accuracy"] == pytest.approx(1.0)
    # As most of the others. Item 1: P1, P2, P3 agree with two others (three times 1); P4 not: 3 of 4. Item 2: P1 has
    # 本 and 部 before them, 1/2, P2 likewise 1/2, P3 0: 1 of 3. Item 3: P1 and P3 1/2 each, P2 0: 1 of 3. Item 4: P1 0
    # (the others: 只 只 头); P2 1/3 (个 头 只); P3 0; P4 1/3: 2/3 of 4. Item 5: both 1: 2 of 2.
    assert found["leave-one-out accuracy"] == pytest.approx((3 + 1 + 1 + 2 / 3 + 2) / 16)
    # Pairs that agree: 3 of 6, 1 of 3, 1 of 3, 1 of 6, 1 of 1.
    assert found["pair agreement"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 3 + 1 / 6 + 1) / 5)
    assert found["modal share"] == pytest.approx((3 / 4 + 2 / 3 + 2 / 3 + 2 / 4 + 1) / 5)
    third = -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))
    quarter = -(3 / 4 * math.log2(3 / 4) + 1 / 4 * math.log2(1 / 4))
    # Item 4: 1/2, 1/4, 1/4 make 1.5 bits.
    assert found["entropy"] == pytest.approx((quarter + 2 * third + 1.5 + 0) / 5)


def test_alpha_is_that_of_the_library() -> None:
    held = values(SpeakerAgreement(draws=20), tables())
    rows = [[label or None for label in labels] for labels in GIVEN.values()]
    assert held["all", "krippendorff alpha nominal"] == pytest.approx(krippendorff_alpha(rows, draws=20).value)


def test_one_answer_to_everything_leaves_alpha_undefined() -> None:
    held = values(SpeakerAgreement(draws=20), tables({"A": ("个",) * 3, "B": ("个",) * 3}, ("个", "本", None)))
    assert held["all", "krippendorff alpha nominal"] is None
    assert held["all", "pair agreement"] == 1.0
    assert held["all", "entropy"] == 0.0
    (sentence,) = SpeakerAgreement(draws=20).sentences(
        SpeakerAgreement(draws=20).estimate(tables({"A": ("个",) * 3, "B": ("个",) * 3}, ("个", "本", None)))
    )
    assert "50.0 %" in sentence.en
    assert "α = —" in sentence.zh


def test_speaker_by_speaker() -> None:
    analysis = SpeakerAgreement(show="speakers", draws=200)
    held = values(analysis, tables())
    assert held["P1", "accuracy"] == pytest.approx(3 / 4)
    assert held["P4", "accuracy"] == pytest.approx(1 / 2)
    # P1: 1, 1/2, 1/2, 0, 1; P4: 0 and 1/3, as worked out above.
    assert held["P1", "leave-one-out accuracy"] == pytest.approx((1 + 1 / 2 + 1 / 2 + 0 + 1) / 5)
    assert held["P4", "leave-one-out accuracy"] == pytest.approx(1 / 6)
    rows = {("".join(row.by.values()), row.statistic): row for row in estimate_records(analysis.estimate(tables()))}
    assert (rows["P4", "accuracy"].n, rows["P4", "accuracy"].n_missing) == (2, 3)
    assert rows["P1", "accuracy"].low is not None
    assert rows["P1", "accuracy"].low <= 3 / 4 <= (rows["P1", "accuracy"].high or 0)


def test_items_with_most_disagreement_first() -> None:
    analysis = SpeakerAgreement(show="items", count=2)
    rows = list(estimate_records(analysis.estimate(tables())))
    assert [row.by["item"] for row in rows[::3]] == ["i3", "i1"]
    assert rows[0].by["answers"] == f"只 2, {', '.join(f'{label} 1' for label in sorted('个头'))}"
    assert {row.statistic: row.value for row in rows[:3]} == {
        "modal share": 0.5,
        "pair agreement": pytest.approx(1 / 6),
        "entropy": 1.5,
    }


def test_intervals_resample_clusters_of_items() -> None:
    alone = list(estimate_records(SpeakerAgreement(draws=300).estimate(tables())))
    together = list(estimate_records(SpeakerAgreement(draws=300, cluster="block").estimate(tables(blocks=3))))
    assert "5 clusters (id)" in alone[0].method
    assert "2 clusters (block)" in together[0].method
    assert [row.value for row in alone] == pytest.approx([row.value for row in together])
    for row in alone:
        assert row.low is None or row.low <= (row.value or 0) + 1e-12


def test_speakers_can_be_named_and_are_otherwise_those_with_the_trait() -> None:
    held = tables()
    systems = held.systems.with_columns(speaker=pl.when(pl.col("name") != "P4").then("speaker"))
    marked = Tables(held.items, systems, held.responses, held.judgements)
    three = {name: labels for name, labels in GIVEN.items() if name != "P4"}
    assert values(SpeakerAgreement(draws=20), marked) == values(SpeakerAgreement(draws=20), tables(three))
    named = SpeakerAgreement(speakers=("P1", "P4"), draws=20)
    two = {name: GIVEN[name] for name in ("P1", "P4")}
    assert values(named, held) == values(SpeakerAgreement(draws=20), tables(two))


def test_persons_among_the_respondents_are_speakers() -> None:
    held = tables()
    table = held.responses["ranking"]
    people = table.with_columns(respondent=pl.col("system"), system=pl.lit("cloze"))
    systems = pl.DataFrame({"name": ["cloze"], "seed": [None]}, schema={"name": pl.String, "seed": pl.Int64})
    found = values(SpeakerAgreement(draws=20), Tables(held.items, systems, {"ranking": people}, held.judgements))
    assert found == pytest.approx(values(SpeakerAgreement(draws=20), held))


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="1 speaker"):
        SpeakerAgreement().estimate(tables({"P1": GIVEN["P1"]}))
    with pytest.raises(UserError, match="0 speaker"):
        SpeakerAgreement().estimate(sample_tables())
    with pytest.raises(UserError, match="'P9'"):
        SpeakerAgreement(speakers=("P9",)).estimate(tables())
    with pytest.raises(UserError, match="show"):
        SpeakerAgreement(show="all").estimate(tables())  # type: ignore[arg-type]


@pytest.mark.parametrize("show", ["overall", "speakers", "items"])
def test_it_keeps_the_promises_of_an_analysis(show: str) -> None:
    analysis = SpeakerAgreement(show=show, draws=20)  # type: ignore[arg-type]
    assert [finding for finding in analysis.conformance() if not finding.kept] == []
    layout = analysis.layout()
    assert all(label.title.zh and label.title.en for label in layout.statistics.values())
    assert set(layout.rows) <= set(layout.factors)
    assert {row.statistic for row in estimate_records(analysis.estimate(tables()))} <= set(layout.statistics)


def test_it_is_registered_and_names_what_others_found() -> None:
    assert find("analysis", "speaker agreement").kind is SpeakerAgreement
    assert speaker_agreement is SpeakerAgreement
    # de Bruijn (2023), section 3.3.1, on Chen (2022).
    assert PUBLISHED == {"random sentences": 0.7097, "infrequent classifiers": 0.4182}
    assert "70.97 %" in SpeakerAgreement().explanation.zh


def test_a_study_with_speakers(tmp_path: Path) -> None:
    rows = [f"slot-1,{who},{label}" for who, label in (("甲", "本"), ("乙", "个"))]
    path = tmp_path / "cloze.csv"
    path.write_text("\n".join(["item,participant,answer", *rows, "slot-5,甲,匹", "slot-5,乙,匹"]), encoding="utf-8")
    study = Study(
        name="people",
        materials=Lessons(),
        systems=list(speakers(path, items=Lessons())),
        measures=[LabelMatch()],
        analyses=[SpeakerAgreement(draws=20)],
    )
    run = study.run(tmp_path / "run")
    held = {row.statistic: row for row in estimate_records(run.estimates)}
    # Identical sentences share an answer: slots 1 to 4 are one sentence with 书, and the five slots with 马 another. So
    # both answer 9 of the 16 items, and agree on the five.
    assert held["accuracy"].n == 18
    assert held["pair agreement"].value == pytest.approx(5 / 9)


_LABELS = st.sampled_from(["个", "只", "条", ""])


@st.composite
def _answers(draw: st.DrawFn) -> dict[str, list[str]]:
    items = draw(st.integers(2, 6))
    count = draw(st.integers(2, 5))
    return {f"P{n}": draw(st.lists(_LABELS, min_size=items, max_size=items)) for n in range(count)}


@settings(max_examples=40)
@given(_answers())
def test_against_a_plain_count(given: dict[str, list[str]]) -> None:
    columns = [[label for label in column if label] for column in zip(*given.values(), strict=True)]
    if not any(columns):
        return
    gold = ["个"] * len(columns)
    found = {name: value for (_, name), value in values(SpeakerAgreement(draws=2), tables(given, gold)).items()}
    everything = [label for column in columns for label in column]
    assert found["accuracy"] == pytest.approx(everything.count("个") / len(everything))
    pairs = [[a == b for a, b in combinations(column, 2)] for column in columns if len(column) > 1]
    if pairs:
        assert found["pair agreement"] == pytest.approx(float(np.mean([np.mean(held) for held in pairs])))
    credits = []
    for column in columns:
        for place, own in enumerate(column):
            others = Counter(column[:place] + column[place + 1 :])
            best = [label for label, count in others.items() if count == max(others.values())]
            credits += [(own in best) / len(best)] if others else []
    if credits:
        assert found["leave-one-out accuracy"] == pytest.approx(float(np.mean(credits)))
    renamed = {who: [{"个": "甲", "只": "乙"}.get(label, label) for label in labels] for who, labels in given.items()}
    again = {name: v for (_, name), v in values(SpeakerAgreement(draws=2), tables(renamed, ["甲"] * len(gold))).items()}
    assert again == pytest.approx(found)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_item_values_are_bounded(counts: list[int]) -> None:
    n = sum(counts)
    modal, pairs, entropy = item_values(np.array([counts], dtype=float))[0]
    if not n:
        assert np.isnan([modal, pairs, entropy]).all()
        return
    used = sum(count > 0 for count in counts)
    assert 1 / used <= modal + 1e-12
    assert modal <= 1
    assert 0 <= entropy <= math.log2(used) + 1e-12
    assert np.isnan(pairs) if n < 2 else 0 <= pairs <= 1
