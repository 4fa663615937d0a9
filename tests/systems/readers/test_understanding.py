"""Does a reader think of the scenes that are consistent with what was said, weighted as stated?"""

from __future__ import annotations

import itertools
import math
from functools import reduce
from operator import and_

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.quantified_expressions import (
    Description,
    Expression,
    consistent,
    is_true,
    read_expression,
    taken_together,
)
from hengliang.materials.quantified_properties import OBJECT, Property, prop, single_properties
from hengliang.materials.quantifiers import QUANTIFIERS, Reading, quantifier
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.materials.scenes import Scene, read_scene, scene_space
from hengliang.materials.vague_quantifiers import membership
from hengliang.systems.readers.understanding import (
    Prior,
    Understanding,
    contradiction,
    expected_swaps,
    swap_distribution,
    understand,
)

SIX_KINDS = Domain(
    "six kinds",
    (
        Attribute("colour", (Value("blue", "B", "blue", "蓝色"), Value("red", "R", "red", "红色"))),
        Attribute(
            "shape",
            tuple(
                Value(name, code, name, word, f"{name}s")
                for name, code, word in (("square", "S", "方形"), ("circle", "C", "圆形"), ("star", "T", "星形"))
            ),
            noun=True,
        ),
    ),
)


def forms(*texts: str) -> Description:
    return tuple(read_expression(text, DEFAULT_DOMAIN) for text in texts)


def codes(understood: Understanding) -> set[str]:
    return {scene.code for scene in understood.space.scenes(understood.scenes)}


def swaps(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 2


def all_scenes(size: int, domain: Domain) -> list[Scene]:
    """Return all scenes of a size in the order of their counts, by trying every tuple."""
    tuples = itertools.product(range(size + 1), repeat=len(domain.kinds))
    return [Scene(counts, domain) for counts in tuples if sum(counts) == size]


def multinomial(counts: tuple[int, ...]) -> float:
    return math.factorial(sum(counts)) / math.prod(math.factorial(count) for count in counts)


def fit(expression: Expression, scene: Scene, reading: Reading) -> float:
    """Return how well a vague expression fits a scene; 1 where it is not vague."""
    if not quantifier(expression.quantifier).vague:
        return 1.0
    first = expression.first.mask(scene.domain)
    both = first & expression.second.mask(scene.domain)
    x, y = scene.number_of(first), scene.number_of(both)
    return float(membership(expression.quantifier, x, y, scene.size, conveyed=reading == "pragmatic"))


def by_brute_force(
    expressions: Description, size: int, domain: Domain, reading: Reading, prior: Prior
) -> tuple[str, list[tuple[Scene, float]]]:
    """Return the reading used and the weighted scenes, one scene and one expression at a time."""
    readings: list[Reading] = ["pragmatic", "semantic"] if reading == "pragmatic" else ["semantic"]
    for tried in readings:
        # How several expressions are taken together is tested on its own; here it is asked of one scene at a time.
        taken = consistent(expressions, space := scene_space(domain, size), tried)
        left = [scene for scene in all_scenes(size, domain) if taken & space.bit(scene)]
        if left:
            raw = [
                (multinomial(scene.counts) if prior == "things" else 1.0)
                * math.prod(fit(expression, scene, tried) for expression in expressions)
                for scene in left
            ]
            return tried, [(scene, weight / sum(raw)) for scene, weight in zip(left, raw, strict=True)]
    return "semantic", []


@st.composite
def expressions_of(draw: st.DrawFn, domain: Domain, size: int) -> Expression:
    held = QUANTIFIERS[draw(st.sampled_from(sorted(QUANTIFIERS)))]
    properties = single_properties(domain)
    if held.form == "kinds":
        terms = draw(st.lists(st.sampled_from(properties[1:]), min_size=1, max_size=2, unique=True))
        first = Property(tuple(term.terms[0] for term in terms)) if held.name == "there are" else OBJECT
        second = OBJECT
    else:
        first, second = draw(st.sampled_from(properties)), draw(st.sampled_from(properties))
    numbers = tuple(sorted(draw(st.lists(st.integers(1, size), min_size=held.numbers, max_size=held.numbers))))
    return Expression(held.name, first, second, numbers)


@st.composite
def read_descriptions(draw: st.DrawFn) -> tuple[Domain, int, Description]:
    domain = draw(st.sampled_from([DEFAULT_DOMAIN, DEFAULT_DOMAIN, SIX_KINDS]))
    size = draw(st.integers(1, 7 if domain is DEFAULT_DOMAIN else 4))
    expressions = draw(st.lists(expressions_of(domain, size), min_size=0, max_size=3))
    return domain, size, tuple(expressions)


READING = st.sampled_from(["pragmatic", "semantic"])
PRIOR = st.sampled_from(["scenes", "things"])


@settings(max_examples=150)
@given(read_descriptions(), READING, PRIOR, st.data())
def test_understanding_equals_brute_force_over_all_scenes(
    given_: tuple[Domain, int, Description], reading: Reading, prior: Prior, data: st.DataObject
) -> None:
    domain, size, expressions = given_
    found = understand(expressions, size, domain, reading, prior)
    used, weighted = by_brute_force(expressions, size, domain, reading, prior)
    assert found.reading == used
    assert found.contradictory == (not weighted)
    assert found.fell_back == (used != reading)
    assert [scene.counts for scene, _ in weighted] == [tuple(row) for row in found.rows.tolist()]
    assert found.weights == pytest.approx([weight for _, weight in weighted])
    if not weighted:
        return
    target = data.draw(st.sampled_from(all_scenes(size, domain)))
    apart = [(swaps(scene.counts, target.counts), weight) for scene, weight in weighted]
    assert expected_swaps(found, target) == pytest.approx(sum(far * weight for far, weight in apart))
    chances = swap_distribution(found, target)
    assert list(chances) == sorted({far for far, _ in apart})
    for count, chance in chances.items():
        assert chance == pytest.approx(sum(weight for far, weight in apart if far == count))
    assert sum(count * chance for count, chance in chances.items()) == pytest.approx(expected_swaps(found, target))
    assert found.entropy == pytest.approx(-sum(weight * math.log2(weight) for _, weight in weighted), abs=1e-9)


@settings(max_examples=100)
@given(read_descriptions(), PRIOR)
def test_the_typical_scene_is_the_medoid(given_: tuple[Domain, int, Description], prior: Prior) -> None:
    domain, size, expressions = given_
    found = understand(expressions, size, domain, "pragmatic", prior)
    _, weighted = by_brute_force(expressions, size, domain, "pragmatic", prior)
    if not weighted:
        return
    costs = {one: sum(swaps(one.counts, other.counts) * weight for other, weight in weighted) for one, _ in weighted}
    least = min(costs.values())
    best = [(scene, weight) for scene, weight in weighted if costs[scene] <= least + 1e-9]
    heaviest = max(weight for _, weight in best)
    assert found.typical() == next(scene for scene, weight in best if weight >= heaviest * (1 - 1e-9))


@settings(max_examples=100)
@given(read_descriptions(), READING)
def test_a_clash_is_minimal(given_: tuple[Domain, int, Description], reading: Reading) -> None:
    domain, size, expressions = given_
    found = understand(expressions, size, domain, reading)
    assert bool(found.clash) == (found.contradictory or found.fell_back)
    if not found.clash:
        return
    tried: Reading = "semantic" if found.contradictory else "pragmatic"
    sets = dict(zip(expressions, taken_together(expressions, found.space, tried).sets, strict=True))

    def left(some: Description) -> int:
        return reduce(and_, (sets[one] for one in some), found.space.everything)

    assert not left(found.clash)
    assert not [scene for scene in all_scenes(size, domain) if all(is_true(one, scene, tried) for one in found.clash)]
    for place in range(len(found.clash)):
        assert left((*found.clash[:place], *found.clash[place + 1 :]))


@settings(max_examples=100)
@given(st.integers(1, 12), st.data())
def test_a_complete_description_of_its_scene_has_no_expected_swaps(size: int, data: st.DataObject) -> None:
    space = scene_space(DEFAULT_DOMAIN, size)
    scene = data.draw(st.sampled_from(list(space.scenes(space.everything))))
    kinds = [prop(*(value.name for value in kind)) for kind in DEFAULT_DOMAIN.kinds]
    told = tuple(
        Expression("exactly", OBJECT, kind, (count,)) for kind, count in zip(kinds, scene.counts, strict=True) if count
    )
    for prior in ("scenes", "things"):
        found = understand(told, size, prior=prior)
        assert (found.number, found.entropy, found.typical()) == (1, 0.0, scene)
        assert expected_swaps(found, scene) == 0
        assert swap_distribution(found, scene) == {0: 1.0}


def test_a_description_by_hand() -> None:
    # Of 4 things all are circles and a quarter, one, is blue.
    found = understand(forms("all(object, circle)", "fraction(1/4; object, blue)"), 4)
    assert codes(found) == {"BC=1 RC=3"}
    assert (found.reading, found.fell_back, found.clash) == ("pragmatic", False, ())
    # Half are blue squares: the other two are of three kinds, C(4, 2) = 6 ways, each 1/6.
    found = understand(forms("half(object, blue square)"), 4)
    assert found.number == 6
    assert found.entropy == pytest.approx(math.log2(6))
    # From BS=2 RC=2: RC=2 itself, 0 swaps; RC=1 and one of two others, 1 swap each; none, 2 swaps, 3 ways.
    target = read_scene("BS=2 RC=2")
    assert swap_distribution(found, target) == pytest.approx({0: 1 / 6, 1: 2 / 6, 2: 3 / 6})
    assert expected_swaps(found, target) == pytest.approx(8 / 6)


def test_things_make_even_scenes_likelier() -> None:
    # Two things of four kinds: 4 scenes of one kind at 2!/2! = 1, 6 scenes of two kinds at 2!/(1!1!) = 2; 16 in all.
    found = understand((), 2, prior="things")
    weights = {scene.code: weight for scene, weight in found.likeliest(10)}
    assert weights["BS=1 RC=1"] == pytest.approx(2 / 16)
    assert weights["BS=2"] == pytest.approx(1 / 16)
    assert found.likeliest(1)[0][0].code == "RS=1 RC=1"  # the first of the enumeration: (0, 0, 1, 1)
    assert understand((), 2).likeliest(1)[0][1] == pytest.approx(1 / 10)


def test_a_vague_word_weighs_beside_the_crisp_set() -> None:
    found = understand(forms("all(object, circle)", "many(object, blue)"), 20)
    blue = found.rows[:, 1].astype(float)
    fits = membership("many", np.full(len(blue), 20), blue, 20)
    assert found.weights == pytest.approx(fits / fits.sum())
    assert len(set(found.weights.tolist())) > 1


def test_loose_speech_is_taken_at_its_word() -> None:
    # "Some circles are red" of one red circle: pragmatically a plural, semantically true.
    found = understand(forms("some(circle, red)", "exactly(1; object, circle)"), 4)
    assert (found.reading, found.fell_back) == ("semantic", True)
    assert codes(found) == {"RS=3 RC=1", "BS=3 RC=1", "BS=1 RS=2 RC=1", "BS=2 RS=1 RC=1"}
    assert found.clash == forms("some(circle, red)", "exactly(1; object, circle)")
    # Nothing to fall back to, and nothing to say about it.
    bare = understand(forms("some(circle, red)", "exactly(1; object, circle)"), 4, reading="semantic")
    assert (bare.fell_back, bare.clash, bare.scenes) == (False, (), found.scenes)


def test_what_is_there_is_taken_jointly() -> None:
    # Two sentences say what one sentence with "and" says, and it is still what is conveyed.
    apart = understand(forms("there are(blue square)", "there are(red circle)"), 4)
    assert codes(apart) == {"BS=1 RC=3", "BS=2 RC=2", "BS=3 RC=1"}
    assert (apart.reading, apart.fell_back, apart.joint, apart.clash) == ("pragmatic", False, True, ())
    listed = understand(forms("there are(blue square or red circle)"), 4)
    assert (listed.scenes, listed.joint) == (apart.scenes, False)
    assert codes(understand(forms("there are(blue square)", "number(1; object, blue circle)"), 4)) == {"BS=3 BC=1"}


def test_where_the_joint_reading_leaves_none_the_clash_is_elsewhere() -> None:
    # The two lists agree; that some circles of one are red is what does not go with them.
    said = ("there are(blue square)", "there are(red circle)", "some(circle, red)", "exactly(1; object, circle)")
    found = understand(forms(*said), 4)
    assert (found.reading, found.fell_back, found.joint) == ("semantic", True, False)
    assert found.clash == forms("some(circle, red)", "exactly(1; object, circle)")


def test_more_than_a_few_weigh_alike_where_a_word_is_taken_at_its_meaning() -> None:
    found = understand(forms("all(object, blue)", "a couple(object, square)"), 20, reading="semantic")
    squares = {scene.counts[0]: weight for scene, weight in found.likeliest(30)}
    # Two squares or more of twenty, and from three on each as likely.
    assert set(squares) == set(range(2, 21))
    assert len({round(squares[count], 12) for count in range(3, 21)}) == 1


def test_a_contradiction_names_those_that_clash() -> None:
    texts = ("some(object, circle)", "all(object, red)", "most(object, square)", "half(object, blue)")
    found = understand(forms(*texts), 4)
    assert found.contradictory
    assert found.clash == forms("all(object, red)", "half(object, blue)")
    assert contradiction(found) == (
        "No scene of 4 things is left: all(object, red) and half(object, blue) cannot be true together."
    )
    for ask in (found.typical, lambda: expected_swaps(found, read_scene("RC=4")), lambda: found.drawn(0.5)):
        with pytest.raises(UserError, match=r"all\(object, red\) and half\(object, blue\)"):
            ask()
    # Half of nine is no whole number: one expression alone.
    alone = understand(forms("all(object, red)", "half(object, circle)"), 9)
    assert alone.clash == forms("half(object, circle)")
    assert contradiction(alone) == "No scene of 9 things is left: half(object, circle) cannot be true."


def test_what_cannot_be_asked() -> None:
    with pytest.raises(UserError, match="No reading is called 'loose'"):
        understand((), 4, reading="loose")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="No prior is called 'none'"):
        understand((), 4, prior="none")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="A scene cannot hold 0 things"):
        understand((), 0)
    with pytest.raises(UserError, match="holds 3 things of circles and squares; the description was read as one of 4"):
        expected_swaps(understand((), 4), read_scene("BS=3"))


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 6), PRIOR)
def test_a_number_draws_the_scene_it_falls_on(chance: float, size: int, prior: Prior) -> None:
    found = understand((), size, prior=prior)
    ends = list(itertools.accumulate(found.weights.tolist()))
    place = found.space.place(found.drawn(chance).counts)
    before = ends[place - 1] if place else 0.0
    assert before - 1e-12 <= chance <= ends[place] + 1e-12


def test_what_weighs_nothing_is_not_drawn() -> None:
    space = scene_space(DEFAULT_DOMAIN, 1)
    found = Understanding(space, space.everything, np.array([0.0, 0.5, 0.5, 0.0]), "pragmatic")
    drawn = {found.drawn(chance).code for chance in (0.0, 0.25, 0.5, 0.999, 1 - 2**-53, 1.0)}
    assert drawn == {"RS=1", "BC=1"}  # the enumeration begins with (0, 0, 0, 1), which is RC=1


def test_a_hundred_thousand_scenes_are_not_compared_in_pairs() -> None:
    # 80 things of 4 kinds: C(83, 3) = 91,881 scenes; pairs of them would be 8 · 10⁹.
    found = understand((), 80, prior="things")
    assert found.number == 91_881
    assert found.typical().counts == (20, 20, 20, 20)
    assert expected_swaps(found, read_scene("BS=80")) == pytest.approx(60)  # 80 − 20 are of another kind on average
