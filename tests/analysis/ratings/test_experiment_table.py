"""Are the ratings of an experiment those that a file with its copies would give?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import Bilingual, UserError
from hengliang.analyses import RatingColumns as Columns
from hengliang.analyses import RatingQuestions as Questions
from hengliang.analyses import ratings_table, read_ratings_file, run_battery
from hengliang.analyses import without_copies as unique_ratings
from hengliang.analysis.ratings.experiment_table import Wanted, experiment_ratings, rated_scales
from hengliang.surveys import Experiment, Plan, Scale, answers_frame, stimuli_frame
from tests.analyses.ratings.made_ratings import made_ratings, write_ratings

SEVEN = [Scale(name, Bilingual(name, name), 7) for name in ("clarity", "fluency")]
FRAME = made_ratings(items=8, raters=4, shared=True)


def experiment_of(frame: pl.DataFrame) -> Experiment:
    """Return the experiment whose answers, copied to each system, are these ratings."""
    about = pl.concat_str("item", pl.lit("-"), "response")
    held = frame.with_columns(about=about)
    shown = held.group_by("about", "item", maintain_order=True).agg(pl.col("system").unique(maintain_order=True))
    stimuli = [
        {"about": about, "item": item, "text": about, "spans": [], "systems": by} for about, item, by in shown.rows()
    ]
    once = held.unique(["about", "rater"], maintain_order=True)
    rows = [
        {"participant": row["rater"], "about": row["about"], "scale": scale, "value": float(row[scale])}
        for row in once.iter_rows(named=True)
        for scale in ("clarity", "fluency")
    ]
    return Experiment(
        "made",
        Bilingual("made", "made"),
        tuple(SEVEN),
        stimuli_frame(stimuli),
        Plan(primary_outcome="fluency", family="all pairs"),
        answers_frame(rows),
    )


def test_the_numbers_are_those_of_the_file_with_a_response_column(tmp_path: Path) -> None:
    about = FRAME.with_columns(response=pl.concat_str("item", pl.lit("-"), "response"))
    file = read_ratings_file(write_ratings(tmp_path, about))
    # The primary outcome of the plan comes first.
    columns = Columns(("fluency", "clarity"), "system", ("item", "rater"), "match", "response")
    told = ratings_table(file, columns, scale="1-7", levels=("CORPUS", "RULE", "LSTM", "BERT"))
    own = experiment_ratings(experiment_of(FRAME), tmp_path)
    assert own.columns == told.columns and own.levels == told.levels
    questions = Questions(margin=0.5, model=False)
    # `match` of the file says whether the classifier is the gold one, that of the experiment whether CORPUS gave it:
    # CORPUS errs in this file, so the splits differ, and everything else is the same.
    parts = [
        {part.name: part for part in run_battery(ratings, questions).parts if not part.name.startswith("split")}
        for ratings in (own, told)
    ]
    assert list(parts[0]) == list(parts[1])
    for name, part in parts[0].items():
        for (by, result), (other_by, other) in zip(part.results, parts[1][name].results, strict=True):
            assert dict(by) == dict(other_by)
            assert result.sentence().en == other.sentence().en
    assert unique_ratings(own).n_copies == unique_ratings(told).n_copies > 0  # type: ignore[union-attr]


def test_match_is_the_choice_of_the_corpus(tmp_path: Path) -> None:
    held = experiment_of(FRAME)
    own = experiment_ratings(held, tmp_path)
    corpus = set(held.stimuli.filter(pl.col("systems").list.contains("CORPUS"))["about"])
    assert own.columns.split == "match"
    for about, match in own.frame.select("response", "match").unique().rows():
        assert (match == "match") == (about in corpus)
    others = replace(
        held, stimuli=held.stimuli.with_columns(pl.col("systems").list.eval(pl.element().replace("CORPUS", "GOLD")))
    )
    assert experiment_ratings(others, tmp_path).columns.split is None


def test_a_split_may_be_a_column_of_the_items(tmp_path: Path) -> None:
    held = experiment_of(FRAME)
    with pytest.raises(UserError, match="have no column 'sample'") as caught:
        experiment_ratings(held, tmp_path, Wanted(split="sample"))
    assert "survey export" in caught.value.remedy and "items.parquet" in caught.value.valid
    items = held.stimuli["item"].unique().sort()
    kinds = ["random" if number % 2 else "infrequent" for number in range(len(items))]
    pl.DataFrame({"id": items, "sample": kinds}).write_parquet(tmp_path / "items.parquet")
    own = experiment_ratings(held, tmp_path, Wanted(split="sample"))
    assert own.columns.split == "sample"
    assert dict(own.frame.select("item", "sample").unique().rows()) == dict(zip(items, kinds, strict=True))
    # Everything but the split is as it was.
    assert own.frame.drop("sample").equals(experiment_ratings(held, tmp_path).frame.drop("match"))
    with pytest.raises(UserError, match="have no column 'genre'") as caught:
        experiment_ratings(held, tmp_path, Wanted(split="genre"))
    assert "sample" in caught.value.valid
    pl.DataFrame({"id": items, "genre": [f"g{n % 3}" for n in range(len(items))]}).write_parquet(
        tmp_path / "items.parquet"
    )
    with pytest.raises(UserError, match="'genre' has 3 levels") as caught:
        run_battery(experiment_ratings(held, tmp_path, Wanted(split="genre")), Questions(model=False))
    assert "survey export" in caught.value.remedy


def test_only_targets_once_and_missing_ones_counted(tmp_path: Path) -> None:
    held = experiment_of(FRAME)
    first = held.answers.row(0, named=True)
    repeat = {**first, "role": "repeat", "occurrence": 2, "value": 1.0}
    lost = pl.col("about") == first["about"]
    answers = held.answers.with_columns(
        value=pl.when(lost & (pl.col("participant") == first["participant"])).then(None).otherwise("value"),
        status=pl.when(lost & (pl.col("participant") == first["participant"]))
        .then(pl.lit("missing"))
        .otherwise("status"),
    )
    more = pl.concat([answers, answers_frame([repeat])])
    own = experiment_ratings(replace(held, answers=more), tmp_path)
    givers = held.stimuli.filter(about=first["about"])["systems"][0]
    assert own.frame["fluency"].null_count() == len(givers)
    assert any("are missing" in note.en for note in own.notes)


def test_scales_are_chosen_by_the_plan_their_length_and_by_name(tmp_path: Path) -> None:
    held = experiment_of(FRAME)
    five = Scale("beauty", Bilingual("b", "b"), 5)
    word = Scale("word", Bilingual("w", "w"))
    mixed = replace(held, scales=(five, *held.scales, word))
    same, other = rated_scales(mixed)
    assert [scale.name for scale in same] == ["fluency", "clarity"] and other == [five]
    assert any("'beauty'" in note.en for note in experiment_ratings(mixed, tmp_path).notes)
    assert rated_scales(mixed, ["clarity"]) == ([SEVEN[0]], [])
    with pytest.raises(UserError, match="different length"):
        rated_scales(mixed, ["clarity", "beauty"])
    with pytest.raises(UserError, match="Did you mean fluency"):
        rated_scales(mixed, ["fluensy"])
    with pytest.raises(UserError, match="one of numbers"):
        rated_scales(replace(held, scales=(word,), answers=held.answers.head(0)))


def test_a_slider_has_the_scale_of_its_values(tmp_path: Path) -> None:
    held = experiment_of(FRAME)
    free = replace(held, scales=tuple(replace(scale, points=0) for scale in held.scales))
    own = experiment_ratings(free, tmp_path)
    assert own.scale.inferred and (own.scale.low, own.scale.high) == (1.0, 7.0)
    assert experiment_ratings(free, tmp_path, Wanted(scale="0-100")).scale.high == 100.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answers": answers_frame([])}, "Nobody has rated anything"),
        (
            {"stimuli": experiment_of(FRAME).stimuli.with_columns(systems=pl.lit([], pl.List(pl.String)))},
            "name 0 systems",
        ),
        ({"scales": (Scale("item", Bilingual("i", "i"), 7),)}, "a name that we need"),
    ],
)
def test_what_cannot_be_analysed_is_said(tmp_path: Path, change: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        experiment_ratings(replace(experiment_of(FRAME), **change), tmp_path)  # type: ignore[arg-type]
