"""Are the ready statements those of the paper, and can one write one's own?"""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from hengliang import Bilingual, UserError
from hengliang.classifiers import classifier_experiment
from hengliang.experiments import Scale
from hengliang.people.tasks.statement_sets import (
    SCALES,
    SETS,
    TEMPLATE,
    read_statements,
    scale_fault,
    statement_set,
)


def test_the_papers_statements_and_answers() -> None:
    # Paper 000, section 5.2, the list of statements and the sentence after it.
    clarity, fluency = statement_set("classifier")
    assert clarity.statement == Bilingual("This sentence is clear.", "这句话表达清晰。")
    assert fluency.statement == Bilingual(
        "This sentence was written by a native speaker.", "这句话是普通话母语者写的。"
    )
    assert [option.zh for option in fluency.options] == [
        *("非常不同意", "不同意", "不太同意", "不确定", "有点同意", "同意", "非常同意"),
    ]
    assert [option.en for option in clarity.options][3] == "neither agree nor disagree"


def test_the_classifier_experiment_asks_them() -> None:
    assert inspect.signature(classifier_experiment).parameters["scales"].default is SCALES


@pytest.mark.parametrize("name", SETS)
def test_every_set_can_be_rated_and_has_a_source(name: str) -> None:
    scales = statement_set(name)
    assert scales
    assert all(scale_fault(scale) is None for scale in scales)
    assert SETS[name].source


def test_our_sets_do_not_ask_about_authorship() -> None:
    assert [scale.name for scale in statement_set("natural")] == ["naturalness", "smoothness"]
    assert "自然" in statement_set("natural")[0].statement.zh
    assert "通顺" in statement_set("natural")[1].statement.zh
    assert [scale.points for scale in statement_set("acceptability")] == [7]
    assert [(scale.name, scale.points, len(scale.options)) for scale in statement_set("description")] == [
        ("naturalness", 5, 2),
        ("informativity", 5, 2),
        ("correctness", 5, 2),
    ]


def test_an_unknown_set() -> None:
    with pytest.raises(UserError, match=r"Did you mean natural\?\nSets of statements: acceptability, classifier"):
        statement_set("naturla")


def test_ones_own_statements(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(TEMPLATE, encoding="utf-8")
    ends = (Bilingual("not at all", "完全不"), Bilingual("completely", "完全"))
    question = Bilingual("How vivid is this sentence?", "这句话生动吗？")
    assert statement_set(str(file)) == (Scale("vividness", question, 5, ends),)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("points = ", "is not TOML"),
        ("points = 5", "my.toml has no statement. An object with statement, points, options"),
        ("statement = 3", "my.toml, line 1: statement is 3. A list"),
        ("statement = []", r"statement is \[\]. One \[\[statement\]\] or more"),
        ("statement = [3]", r"statement\[0\] is 3. An object with name, en, zh"),
        ("pints = 5", "No entry in .* is called 'pints'. Did you mean points"),
        ('[[statement]]\nname = "a"\nen = "A?"', r"my.toml has no statement\[0\]\.zh \(line 1\)\."),
        (
            '[[statement]]\nname = "a"\nen = "A?"\nzh = "甲？"\npoints = "7"',
            r"line 5: statement\[0\]\.points is \"7\"\. A whole number",
        ),
        ('[[statement]]\nname = "a"\nen = "A?"\nzh = "甲？"\npoints = 1', "has 1 points; it needs 2 to 101"),
        (
            'points = 5\noptions = [{ en = "a" }]\n[[statement]]\nname = "a"\nen = "A?"\nzh = "甲？"',
            r"my.toml has no options\[0\]\.zh \(line 2\). An object with en, zh",
        ),
        (
            'points = 5\noptions = [{ en = "a", zh = "b" }]\n[[statement]]\nname = "a"\nen = "A?"\nzh = "甲？"',
            "has 1 options for 5 points",
        ),
    ],
)
def test_mistakes_in_ones_own_file_are_named(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_statements(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        statement_set(str(tmp_path / "none.toml"))
