"""Which model was trained on text that had gone through this preprocessing?

A model that has never seen a symbol cannot score one. So `ngram-4` with the step `rne:lac` means another model, that of
the same recipe with this step: it is found in the store, or, since n-grams are counted in seconds, trained on the spot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from hengliang.core.errors import UserError
from hengliang.core.labelling.recognisers import Recogniser
from hengliang.core.learning import is_trained, model_folder, read_card, stored_models
from hengliang.core.progress import Watcher
from hengliang.systems.language_models.base import LanguageModel
from hengliang.systems.language_models.coarse.entities import ReplacedEntities
from hengliang.systems.language_models.coarse.preprocessing import preprocessing, representation
from hengliang.systems.language_models.opening import model
from hengliang.systems.language_models.recipes import Recipe, train

_CHINESE = ("simplified", "traditional")


def steps_of(preprocess: str, rne: str) -> str:
    """Return the preprocessing that two options name together: its steps, and a recogniser of entities."""
    return preprocessing("+".join(step for step in (preprocess, f"rne:{rne}" if rne else "") if step)).name


def model_through(reference: str, preprocess: str, watcher: Watcher) -> LanguageModel:
    """Return the model of this name as trained with a preprocessing; an n-gram model is trained if need be."""
    form = representation(preprocessing(preprocess).coarse)  # an unknown recogniser is told before anything is trained
    stored = {held.name: held.folder for held in stored_models()}
    folder = stored.get(reference, Path(reference))
    if not is_trained(folder):
        model(reference)  # says what is wrong where there is no such model at all
        raise UserError(
            f"'{reference}' was not trained here, so that it cannot see text through '{preprocess}'.",
            valid="Models of words that hengliang has trained: ngram, lstm, transformer.",
            remedy=f"Train one: hengliang lm train ngram --preprocess {preprocess} --data CORPUS",
        )
    card = read_card(folder)
    if card.get("preprocess", "") == preprocess:
        return model(reference)
    if isinstance(form, ReplacedEntities):
        _check_language(reference, card, form.recogniser)
    recipe = _recipe(card, preprocess)
    if recipe.name in stored:
        _check_data(reference, card, recipe.name, read_card(stored[recipe.name]))
        return model(recipe.name)
    if recipe.kind != "ngram" or not _has_data(recipe, card["recipe"].get("data_sha256")):
        raise UserError(
            f"There is no model '{recipe.name}' yet: '{reference}' as trained with the preprocessing '{preprocess}'.",
            remedy=f"Train it with: {_command(recipe)}",
        )
    watcher.say(f"{recipe.name} is trained first, from {recipe.data}.")
    return model(str(train(recipe, model_folder(recipe.name), watcher)), name=recipe.name)


def _check_language(reference: str, card: Mapping[str, Any], recogniser: Recogniser) -> None:
    """Refuse a recogniser of another language: it finds next to nothing, or names where there are none."""
    english = card.get("segmenter") == "english"
    read, spoken = "en" if english else "zh" if card.get("script") in _CHINESE else "", recogniser.language()
    if read and spoken and read != spoken:
        names = {"en": "English", "zh": "Chinese"}
        raise UserError(
            f"The entity recogniser '{recogniser.name}' reads {names.get(spoken, spoken)}, "
            f"and '{reference}' has learned from {names[read]}.",
            valid=f"A recogniser of {names[read]}: {'spacy' if english else 'lac, spacy:zh_core_web_sm'}.",
            remedy=f"Choose it: --rne {'spacy' if english else 'lac'}",
        )


def _recipe(card: Mapping[str, Any], preprocess: str) -> Recipe:
    known = {field.name for field in fields(Recipe)}
    held = {name: value for name, value in card.get("recipe", {}).items() if name in known}
    if "kind" not in held:
        raise UserError("The card of the model names no recipe.", remedy="Train the model again.")
    return Recipe(**{**held, "preprocess": preprocess}).settled()


def _check_data(reference: str, card: Mapping[str, Any], name: str, other: Mapping[str, Any]) -> None:
    """Refuse a model of the right name that learned from another text: files of one name are many."""
    for key, what in (("data_sha256", "text"), ("segmenter", "segmenter"), ("longest", "longest sentence")):
        one, two = card["recipe"].get(key), other.get("recipe", {}).get(key)
        if one != two:
            raise UserError(
                f"'{name}' was trained with another {what} than '{reference}': {two}, not {one}.",
                remedy=f"Remove it and try again: hengliang models remove {name}",
            )


def _has_data(recipe: Recipe, checksum: str | None) -> bool:
    """Say whether the corpus can be found again, unchanged: a card knows a user's file by its name only."""
    try:
        return checksum in {None, recipe.facts()["data_sha256"]}
    except UserError:
        return False


def _command(recipe: Recipe) -> str:
    seed = "" if recipe.kind == "ngram" else f" --seed {recipe.seed}"
    data = "" if recipe.data == Recipe("ngram").data else f" --data {recipe.data}"
    return f"hengliang lm train {recipe.kind} --size {recipe.size}{seed}{data} --preprocess {recipe.preprocess}"
