"""Which classifier chooser is meant by this name, and which is the best on this machine?

A chooser is named by its registered name (`GE`, `RULE`, `BERT`, …), by its name in the store, or by its folder. A
chooser that learns is opened as it is stored and never trained on the way: that may take an hour, and is a command of
its own. What follows a colon is the chooser's model: `LM:ngram-4`.
"""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path
from typing import Any

from hengliang.core import places
from hengliang.core.engine.cache import tell_damage
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import read_json
from hengliang.core.learning import CARD, StoredModel, is_trained, stored_models
from hengliang.core.registry import entries
from hengliang.core.signature import digest
from hengliang.language_models.opening import names_model
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.systems.classifier_choosers.base import ClassifierChooser, chooser
from hengliang.systems.classifier_choosers.rule import COUNTS, Rule
from hengliang.systems.classifier_choosers.trained import TrainedChooser

PREFERRED = ("BERT", "LINEAR")
"""The families of which a stored one is the usual chooser, the best first; without any it is RULE."""

ROLE = ClassifierChooser.role
_FOR_STUDIES = ("CROSS-FITTED", "ENSEMBLE", "HUMAN", "RECORDED")
"""Choosers that need answers, members or items, which a name cannot give."""


def usual_chooser() -> str:
    """Return the name of the best chooser that is ready on this machine: a stored one, else RULE."""
    for family in PREFERRED:
        found = _stored_of(family)
        if found:
            return found[0].name
    return "RULE"


def open_chooser(reference: str | None = None) -> ClassifierChooser:
    """Return the chooser of this name, ready to answer; None asks for the usual one."""
    wanted = usual_chooser() if reference is None else reference
    name, _, argument = wanted.partition(":")
    registered = {entry.name: entry.kind for entry in entries(ROLE)}
    known = {held.upper(): held for held in registered}
    stored = {held.name: held for held in _stored()}
    if wanted in stored or _holds_model(Path(wanted)):
        held = stored.get(wanted)
        return _from_folder(held.folder if held else Path(wanted), wanted)
    if name.upper() not in known:
        raise unknown_name(
            ROLE, wanted, [*registered, *stored], remedy="Train one with: hengliang classifiers train LINEAR"
        )
    return _registered(known[name.upper()], argument, registered[known[name.upper()]])


def _holds_model(folder: Path) -> bool:
    try:
        return is_trained(folder)
    except OSError:  # what is too long to name a file names none
        return False


def _registered(name: str, argument: str, kind: type[Any]) -> ClassifierChooser:
    parameters = inspect.signature(kind).parameters
    if "language_model" in parameters:
        return _by_language_model(name, argument or str(parameters["language_model"].default))
    if "chooser" in parameters:
        return chooser(name, chooser=argument or None)
    if argument:
        if "model" not in parameters:
            raise UserError(f"{name} takes no model, but '{argument}' was given.", remedy=f"Name it as {name} alone.")
        return chooser(name, model=argument)
    if issubclass(kind, TrainedChooser):
        found = _stored_of(name)
        if not found:
            raise UserError(
                f"No {name} has been trained on this machine.",
                valid=f"Trained ones: {', '.join(held.name for held in _stored()) or 'none'}; RULE and GE need none.",
                remedy=f"Train it with: hengliang classifiers train {name}",
            )
        return chooser(name, model=found[0].name)
    if kind is Rule:
        return counted_rule()
    if name in _FOR_STUDIES:
        raise UserError(
            f"{name} cannot be asked about a sentence: it needs more than a name.",
            remedy="Use it in a study, or choose another chooser, such as RULE.",
        )
    return chooser(name)


def _by_language_model(name: str, reference: str) -> ClassifierChooser:
    """Return a chooser that asks a language model, which must be there already."""
    if not names_model(reference):
        kind, _, rest = reference.partition("-")
        size = rest.partition("-")[0]
        raise UserError(
            f"{name} asks the language model {reference}, which is not on this machine.",
            valid=f"Another one is named after a colon: {name}:MODEL.",
            remedy=f"Train it with: hengliang lm train {kind} --size {size}" if size else "See: hengliang models list",
        )
    return chooser(name, language_model=reference)


def counted_rule() -> Rule:
    """Return RULE with the counts of the default corpus, which are taken once and kept in the cache."""
    train = ClassifierSlots(part="train")
    folder = places.cache() / "classifier-rule" / digest(str(train.signature()))[:16]
    if is_trained(folder):
        try:
            return Rule.load(folder)
        except UserError:
            tell_damage([folder])  # half a cache is none; the counts are taken again
            shutil.rmtree(folder, ignore_errors=True)
    rule = Rule(train)
    rule.save(folder)
    return rule


# --- the store ------------------------------------------------------------------------------------------------------


def _stored() -> list[StoredModel]:
    return [held for held in stored_models() if held.card.get("kind") == ROLE]


def _stored_of(family: str) -> list[StoredModel]:
    """Return the stored choosers of a family; those by the usual recipe have the shortest names and come first."""

    def order(held: StoredModel) -> tuple[int, str]:
        return len(held.name), held.name

    return sorted((held for held in _stored() if held.card.get("family") == family), key=order)


def _from_folder(folder: Path, reference: str) -> ClassifierChooser:
    card = read_json(folder / CARD)
    card = card if isinstance(card, dict) else {}
    if card.get("kind") != ROLE:
        raise UserError(
            f"{reference} holds no classifier chooser, but a model of the kind '{card.get('kind')}'.",
            remedy="See which there are: hengliang models list",
        )
    if (folder / COUNTS).is_file() and not card.get("family"):
        return Rule.load(folder)
    return chooser(str(card.get("family", "")), model=str(folder))
