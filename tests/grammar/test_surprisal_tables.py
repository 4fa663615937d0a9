"""Do recorded models answer what they have scored, and nothing else?"""

from __future__ import annotations

import math
import pickle
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import Study, UserError
from hengliang.core import Silent, check_answers
from hengliang.grammar.prediction import prediction
from hengliang.grammar.recorded_surprisals import (
    NOT_RECORDED,
    TWO_ANSWERS,
    RecordedModel,
    recorded_models,
    recorded_study,
)
from hengliang.grammar.suites.recorded import RecordedSuites
from hengliang.study import visible
from tests.recorded_toy import ALL, CLASSIFIERS, MISSING, SUBORDINATION, write_recorded


def test_the_units_are_the_recorded_words(tmp_path: Path) -> None:
    """Each word is a unit, the units cover the sentence, and a log-probability is minus the recorded surprisal."""
    material, (model,) = recorded_study(write_recorded(tmp_path, {"lstm-trial0": ALL}))
    items = material.items()
    answers = check_answers(model.answer(items), items, model)
    assert set(answers["status"]) == {"ok"}
    row = items.with_columns(units=answers["content"]).filter(pl.col("id") == "mobj_none/1/complete").row(0, named=True)
    assert row["content"] == "老人修了钟。"
    assert [(unit["start"], unit["end"]) for unit in row["units"]] == [(0, 6), (6, 9), (9, 12), (12, 15), (15, 18)]
    assert [unit["logprob"] for unit in row["units"]] == [-4.0, -5.0, -1.0, -6.0, -2.0]
    assert {unit["unigram_logprob"] for unit in row["units"]} == {None}


def test_names_seeds_and_traits(tmp_path: Path) -> None:
    folders = ["plm-trial1", "ngram-trial0", "lstm-trial2", "rnng-trial0", "trans-trial0", "mine-3"]
    models = recorded_models(write_recorded(tmp_path, {name: {"cls_none": CLASSIFIERS} for name in folders}))
    found = [(one.name, one.seed, one.traits()["architecture"], one.traits()["structured"]) for one in models]
    assert found == [
        ("n-gram", 0, "n-gram", False),
        ("LSTM", 2, "LSTM", False),
        ("RNNG", 0, "RNNG", True),
        ("Transformer", 0, "Transformer", False),
        ("PLM", 1, "PLM", True),
        ("mine", 3, None, None),
    ]
    # Nobody knows on what these were trained.
    assert {one.traits()["data"] for one in models} == {None}


def test_another_wording_is_missing_with_its_reason(tmp_path: Path) -> None:
    other = [(words.replace("钟", "表"), nats) for words, nats in MISSING]
    write_recorded(tmp_path, {"lstm-trial0": {"mobj_none": MISSING}})
    material, models = recorded_study(write_recorded(tmp_path, {"rnng-trial0": {"mobj_none": other}}))
    items = material.items()
    for model, unheard in zip(models, ("老人修了表。", "老人修了钟。"), strict=True):
        answers = model.answer(items).with_columns(text=items["content"])
        missing = answers.filter(pl.col("status") == "missing")
        assert missing["text"].to_list() == [unheard]
        assert missing["reason"].to_list() == [NOT_RECORDED]
        assert missing["content"].to_list() == [None]


def test_a_sentence_in_two_suites_is_answered_by_place(tmp_path: Path) -> None:
    """A beam search may score a sentence twice, and not alike; outside the layout it is not known which is meant."""
    again = [(words, [value + 1 for value in nats]) for words, nats in SUBORDINATION]
    material, (model,) = recorded_study(
        write_recorded(tmp_path, {"plm-trial0": {"sd_none": SUBORDINATION, "sd_adj": again}})
    )
    items = material.items()
    answers = model.answer(items).with_columns(suite=items["suite"], text=items["content"])
    stops = {
        row["suite"]: row["content"][-1]["logprob"]
        for row in answers.iter_rows(named=True)
        if row["text"] == "如果她走。"
    }
    assert stops == {"sd_none": -5.0, "sd_adj": -6.0}
    elsewhere = model.answer(items.drop("suite", "frame").head(1))
    assert elsewhere["reason"].to_list() == [TWO_ANSWERS]


def test_a_sentence_is_known_in_a_suite_of_another_name(tmp_path: Path) -> None:
    material, (model,) = recorded_study(write_recorded(tmp_path, {"plm-trial0": {"sd_none": SUBORDINATION}}))
    renamed = material.items().with_columns(suite=pl.lit("mine"))
    assert set(model.answer(renamed)["status"]) == {"ok"}


def test_an_infinite_surprisal_stays_infinite(tmp_path: Path) -> None:
    sentences = [("她 走 。", [1.0, 2.0, float("inf")]), ("她 走 路 。", [1.0, 2.0, 3.0, 1.0])]
    material, (model,) = recorded_study(write_recorded(tmp_path, {"ngram-trial0": {"mobj_none": sentences}}))
    items = material.items()
    judged = prediction().judge(items, model.answer(items).with_columns(system=pl.lit("n-gram"), seed=pl.lit(0)))
    assert judged["label"].to_list() == ["success"]


def test_promises_and_signature(tmp_path: Path) -> None:
    """The signature follows the files: whoever changes a number is never shown the old judgement."""
    root = write_recorded(tmp_path, {"lstm-trial0": {"mobj_none": MISSING}})
    (model,) = recorded_models(root)
    assert all(finding.kept for finding in model.conformance())
    items = RecordedSuites(root).items()
    copy = pickle.loads(pickle.dumps(model))
    assert copy.answer(items).equals(model.answer(items))
    before = model.signature()
    write_recorded(root, {"lstm-trial0": {"mobj_none": [(words, [*nats[:-1], 8.0]) for words, nats in MISSING]}})
    assert RecordedModel(root / "lstm-trial0", "LSTM", 0).signature() != before


def test_through_a_whole_study(tmp_path: Path) -> None:
    """Missing object: 9 > 2 holds, 1 > 1.5 does not."""
    root = write_recorded(tmp_path / "recorded", {"lstm-trial0": {"mobj_none": MISSING}})
    study = Study("recorded", *recorded_study(root), measures=[prediction()])
    run = study.run(tmp_path / "run", watcher=Silent())
    found = run.judgements.select("about", "scored_system", "value", "label").rows()
    assert found == [("mobj_none/1", "LSTM (seed 0)", 1.0, "success"), ("mobj_none/2", "LSTM (seed 0)", 0.0, "failure")]


@pytest.mark.mirror
def test_the_published_models(mirror: Path, tmp_path: Path) -> None:
    """Twelve trainings on the Chinese Treebank; a file that was touched is no longer the published one."""
    root = mirror / "wang2021" / "surprisals"
    models = recorded_models(root)
    assert [(model.name, model.seed) for model in models] == [
        ("n-gram", 0), ("LSTM", 0), ("LSTM", 1), ("LSTM", 2), ("RNNG", 0), ("RNNG", 2),
        ("Transformer", 0), ("Transformer", 1), ("Transformer", 2), ("PLM", 0), ("PLM", 1), ("PLM", 2),
    ]  # fmt: skip
    assert {model.traits()["data"] for model in models} == {"CTB"}
    shutil.copytree(root / "rnng-trial0", tmp_path / "rnng-trial0")
    assert recorded_models(tmp_path)[0].published
    file = tmp_path / "rnng-trial0" / "sd_none.tsv"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join([*lines[:-1], lines[-1].rsplit("\t", 1)[0] + "\t1.0\n"]), encoding="utf-8")
    assert not recorded_models(tmp_path)[0].published


@pytest.mark.mirror
def test_every_published_sentence_is_answered(mirror: Path) -> None:
    """The sum over all units is minus that of the column surprisal over the 24 files, read by polars, bits as nats."""
    material, models = recorded_study(mirror / "wang2021" / "surprisals")
    items = material.items()
    model = next(model for model in models if model.name == "PLM")
    answers = model.answer(items)
    assert set(answers["status"]) == {"ok"}
    total = answers["content"].explode().struct.field("logprob").to_numpy().sum()
    files = [model.folder / f"{suite}.tsv" for suite in items["suite"].unique()]
    frames = [pl.read_csv(file, separator="\t", quote_char=None) for file in files]
    assert np.isclose(total, -np.log(2) * pl.concat(frames)["surprisal"].to_numpy().sum(), rtol=1e-12)


@pytest.mark.mirror
def test_the_published_surprisals_are_in_bits(mirror: Path) -> None:
    """The n-gram model printed probabilities of seven digits: in the right base, each value is one of these again."""
    files = sorted((mirror / "wang2021" / "surprisals" / "ngram-trial0").glob("*.tsv"))
    frames = [pl.read_csv(file, separator="\t", quote_char=None, columns=["surprisal"]) for file in files]
    surprisals = pl.concat(frames)["surprisal"].to_numpy()
    assert len(surprisals) > 18_000

    def share_of_seven_digits(base: float) -> float:
        probabilities = base**-surprisals
        digits = probabilities * 10.0 ** (6 - np.floor(np.log10(probabilities)))
        return float((np.abs(digits - np.round(digits)) < 0.01).mean())

    assert share_of_seven_digits(2) == 1
    assert share_of_seven_digits(math.e) < 0.05
    models = recorded_models(mirror / "wang2021" / "surprisals")
    assert {model.recorded_in for model in models} == {"bits"}
    assert "recorded:bits" in str(models[0].signature())


def test_bits_become_nats_where_somebody_says_so(tmp_path: Path) -> None:
    root = write_recorded(tmp_path, {"lstm-trial0": {"mobj_none": MISSING}})
    items = RecordedSuites(root).items()
    told, untold = (recorded_models(root, unit)[0] for unit in ("bits", None))
    bits, nats = (one.answer(items)["content"].explode().struct.field("logprob").to_numpy() for one in (told, untold))
    assert np.allclose(bits, nats * np.log(2), rtol=1e-15)
    assert told.signature() != untold.signature()
    with pytest.raises(UserError, match="bans"):
        recorded_models(root, "bans")[0].answer(items)  # type: ignore[arg-type]


def test_only_suite_and_frame_are_looked_at(tmp_path: Path) -> None:
    material, systems = recorded_study(write_recorded(tmp_path, {"lstm-trial0": ALL}))
    items = material.items()
    narrow = visible(items, systems[0])
    assert "gloss" not in narrow.columns
    assert systems[0].answer(narrow).equals(systems[0].answer(items))


@pytest.mark.parametrize("second", ["lstm-seed0", "LSTM-0"])
def test_two_folders_of_one_training_are_refused(tmp_path: Path, second: str) -> None:
    write_recorded(tmp_path, {"lstm-trial0": ALL, second: ALL})
    with pytest.raises(UserError, match=r"are both LSTM \(seed 0\)"):
        recorded_study(tmp_path)
