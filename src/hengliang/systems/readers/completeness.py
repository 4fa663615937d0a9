"""Does a description leave one scene, and is it the scene that was described?

Complete is said of a description in one reading: exactly one scene of the size is consistent with all of it. Nothing
is read another way where no scene is left. Readers do that (`understand`), since they must answer something; whether
what was said suffices must not depend on what a reader makes good.
"""

from __future__ import annotations

from dataclasses import dataclass

from hengliang.materials.quantified_expressions import Description, consistent
from hengliang.materials.quantifiers import Reading
from hengliang.materials.scenes import Scene, scene_space


@dataclass(frozen=True, slots=True)
class Completeness:
    """How many scenes a description leaves in a reading, and whether the one that was described is among them."""

    left: int
    true: bool

    @property
    def complete(self) -> bool:
        """Whether exactly one scene is left, be it the right one or not."""
        return self.left == 1

    @property
    def complete_and_true(self) -> bool:
        """Whether exactly the scene that was described is left."""
        return self.complete and self.true


def completeness(expressions: Description, scene: Scene, reading: Reading) -> Completeness:
    """Return what the description of a scene leaves in a stated reading."""
    space = scene_space(scene.domain, scene.size)
    left = consistent(expressions, space, reading)
    return Completeness(left.bit_count(), bool(left & space.bit(scene)))
