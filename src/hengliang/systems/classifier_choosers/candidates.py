"""Which classifiers is a language model offered for a slot?

A language model knows no classifiers, only words. So it chooses among candidates: the forms of our own inventory unless
somebody names others, as a list or as a material whose gold classifiers are meant. What it believes of them is then
shared out among the candidates alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.text.characters import is_han_text
from hengliang.language_models.scores import Numbers
from hengliang.materials.classifier_inventory import own_classifiers
from hengliang.systems.classifier_choosers.examples import examples_of, labels_of

Classifiers = str | Sequence[str] | Material | None
"""A list of forms, one string with forms apart by spaces or commas, a material, or None for our own inventory."""

_BETWEEN = re.compile(r"[\s,，、;；]+")
_SHOWN = 5


def candidates(classifiers: Classifiers = None, *, any_classifier: bool = False) -> tuple[str, ...]:
    """Return the classifiers on offer, each once, in the order in which they are named; the inventory is in its own.

    A form outside the inventory is refused unless `any_classifier` allows it; one that is not Chinese characters always
    is. Of a material the forms seen in it are offered, the most frequent first.
    """
    if classifiers is None:
        return _inventory()
    if isinstance(classifiers, Material):
        named: Iterable[str] = labels_of(examples_of(classifiers))
    else:
        named = filter(None, _BETWEEN.split(classifiers)) if isinstance(classifiers, str) else classifiers
    forms = tuple(dict.fromkeys(unicodedata.normalize("NFC", form) for form in named))
    if not forms or forms == ("",):
        raise UserError(
            "There is no classifier to choose from.",
            valid="One classifier or more.",
            remedy="Leave classifiers out, and the whole inventory is offered.",
        )
    for form in forms:
        if not is_han_text(form):
            raise UserError(f"'{form}' is no classifier.", valid="A classifier is written in Chinese characters.")
    if not any_classifier:
        _check_inventory(forms)
    return forms


def _inventory() -> tuple[str, ...]:
    return tuple(classifier.form for classifier in own_classifiers())


def _check_inventory(forms: Sequence[str]) -> None:
    listed = set(_inventory())
    strange = [form for form in forms if form not in listed]
    if strange:
        more = f" and {len(strange) - _SHOWN} more" if len(strange) > _SHOWN else ""
        named = ", ".join(f"'{form}'" for form in strange[:_SHOWN])
        raise UserError(
            f"Outside the inventory: {named}{more}.",
            valid=f"The inventory has {len(listed)} classifiers: hengliang.materials.classifier_inventory.",
            remedy="Name others, or allow it with any_classifier=True.",
        )


def shares(logprobs: Numbers) -> Numbers:
    """Return the share of each candidate (columns) in the probability of a row; NaN has none, an all-NaN row is NaN."""
    known = np.where(np.isnan(logprobs), -np.inf, logprobs)
    highest = known.max(axis=1, keepdims=True, initial=-np.inf)
    possible = np.isfinite(highest)
    odds = np.exp(known - np.where(possible, highest, 0.0))
    total = odds.sum(axis=1, keepdims=True)
    held: Numbers = np.divide(odds, total, out=np.full_like(odds, np.nan), where=possible)
    return held
