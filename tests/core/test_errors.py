"""Does every error say what was wrong, what is right and what to do?"""

from __future__ import annotations

import errno
import pickle
from pathlib import Path

import pytest

from hengliang.core.errors import Failure, UnknownName, UserError, explain_os_error, file_errors


def test_a_user_error_joins_its_three_parts() -> None:
    error = UserError("5 is no stage.", valid="Valid: items.", remedy="Try --help.")
    assert str(error) == "5 is no stage. Valid: items. Try --help."
    assert error.exit_code == 2
    assert Failure("x").exit_code == 1


@pytest.mark.parametrize("kind", [UserError, Failure])
def test_errors_survive_the_way_from_a_worker(kind: type[UserError]) -> None:
    error = pickle.loads(pickle.dumps(kind("a", valid="b", remedy="c")))
    assert (type(error), error.problem, error.valid, error.remedy) == (kind, "a", "b", "c")


def test_an_unknown_name_lists_the_valid_ones_and_the_closest() -> None:
    error = UnknownName("study", "grammer", ["mandarin_grammar", "acceptability"], remedy="See --list.")
    lines = str(error).splitlines()
    assert lines[0] == "No study is called 'grammer'. Did you mean mandarin_grammar?"
    assert lines[1] == "Studies: acceptability, mandarin_grammar"
    assert lines[2] == "See --list."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("what", "all_of_them"),
    [
        ("entry in survey.toml", "Entries in survey.toml: contact"),
        ("part in this set", "Parts in this set: contact"),
        ("question about a participant", "Questions about a participant: contact"),
        ("item of the suite a in b", "Items of the suite a in b: contact"),
        ("measure with contributions", "Measures with contributions: contact"),
        ("test set for taggers", "Test sets for taggers: contact"),
    ],
)
def test_all_names_are_told_in_the_plural_of_what_they_name(what: str, all_of_them: str) -> None:
    assert str(UnknownName(what, "contakt", ["contact"])).splitlines()[1] == all_of_them


def test_a_name_that_is_like_nothing_gets_no_suggestion() -> None:
    assert "Did you mean" not in str(UnknownName("model", "zzz", ["lstm"]))
    assert "Models: none" in str(UnknownName("model", "zzz", []))


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (errno.ENOSPC, 1, "space"),
        (errno.EACCES, 2, "permissions"),
        (errno.EROFS, 2, "folder"),
        (errno.ENOENT, 2, "typing mistake"),
        (errno.EISDIR, 2, "not a folder"),
        (errno.EIO, 1, "Cannot write"),
    ],
)
def test_the_operating_system_is_translated(number: int, code: int, word: str) -> None:
    error = explain_os_error(OSError(number, "some reason"), Path("/a/b"), "write")
    assert error.exit_code == code
    assert word in str(error)
    assert "/a/b" in str(error)


def test_file_errors_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Cannot read .*gone") as raised, file_errors(tmp_path / "gone", "read"):
        (tmp_path / "gone").read_bytes()
    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    ("what", "plural"),
    [
        ("study", "Studies"),
        ("analysis", "Analyses"),
        ("class", "Classes"),
        ("tag set", "Tag sets"),
        ("kind of plug-in", "Kinds of plug-in"),
        ("test set for taggers", "Test sets for taggers"),
        ("part in this set", "Parts in this set"),
        ("entry in survey.toml", "Entries in survey.toml"),
        ("system that the paper has", "Systems that the paper has"),
        ("way to cut", "Ways to cut"),
        ("condition of the suite (mine.suite, line 3)", "Conditions of the suite (mine.suite, line 3)"),
        ("survey (open)", "Surveys (open)"),
    ],
)
def test_what_there_is_has_its_plural(what: str, plural: str) -> None:
    assert str(UnknownName(what, "x", ["a"])).splitlines()[1] == f"{plural}: a"
