"""What is said of a scene when each expression should rule out as many other scenes as possible?

QDG-GREEDY (Chen, van Deemter and Lin 2019 [1]; Pel 2020, section 2.3.2). In each step the expression is taken that is
true of the scene and removes most of the scenes that are still possible; among equals chance decides. What it asserts
must be new: nothing is said only for what it takes for granted.

[1] Chen, G., van Deemter, K., & Lin, C. (2019). Generating quantified descriptions of abstract visual scenes. INLG.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hengliang.core.registry import register
from hengliang.core.terms import Bilingual, Language
from hengliang.materials.quantifiers import Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.describers.candidate_tables import CandidateTable, Statement
from hengliang.systems.describers.candidates import Inventory
from hengliang.systems.describers.generation import LONGEST, QuantifiedDescriber


@register("QDG-GREEDY")
class Greedy(QuantifiedDescriber):
    """Says next what removes most of the scenes that are left; of several such expressions one is drawn."""

    title = Bilingual("Greedy quantified descriptions", "贪心量化描述")

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
        name: str = "QDG-GREEDY",
    ) -> None:
        super().__init__(domain, language, reading, longest, inventory, seed, chooser, varied, name)

    def select(self, table: CandidateTable, counts: Sequence[int], random: Random) -> tuple[list[Statement], int]:
        """Return the strongest statements of a scene, one after the other, and the set of scenes that are left."""
        statements = table.true_of(counts).tolist()
        numbers = [table.set_number(statement) for statement in statements]
        left, many = table.space.everything, table.space.number
        removed = {number: many - table.sizes[number] for number in numbers}
        said: list[Statement] = []
        while many > 1 and len(said) < self.longest:
            most = max(removed.values(), default=0)
            if most == 0:
                break
            best = {number for number, gain in removed.items() if gain == most}
            tied = [statement for statement, number in zip(statements, numbers, strict=True) if number in best]
            tied = [statement for statement in tied if table.is_new(statement, left)]
            if not tied:
                # What asserts nothing new now will not do so later, when fewer scenes are left.
                removed = {number: gain for number, gain in removed.items() if number not in best}
                removed = _still_removed(table, left, many, removed)
                continue
            chosen = random.choice(tied)
            said.append(chosen)
            left &= table.sets[table.set_number(chosen)]
            many -= most
            removed = _still_removed(table, left, many, removed)
        return said, left


def _still_removed(table: CandidateTable, left: int, many: int, removed: dict[int, int]) -> dict[int, int]:
    """Return how many of the scenes that are left each set removes, of those that could remove most.

    What a set removes never grows, so those whose last number is below the best of this step need not be counted;
    they keep that number as a bound, which is above the truth but below the best.
    """
    found: dict[int, int] = {}
    best = 0
    for number, bound in sorted(removed.items(), key=_gain, reverse=True):
        if bound < best:
            found[number] = bound
            continue
        gain = many - (left & table.sets[number]).bit_count()
        if gain:
            found[number] = gain
            best = max(best, gain)
    return found


def _gain(pair: tuple[int, int]) -> int:
    return pair[1]
