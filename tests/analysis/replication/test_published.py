"""Are the papers' tables and claims entered whole, and found by name?"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.analysis.replication.published import PAPERS, claims_of, published
from hengliang.analysis.replication.table import RECOMPUTATIONS
from hengliang.classifiers import read_ccd
from hengliang.core import TableOptions

SYSTEMS = {"exp1.csv": ("RULE", "LSTM", "BERT"), "exp2_random.csv": ("GE", "RULE", "BERT")}


@pytest.mark.parametrize("name", PAPERS)
def test_every_claim_has_a_place_a_unique_id_and_a_way_to_recompute_it(name: str) -> None:
    paper = published(name)
    ids = [claim.id for claim in paper.claims]
    assert len(ids) == len(set(ids))
    for claim in paper.claims:
        assert claim.where
        assert claim.what.en and claim.what.zh
        assert claim.kind in RECOMPUTATIONS[name]
        assert claim.group != claim.id


def test_the_papers_hold_figures_and_no_sentences() -> None:
    folder = resources.files("hengliang.analysis.replication")
    for name in PAPERS:
        content = json.loads(folder.joinpath(f"published_{name}.json").read_text(encoding="utf-8"))
        texts = [claim["what"]["en"] for claim in content["claims"]]
        assert all(len(text.split()) <= 14 and not text.endswith(".") for text in texts)


def test_no_claim_is_entered_for_both_papers() -> None:
    ids = [claim.id for _, claim in claims_of()]
    assert len(ids) == len(set(ids))


def test_a_claim_and_a_group_are_found_by_name() -> None:
    assert [claim.id for _, claim in claims_of(name="median-test.chi2")] == ["median-test.chi2"]
    assert {claim.group for _, claim in claims_of(("001",), "spread")} == {"spread"}
    with pytest.raises(UserError, match=r"No claim is called 'median-tset'\. Did you mean median-test"):
        claims_of(name="median-tset")
    with pytest.raises(UserError, match="No paper is called '004'"):
        published("004")
    with pytest.raises(UserError, match="No claim is called 'x'"):
        published("000").claim("x")


def test_the_tallies_of_the_appendices_add_up() -> None:
    facts = published("000").facts
    for held in (facts["appendix_A"], *facts["appendix_B"].values(), facts["data_file_experiment_1"]):
        assert sum(held["sentences_by_choices"].values()) == held["rows"]


def choices(file: Path) -> list[tuple[str, ...]]:
    """Return for each sentence of a file the corpus's classifier and those of the three systems."""
    names = SYSTEMS[file.name]
    return read_ccd(file, names).select("gold", *names).rows()


@pytest.mark.mirror
def test_the_data_file_of_experiment_1_is_tallied_as_entered(mirror: Path) -> None:
    names = SYSTEMS["exp1.csv"]
    read = read_ccd(mirror / "ccd_sample" / "experiments.xlsx", table=TableOptions(sheet="Experiment 1"))
    rows = read.select("gold", *names).rows()
    entered = published("000").facts["data_file_experiment_1"]
    assert len(rows) == entered["rows"]
    tally = {str(n): sum(len(set(row)) == n for row in rows) for n in range(1, 5)}
    assert tally == entered["sentences_by_choices"]
    matches = {name: sum(row[0] == row[place] for row in rows) for place, name in enumerate(names, 1)}
    assert matches == entered["matches"]


@pytest.mark.mirror
def test_the_data_file_of_the_random_group_is_appendix_b(mirror: Path) -> None:
    rows = choices(mirror / "ccd_sample" / "exp2_random.csv")
    entered = published("000").facts["appendix_B"]["random"]
    tally = {str(n): sum(len(set(row)) == n for row in rows) for n in range(1, 5)}
    assert tally == entered["sentences_by_choices"]
    names = ("CORPUS", *SYSTEMS["exp2_random.csv"])
    for pair, differing in entered["differing"].items():
        first, second = (names.index(name) for name in pair.split("-"))
        assert sum(row[first] != row[second] for row in rows) == differing
