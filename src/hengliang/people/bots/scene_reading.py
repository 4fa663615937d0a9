"""Which scene does a simulated participant think of who reads a description?

The description is parsed, and one of the scenes that fit what was understood is drawn, each by its weight. What a
grammar cannot read is passed over, as by somebody who skips what they do not understand; of a description that
contradicts itself, what comes last is given up until a scene is left. Nothing here looks at the true scene.
"""

from __future__ import annotations

from functools import lru_cache

from hengliang.materials.scene_domains import Domain
from hengliang.people.bots.drawing import uniform
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.tasks.base import Stimulus
from hengliang.people.tasks.reconstruction import size_of
from hengliang.people.tasks.scene_details import domain_in
from hengliang.systems.readers.parsing import parse_description
from hengliang.systems.readers.understanding import Understanding, understand


def read_counts(rater: SimulatedRater, stimulus: Stimulus, occurrence: int = 1) -> dict[str, int]:
    """Return the counts by kind of the scene that this participant thinks of."""
    domain = domain_in(stimulus.details)
    understood = understood_text(stimulus.text, size_of(stimulus), domain)
    scene = understood.drawn(uniform(rater.seed, "read", rater.number, stimulus.about, occurrence))
    return dict(zip(domain.kind_names, scene.counts, strict=True))


@lru_cache(maxsize=1000)
def understood_text(text: str, size: int, domain: Domain) -> Understanding:
    """Return what is understood of a text about a scene of this size; of nothing that is read, all scenes are left."""
    expressions = parse_description(text, domain).expressions
    understood = understand(expressions, size, domain)
    while understood.contradictory:
        expressions = expressions[:-1]
        understood = understand(expressions, size, domain)
    return understood
