"""Is a survey about scenes served, answered and exported, with all its readers for every pair, and every count kept?"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

pytest.importorskip("starlette", reason="the extra 'survey' is not installed")

from hengliang import Bilingual, UserError
from hengliang.core import RunFolder, attribute_names
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import read_scene
from hengliang.people.pages.starting import checked_survey
from hengliang.people.scene_experiment import (
    MODEL_FILE,
    PAIRS_FILE,
    SceneExperiment,
    rating_experiment,
    readings_again,
    reconstruction_experiment,
)
from hengliang.people.scene_pairs import ScenePair, read_pairs
from hengliang.people.tasks.reconstruction import Reconstruction
from hengliang.people.tasks.scenes import drawn_scene
from hengliang.surveys import (
    ResponseModel,
    Simulation,
    StudyFacts,
    collected,
    collected_experiment,
    exclude,
    methods_paragraph,
    run_records,
    served,
    simulate,
    stimuli_of,
    withdraw_participant,
)
from hengliang.surveys import SurveySettings as Settings
from hengliang.surveys import export_answers as export
from hengliang.surveys import read_response_model as read_model
from tests.people.scene_examples import ANIMALS, SIGNS, scene_pairs

PAIRS = scene_pairs()
EXACT = ResponseModel(noise=0.0, not_understood=0.0, comments=0.0)


def made() -> SceneExperiment:
    """Return ten pairs with three readers each among six participants, who read five each."""
    return reconstruction_experiment(PAIRS, readers=3, participants=6, seed=2)


def readers(folder: Path, *, finished_only: bool = True) -> Counter[str]:
    """Return how many people each pair was answered by."""
    held = collected(folder, None, "simulated", finished_only=finished_only)
    seen = held.answers.select("participant", "about").unique()
    return Counter(seen["about"].to_list())


def test_the_folder_holds_the_design_and_its_proof(tmp_path: Path) -> None:
    held = made()
    held.write(tmp_path / "s")
    survey = checked_survey(tmp_path / "s")
    assert survey.design.lists == "allocated" and survey.settings.places == 1
    assert list(survey.lists) == ["1", "2", "3", "4", "5", "6"] and {len(rows) for rows in survey.lists.values()} == {5}
    assert "10 pairs with 3 readers each; nobody meets a scene twice" in survey.design.proof
    assert survey.experiment.plan.raters_per_item == 3
    assert "Example 1" in survey.settings.instructions.en and "例一" in survey.settings.instructions.zh
    for rows in survey.lists.values():
        sizes = [survey.stimuli[each.about].details["scene_size"] for each in rows]
        assert sizes == sorted(sizes)
    again = read_pairs(tmp_path / "s" / PAIRS_FILE)
    assert again == tuple(PAIRS)
    listing = pl.read_csv(tmp_path / "s" / PAIRS_FILE)
    assert set(listing["about"]) == set(survey.stimuli)
    assert set(listing["lists"].str.split(";").list.len()) == {3}
    with pytest.raises(UserError, match="is not empty"):
        held.write(tmp_path / "s")
    assert made().designed.design == held.designed.design and made().listing().equals(held.listing())


def played(folder: Path, participants: int, **model: Any) -> Simulation:
    return simulate(checked_survey(folder), participants=participants, model=ResponseModel(comments=0.0, **model))


def test_counts_come_back_as_they_were_sent(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    made().write(folder)
    survey = checked_survey(folder)
    sent = simulate(survey, participants=6, model=ResponseModel(noise=0.3, not_understood=0.15))
    assert sent.counts == {"finished": 6} and sent.comparison is not None and sent.comparison.equal
    assert readers(folder) == dict.fromkeys(survey.stimuli, 3)
    export(survey, tmp_path / "out", ("long", "wide", "run"), kind="simulated")
    run = RunFolder.open(tmp_path / "out" / "run")
    items, responses = run.items(), run.responses()["counts"]
    assert {"pair", "describer", "scene_size"} <= set(attribute_names(items))
    told = {row["id"]: row for row in items.iter_rows(named=True)}
    for pair in PAIRS:
        row = told[pair.about]
        assert (row["pair"], row["describer"], row["condition"]) == (pair.id, pair.describer, pair.describer)
        assert (row["gold"], row["scene_size"], row["content"]) == (pair.scene.code, pair.scene.size, pair.text)
    # What was acknowledged is, response by response, what a run holds: counts, or that it was not understood.
    acknowledged: dict[tuple[int, str], dict[str, float | None]] = {}
    for entry in sent.ledger.entries:
        acknowledged.setdefault((entry.bot, entry.about), {})[entry.scale] = entry.value
    answers = Counter((about, tuple(sorted(counts.items()))) for (_, about), counts in acknowledged.items())
    empty = dict.fromkeys((kind.name for kind in survey.task.kinds), None)  # type: ignore[attr-defined]
    stored = Counter(
        (
            row["item"],
            tuple(sorted((empty | {each["kind"]: float(each["count"]) for each in row["content"] or ()}).items())),
        )
        for row in responses.iter_rows(named=True)
    )
    assert stored == answers and responses.height == 30
    lost = responses.filter(status="missing")
    assert lost.height and set(lost["reason"]) == {"not understood"}
    sums = {
        row["item"]: sum(each["count"] for each in row["content"]) for row in responses.filter(status="ok").to_dicts()
    }
    assert all(total == told[about]["scene_size"] for about, total in sums.items())


def test_who_leaves_gives_the_list_to_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    made().write(folder)
    assert played(folder, 6).counts == {"finished": 6}
    # All six places are taken: a seventh is refused.
    assert played(folder, 1).counts == {"refused": 1}
    survey = checked_survey(folder)
    people = collected(folder, None, "simulated").participants.sort("version")["participant"].to_list()
    with served(survey) as (database, _):
        assert database.write(exclude, people[0], "did another survey meanwhile", time.time()).result()
        assert database.write(withdraw_participant, people[1], time.time()).result()
    # Their lists, and no others, lack a reader; the next two participants fill exactly these.
    missing = Counter(each.about for version in ("1", "2") for each in survey.lists[version])
    assert readers(folder) == {about: 3 - missing[about] for about in survey.stimuli}
    assert played(folder, 3).counts == {"finished": 2, "refused": 1}
    assert readers(folder) == dict.fromkeys(survey.stimuli, 3)


def test_who_gives_up_leaves_answers_that_finished_only_leaves_out(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    made().write(folder)
    first = played(folder, 6, drop_out=0.1)
    assert first.counts["left"] > 0
    # A reservation that has run out frees the list; here its time is over at once.
    with served(checked_survey(folder)) as (database, _):
        from sqlalchemy import Connection, update

        from hengliang.people.storage.tables import participants

        def run_out(connection: Connection) -> None:
            connection.execute(update(participants).where(participants.c.status == "active").values(reserved=0.0))

        database.write(run_out).result()
    assert played(folder, first.counts["left"]).counts == {"finished": first.counts["left"]}
    abouts = checked_survey(folder).stimuli
    assert readers(folder) == dict.fromkeys(abouts, 3)
    assert sum(readers(folder, finished_only=False).values()) > 3 * len(abouts)


def test_experts_see_all_pairs_or_their_share(tmp_path: Path) -> None:
    everything = rating_experiment(PAIRS, experts=3)
    assert everything.allocation.loads == (10, 10, 10)
    # Ten pairs of five scenes: each expert meets each scene again once.
    assert readings_again(everything) == (15, 15)
    assert everything.designed.design.distance == 2
    half = rating_experiment(PAIRS, experts=4, share=0.5)
    assert half.allocation.readers == 2 and half.allocation.loads == (5, 5, 5, 5) and readings_again(half) == (0, 0)
    half.write(tmp_path / "e")
    survey = checked_survey(tmp_path / "e")
    assert not (tmp_path / "e" / MODEL_FILE).exists()
    sent = simulate(survey, participants=4, model=ResponseModel(not_understood=0.1))
    assert sent.counts == {"finished": 4} and sent.comparison is not None and sent.comparison.equal
    experiment = collected_experiment(tmp_path / "e", kind="simulated")
    records = run_records(experiment, survey.task, survey.folder)
    # Ten pairs by two experts on three questions.
    assert records.judgements.height == 60
    assert records.judgements["value"].drop_nulls().is_between(1, 5).all()
    assert set(records.responses["text"]["id"]) == {pair.about for pair in PAIRS}
    assert set(records.responses["text"]["system"]) == {"IA", "GREEDY"}
    for share in (0.3, 0.0, 1.5, -0.5):
        with pytest.raises(UserError, match="4 experts with a share of"):
            rating_experiment(PAIRS, experts=4, share=share)


def test_one_scene_can_be_judged_too() -> None:
    # Two descriptions of one scene cannot stand apart.
    alone = rating_experiment(PAIRS[:2], experts=2)
    assert alone.designed.design.distance == 1 and alone.allocation.loads == (2, 2)


@pytest.mark.parametrize("domain", [ANIMALS, SIGNS], ids=lambda domain: domain.name)
def test_a_domain_of_ones_own_is_served(domain: Domain, tmp_path: Path) -> None:
    pairs = scene_pairs(domain=domain)
    reconstruction_experiment(pairs, readers=1, participants=2).write(tmp_path / "r")
    rating_experiment(pairs, experts=2).write(tmp_path / "e")
    for name, people in (("r", 2), ("e", 2)):
        survey = checked_survey(tmp_path / name)
        sent = simulate(survey, participants=people, model=EXACT)
        assert sent.counts == {"finished": people} and sent.comparison is not None and sent.comparison.equal
    answers = collected_experiment(tmp_path / "r", kind="simulated").answers
    assert set(answers["scale"]) == set(domain.kind_names)


def test_the_methods_section_tells_the_design(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    made().write(folder)
    played(folder, 6, not_understood=0.0)
    survey = checked_survey(folder)
    told = methods_paragraph(StudyFacts(survey, collected(folder, None, "simulated")))
    for said in (
        "10 target stimuli, variants of 5 items",
        "2 systems (IA, GREEDY)",
        "6 lists of 5 presentations; each stimulus was in the same number of lists, and each list was for one",
        "The 2 blocks of a list came in a fixed order; orders were random within blocks",
        "Each target was judged by 3 participants",
        "stopping rule one finished participant on each of 6 lists",
    ):
        assert said in told.en
    assert "每个列表供一位参与者使用" in told.zh


def test_counts_are_not_analysed_as_ratings(tmp_path: Path) -> None:
    from hengliang.cli.analyse import analyse

    made().write(tmp_path / "s")
    played(tmp_path / "s", 6)
    with pytest.raises(UserError, match=r"counts of things in scenes, not ratings.*hengliang scenes analyse"):
        analyse.main(args=[str(tmp_path / "s"), "--kind", "simulated"], standalone_mode=False)


def test_the_model_of_simulated_readers_is_one(tmp_path: Path) -> None:
    made().write(tmp_path / "s")
    model = read_model(tmp_path / "s" / MODEL_FILE)
    assert (model.by, model.noise, model.not_understood) == ("description", 0.02, 0.01)


def test_pairs_that_make_no_experiment() -> None:
    with pytest.raises(UserError, match="0 experts cannot judge") as caught:
        rating_experiment(PAIRS, experts=0)
    assert caught.value.valid == "At least one expert."
    with pytest.raises(UserError, match="no pairs to read"):
        rating_experiment([], experts=0)
    with pytest.raises(UserError, match="no pairs to read"):
        reconstruction_experiment([], readers=1, participants=1)
    mixed = [PAIRS[0], ScenePair("x", "X", read_scene("BC=1", ANIMALS), "One cat.")]
    with pytest.raises(UserError, match="domains circles and squares, animals"):
        reconstruction_experiment(mixed, readers=1, participants=1)
    silent = [ScenePair("x", "X", read_scene("BS=4", DEFAULT_DOMAIN), " ")]
    with pytest.raises(UserError, match="The pair 'x' cannot be shown: it has no text"):
        reconstruction_experiment(silent, readers=1, participants=1)


def test_what_people_agree_to_fits_what_they_do() -> None:
    readers, experts = made().designed.settings, rating_experiment(PAIRS, experts=1).designed.settings
    assert "how many objects of each kind" in readers.consent.en and "各种图形的数量" in readers.consent.zh
    assert "three questions" in experts.consent.en and "英文" in experts.consent.zh
    assert "short English descriptions" in readers.instructions.en and "英文描述" in readers.instructions.zh
    chinese = [replace(pair, text="所有的图形都是方形。") for pair in PAIRS]
    told = reconstruction_experiment(chinese, readers=1, participants=2).designed.settings
    assert "short Chinese descriptions" in told.consent.en and "中文描述" in told.instructions.zh
    mixed = rating_experiment([*PAIRS, replace(chinese[0], id="zh")], experts=1).designed.settings
    assert "in English and Chinese" in mixed.instructions.en
    own = Settings(consent=Bilingual("Ours.", "我们的。"))
    assert rating_experiment(PAIRS, experts=1, settings=own).designed.settings.consent == own.consent


def test_experts_see_the_colours_of_the_domain() -> None:
    held = stimuli_of(rating_experiment(PAIRS, experts=1).designed.experiment.stimuli)
    drawn = [drawn_scene(each.details["scene"], "en", each.details) or {} for each in held.values()]
    assert {thing["colour"] for one in drawn for thing in one["things"]} == {"#1f5fbf", "#c8281e"}


def test_readers_of_a_domain_of_ones_own_meet_its_words_on_every_page() -> None:
    task = reconstruction_experiment(scene_pairs(domain=ANIMALS), readers=1, participants=2).designed.task
    assert isinstance(task, Reconstruction) and task.things == Bilingual("animals", "动物")
