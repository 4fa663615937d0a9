"""Are subjects that are left out, and quantities of several words, put together rightly?"""

from __future__ import annotations

import pytest

from hengliang.materials.quantified_properties import OBJECT, prop, read_property
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.mandarin_discourse import Discourse
from hengliang.systems.readers.mandarin_patterns import ADVERBS, analyses
from hengliang.systems.readers.mandarin_quantities import Quantity
from hengliang.systems.readers.mandarin_tellings import compatible, either, lacking, subject, with_adverb
from tests.systems.readers.mandarin_domains import WITHOUT_NOUN

CIRCLE, RED, SQUARE = prop("circle"), prop("red"), prop("square")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("方形都是红的", "all"),
        ("方形全是红的", "everything"),
        ("方形几乎都是红的", "almost all"),
        ("方形不都是红的", "not all"),
        ("所有方形都不是红的", "no"),
        ("每个方形都是红的", "every"),
        ("方形是红的", "all"),
        ("大多数方形都是红的", "most"),
    ],
)
def test_adverbs_and_quantities_together(text: str, name: str) -> None:
    assert with_adverb(analyses(text, DEFAULT_DOMAIN)[0]) == Quantity(name)


def test_half_are_all_not_is_no_quantity() -> None:
    found = analyses("一半方形都不是红的", DEFAULT_DOMAIN)[0]
    assert with_adverb(found) is None
    assert set(ADVERBS.values()) == {"all", "everything", "almost all", "not all", "no"}


def test_a_subject_that_is_left_out_is_the_topic_where_it_can_be() -> None:
    discourse = Discourse(DEFAULT_DOMAIN, topic=CIRCLE)
    found = analyses("一半是红的", DEFAULT_DOMAIN)[0]
    assert subject(found, discourse, RED) == (CIRCLE, False)
    assert subject(found, discourse, SQUARE) == (OBJECT, False)
    assert compatible(CIRCLE, None, discourse) == CIRCLE


def test_a_pronoun_is_what_was_left_behind() -> None:
    discourse = Discourse(DEFAULT_DOMAIN, antecedent=RED)
    assert subject(analyses("它们都是方形", DEFAULT_DOMAIN)[0], discourse, SQUARE) == (RED, True)


def test_what_lacks_a_property_has_another_value() -> None:
    # By hand: not a red circle is whatever is blue, and whatever is a square.
    assert lacking(prop("red", "circle"), DEFAULT_DOMAIN) == read_property("blue or square", DEFAULT_DOMAIN)
    assert lacking(prop("red"), WITHOUT_NOUN) == read_property("black or white", WITHOUT_NOUN)
    assert lacking(OBJECT, DEFAULT_DOMAIN) is None
    assert either(RED, CIRCLE) == read_property("red or circle", DEFAULT_DOMAIN)
    mask = lacking(prop("red", "circle"), DEFAULT_DOMAIN)
    assert mask is not None
    assert mask.mask(DEFAULT_DOMAIN) == DEFAULT_DOMAIN.everything & ~prop("red", "circle").mask(DEFAULT_DOMAIN)
