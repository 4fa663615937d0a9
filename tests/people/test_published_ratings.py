"""Do published ratings stand beside the judgements of measures, and only where there are any?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import Item, Response, Study, UserError
from hengliang.analyses import observations, parts_of
from hengliang.core import ScoredUnit, items_frame, responses_frame, sample_items, sample_responses
from hengliang.core import find_registered as find
from hengliang.materials.rated_sentences.material import rated_sentences
from hengliang.measures.acceptability import acceptability
from hengliang.people.published_ratings import NO_SPREAD, SEVERAL, UNRATED, PublishedRatings, published_ratings
from tests.language_models.tiny_language_models import Bigrams
from tests.tiny import Sentences

# Ratings of our own. Of 4, 1 and 2.5 the mean is 2.5 and the deviation 1.5, so the z-scores are 1, −1 and 0.
TABLE = """sentence,rating,raters,mode
他走了。,4,9,slider
了他走。,1,1,slider
医生好。,2.5,,slider
他终于走。,,,slider
他走。,3,5,button
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(TABLE)
    return path


def answers(items: pl.DataFrame) -> pl.DataFrame:
    content = (ScoredUnit(0, 1, -1.0, None),)
    return responses_frame(
        [Response(f"r{name}", name, "m", None, "", "units", content) for name in items["id"].to_list()], "units"
    )


def test_the_mean_is_a_judgement_about_the_set(table: Path) -> None:
    items = rated_sentences(table, segmenter="characters").items()
    judged = published_ratings().judge(items, answers(items))
    assert judged["about"].to_list() == items["set"].to_list()
    assert judged["value"].to_list() == [4, 1, 2.5, None, 3]
    assert judged["judge"].to_list() == [
        "mean of 9 raters",
        "1 rater",
        "mean of raters",
        "mean of raters",
        "mean of 5 raters",
    ]
    assert judged["status"].to_list() == ["ok", "ok", "ok", "missing", "ok"]
    assert judged["reason"].to_list() == ["", "", "", UNRATED, ""]
    assert judged.select("scored_system", "measure", "part", "judge_kind").unique().row(0) == (
        *("", "rating", "mean", "people"),
    )


def test_z_scores_are_within_the_mode(table: Path) -> None:
    items = rated_sentences(table, segmenter="characters").items()
    judged = published_ratings("z").judge(items, answers(items))
    assert judged["value"].to_list() == [pytest.approx(1), pytest.approx(-1), pytest.approx(0), None, None]
    assert judged["reason"].to_list() == ["", "", "", UNRATED, NO_SPREAD]
    with pytest.raises(UserError, match="No scale is called 'percent'"):
        published_ratings("percent").judge(items, answers(items))  # type: ignore[arg-type]


def test_items_of_other_materials_are_unrated() -> None:
    judged = PublishedRatings().judge(sample_items(), sample_responses("units"))
    assert judged["about"].to_list() == ["a", "b"]
    assert judged["reason"].to_list() == [UNRATED, UNRATED]


def test_a_set_with_two_ratings_has_none() -> None:
    items = items_frame(
        Item(f"{group}{number}", group, "m", "", "狗叫。", attributes={"rating": rating})
        for group, ratings in (("same", (2.0, 2.0)), ("other", (2.0, 3.0)), ("one", (4.0, None)))
        for number, rating in enumerate(ratings)
    )
    judged = PublishedRatings().judge(items, answers(items))
    assert judged["value"].to_list() == [2, None, 4]
    assert judged["reason"].to_list() == ["", SEVERAL, ""]


def test_it_keeps_its_promises() -> None:
    findings = list(PublishedRatings().conformance())
    assert not [finding for finding in findings if not finding.kept]
    assert find("measure", "published ratings").kind is PublishedRatings
    assert published_ratings("z").signature() != published_ratings().signature()


def test_a_study_from_sentences_to_both_judgements(tmp_path: Path, table: Path) -> None:
    study = Study(
        "rated",
        materials=[rated_sentences(table, segmenter="characters"), Sentences()],
        systems=[Bigrams()],
        measures=[acceptability(), published_ratings()],
    )
    tables = study.run(tmp_path / "run").folder.tables()
    assert parts_of(tables, "rating") == ["mean"]
    ratings = observations(tables, "rating", columns=["mode", "dataset", "source_sentence"])
    rated = ratings.drop_nulls("value")
    assert rated["item"].to_list() == ["mine-button-5", "mine-slider-1", "mine-slider-2", "mine-slider-3"]
    assert rated["mode"].to_list() == ["button", "slider", "slider", "slider"]
    assert ratings.height == 5 + Sentences().items().height
    scores = observations(tables, "acceptability", columns=["mode"], parts=["SLOR"])
    both = scores.join(rated.select("set", rating="value"), on="set")
    assert both.height == 4 and both["value"].null_count() == 0
    # What people like is likelier here than the same words in another order.
    by_set = dict(both.select("set", "value").iter_rows())
    assert by_set["mine-slider-1"] > by_set["mine-slider-2"]
