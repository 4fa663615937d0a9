"""Is it recognised which ratings belong together, and is none of them taken for an observation of its own?"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from hengliang import UserError
from hengliang.analyses.ratings.battery import Battery, run_battery
from hengliang.analyses.ratings.comparisons import BESIDE, clustered_part, suspicion
from hengliang.analyses.ratings.design import units_of
from hengliang.analyses.ratings.parts import Part, Questions
from hengliang.analyses.ratings.raters import rater_parts
from hengliang.analyses.ratings.reading import read_ratings_file
from hengliang.analyses.ratings.table import Columns, Ratings, ratings_table
from hengliang.statistics import TestResult, mann_whitney_test, signed_rank_test
from tests.analyses.ratings.made_ratings import made_ratings

QUICK = Questions(model=False)


def taken(folder: Path, frame: pl.DataFrame, **parts: object) -> Ratings:
    path = folder / "ratings.csv"
    frame.write_csv(path)
    columns = replace(Columns(("rating",), "kind"), **parts)  # type: ignore[arg-type]
    return ratings_table(read_ratings_file(path), columns, scale="1-7")


def nested(items: int = 12, raters: int = 15, seed: int = 3) -> pl.DataFrame:
    """Return ratings of items that each stand under one kind; the items differ and the kinds do not."""
    generator = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        level = generator.normal(4, 1.2)
        for rater in range(raters):
            rating = int(np.clip(round(level + generator.normal(0, 0.6)), 1, 7))
            rows.append((f"s{item}", f"p{rater}", "ab"[item % 2], rating))
    return pl.DataFrame(rows, schema=["item", "rater", "kind", "rating"], orient="row")


def latin(items: int = 12, raters: int = 10, seed: int = 5) -> pl.DataFrame:
    """Return ratings in which every item and every rater has both kinds, and no rater an item under both."""
    frame = made_ratings(items=items, raters=raters, seed=seed, effects={"a": 0.0, "b": 0.6})
    place = pl.col("item").str.slice(1).cast(pl.Int64) + pl.col("rater").str.slice(1).cast(pl.Int64)
    chosen = pl.when(place % 2 == 0).then(pl.lit("a")).otherwise(pl.lit("b"))
    return frame.filter(pl.col("system") == chosen).select("item", "rater", kind="system", rating="fluency")


def means(frame: pl.DataFrame, unit: str) -> pl.DataFrame:
    """Return a column of means for each kind, a row a unit."""
    return frame.pivot(on="kind", index=unit, values="rating", aggregate_function="mean").sort(unit)


def only(part: Part) -> TestResult:
    ((_, found),) = part.results
    assert isinstance(found, TestResult)
    return found


def told(battery: Battery) -> str:
    return " ".join(note.en for note in battery.notes)


# --- what is one observation ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [{}, {"item": "item"}, {"pair": ("item", "rater")}, {"pair": ("rater", "item")}])
def test_items_of_one_level_each_are_compared_by_their_means(tmp_path: Path, parts: dict[str, object]) -> None:
    frame = nested()
    battery = run_battery(taken(tmp_path, frame, **parts), QUICK)
    held = [means(frame, "item")[kind].drop_nulls().to_numpy() for kind in "ab"]
    expected = stats.mannwhitneyu(*held, method="asymptotic", use_continuity=False).pvalue
    every = [frame.filter(pl.col("kind") == kind)["rating"].to_numpy() for kind in "ab"]
    # 180 ratings of 12 items, drawn without a difference: taken for independent they show one.
    assert stats.mannwhitneyu(*every, method="asymptotic", use_continuity=False).pvalue < 0.001 < 0.2 < expected
    found = only(battery.part("mann-whitney"))
    assert found.n == 12
    assert found.p == pytest.approx(mann_whitney_test(*held).p) == pytest.approx(expected, abs=0.05)
    assert not found.is_significant and "No difference" in found.sentence().en
    assert "180 ratings are not 180 independent observations" in told(battery)
    for text in (told(battery), battery.part("mann-whitney").explanation.en):
        assert "Every 'item' (12) stands under one 'kind' only (nested)" in text
    assert "嵌套" in battery.part("mann-whitney").explanation.zh


def test_the_other_unit_must_agree(tmp_path: Path) -> None:
    frame = nested()
    battery = run_battery(taken(tmp_path, frame, pair=("item", "rater")), QUICK)
    beside = only(battery.part(BESIDE))
    held = means(frame, "rater")
    # Every rater saw all items, so the two sets of items differ for all of them: that says nothing of other items.
    assert beside.p is not None and beside.p < 0.01
    assert stats.wilcoxon(held["a"].to_numpy(), held["b"].to_numpy()).pvalue < 0.01
    leading = only(battery.part("mann-whitney"))
    assert beside.adjusted_p == leading.p and not beside.is_significant
    assert "the larger p by 'item' and by 'rater'" in beside.sentence().en and "较大 p 值" in beside.sentence().zh
    assert "so that --pair pairs nothing" in told(battery)


def test_so_few_raters_that_they_could_show_nothing_take_nothing_back(tmp_path: Path) -> None:
    # Twenty sentences, ten of them good: three raters change sides in 2³ ways, so that their p is 2/8 at least.
    rows = [(f"s{n}", f"p{r}", "ab"[n % 2], 2 + 3 * (n % 2) + (n + r) % 3 // 2) for n in range(20) for r in range(3)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "kind", "rating"], orient="row")
    battery = run_battery(taken(tmp_path, frame), QUICK)
    leading, beside = only(battery.part("mann-whitney")), only(battery.part(BESIDE))
    assert beside.p == pytest.approx(0.25)
    assert leading.is_significant and leading.adjusted_p is None and not beside.is_significant
    (few,) = battery.part(BESIDE).warnings
    assert "With so few 'rater' (3) p by rater, corrected, cannot fall below .250" in few.en and ".250" in few.zh


def test_items_and_raters_of_all_levels_are_compared_within(tmp_path: Path) -> None:
    frame = latin()
    assert frame.select("item", "rater").is_unique().all()
    battery = run_battery(taken(tmp_path, frame, pair=("item", "rater")), QUICK)
    for name, unit in (("signed ranks", "item"), (BESIDE, "rater")):
        found, held = only(battery.part(name)), means(frame, unit)
        assert found.n == held.height
        assert found.p == pytest.approx(signed_rank_test(held["a"].to_list(), held["b"].to_list()).p)
    assert "12 of 12 'item' stand under two levels of 'kind' or more (crossed)" in told(battery)


def test_a_number_that_was_used_twice_pairs_nothing(tmp_path: Path) -> None:
    # One of 12 items stands under both kinds, by mistake: eleven would be thrown away if pairs were compared.
    first = (pl.col("item") == "s0") & (pl.col("rater") == "p0")
    again = nested().filter(first).with_columns(kind=pl.lit("b"))
    battery = run_battery(taken(tmp_path, pl.concat([nested(), again])), QUICK)
    assert only(battery.part("mann-whitney")).n == 13
    assert "1 of 12 'item' stand under two levels of 'kind' or more, too few to be compared within" in told(battery)


def test_two_accidental_pairs_do_not_discard_the_rest(tmp_path: Path) -> None:
    # 12 items of one kind each with 8 raters: 96 item × rater. Two of them were rated under the other kind as well.
    frame = nested(raters=8)
    again = frame.filter(pl.col("rater") == "p0", pl.col("item").is_in(["s0", "s3"]))
    again = again.with_columns(kind=pl.col("kind").replace({"a": "b", "b": "a"}))
    ratings = taken(tmp_path, pl.concat([frame, again]), pair=("item", "rater"))
    assert not ratings.is_paired
    battery = run_battery(ratings, QUICK)
    assert only(battery.part("mann-whitney")).n == 14  # the 12 items, two of them under both kinds
    text = told(battery)
    assert "2 of 96 item × rater have ratings under two levels of 'kind' or more, fewer than half" in text
    assert "--pair is left aside" in text and "96 个 item × rater 中只有 2 个" in battery.notes[0].zh
    # Half of them are enough: 48 of 96.
    both = frame.filter(pl.col("rater").is_in(["p0", "p1", "p2", "p3"]))
    both = both.with_columns(kind=pl.col("kind").replace({"a": "b", "b": "a"}), rating=8 - pl.col("rating"))
    half = taken(tmp_path, pl.concat([frame, both]), pair=("item", "rater"))
    assert half.is_paired and only(run_battery(half, QUICK).part("signed ranks")).n == 48


def test_a_thousand_raters_are_not_too_many(tmp_path: Path) -> None:
    rows = [(f"p{n}", "ab"[n % 2], 1 + (n + k) % 7) for n in range(1200) for k in range(2)]
    frame = pl.DataFrame(rows, schema=["rater", "kind", "rating"], orient="row")
    part = run_battery(taken(tmp_path, frame), QUICK).part("mann-whitney")
    assert only(part).n == 1200 and not part.warnings


def test_the_omnibus_test_and_equivalence_are_those_of_means(tmp_path: Path) -> None:
    frame = nested(items=18).with_columns(
        kind=pl.col("item").str.slice(1).cast(pl.Int64).mod(3).cast(pl.String).replace({"0": "a", "1": "b", "2": "c"})
    )
    battery = run_battery(taken(tmp_path, frame), Questions(model=False, margin=0.5))
    held = [means(frame, "item")[kind].drop_nulls().to_numpy() for kind in "abc"]
    omnibus = only(battery.part("omnibus"))
    assert omnibus.statistic == pytest.approx(stats.kruskal(*held).statistic) and omnibus.n == 18
    row = next(row for row in battery.part("equivalence").estimates if row.statistic == "difference")
    assert row.value == pytest.approx(held[0].mean() - held[1].mean()) and row.n == 12


def test_pairs_remain_pairs(tmp_path: Path) -> None:
    frame = made_ratings(items=6, raters=4).rename({"system": "kind", "fluency": "rating"})
    stated = taken(tmp_path, frame, pair=("item", "rater"))
    assert stated.is_paired and units_of(stated) == ()
    # What is not said is recognised by name, and pairs just so.
    recognised = taken(tmp_path, frame)
    assert recognised.columns == stated.columns
    part = run_battery(stated, QUICK).part("brunner-munzel")
    assert "taken for independent here" in part.explanation.en and "clustered test" in part.explanation.en


@pytest.mark.mirror
def test_the_sentences_of_five_languages(tmp_path: Path, mirror: Path) -> None:
    rows = [
        (str(row["ID"]), row["source-language"], float(rating))
        for row in pl.read_csv(mirror / "lau2020" / "context-none-ratings.csv").iter_rows(named=True)
        for rating in row["full-ratings"].split(",")
    ]
    frame = pl.DataFrame(rows, schema=["item", "kind", "rating"], orient="row")
    assert frame.height == 4107 and frame["item"].n_unique() == 250
    part = run_battery(taken(tmp_path, frame), QUICK).part("mann-whitney")
    found = {by["comparison"]: result for by, result in part.results if isinstance(result, TestResult)}
    held = means(frame, "item")
    expected = stats.mannwhitneyu(
        held["cs"].drop_nulls().to_numpy(),
        held["fr"].drop_nulls().to_numpy(),
        method="asymptotic",
        use_continuity=False,
    )
    # 50 sentences each; over ratings p was .0006, over means of sentences it is .31.
    assert found["cs − fr"].n == 100
    assert found["cs − fr"].p == pytest.approx(expected.pvalue) == pytest.approx(0.3075, abs=1e-4)
    assert not found["cs − fr"].is_significant and found["en − fr"].is_significant


# --- who is who -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["评委", "评分者", "评审", "被试", "参与者", "受试者", "评委编号", "participant_id"])
def test_raters_are_recognised_by_their_names(tmp_path: Path, name: str) -> None:
    frame = made_ratings(items=4, raters=3).rename(
        {"system": "kind", "fluency": "rating", "item": "轮次", "rater": name}
    )
    for pair in (("轮次", name), (name, "轮次")):
        found = taken(tmp_path, frame, pair=pair)
        assert found.item_and_rater == ("轮次", name)
        assert found.roles.rater is not None and found.roles.rater.how == "name"


@pytest.mark.parametrize("name", ["句子", "题目", "项目", "题号", "sent_id", "SentenceID", "stimulus"])
def test_items_are_recognised_by_their_names(tmp_path: Path, name: str) -> None:
    frame = made_ratings(items=4, raters=3).rename(
        {"system": "kind", "fluency": "rating", "item": name, "rater": "who"}
    )
    for pair in ((name, "who"), ("who", name)):
        assert taken(tmp_path, frame, pair=pair).item_and_rater == (name, "who")
    assert taken(tmp_path, frame).columns.item == name


def test_roles_that_are_stated_go_before_names_and_the_report_says_which(tmp_path: Path) -> None:
    frame = made_ratings(items=4, raters=3).rename({"system": "kind", "fluency": "rating"})
    guessed = run_battery(taken(tmp_path, frame, pair=("item", "rater")), QUICK)
    assert "item is 'item' and rater 'rater', recognised by name (--item, --rater)" in told(guessed)
    stated = run_battery(taken(tmp_path, frame, pair=("item", "rater"), item="rater", rater="item"), QUICK)
    assert stated.ratings.item_and_rater == ("rater", "item")
    assert "item is 'rater' and rater 'item', stated." in told(stated)
    with pytest.raises(UserError, match="'item' is named by --item and by --rater"):
        taken(tmp_path, frame, item="item", rater="item")


def test_without_roles_ratings_that_repeat_are_warned_of(tmp_path: Path) -> None:
    frame = nested().rename({"item": "frame", "rater": "who"})
    battery = run_battery(taken(tmp_path, frame), QUICK)
    for text in (told(battery), battery.part("mann-whitney").explanation.en):
        assert "Warning: No column is known that names items or raters of several ratings" in text and "--item" in text
        assert "'frame' (12), 'who' (15) of 180 rows" in text
    plain = run_battery(taken(tmp_path, frame.select("kind", "rating")), QUICK)
    assert "every rating is taken for an independent observation" in told(plain) and "Warning" not in told(plain)


def test_the_age_of_a_rater_is_no_rater(tmp_path: Path) -> None:
    frame = nested().rename({"item": "frame", "rater": "participant_age"})
    assert taken(tmp_path, frame).item_and_rater == (None, None)


def animacy() -> pl.DataFrame:
    """Return 8 ratings of 12 stimuli by nameless readers; `subject` says whether the sentence's subject is animate."""
    place = pl.col("item").str.slice(1).cast(pl.Int64)
    subject = pl.when(place % 4 < 2).then(pl.lit("animate")).otherwise(pl.lit("inanimate"))
    return nested(raters=8).with_columns(subject=subject).drop("rater").rename({"item": "stimulus"})


def test_a_property_of_items_is_no_rater_whatever_it_is_called(tmp_path: Path) -> None:
    ratings = taken(tmp_path, animacy())
    assert ratings.item_and_rater == ("stimulus", None)
    battery = run_battery(ratings, QUICK)
    plain = run_battery(taken(tmp_path, animacy().rename({"subject": "animacy"})), QUICK)
    # The name of a column that nobody named changes no number.
    assert only(battery.part("mann-whitney")).p == only(plain.part("mann-whitney")).p
    assert only(battery.part("mann-whitney")).adjusted_p is None and {part.name for part in battery.parts} == {
        part.name for part in plain.parts
    }
    assert (
        "'subject' is called like a rater but has 2 values only, the same in all rows of one 'stimulus', and is not "
        "taken for one; --rater subject states that it is." in told(battery)
    )
    assert "--rater subject" in " ".join(note.zh for note in battery.notes) and "is called like" not in told(plain)
    stated = taken(tmp_path, animacy(), rater="subject")
    assert stated.item_and_rater == ("stimulus", "subject") and not stated.roles.doubtful
    # Neither does it where --pair names the item.
    crossed = pl.concat([animacy().with_columns(kind=pl.lit(kind)) for kind in "ab"]).unique(["stimulus", "kind"])
    assert taken(tmp_path, crossed, pair=("stimulus",)).item_and_rater == ("stimulus", None)


def test_a_property_of_raters_is_no_item_and_the_next_name_is_taken(tmp_path: Path) -> None:
    # `text` is whether a reader saw the long or the short version of the study.
    place = pl.col("rater").str.slice(1).cast(pl.Int64)
    frame = nested().with_columns(text=pl.when(place % 2 == 0).then(pl.lit("long")).otherwise(pl.lit("short")))
    alone = taken(tmp_path, frame.drop("item"))
    assert alone.item_and_rater == (None, "rater") and [doubt.name for doubt in alone.roles.doubtful] == ["text"]
    # Of two that are called like raters the one that is no property of items is the rater.
    animate = nested().with_columns(subject=pl.col("kind").replace({"a": "animate", "b": "inanimate"}))
    assert taken(tmp_path, animate.rename({"rater": "worker"})).item_and_rater == ("item", "worker")


def test_few_raters_who_share_items_are_recognised(tmp_path: Path) -> None:
    assert taken(tmp_path, nested(raters=3)).item_and_rater == ("item", "rater")


# --- combinations of columns ------------------------------------------------------------------------------------------


def bottles() -> pl.DataFrame:
    """Return ratings of 2 (kind) × 2 (contact) × 2 (rep) bottles by 3 judges who agree on every bottle.

    The rows of the second judge begin with the other bottle, so that whoever takes the first of several ratings of a
    judge compares different bottles.
    """
    numbered = enumerate(product("ab", ("no", "yes"), "12"), start=1)
    score = {bottle: min(7, number) for number, bottle in numbered}
    rows = []
    for number, judge in enumerate(("j1", "j2", "j3")):
        order = sorted(score, key=lambda bottle: bottle[::-1], reverse=number == 1)
        rows += [(judge, rep, contact, kind, score[kind, contact, rep]) for kind, contact, rep in order]
    return pl.DataFrame(rows, schema=["judge", "rep", "contact", "kind", "rating"], orient="row")


@pytest.mark.parametrize(
    "pair", [("judge", "rep", "contact"), ("contact", "rep", "judge"), ("rep", "judge", "contact")]
)
def test_the_unit_is_the_combination_of_all_that_is_not_the_rater(tmp_path: Path, pair: tuple[str, ...]) -> None:
    ratings = taken(tmp_path, bottles(), pair=pair)
    assert ratings.item_and_rater == ("rep × contact", "judge")
    agreement, _ = rater_parts(ratings, QUICK)
    estimate = next(agreement.results[0][1].estimates("agreement"))
    # All judges agree on each of the 8 bottles, two of which share the highest answer: nothing differs within a unit.
    assert estimate.value == pytest.approx(1.0) and estimate.n == 8
    found = only(clustered_part(ratings, QUICK, None))
    assert found.conventions["unit"] == "4 × item and 3 × rater"
    assert clustered_part(ratings, QUICK, None).title.en == "Clustered by " + (
        "judge and rep × contact" if pair[0] == "judge" else "rep × contact and judge"
    )


def test_two_rounds_of_a_sentence_are_one_sentence_and_two_judgements(tmp_path: Path) -> None:
    frame = bottles().rename({"rep": "轮次", "contact": "句子", "judge": "评委"})
    ratings = taken(tmp_path, frame, pair=("轮次", "评委", "句子"))
    assert ratings.item_and_rater == ("句子", "评委")
    agreement, _ = rater_parts(ratings, QUICK)
    assert next(agreement.results[0][1].estimates("agreement")).n == 8
    assert only(clustered_part(ratings, QUICK, None)).conventions["unit"] == "2 × item and 3 × rater"


def test_raters_outside_the_pairs_are_a_unit_of_their_own(tmp_path: Path) -> None:
    # Each item has one rating of each kind, by two of five raters.
    rows = [(f"s{n}", f"p{(3 * n + k) % 5}", kind, 3 + (n + k) % 3) for n in range(20) for k, kind in enumerate("ab")]
    frame = pl.DataFrame(rows, schema=["item", "rater", "kind", "rating"], orient="row")
    battery = run_battery(taken(tmp_path, frame, pair=("item",)), QUICK)
    assert only(battery.part("signed ranks")).n == 20 and only(battery.part(BESIDE)).n == 5
    assert "They are paired by item, and besides: 5 of 5 'rater'" in told(battery)


def test_somebody_who_judged_one_thing_twice_is_not_half_forgotten(tmp_path: Path) -> None:
    ratings = taken(tmp_path, bottles(), rater="judge", item="contact")
    (agreement,) = rater_parts(ratings, QUICK)
    assert not agreement.results and "more than once" in agreement.sentences[0].en


def test_copies_are_suspected_on_items_wherever_they_are_named(tmp_path: Path) -> None:
    frame = made_ratings(items=8, raters=4, shared=True).rename({"system": "kind", "fluency": "rating"})
    warnings = [suspicion(taken(tmp_path, frame, pair=pair)) for pair in (("item", "rater"), ("rater", "item"))]
    assert warnings[0] is not None and warnings[0] == warnings[1] and "of 8 levels of 'item'" in warnings[0].en
