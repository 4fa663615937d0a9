"""Are studies found by name and by path?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.study.study import load_study, missing_for, study_names


def test_our_studies_are_found_by_name() -> None:
    assert "classifier_baselines" in study_names()
    for name in study_names():
        assert load_study(name, quick=True).name == name


def test_a_users_file_is_found_by_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from hengliang import Study\nfrom tests.tiny import Sentences\nstudy = Study('mine', Sentences())\n"
    )
    assert load_study(str(file)).name == "mine"


def test_the_quick_form_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from hengliang import Study\nfrom tests.tiny import Sentences\n"
        "def study(quick):\n    return Study('quick' if quick else 'full', Sentences())\n"
    )
    found = [load_study(str(file), quick=quick) for quick in (True, False)]
    assert [(study.name, study.form) for study in found] == [("quick", "quick"), ("full", "full")]


def test_a_study_that_is_no_function_has_one_form(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from hengliang import Study\nfrom tests.tiny import Sentences\nstudy = Study('mine', Sentences())\n"
    )
    assert [load_study(str(file), quick=quick).form for quick in (True, False)] == ["full", "full"]


def test_what_a_study_lacks_can_follow_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    needed = {name: reason for name in study_names() if (reason := missing_for(name))}
    assert {"acceptability_english", "tagger_mending", "treebank_ud"} <= set(needed)
    assert {reason.split()[0] for reason in needed.values()} == {"the"}


def test_an_unknown_study_lists_those_there_are() -> None:
    with pytest.raises(UserError, match=r"Did you mean classifier_baselines\?\nStudies: .*classifier_baselines"):
        load_study("classifier_baseline")


def test_a_file_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("study = 5\n")
    with pytest.raises(UserError, match=r"defines no study.*hengliang new study"):
        load_study(str(tmp_path / "mine.py"))


def test_a_study_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    assert missing_for("classifier_baselines") == ""
    assert "hengliang data get smog" in missing_for("acceptability_english")
