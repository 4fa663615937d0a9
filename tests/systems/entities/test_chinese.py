"""Do names and numbers become one list, in order and apart?"""

from __future__ import annotations

from hengliang.systems.entities.chinese import chinese_entities, words_of_spans
from hengliang.systems.entities.chinese_numbers import Word


def test_words_lose_their_spaces() -> None:
    # 好 and 人 have three bytes each, the space one.
    assert words_of_spans(" 好 人 ", [(0, 4, "a"), (4, 9, "n")]) == [Word(1, 2, "a"), Word(3, 4, "n")]
    assert words_of_spans("", []) == []


def test_a_number_wins_against_a_name() -> None:
    content = "百分之三点五"
    words = [Word(0, 3, "m"), Word(3, 6, "TIME")]
    assert chinese_entities(content, words, [(3, 6, "TIME")]) == [(0, 18, "PERCENT")]


def test_dates_and_times_that_touch_are_one() -> None:
    content = "今年一月去，明天下午来"
    words = [Word(0, 2, "t"), Word(2, 4, "t"), Word(4, 5, "v"), Word(5, 6, "w"), Word(6, 8, "t"), Word(8, 10, "t")]
    names = [(0, 2, "DATE"), (2, 4, "DATE"), (6, 8, "DATE"), (8, 10, "TIME")]
    assert chinese_entities(content, [*words, Word(10, 11, "v")], names) == [(0, 12, "DATE"), (18, 30, "TIME")]


def test_other_neighbours_stay_apart() -> None:
    assert chinese_entities("中国北京", [Word(0, 2, "LOC"), Word(2, 4, "LOC")], [(0, 2, "GPE"), (2, 4, "GPE")]) == [
        (0, 6, "GPE"),
        (6, 12, "GPE"),
    ]
