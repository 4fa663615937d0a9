"""Are preferences what was counted?"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.quantified_properties import OBJECT, Property, prop
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.describers.candidates import CRISP, candidates
from hengliang.systems.describers.preferences import (
    Preferences,
    form_of,
    learn_preferences,
    read_preferences,
    shipped_preferences,
)
from tests.systems.describers.scene_strategies import COLOURS, TWO_CUBED

WRITTEN = (
    ("all(object, square)", "half(square, blue)"),
    ("all(object, blue square)",),
    ("half(object, blue, rest red circle)", "all(circle, red)"),
    ("there are(square or circle)", "all(object, square)"),
)
DESCRIPTIONS = [tuple(read_expression(text, DEFAULT_DOMAIN) for text in texts) for texts in WRITTEN]


def test_patterns_fillers_and_properties_are_counted() -> None:
    found = learn_preferences(DESCRIPTIONS, source="by hand")
    # Openings, then uses: two of the four descriptions begin with *all*, which is used four times.
    assert found.patterns == (("all", 2, 4), ("half + rest", 1, 1), ("there are", 1, 1), ("half", 0, 1))
    fillers = dict(found.fillers)
    assert fillers["all"] == (
        ("object, one value", 1, 2),
        ("object, two values", 1, 1),
        ("one value, one value", 0, 1),
    )
    assert fillers["half + rest"] == (("object, one value, two values", 1, 1),)
    assert fillers["there are"] == (("one value and one value, object", 1, 1),)
    # Half of the squares, all circles: twice a shape comes first, and a colour never does.
    assert found.properties == (("noun", 0, 2),)
    assert found.source == "by hand"


@given(st.permutations(DESCRIPTIONS), st.permutations(DESCRIPTIONS))
def test_the_order_of_descriptions_does_not_matter(one: list[object], other: list[object]) -> None:
    assert learn_preferences(one) == learn_preferences(other)  # type: ignore[arg-type]


def ordered(preferred: Preferences, names: tuple[str, ...]) -> list[str]:
    held = candidates(DEFAULT_DOMAIN, names)
    ranks = preferred.filler_ranks(held, DEFAULT_DOMAIN)
    assert sorted(ranks) == list(range(len(held)))
    return [str(held[place].expression(())) for place in sorted(range(len(held)), key=ranks.__getitem__)]


def test_orders() -> None:
    found = learn_preferences(DESCRIPTIONS)
    assert found.order_of(["no", "half", "all", "some", "all"]) == ["all", "half", "no", "some"]
    everything = ordered(found, ("all",))
    # One value of any object, then a kind, then what was no beginning; shapes before colours.
    assert everything[:4] == [f"all(object, {value})" for value in ("square", "circle", "blue", "red")]
    assert everything[4:8] == [f"all(object, {kind})" for kind in DEFAULT_DOMAIN.kind_names]
    assert everything[8] == "all(square, blue)" and everything[-1] == "all(red, circle)"
    # What was never said of a pattern goes by what was said of the others.
    assert ordered(found, ("no",))[0] == "no(object, square)"


def test_the_order_of_properties_is_learned_too() -> None:
    texts = ("all(blue, square)", "half(red, circle)", "all(square, red)")
    found = learn_preferences([tuple(read_expression(text, DEFAULT_DOMAIN) for text in texts)])
    assert found.properties == (("adjective", 1, 2), ("noun", 0, 1))
    everything = ordered(found, ("all",))
    assert everything[:4] == [f"all({colour}, {shape})" for colour in ("blue", "red") for shape in ("square", "circle")]
    assert everything[8:10] == ["all(object, blue)", "all(object, red)"]


def test_forms_of_fillers_serve_every_domain() -> None:
    assert form_of(OBJECT, prop("blue", "square"), None) == "object, two values"
    assert form_of(prop("square"), prop("solid", "red"), prop("hollow")) == "one value, two values, one value"
    assert form_of(Property((("red",), ("blue",))), OBJECT, None) == "one value and one value, object"
    assert form_of(OBJECT, prop("a", "b", "c", "d", "e"), None) == "object, 5 values"
    # Without nouns there is nothing to order by, and nothing goes wrong.
    held = candidates(COLOURS, ("all",))
    assert learn_preferences(DESCRIPTIONS).filler_ranks(held, COLOURS) == [0, 1, 2]
    assert len(learn_preferences(DESCRIPTIONS).filler_ranks(candidates(TWO_CUBED, CRISP), TWO_CUBED)) > 1000


def test_preferences_are_written_and_read(tmp_path: Path) -> None:
    found = learn_preferences(DESCRIPTIONS, source="by hand")
    file = tmp_path / "own.json"
    file.write_text(found.as_json(), "utf-8")
    again = read_preferences(file)
    assert again == found == pickle.loads(pickle.dumps(found)) and hash(again) == hash(found)
    assert again.signature() == found.signature() != learn_preferences(DESCRIPTIONS[:1]).signature()
    few = '{"patterns": {"all": 3}, "fillers": {}, "properties": {}}'
    for text in ("[]", "{}", few, few.replace("3", '["often", 3]'), few.replace('{"all": 3}', "[]")):
        file.write_text(text, "utf-8")
        with pytest.raises(UserError, match="holds no preferences"):
            read_preferences(file)


def test_the_order_that_ships_begins_with_the_scene_as_a_whole() -> None:
    shipped = shipped_preferences()
    order = shipped.order_of(one.pattern for one in candidates(DEFAULT_DOMAIN, CRISP))
    # Pel 2020, section 2.3.1: all, half and most come early, and shape before colour.
    assert order[0] == "all" and {"half", "most"} <= set(order[:6])
    assert [name for name, _, _ in shipped.properties] == ["noun", "adjective"]
    assert ordered(shipped, ("all",))[0] == "all(object, square)"
