"""Is the chooser opened that is meant, and is the next command named where there is none?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import UnknownName, places
from hengliang.language_models import write_card
from hengliang.systems.classifier_choosers.adviser import Adviser
from hengliang.systems.classifier_choosers.opening import counted_rule, open_chooser, usual_chooser
from hengliang.systems.classifier_choosers.rule import NounCounts, Rule


def small_rule() -> Rule:
    table = pl.DataFrame({"noun": ["马", "书"], "label": ["匹", "本"], "count": [2, 3]})
    return Rule(NounCounts(table, "by hand", "CC0"))


def test_registered_ones_go_by_name_in_any_case() -> None:
    assert open_chooser("GE").name == open_chooser("ge").name == "GE"


def test_a_folder_and_a_name_in_the_store(tmp_path: Path) -> None:
    small_rule().save(tmp_path / "mine")
    small_rule().save(places.models() / "our-rule")
    for reference in (str(tmp_path / "mine"), "our-rule"):
        opened = open_chooser(reference)
        assert isinstance(opened, Rule)
        assert opened.counts().table.height == 2


def test_without_a_trained_one_the_rule_is_the_usual_one() -> None:
    assert usual_chooser() == "RULE"


def test_a_stored_one_of_a_preferred_family_is_the_usual_one() -> None:
    # Only the card is looked at: BERT before LINEAR, and the usual recipe, whose name is shorter, before others.
    for name, family in (
        ("classifiers-linear-1", "LINEAR"),
        ("classifiers-bert-1-0123abcd", "BERT"),
        ("classifiers-bert-2", "BERT"),
    ):
        folder = places.models() / name
        folder.mkdir(parents=True)
        write_card(folder, kind="classifier chooser", family=family, data="by hand", licence="CC0")
    assert usual_chooser() == "classifiers-bert-2"


def test_an_untrained_family_names_the_command_that_trains_it() -> None:
    with pytest.raises(UserError, match=r"No LINEAR has been trained on this machine.*classifiers train LINEAR"):
        open_chooser("LINEAR")


def test_a_language_model_that_is_not_there_names_the_command_that_trains_it() -> None:
    with pytest.raises(UserError, match=r"LM asks the language model ngram-3.*hengliang lm train ngram --size 3"):
        open_chooser("LM:ngram-3")


def test_strange_names_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"No classifier chooser is called 'RULES'. Did you mean RULE\?"):
        open_chooser("RULES")
    with pytest.raises(UnknownName, match="No classifier chooser is called 'xxx"):
        open_chooser("x" * 300)  # longer than a file name may be
    with pytest.raises(UserError, match="GE takes no model"):
        open_chooser("GE:ngram-3")
    with pytest.raises(UserError, match="HUMAN cannot be asked about a sentence"):
        open_chooser("HUMAN")
    write_card(tmp_path, kind="language model", data="by hand", licence="CC0")
    with pytest.raises(UserError, match="holds no classifier chooser, but a model of the kind 'language model'"):
        open_chooser(str(tmp_path))


def test_an_adviser_goes_by_the_name_of_the_one_it_asks() -> None:
    opened = open_chooser("ADVISER:GE")
    assert isinstance(opened, Adviser)
    assert opened.asked.name == "GE"


def test_the_counts_of_the_default_corpus_are_kept_in_the_cache() -> None:
    first = counted_rule()
    (folder,) = (places.cache() / "classifier-rule").iterdir()
    again = counted_rule()
    assert again.counts().signature() == first.counts().signature()
    (folder / "counts.parquet").write_bytes(b"broken")
    assert counted_rule().counts().signature() == first.counts().signature()
