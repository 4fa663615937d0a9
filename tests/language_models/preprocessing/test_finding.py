"""Is the model found, or trained, that has learned from text seen through the same steps?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import Lines, Silent, read_json
from hengliang.language_models import model_folder, stored_models, write_card
from hengliang.language_models.preprocessing.model import CoarseModel, model_through, steps_of
from hengliang.language_models.recipes import Recipe, train
from tests.language_models.preprocessing import recognisers
from tests.measures.scored_lines import LESSONS

NAMES = f"rne:{recognisers.ListedNames.name}"


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """Train a plain model into the store, from a file in the folder that we stand in."""
    monkeypatch.chdir(tmp_path)
    Path("lessons.txt").write_text("\n".join(LESSONS) + "\n", encoding="utf-8")
    held = Recipe("ngram", "2", data="lessons.txt")
    train(held)
    return held


def test_steps_and_a_recogniser_are_one_preprocessing() -> None:
    assert steps_of("", "") == ""
    assert steps_of("sp", "") == "sp"
    assert steps_of("", "lac") == "rne:lac"
    assert steps_of("sp", "lac") == "sp+rne:lac"
    with pytest.raises(UserError, match="too many steps"):
        steps_of("pos:lac", "lac")


def test_an_n_gram_model_is_trained_on_the_spot_and_found_the_next_time(
    recipe: Recipe, capsys: pytest.CaptureFixture[str]
) -> None:
    found = model_through(recipe.name, NAMES, Lines())
    assert isinstance(found, CoarseModel)
    assert found.preprocess == NAMES
    assert "is trained first, from lessons.txt" in capsys.readouterr().err
    assert found.name in {held.name for held in stored_models()}
    Path("lessons.txt").unlink()
    again = model_through(recipe.name, NAMES, Lines())
    assert again.signature() == found.signature()
    assert capsys.readouterr().err == ""


def test_a_model_that_sees_text_so_already_is_the_one(recipe: Recipe) -> None:
    train(replace(recipe, preprocess="sp"))
    name = replace(recipe, preprocess="sp").name
    assert model_through(name, "sp", Silent()).name == name


def test_what_cannot_be_trained_on_the_spot_is_told_with_the_command(recipe: Recipe) -> None:
    Path("lessons.txt").unlink()
    with pytest.raises(UserError, match=r"hengliang lm train ngram --size 2 --data lessons.txt --preprocess sp$"):
        model_through(recipe.name, "sp", Silent())
    folder = next(held.folder for held in stored_models())
    card = read_json(folder / "card.json")
    neural = {**card["recipe"], "kind": "lstm", "size": "small", "seed": 3}
    write_card(folder, **{**card, "recipe": neural})
    with pytest.raises(UserError, match=r"lm train lstm --size small --seed 3 --data lessons.txt --preprocess sp"):
        model_through(recipe.name, "sp", Silent())
    write_card(folder, **{**card, "recipe": {}})
    with pytest.raises(UserError, match="names no recipe"):
        model_through(recipe.name, "sp", Silent())


def test_a_file_of_the_same_name_with_another_text_is_not_taken_for_it(recipe: Recipe) -> None:
    Path("lessons.txt").write_text("\n".join([*LESSONS, LESSONS[0]]) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"There is no model 'ngram-2-lessons-{NAMES.replace(':', '.')}' yet"):
        model_through(recipe.name, NAMES, Silent())
    train(replace(recipe, preprocess=NAMES))
    with pytest.raises(UserError, match="was trained with another text than 'ngram-2-lessons'"):
        model_through(recipe.name, NAMES, Silent())


def test_models_that_were_trained_elsewhere_see_the_text_itself(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No language model is called 'nobody'"):
        model_through("nobody", "sp", Silent())
    from tests.language_models import small_models

    with pytest.raises(UserError, match=r"'small bigrams' was not trained here.*lm train ngram --preprocess sp"):
        model_through(small_models.SmallBigrams.name, "sp", Silent())


def test_a_recogniser_of_another_language_is_refused_before_anything_is_trained(recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"'spacy' reads English, and 'ngram-2-lessons' has learned from Chinese\..*--rne lac"
    ):
        model_through(recipe.name, "rne:spacy", Silent())
    assert not model_folder(replace(recipe, preprocess="rne:spacy").name).exists()
    lines = [f"{who} {does} ." for who in ("he", "she", "the dog") for does in ("came", "left", "slept")]
    Path("english.txt").write_text("\n".join(lines * 20) + "\n", encoding="utf-8")
    english = Recipe("ngram", "2", data="english.txt", segmenter="english")
    train(english)
    with pytest.raises(
        UserError, match=r"'lac' reads Chinese, and '.*english.*' has learned from English\..*--rne spacy"
    ):
        model_through(english.name, "rne:lac", Silent())


def test_a_recogniser_that_is_not_there_is_told_before_anything_is_trained(
    recipe: Recipe, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UserError, match="No entity recogniser is called 'nobody'"):
        model_through(recipe.name, "rne:nobody", Lines())
    assert capsys.readouterr().err == ""
    assert not model_folder(replace(recipe, preprocess="rne:nobody").name).exists()
