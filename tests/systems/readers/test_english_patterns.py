"""Do patterns of words fit where they should?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hengliang.systems.readers.english_patterns import compiled, first_fitting, follow, read_rules, rule_words

WORDS = ["half", "of", "the", "big", "circles"]
words = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)


def test_a_pattern_fits_from_a_place_on() -> None:
    assert follow(WORDS, 0, "half of the") == 3
    assert follow(WORDS, 0, "half|most of? these? the?") == 3
    assert follow(WORDS, 1, "half") is None
    assert follow(WORDS, 4, "circles red") is None
    assert follow(WORDS, 5, "red?") == 5


@given(words, st.lists(st.tuples(st.sampled_from(["a", "b", "a|b"]), st.booleans()), max_size=4))
def test_a_pattern_covers_the_words_that_it_names(said: list[str], places: list[tuple[str, bool]]) -> None:
    pattern = " ".join(word + ("?" if optional else "") for word, optional in places)
    end = follow(said, 0, pattern)
    needed = sum(not optional for _, optional in places)
    assert end is None or needed <= end <= len(places)
    assert len(compiled(pattern)) == len(places)


def test_the_first_rule_that_fits_is_taken() -> None:
    rules = read_rules(
        """
        a? lot of -> many
        a -> one
        nothing|none ->
        """
    )
    assert [rule.written for rule in rules] == [("many",), ("one",), ()]
    found = first_fitting(["a", "lot", "of", "things"], 0, rules)
    assert found is not None and (found[0].written, found[1]) == (("many",), 3)
    found = first_fitting(["a", "thing"], 0, rules)
    assert found is not None and found[0].written == ("one",)
    assert first_fitting(["things"], 0, rules) is None
    assert rule_words(rules) == {"a", "lot", "of", "many", "one", "nothing", "none"}
