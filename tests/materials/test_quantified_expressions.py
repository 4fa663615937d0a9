"""What expressions mean: sets of scenes, compared with definitions in words over plain lists of things."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.quantified_expressions import (
    Expression,
    consistent,
    denotation,
    discriminatory_power,
    is_complete,
    is_true,
    read_expression,
    taken_together,
)
from hengliang.materials.quantified_properties import OBJECT, Property, both, prop, single_properties
from hengliang.materials.quantifiers import QUANTIFIERS, READINGS, Numbers, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene, scene_space
from tests.quantifiers_in_words import ANIMALS, as_scene, kinds_of, scenes_as_lists, true_in_words

DOMAINS = (DEFAULT_DOMAIN, ANIMALS)
SINGLE = single_properties(DEFAULT_DOMAIN)
NUMBERS: dict[int, list[Numbers]] = {0: [()], 1: [(0,), (1,), (2,)], 2: [(1, 2), (1, 3), (3, 4)]}


def numbers_for(name: str) -> list[Numbers]:
    return NUMBERS[QUANTIFIERS[name].numbers]


def in_words(expression: Expression, domain: Domain, size: int, reading: Reading) -> int:
    """Return the scenes of which an expression is true by its definition in words, as a set of bits."""
    space, kinds = scene_space(domain, size), kinds_of(domain)
    return sum(
        space.bit(as_scene(things, domain))
        for things in scenes_as_lists(domain, size)
        if true_in_words(expression, things, kinds, reading)
    )


@pytest.mark.parametrize("name", QUANTIFIERS)
def test_denotations_are_those_of_the_definition_in_words(name: str) -> None:
    """Every filler of one term in both places, scenes of one to three things: from vacuous truth to the plural."""
    fillers = itertools.product(SINGLE, SINGLE if QUANTIFIERS[name].form != "kinds" else (OBJECT,))
    wrong = [
        (str(expression), size, reading)
        for first, second in fillers
        for numbers in numbers_for(name)
        for size, reading in itertools.product((1, 3), READINGS)
        if denotation(
            expression := Expression(name, first, second, numbers), scene_space(DEFAULT_DOMAIN, size), reading
        )
        != in_words(expression, DEFAULT_DOMAIN, size, reading)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", QUANTIFIERS)
def test_the_usual_expressions_in_scenes_of_six(name: str) -> None:
    fillers = [(OBJECT, prop("blue")), (prop("circle"), prop("red")), (OBJECT, prop("red", "square"))]
    wrong = [
        (str(expression), reading)
        for (first, second), numbers in itertools.product(fillers, numbers_for(name))
        for reading in READINGS
        if denotation(expression := Expression(name, first, second, numbers), scene_space(DEFAULT_DOMAIN, 6), reading)
        != in_words(expression, DEFAULT_DOMAIN, 6, reading)
    ]
    assert wrong == []


@st.composite
def properties(draw: st.DrawFn, domain: Domain) -> Property:
    """Draw one term or several, none of them twice, each in the domain's order."""
    several = draw(st.lists(st.sampled_from(single_properties(domain)), min_size=1, max_size=3, unique=True))
    return Property(tuple(one.terms[0] for one in several))


@st.composite
def expressions(draw: st.DrawFn, domain: Domain) -> Expression:
    name = draw(st.sampled_from(list(QUANTIFIERS)))
    held = QUANTIFIERS[name]
    numbers = tuple(draw(st.integers(0, 5)) for _ in range(held.numbers))
    first = draw(properties(domain))
    second = draw(properties(domain)) if held.form != "kinds" else OBJECT
    rest = draw(st.none() | properties(domain)) if held.rest else None
    return Expression(name, first, second, numbers, rest)


@settings(max_examples=150)
@given(st.data(), st.sampled_from(DOMAINS), st.integers(1, 4), st.sampled_from(READINGS))
def test_any_expression_means_what_its_definition_says(
    data: st.DataObject, domain: Domain, size: int, reading: Reading
) -> None:
    expression = data.draw(expressions(domain))
    space = scene_space(domain, size)
    found = denotation(expression, space, reading)
    assert found == in_words(expression, domain, size, reading)
    single = sum(space.bit(scene) for scene in space.scenes(space.everything) if is_true(expression, scene, reading))
    assert single == found


@given(st.data(), st.sampled_from(DOMAINS), st.integers(1, 6))
def test_whatever_is_conveyed_is_true(data: st.DataObject, domain: Domain, size: int) -> None:
    expression, space = data.draw(expressions(domain)), scene_space(domain, size)
    semantic, pragmatic = (denotation(expression, space, reading) for reading in READINGS)
    assert pragmatic & ~semantic == 0


def test_what_is_conveyed_is_true_for_every_quantifier_filler_and_size() -> None:
    wrong = [
        (str(expression), size)
        for name, first, second in itertools.product(QUANTIFIERS, SINGLE, SINGLE)
        for numbers in numbers_for(name)[-1:]
        for size in (2, 5, 20)
        if (space := scene_space(DEFAULT_DOMAIN, size))
        and denotation(expression := Expression(name, first, second, numbers), space)
        & ~denotation(expression, space, "semantic")
    ]
    assert wrong == []


@given(st.data(), st.sampled_from(DOMAINS))
def test_a_logical_form_is_read_back_as_it_was_written(data: st.DataObject, domain: Domain) -> None:
    expression = data.draw(expressions(domain))
    assert read_expression(str(expression), domain) == expression


def by_themselves(said: list[Expression], scene: Scene, reading: Reading) -> bool:
    return all(is_true(expression, scene, reading) for expression in said)


def named(said: list[Expression]) -> list[Property]:
    """Return what a description says to be there: what *there are*, and what some objects are."""
    some = ("number", "exactly", "at least", "only one", "some", "a few", "a couple", "several")
    listed = [one.first for one in said if one.quantifier == "there are"]
    about_objects = [one for one in said if one.quantifier in some and one.first == OBJECT]
    rests = [one.rest for one in about_objects if one.rest is not None]
    return [*listed, *(one.second for one in about_objects), *rests]


def jointly(said: list[Expression], scene: Scene) -> bool:
    """Say whether a description is true of a scene in which there is nothing else than what all of it names."""
    for expression in said:
        loosely: Reading = "semantic" if expression.quantifier == "there are" else "pragmatic"
        if not is_true(expression, scene, loosely):
            return False
    return all(
        any(place.mask(scene.domain) >> kind & 1 for place in named(said))
        for kind, count in enumerate(scene.counts)
        if count
    )


@st.composite
def descriptions(draw: st.DrawFn) -> list[Expression]:
    """Draw expressions of any kind, with *there are* more often than others."""
    listing = st.builds(Expression, st.just("there are"), properties(DEFAULT_DOMAIN))
    return draw(st.lists(expressions(DEFAULT_DOMAIN) | listing, max_size=3))


@settings(max_examples=200)
@given(descriptions(), st.integers(2, 6), st.sampled_from(READINGS))
def test_what_expressions_leave_together(said: list[Expression], size: int, reading: Reading) -> None:
    space = scene_space(DEFAULT_DOMAIN, size)
    scenes = list(space.scenes(space.everything))
    alone = sum(space.bit(scene) for scene in scenes if by_themselves(said, scene, reading))
    lists = reading == "pragmatic" and any(one.quantifier == "there are" for one in said)
    joint = sum(space.bit(scene) for scene in scenes if jointly(said, scene)) if lists and not alone else 0
    found = taken_together(said, space, reading)
    assert (found.scenes, found.joint) == (alone or joint, bool(joint))
    assert consistent(said, space, reading) == found.scenes
    assert is_complete(said, space, reading) == (found.scenes.bit_count() == 1)
    assert found.scenes & ~consistent(said, space, "semantic") == 0
    if said and not joint:
        before = consistent(said[:-1], space, reading)
        if not taken_together(said[:-1], space, reading).joint:
            assert discriminatory_power(said[-1], before, space, reading) == (before & ~alone).bit_count()


def forms(*texts: str) -> list[Expression]:
    return [read_expression(text, DEFAULT_DOMAIN) for text in texts]


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        # One, two or three blue squares of four, as in the list with "and".
        (("there are(blue square)", "there are(red circle)"), ["BS=1 RC=3", "BS=2 RC=2", "BS=3 RC=1"]),
        (("there are(blue square)", "number(1; object, blue circle)"), ["BS=3 BC=1"]),
        (
            ("there are(blue square)", "only one(object, blue circle)", "a couple(object, red circle)"),
            ["BS=1 BC=1 RC=2"],
        ),
        # Half are not some things that are there, as "there are" is: nothing is left but by the meaning.
        (("there are(blue square)", "half(object, circle)"), []),
    ],
)
def test_nothing_else_than_what_the_whole_description_names(texts: tuple[str, ...], left: list[str]) -> None:
    space = scene_space(DEFAULT_DOMAIN, 4)
    found = taken_together(forms(*texts), space)
    assert found.joint == bool(left)
    assert sorted(scene.code for scene in space.scenes(found.scenes)) == left


def test_the_joint_reading_is_that_of_one_list() -> None:
    space = scene_space(DEFAULT_DOMAIN, 4)
    apart = taken_together(forms("there are(blue square)", "there are(red circle)"), space)
    listed = taken_together(forms("there are(blue square or red circle)"), space)
    assert (apart.scenes, apart.joint, listed.joint) == (listed.scenes, True, False)


def truths(written: str, scenes: list[str], reading: Reading) -> list[bool]:
    expression = read_expression(written, DEFAULT_DOMAIN)
    return [is_true(expression, read_scene(code), reading) for code in scenes]


# Read by hand: what is said, of which scenes, and when it is true by its meaning and as people take it.
@pytest.mark.parametrize(
    ("written", "scenes", "semantic", "pragmatic"),
    [
        # All of nothing, of one thing, and of two.
        ("all(circle, red)", ["BS=4", "BS=3 RC=1", "BS=2 RC=2"], [True, True, True], [False, False, True]),
        # Only circles are blue: also where no circle is; and of red circles it says nothing.
        ("only(circle, blue)", ["RS=4", "BC=1 RC=3", "BC=2 BS=2"], [True, True, False], [False, True, False]),
        ("the(circle, red)", ["BS=3 RC=1", "BS=3 BC=1", "RC=2 BS=2"], [True, False, False], [True, False, False]),
        # A kind that is named may have a single member, and what is not named is not there.
        (
            "there are(blue square or red circle)",
            ["BS=2 RC=2", "BS=3 RC=1", "BS=2 RC=2 RS=1", "BS=4"],
            [True, True, True, False],
            [True, True, False, False],
        ),
        (
            "there are(circle or square)",
            ["BS=2 RC=2", "BS=1 BC=2 RS=1", "BC=4"],
            [True, True, False],
            [True, True, False],
        ),
        ("all kinds(object)", ["BS=1 BC=1 RS=1 RC=1", "BS=2 BC=1 RS=1"], [True, False], [True, False]),
        # All kinds of circle: squares do not matter.
        ("all kinds(circle)", ["BC=1 RC=3", "BC=4", "BC=1 RC=1 BS=2"], [True, False, True], [True, False, True]),
        ("of each kind(1; object)", ["BS=1 BC=1 RS=1 RC=1", "BS=2 BC=1 RS=1 RC=1"], [True, True], [True, False]),
        # The rest: there is one, and it is as it is said to be.
        (
            "half(object, blue square, rest red)",
            ["BS=2 RC=2", "BS=2 RC=1 BC=1", "BS=2 RS=2"],
            [True, False, True],
            [True, False, True],
        ),
        (
            "most(object, blue, rest red circle)",
            ["BS=4", "BS=3 RC=1", "BS=3 RS=1"],
            [False, True, False],
            [False, True, False],
        ),
        ("more(circle, square)", ["BC=3 BS=1", "BC=4", "BC=2 RS=2"], [True, True, False], [True, False, False]),
        ("times(3; circle, square)", ["BC=3 BS=1", "BC=2 BS=2", "BC=4"], [True, False, False], [True, False, False]),
    ],
)
def test_read_by_hand(written: str, scenes: list[str], semantic: list[bool], pragmatic: list[bool]) -> None:
    assert truths(written, scenes, "semantic") == semantic
    assert truths(written, scenes, "pragmatic") == pragmatic


def test_the_first_example_of_the_instructions_is_complete() -> None:
    # Paper 001, 7.2: half of four are blue squares, the rest red squares; the answer is 2 2 0 0 (BS, RS, BC, RC).
    space = scene_space(DEFAULT_DOMAIN, 4)
    said = (read_expression("half(object, blue square, rest red square)", DEFAULT_DOMAIN),)
    assert is_complete(said, space)
    assert [scene.code for scene in space.scenes(consistent(said, space))] == ["BS=2 RS=2"]


def test_the_second_example_of_the_instructions_leaves_many_scenes() -> None:
    # A mixture of squares and circles, most of them blue, among twenty: both answers that the paper gives are possible.
    space = scene_space(DEFAULT_DOMAIN, 20)
    said = [read_expression(text, DEFAULT_DOMAIN) for text in ("there are(square or circle)", "most(object, blue)")]
    left = consistent(said, space)
    # Columns of the answering sheet: BS, RS, BC, RC.
    possible = [space.bit(read_scene(code)) for code in ("BS=9 RS=2 BC=8 RC=1", "BS=8 RS=1 BC=9 RC=2")]
    assert all(left & bit for bit in possible)
    # 11 to 19 blue; of b blue things 0..b are squares, of 20 − b red ones 0..20 − b; less the one without squares and
    # the one without circles: (b + 1)(21 − b) − 2.
    assert left.bit_count() == sum((b + 1) * (21 - b) - 2 for b in range(11, 20))


def test_what_nothing_can_have_is_written_and_read() -> None:
    none = both(prop("blue"), prop("red"), DEFAULT_DOMAIN)
    expression = Expression("no", OBJECT, none)
    assert str(expression) == "no(object, nothing)"
    assert read_expression(str(expression), DEFAULT_DOMAIN) == expression
    assert denotation(expression, scene_space(DEFAULT_DOMAIN, 4)) == scene_space(DEFAULT_DOMAIN, 4).everything


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("most", "'most' is no logical form"),
        ("mostly(object, blue)", "No quantifier is called 'mostly'"),
        ("most(object)", "'most(object)' does not fill the places of 'most'"),
        ("most(3; object, blue)", "does not fill the places"),
        ("exactly(object, blue)", "2 properties, 1 numbers, and a rest"),
        ("exactly(3; object, green)", "Nothing is 'green' in circles and squares. Values: blue, red, square, circle."),
        ("exactly(10000000000; object, blue)", "Nothing is"),
        ("all(object, blue, rest red)", "does not fill the places of 'all'"),
        ("half(object, blue, rest red, rest blue)", "does not fill the places"),
        ("most(, blue)", "A property has no name."),
        ("there are(blue or )", "Nothing is 'or'"),
        ("half(object, blue, rest )", "Nothing is 'rest'"),
    ],
)
def test_what_is_no_logical_form_is_told(written: str, told: str) -> None:
    with pytest.raises(UserError) as error:
        read_expression(written, DEFAULT_DOMAIN)
    assert told in str(error.value)
