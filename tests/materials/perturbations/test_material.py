"""Is the material the same each time, whole, and without a changed sentence that is one of the corpus?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import slices
from hengliang.materials.perturbations.material import (
    KINDS,
    NAME,
    ORIGINAL,
    PerturbedSentences,
    chosen,
    perturbed_sentences,
)
from hengliang.materials.perturbations.sentences import corpus_contents
from tests.materials.perturbations.toys import TOLD, tagged, write_corpus
from tests.tracing import untraced

DEFAULT = "peoples-daily-199801"


@pytest.fixture(scope="module")
def hundred() -> pl.DataFrame:
    """A hundred sentences of the default corpus with all their versions."""
    with untraced():
        return perturbed_sentences(count=100).items()


@pytest.fixture(scope="module")
def two_hundred() -> pl.DataFrame:
    """Two hundred, with the same seed."""
    with untraced():
        return perturbed_sentences(count=200).items()


def test_a_larger_sample_holds_the_smaller_one(hundred: pl.DataFrame, two_hundred: pl.DataFrame) -> None:
    held = two_hundred.filter(pl.col("set").is_in(hundred["set"].unique().to_list()))
    assert held.equals(hundred)
    assert hundred["set"].n_unique() == 100


@pytest.mark.untraced
def test_kinds_do_not_depend_on_each_other(hundred: pl.DataFrame) -> None:
    kinds = ("missing object", "word order")
    alone = perturbed_sentences(count=100, kinds=kinds).items()
    same = hundred.filter(pl.col("condition").is_in([ORIGINAL, *kinds]))
    assert alone.sort("id").equals(same.sort("id"))


@pytest.mark.untraced
def test_another_seed_draws_other_sentences(hundred: pl.DataFrame) -> None:
    other = perturbed_sentences(count=100, kinds="word order", seed=2).items()
    assert len(set(other["set"]) & set(hundred["set"])) < 50


def test_each_set_has_one_original_and_versions_that_all_differ(two_hundred: pl.DataFrame) -> None:
    assert two_hundred.filter(pl.col("condition") == ORIGINAL)["set"].n_unique() == 200
    assert two_hundred["id"].n_unique() == two_hundred.height
    assert two_hundred.select("set", "content").n_unique() == two_hundred.height
    assert set(two_hundred["condition"]) == {ORIGINAL, *KINDS}


@pytest.mark.untraced
def test_no_changed_sentence_is_one_of_the_corpus(two_hundred: pl.DataFrame) -> None:
    seen = corpus_contents(DEFAULT)
    changed = two_hundred.filter(~pl.col("acceptable"))
    assert not set(changed["content"]) & set(seen)
    originals = two_hundred.filter("acceptable")
    assert all(seen[content] == 1 for content in originals["content"])


def test_spans_and_attributes_say_what_was_done(two_hundred: pl.DataFrame) -> None:
    originals = dict(two_hundred.filter("acceptable").select("set", "content").iter_rows())
    for row in two_hundred.iter_rows(named=True):
        words = [(span["start"], span["end"]) for span in row["spans"] if span["name"] == "word"]
        places = [(span["start"], span["end"]) for span in row["spans"] if span["name"] == "changed"]
        assert "".join(slices(row["content"], words)) == row["content"]
        assert len(words) == row["words"]
        assert row["acceptable"] == (row["condition"] == ORIGINAL) == (not places)
        assert row["has_entity"] == (row["entity_words"] > 0)
        assert row["entity_words"] or not row["entity_changed"]
        if places:
            assert row["perturbation"] == row["condition"]
            assert 0 <= row["place"] <= 1
            # Before the first changed place the sentence is as it was.
            before = row["content"].encode()[: min(places)[0]]
            assert originals[row["set"]].encode().startswith(before)
        else:
            assert (row["perturbation"], row["rule"], row["detail"], row["place"]) == ("", "", "", None)


def test_facts_count_the_kinds(hundred: pl.DataFrame) -> None:
    material = perturbed_sentences(count=100)
    facts = {title.en: value for title, value in material.facts(hundred)}
    made = hundred.filter(pl.col("condition") == "word order").height
    assert facts["Sentences drawn"] == "100"
    assert facts["Kind: word order"] == f"{made} ({100 - made} had no place)"
    assert sum(name.startswith("Kind: ") for name in facts) == len(KINDS)


def test_a_file_of_our_own(tmp_path: Path) -> None:
    data = write_corpus(tmp_path / "toy.pku")
    material = PerturbedSentences(count=5, data=data)
    items = material.items()
    assert items["set"].n_unique() == 5
    assert set(items["material"]) == {NAME}
    assert perturbed_sentences(count=500, data=data).items()["set"].n_unique() == 12
    assert str(material.signature()) != str(PerturbedSentences(count=5, data=data, seed=3).signature())
    assert all(finding.kept for finding in material.conformance())


def test_items_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    data = write_corpus(tmp_path / "toy.pku")
    program = (
        "from hengliang.materials.perturbations.material import perturbed_sentences as p;"
        f"i = p(data={data!r}, kinds=['word order', 'function word (stray)', 'word order (shuffled)']).items();"
        "print(i.select('id', 'content').rows())"
    )
    shown = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert shown[0] == shown[1]
    assert len(shown[0]) > 1000


def test_the_next_change_is_taken_where_the_first_is_a_sentence_of_the_corpus() -> None:
    sentence = tagged(TOLD[0])
    first = chosen(sentence, "word order", 1)
    assert first is not None
    second = chosen(sentence, "word order", 1, {first.content})
    assert second is not None
    assert second.content != first.content
    assert chosen(tagged("他/r 走/v 。/w"), "classifier", 1) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [({"kinds": "speling"}, "speling"), ({"count": 0}, "0 sentences"), ({"shortest": 29}, "29 to 30 words")],
)
def test_wrong_arguments_are_named(tmp_path: Path, change: dict[str, object], said: str) -> None:
    data = write_corpus(tmp_path / "toy.pku")
    with pytest.raises(UserError, match=said):
        perturbed_sentences(data=data, **change).items()  # type: ignore[arg-type]
