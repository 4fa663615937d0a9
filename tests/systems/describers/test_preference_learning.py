"""Are the preferences that ship those that the corpus shows?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.systems.describers.preference_learning import elicited_forms, preferences_of
from hengliang.systems.describers.preferences import learn_preferences, shipped_preferences

OWN = """subject,scene,text
P1,BS=2 RS=2,All objects are squares. Half of the squares are blue.
P2,BS=2 RS=2,Colourless ideas sleep.
P1,RC=4,All objects are red circles.
"""


def test_a_table_of_ones_own_is_read_and_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(OWN, "utf-8")
    forms = elicited_forms(file)
    assert [[str(one) for one in form] for form in forms] == [
        ["all(object, square)", "half(square, blue)"],
        ["all(object, red circle)"],
    ]
    found = preferences_of(file)
    assert found.patterns == learn_preferences(forms).patterns == (("all", 2, 2), ("half", 0, 1))
    assert found.source == "own.csv: 2 descriptions that were read as a whole"


@pytest.mark.mirror
def test_what_ships_is_what_the_corpus_shows(mirror: Path) -> None:
    # Otherwise: python -m hengliang.systems.describers.preference_learning
    assert preferences_of() == shipped_preferences()


@pytest.mark.mirror
def test_the_limit_of_length_covers_what_people_say(mirror: Path) -> None:
    from hengliang.systems.describers.generation import LONGEST

    lengths = sorted(len(form) for form in elicited_forms())
    # Of 1,241 descriptions that are read as a whole 98.4 % are no longer; one expression less would do for 93.4 %.
    assert sum(length <= LONGEST for length in lengths) > 0.97 * len(lengths)
    assert sum(length < LONGEST for length in lengths) < 0.97 * len(lengths)
