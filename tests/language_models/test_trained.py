"""Is a model given by its recipe trained when it is needed, and then the model itself?"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from hengliang import Study, System, UserError
from hengliang.analyses import traits
from hengliang.core import Silent, estimate_records, file_checksum, learning
from hengliang.corpora import corpus_sentences
from hengliang.language_models import log_probability, read_card, read_texts, trained
from hengliang.language_models.opening import model
from hengliang.language_models.perplexity_analysis import perplexity
from hengliang.language_models.streaming import SEARCHED
from tests.language_models.stories import story


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HENGLIANG_CACHE", str(tmp_path / "cache"))
    return story(tmp_path / "story.txt")


def test_it_is_trained_by_prepare_and_not_before(data: str) -> None:
    given = trained("ngram", "2", data=data)
    assert not given.is_trained
    before = given.signature()
    assert not given.is_trained
    given.prepare(Silent())
    assert given.is_trained
    assert given.signature() != before
    texts = read_texts(["他 昨天 去 学校 。"])
    stored = model(str(given.folder()))
    assert given.score(texts).logprobs.tolist() == stored.score(texts).logprobs.tolist()
    assert given.next_units(texts).logprobs.tolist() == stored.next_units(texts).logprobs.tolist()
    assert given.conventions() == stored.conventions()


def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the files that are compared with a card from now on."""
    found: list[str] = []

    def noted(file: Path) -> str:
        found.append(file.name)
        return file_checksum(file)

    monkeypatch.setattr(learning, "file_checksum", noted)
    return found


def test_files_are_compared_when_a_model_is_opened_and_not_at_every_batch(
    data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, texts = trained("ngram", "2", data=data), read_texts(["他 昨天 去 学校 。"])
    given.prepare(Silent())
    first, names = given.score(texts), compared(monkeypatch)
    for _ in range(3):
        assert given.score(texts).logprobs.tolist() == first.logprobs.tolist()
    # A copy in the same process, as a batch brings one along, asks the same model.
    assert pickle.loads(pickle.dumps(given)).score(texts).logprobs.tolist() == first.logprobs.tolist()
    assert names == []
    # A model that takes its place is opened: 他 昨天 去 学校 。 is a fifth of the new text, and was a hundredth.
    learning.remove_model(given.folder().name)
    Path(data).write_text("他 昨天 去 学校 。\n" * 25 + Path(data).read_text(encoding="utf-8"), encoding="utf-8")
    assert given.score(texts).logprobs.sum() > first.logprobs.sum()
    assert sorted(set(names)) == ["ngrams.bin", "vocabulary.tsv"]
    # Another text of the same name makes a model of the same name, which this one is not.
    (Path(data).parent / "other").mkdir()
    other = story(Path(data).parent / "other" / "story.txt", 2)
    with pytest.raises(UserError, match="holds another model"):
        trained("ngram", "2", data=other).score(texts)


def test_the_signature_follows_the_trained_files(data: str) -> None:
    first, second = trained("ngram", "2", data=data), trained("ngram", "3", data=data)
    first.prepare(Silent())
    second.prepare(Silent())
    assert first.signature() != second.signature()
    assert "context:1 words" in str(first.signature())


def test_a_study_trains_what_it_needs_and_reports_it(data: str, tmp_path: Path) -> None:
    study = Study(
        name="orders",
        materials=corpus_sentences(data, part="test"),
        systems=[trained("ngram", "1", data=data, name="unigrams"), trained("ngram", "3", data=data, name="trigrams")],
        measures=[log_probability()],
        analyses=[perplexity(draws=20), traits(["parameters", "training_seconds"])],
    )
    run = study.run(tmp_path / "run")
    found = {(row.analysis, row.by["system"], row.statistic): row.value for row in estimate_records(run.estimates)}
    for name, order in (("unigrams", "1"), ("trigrams", "3")):
        card = read_card(tmp_path / "home" / "models" / f"ngram-{order}-story")
        # The card's perplexity was computed from the scores alone, the study's from its tables.
        assert found["perplexity", name, "word"] == pytest.approx(card["perplexity"]["test"]["per_word"], abs=1e-3)
        assert found["traits", name, "parameters"] == card["parameters"]
    trigrams, unigrams = found["perplexity", "trigrams", "word"], found["perplexity", "unigrams", "word"]
    assert trigrams is not None and unigrams is not None
    assert trigrams < unigrams


def test_traits_tell_models_with_structure_from_others(data: str) -> None:
    grammar = trained("rnng", "tiny", data=data, trees="right-branching", sentences=30)
    words = trained("ngram", "2", data=data)
    assert grammar.name == "rnng-tiny-1-story-30s-right-branching"
    assert (grammar.traits()["structured"], grammar.traits()["trees"]) == (True, "right-branching")
    assert words.traits()["structured"] is False
    assert "trees" not in words.traits()
    assert trained("plm").traits()["trees"] == "given"
    grammar.prepare(Silent())
    card = read_card(grammar.folder())
    assert grammar.traits()["parameters"] == card["parameters"]
    assert grammar.conventions().scoring == "beam"
    texts = read_texts(["他 昨天 去 学校 。"])
    stored = model(str(grammar.folder()))
    assert grammar.score(texts).logprobs.tolist() == stored.score(texts).logprobs.tolist()
    assert grammar.signature() != trained("rnng", "tiny", data=data, trees="shuffled", sentences=30).signature()


def test_searches_come_in_small_batches() -> None:
    assert trained("rnng").batch_size == trained("plm", trees="shuffled").batch_size == SEARCHED
    assert trained("lstm").batch_size == trained("ngram").batch_size == System.batch_size
