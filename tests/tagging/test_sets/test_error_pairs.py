from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora import PKU_TAGS
from hengliang.tagging.test_sets.test_set import DIRECTIONS, ErrorPair, error_pair, fits_pair

tags = st.lists(st.sampled_from([*sorted(PKU_TAGS), "?uzhe", "NR", "nt-short"]), min_size=1, max_size=4).map(tuple)
pairs = st.builds(ErrorPair, tags, tags)


@given(pairs)
def test_a_pair_is_read_as_it_was_written(pair: ErrorPair) -> None:
    assert error_pair(pair.name) == pair
    assert error_pair(str(pair)) == pair
    assert error_pair(str([list(pair.gold), list(pair.predicted)])) == pair  # the form of the paper's files


@pytest.mark.parametrize(
    "text", ["p+r:d", " p+r:d ", "<[p+r], [d]>", "<[p+r],[d]>", "[p+r],[d]", "[['p', 'r'], ['d']]", "[['p','r'],['d']]"]
)
def test_all_forms_of_one_pair(text: str) -> None:
    found = error_pair(text)
    assert found == ErrorPair(("p", "r"), ("d",))
    assert (found.name, str(found)) == ("p+r:d", "<[p+r], [d]>")


@pytest.mark.parametrize(
    "text",
    ["", "n", "n:", ":v", "n:v:a", "n+:v", "[n],[]", "[n]", "<[p],[d]]", "[p r],[d]", "n v:a", "[a:b],[c]", "[[n],[v]"],
)
def test_what_is_no_pair_is_refused_with_what_would_be_one(text: str) -> None:
    with pytest.raises(UserError, match="is no error pair") as caught:
        error_pair(text)
    assert f"'{text}'" in caught.value.problem
    assert "p+r:d" in caught.value.valid


@pytest.mark.parametrize(
    ("name", "direction", "about_words"),
    [
        ("n:v", "same", False),
        ("n:n+n", "finer", True),
        ("p+r:d", "coarser", True),
        ("n+n:n+v", "crossing", True),
        ("n+n:v+u+n", "crossing", True),
    ],
)
def test_the_direction_says_who_cuts_finer(name: str, direction: str, about_words: bool) -> None:
    pair = error_pair(name)
    assert (pair.direction, pair.about_words) == (direction, about_words)


@given(pairs)
def test_turned_around_finer_becomes_coarser(pair: ErrorPair) -> None:
    turned = {"same": "same", "finer": "coarser", "coarser": "finer", "crossing": "crossing"}
    assert ErrorPair(pair.predicted, pair.gold).direction == turned[pair.direction]
    assert pair.direction in DIRECTIONS


@given(st.text(max_size=5))
def test_a_tag_that_fits_is_one_of_which_a_pair_can_be_made(tag: str) -> None:
    try:
        read = error_pair(f"{tag}:n").gold
    except UserError:
        read = ()
    if fits_pair(tag):
        assert read == (tag,)
    else:
        assert read != (tag,)


@pytest.mark.mirror
def test_the_papers_own_items_are_read(mirror: Path) -> None:
    lines = (mirror / "pos_finegrained" / "items.md").read_text(encoding="utf-8").splitlines()
    kept = [error_pair(line.partition("#")[0]) for line in lines if line.startswith("[[")]
    assert len(kept) == len(set(kept)) == 70
    assert sum(pair.about_words for pair in kept) == 9  # section 2.2.2 of the paper
