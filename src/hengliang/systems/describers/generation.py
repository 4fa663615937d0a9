"""How does a scene become a description, whichever way its expressions are chosen?

The two algorithms share all but one step: what to say next. Both look at expressions that are true of the scene, keep
the set of scenes that are consistent with what was said, and stop when one is left, at the limit of length, or when
nothing more can be said that helps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from random import Random

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import number_of
from hengliang.core.terms import LANGUAGES, Language
from hengliang.materials.quantified_expressions import Description
from hengliang.materials.quantifiers import READINGS, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, checked_scene
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.describers.base import Described, Describer, Ending
from hengliang.systems.describers.candidate_tables import CandidateTable, Statement, candidate_table
from hengliang.systems.describers.candidates import Inventory, quantifiers_of
from hengliang.systems.describers.realisation import realise

LONGEST = 4
"""How many expressions a description has at most, unless told otherwise: 98 of 100 of QTUNA have no more."""


class QuantifiedDescriber(Describer):
    """A describer that chooses quantified expressions one after the other: derive from it, and write `select`.

    `inventory` names the quantifiers that it knows ("crisp", "with numbers", "with vague"), or lists them. With
    `varied` it draws among the wordings of an expression, without it takes the plainest. `chooser` chooses the
    classifiers of Mandarin.
    """

    def __init__(
        self,
        domain: Domain = DEFAULT_DOMAIN,
        language: Language = "en",
        reading: Reading = "pragmatic",
        longest: int = LONGEST,
        inventory: Inventory = "crisp",
        seed: int = 0,
        chooser: ClassifierChooser | None = None,
        varied: bool = True,
        name: str = "",
    ) -> None:
        self.domain = domain
        self.language = language
        self.reading = reading
        self.longest: int = longest
        self.inventory = inventory
        self.seed: int = seed
        self.chooser = chooser
        self.varied = varied
        self.name = name

    @abstractmethod
    def select(self, table: CandidateTable, counts: Sequence[int], random: Random) -> tuple[list[Statement], int]:
        """Return what is said of a scene, at most `longest` statements, and the set of scenes that are left."""

    def describe(self, scenes: Sequence[Scene]) -> list[Described]:
        """Return one description a scene; what chance decides follows from the seed and the scene."""
        self.check()
        return [self._one(scene) for scene in scenes]

    def logical_form(self, scene: Scene) -> tuple[Description, int]:
        """Return the expressions that are said of a scene, and how many scenes are consistent with them."""
        table = candidate_table(self.domain, scene.size, quantifiers_of(self.inventory), self.reading)
        said, left = self.select(table, scene.counts, Random(number_of(f"choice {self.seed} {scene.counts}")))
        return tuple(table.expression(statement) for statement in said), left.bit_count()

    def _one(self, scene: Scene) -> Described:
        if scene.domain is not self.domain and scene.domain != self.domain:
            raise UserError(
                f"The scene {scene.code} is of the domain '{scene.domain.name}'.",
                valid=f"The describer '{self.name}' describes scenes of '{self.domain.name}'.",
                remedy="Make the describer with domain=… of the scene.",
            )
        expressions, left = self.logical_form(checked_scene(scene))
        ending: Ending = "complete" if left == 1 else "limit" if len(expressions) >= self.longest else "exhausted"
        # Wordings have a chance of their own: the same is said in either language, and in whatever words.
        random = Random(number_of(f"wording {self.seed} {scene.counts}")) if self.varied else None
        text = realise(expressions, self.domain, self.language, random, self.chooser) if expressions else ""
        return Described(text, expressions, ending, left)

    def check(self) -> None:
        """Refuse settings with which nothing can be described."""
        quantifiers_of(self.inventory)
        if self.language not in LANGUAGES:
            raise unknown_name("language of descriptions", self.language, LANGUAGES)
        if self.reading not in READINGS:
            raise unknown_name("reading", self.reading, READINGS)
        if not isinstance(self.longest, int) or self.longest < 1:
            raise UserError(f"A description of {self.longest} expressions is none.", valid="A whole number from 1.")
