"""Does a report find the titles of every subject, whatever has been imported before, and only one title a thing?"""

from __future__ import annotations

import subprocess
import sys

import pytest

from hengliang import Bilingual, UserError
from hengliang.core import terms


def test_titles_of_subjects_are_there_before_the_subjects_are_used() -> None:
    program = (
        "import sys; from hengliang.core import terms; "
        "assert not [name for name in sys.modules if name.startswith('hengliang.analysis')]; "
        "print(terms.factor_titles()['modifier'].en, terms.level_titles()['adjective'].zh, "
        "*terms.level_titles(of='category'))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["Modifier", "形容词", "true", "dual", "measure", "not", "in", "list"]


def test_levels_of_a_factor_are_those_of_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    terms.level_titles()
    monkeypatch.setattr(terms, "_levels", {})
    spoken, written = Bilingual("spoken", "口语"), Bilingual("written", "书面语")
    terms.add_terms(levels={"w": written, "s": spoken}, of="register")
    terms.add_terms(levels={"s": Bilingual("singular", "单数")}, of="number")
    # In the order in which they were said, not that of the alphabet.
    assert list(terms.level_titles(of="register").items()) == [("w", written), ("s", spoken)]
    assert terms.level_titles(of="number")["s"].en == "singular"
    assert not terms.level_titles() and not terms.level_titles(of="nothing")


def test_two_titles_of_one_thing_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "_factors", {})
    terms.add_terms({"register": Bilingual("Register", "语体")})
    terms.add_terms({"register": Bilingual("Register", "语体")})
    with pytest.raises(UserError, match="'register' is called 'Register' by one subject and 'Style' by another"):
        terms.add_terms({"register": Bilingual("Style", "文体")})
