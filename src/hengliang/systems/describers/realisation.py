"""How does a description in logical form become a text?

Each language has a realiser of its own; this names them by the code of the language.
"""

from __future__ import annotations

from random import Random

from hengliang.core.errors import unknown_name
from hengliang.core.terms import LANGUAGES
from hengliang.materials.quantified_expressions import Description
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.classifier_choosers.base import ClassifierChooser


def realise(
    expressions: Description,
    domain: Domain = DEFAULT_DOMAIN,
    language: str = "en",
    random: Random | None = None,
    chooser: ClassifierChooser | None = None,
) -> str:
    """Return the text of a description; without `random` it is the plainest wording.

    `chooser` is asked for the classifiers of Mandarin; English has no use for it.
    """
    if language == "en":
        from hengliang.systems.describers.english import realise_english

        return realise_english(expressions, domain, random)
    if language == "zh":
        from hengliang.systems.describers.mandarin import realise_mandarin

        return realise_mandarin(expressions, domain, random, chooser)
    raise unknown_name("language of descriptions", language, LANGUAGES)
