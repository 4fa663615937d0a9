"""Which scenes and domains do the tests of describers draw?"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from hengliang.materials.scene_domains import COLOUR, DEFAULT_DOMAIN, SHAPE, Attribute, Domain, Value
from hengliang.materials.scenes import Scene, scene_space

THREE_COLOURS = Attribute("colour", (*COLOUR.values, Value("green", "G", "green", "绿色")))
FILLING = Attribute("filling", (Value("solid", "F", "solid", "实心"), Value("hollow", "H", "hollow", "空心")))
TWO_BY_THREE = Domain("three colours", (THREE_COLOURS, SHAPE))
TWO_CUBED = Domain("fillings", (FILLING, COLOUR, SHAPE))
COLOURS = Domain("colours", (THREE_COLOURS,))
"""Without a noun: everything is an object."""
DOMAINS = (DEFAULT_DOMAIN, TWO_BY_THREE, TWO_CUBED, COLOURS)


def every_scene(size: int, domain: Domain = DEFAULT_DOMAIN) -> list[Scene]:
    """Return all scenes of a size."""
    return [Scene(tuple(row), domain) for row in scene_space(domain, size).counts.tolist()]


@st.composite
def scenes(draw: st.DrawFn, largest: int = 12, domains: tuple[Domain, ...] = DOMAINS) -> Scene:
    """Draw a scene of one of the domains."""
    domain = draw(st.sampled_from(domains))
    kinds = len(domain.kinds)
    size = draw(st.integers(1, min(largest, 6) if kinds > 4 else largest))
    cuts = sorted(draw(st.lists(st.integers(0, size), min_size=kinds - 1, max_size=kinds - 1)))
    edges = [0, *cuts, size]
    return Scene(tuple(high - low for low, high in pairwise(edges)), domain)
