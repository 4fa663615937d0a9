"""Which language model does a chooser lean on, and is it there yet?

A chooser names its language model as everybody does (`ngram-5`, a folder, `hf:FOLDER`). A name of the usual form of a
model that is not in the store yet stands for its recipe: it is trained on the training part of the default corpus when
the chooser is made ready.
"""

from __future__ import annotations

import re

from hengliang.core.errors import UserError
from hengliang.core.signature import Signature
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.opening import model, names_model
from hengliang.language_models.recipes import KINDS, SIZES, Kind
from hengliang.language_models.trained import TrainedModel, trained

ModelReference = str | LanguageModel

_NAME = re.compile(r"(?P<kind>[a-z]+)-(?P<size>[a-z0-9]+)(?:-(?P<seed>\d+))?")


def named_model(reference: ModelReference) -> LanguageModel:
    """Return the language model of this name: one that is there, else the recipe that the name stands for."""
    if isinstance(reference, LanguageModel):
        return reference
    return model(reference) if names_model(reference) else _recipe(reference) or model(reference)


def _recipe(reference: str) -> TrainedModel | None:
    found = _NAME.fullmatch(reference)
    kind: Kind | None = next((one for one in KINDS if found and one == found["kind"]), None)
    if found is None or kind is None or found["size"] not in SIZES[kind]:
        return None
    # An n-gram model draws nothing, and its name has no seed; that of every other has one.
    if (kind == "ngram") != (found["seed"] is None):
        return None
    return trained(kind, found["size"], int(found["seed"]) if found["seed"] else None)


def opened(chosen: LanguageModel) -> LanguageModel:
    """Return the model itself, which may have to be trained first."""
    return chosen.opened() if isinstance(chosen, TrainedModel) else chosen


def model_signature(reference: ModelReference) -> Signature:
    """Return the part of a signature that says which model a name stands for; a model signs for itself."""
    if isinstance(reference, LanguageModel):
        return Signature()
    return Signature.of(model=named_model(reference).signature())


def check_scoring(found: LanguageModel, *, masked: bool) -> LanguageModel:
    """Return the model if it fills gaps (`masked`) or reads from left to right, whichever the chooser needs."""
    if (found.conventions().scoring == "masked") == masked:
        return found
    if masked:
        raise UserError(
            f"The language model '{found.name}' reads from left to right and fills no gaps.",
            valid="MLM needs a masked model, such as masked-small-1 or hf:FOLDER of a BERT.",
            remedy=f"Choose another one, or take it for the chooser LM: language_model='{found.name}'",
        )
    raise UserError(
        f"The language model '{found.name}' is masked and gives no sentence a probability.",
        valid="LM needs a model that reads from left to right, such as ngram-5 or lstm-small-1.",
        remedy=f"Choose another one, or take it for the chooser MLM: language_model='{found.name}'",
    )
