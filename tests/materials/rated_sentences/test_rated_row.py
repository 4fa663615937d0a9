"""Is a printed mean held against its ratings, and a broken cell named by its line?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.materials.rated_sentences.rated_row import RatedRow, check_keys, number_of, numbers_of, spread

FILE = Path("ratings.csv")


def test_a_printed_mean_of_twelve_digits_is_that_of_its_ratings() -> None:
    # 25 / 19 = 1.3157894736842106; the files print twelve digits.
    ratings = (*[1.0] * 17, 4.0, 4.0)
    assert not RatedRow(2, "1", "Dogs bark.", rating=1.31578947368, ratings=ratings).mean_differs
    assert RatedRow(2, "1", "Dogs bark.", rating=1.3158, ratings=ratings).mean_differs
    assert not RatedRow(2, "1", "Dogs bark.", rating=1.3158).mean_differs
    assert not RatedRow(2, "1", "Dogs bark.", ratings=ratings).mean_differs


def test_spread_has_one_less_below_the_line() -> None:
    # (1 + 0 + 1) / 2 = 1.
    assert spread([1, 2, 3]) == pytest.approx(1.0)
    assert spread([4]) is None


def test_lists_of_ratings() -> None:
    assert numbers_of("4, 3,2.0", FILE, 7) == (4, 3, 2)
    for text in ("4,,3", "", "4; 3", "4, nan"):
        with pytest.raises(UserError, match=r"ratings.csv, line 7"):
            numbers_of(text, FILE, 7)


def test_a_number_that_is_none_is_shown() -> None:
    with pytest.raises(UserError, match="the mean 'inf' is no number"):
        number_of("inf", FILE, 3, "mean")


def test_two_rows_of_a_mode_with_one_id_are_refused() -> None:
    rows = [RatedRow(2, "a", "Dogs bark.", "x"), RatedRow(3, "a", "Dogs bark.", "y"), RatedRow(4, "a", "No.", "x")]
    check_keys(rows[:2], FILE)
    with pytest.raises(UserError, match=r"line 4: the id 'a' \(x\) is that of line 2"):
        check_keys(rows, FILE)
