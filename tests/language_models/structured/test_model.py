"""Does a trained network of sentences and trees keep the promises of a language model?"""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from hengliang import UserError
from hengliang.core import examine, write_text
from hengliang.core.training_loop import WEIGHTS
from hengliang.corpora import Tree, compare_brackets
from hengliang.language_models import raw_texts, read_segmented_texts, read_texts, write_card
from hengliang.language_models.conformance import next_unit_promises
from hengliang.language_models.perplexity import perplexity
from hengliang.language_models.regions import sentence_logprobs
from hengliang.language_models.sampling import continuations, sample
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.architectures import StructuredArchitecture
from hengliang.language_models.structured.building import read_structured
from hengliang.language_models.structured.model import StructuredModel
from hengliang.language_models.structured.networks import lesson_logprob
from hengliang.language_models.structured.training import structured_task
from tests.language_models.structured.toy_treebank import (
    KINDS,
    LEARNT,
    bank,
    grammar_perplexity,
    texts_of_trees,
    train_tiny,
    trees,
    vocabulary,
)

DEV = trees(40, seed=1)


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("models") / f"{request.param}-tiny"
    train_tiny(request.param, found, LEARNT)
    return found


@pytest.fixture(scope="module")
def model(folder: Path) -> StructuredModel:
    return StructuredModel(folder)


def test_the_conformance_kit(folder: Path) -> None:
    # A beam that drops much is as good for this, and sooner done.
    findings = list(StructuredModel(folder, action_beam=20, word_beam=4, fast_track=2).conformance())
    assert [finding for finding in findings if not finding.kept] == []
    promises = [finding.promise for finding in findings]
    # All trees of a short sentence can be tried here: 22 for two words (2 labels, chain and depth 2).
    assert "at full width the mass is the exact marginal" in promises
    assert "a unit is scored as it is foretold" in promises


def test_words_are_looked_up_in_the_width_that_the_card_names_and_trees_show_them_as_written(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "wide")
    write_card(tmp_path / "wide", widths="marks=full")
    clause = "老师 买 了 一 本 书"
    lines = read_texts([f"{clause} , {clause} 。", f"{clause} ， {clause} 。"])
    wide = StructuredModel(tmp_path / "wide", action_beam=20, word_beam=4)
    scores, found = wide.score_and_parse(lines)
    half, full = scores.units(0), scores.units(1)
    assert [unit.logprob for unit in half] == pytest.approx([unit.logprob for unit in full], abs=1e-6)
    # Seven characters of three bytes stand before the comma.
    assert ((half[6].start, half[6].end), (full[6].start, full[6].end)) == ((21, 22), (21, 24))
    assert [tree.words()[6] for tree in found if tree is not None] == [",", "，"]
    assert not scores.unknown.any()
    plain = StructuredModel(tmp_path / "wide", action_beam=20, word_beam=4, fold=False)
    assert plain.score(lines).unknown.tolist()[6] is True


def test_the_conformance_kit_where_the_word_counts_in_the_search(folder: Path) -> None:
    by_word = StructuredModel(folder, action_beam=20, word_beam=4, ranking="word")
    # Which analyses are followed depends on the word that comes, so that nothing is foretold, but not on later words.
    promises = next_unit_promises(by_word)
    assert [promise for promise, _ in promises] == [
        "what comes later does not change a score",
        "the mass of the beam is never above the exact marginal",
        "at full width the mass is the exact marginal",
    ]
    assert [finding for finding in examine(promises[:1]) if not finding.kept] == []
    texts = read_segmented_texts(["老师 好", "了 书"])
    exact = by_word.exact_logprobs(texts)
    assert (sentence_logprobs(by_word.score(texts)) <= exact + 1e-5).all()
    assert sentence_logprobs(by_word.at_full_width().score(texts)) == pytest.approx(exact, abs=1e-5)
    with pytest.raises(UserError, match="it has no distribution"):
        by_word.next_units(read_segmented_texts(["老师"]))


def test_trees_without_number_are_not_weighed(folder: Path, tmp_path: Path) -> None:
    # The same record with more labels and longer chains: far more than MOST trees even for two words.
    many = tuple(f"L{number}" for number in range(20))
    replace(StructuredArchitecture.read(folder), labels=many, chain=5, depth=9).write(tmp_path)
    assert StructuredModel(folder).enumerable()
    assert not StructuredModel(tmp_path).enumerable()


def joint_logprobs(model: StructuredModel, given: list[Tree]) -> Numbers:
    """Return the log-probability of each sentence with its tree."""
    network = read_structured(model.folder)
    kind = network.architecture.kind
    task = structured_task(kind, "tiny", vocabulary(), bank(200), (texts_of_trees(given), given), LEARNT, 1)
    with torch.no_grad():
        return np.array([lesson_logprob(network, task.dev.lesson(np.array([row]))) for row in range(len(given))])


def test_words_are_as_probable_as_their_trees_together(model: StructuredModel) -> None:
    texts = texts_of_trees(DEV)
    found, joint = sentence_logprobs(model.score(texts)), joint_logprobs(model, DEV)
    # The grammar is unambiguous, so one tree has almost all; never less than the right one alone.
    assert (found >= joint - 1e-4).all()
    assert found == pytest.approx(joint, abs=0.3)
    assert perplexity(model.score(texts), texts).per("word") < 1.1 * grammar_perplexity(DEV)


def test_the_best_trees_are_the_given_ones(model: StructuredModel) -> None:
    found = model.parse(texts_of_trees(DEV))
    whole = [tree for tree in found if tree is not None]
    assert [tree.words() for tree in whole] == [tree.words() for tree in DEV]
    assert compare_brackets(DEV, whole, punctuation=True).f1 > 0.98


def test_units_are_words_and_the_end(model: StructuredModel) -> None:
    scores = model.score(read_texts(["老师 买 了 一 本 宇宙飞船 。"]))
    assert scores.unknown.tolist() == [False] * 5 + [True, False, False]
    assert scores.starts.tolist() == [0, 6, 9, 12, 15, 18, 30, 33]
    assert scores.ends.tolist() == [6, 9, 12, 15, 18, 30, 33, 33]
    assert (scores.logprobs < 0).all() and np.isfinite(scores.unigram_logprobs).all()


def test_same_scores_however_many_are_searched_at_once(model: StructuredModel) -> None:
    texts = texts_of_trees(trees(12, seed=4))
    expected = model.score(texts).logprobs
    for lanes in (1, 3):
        found = StructuredModel(model.folder, lanes=lanes).score(texts).logprobs
        assert found == pytest.approx(expected, abs=1e-6)


def test_a_wider_beam_has_more_of_the_probability_and_the_widest_all(model: StructuredModel) -> None:
    # Short beginnings, of which all trees can be tried; not what the model was taught, so that there is doubt.
    texts = read_segmented_texts(["老师 书 。", "昨天 买", "一 本 书"])
    exact = model.exact_logprobs(texts)
    narrow = StructuredModel(model.folder, action_beam=3, word_beam=1, fast_track=1)
    assert (sentence_logprobs(narrow.score(texts)) < exact - 1e-4).any()
    assert (sentence_logprobs(narrow.score(texts)) <= exact + 1e-5).all()
    assert sentence_logprobs(model.at_full_width().score(texts)) == pytest.approx(exact, abs=1e-5)
    assert np.isnan(model.exact_logprobs(texts_of_trees(DEV[:1]))).all(), "a whole sentence has too many"


def test_a_text_that_is_too_long_has_a_reason_and_no_score(model: StructuredModel) -> None:
    long = " ".join(["老师"] * 40)
    scores = model.score(read_segmented_texts(["老师 看 了 一 本 书 。", long, "老师 看 。"]))
    if model.folder.name.startswith("rnng"):
        assert scores.problems == ("", "", "")
        return
    # The Transformer reads 34 steps at most.
    assert scores.problems[1].startswith("no analysis is left at word ")
    assert (scores.problems[0], scores.problems[2]) == ("", "")
    assert scores.counts.tolist() == [8, 0, 4]
    assert len(scores.logprobs) == len(scores.unigram_logprobs) == len(scores.unknown) == 12
    assert np.isnan(sentence_logprobs(scores)[1])
    following = model.next_units(read_segmented_texts([long, "老师"]))
    assert np.isnan(following.logprobs[0]).all() and not np.isnan(following.logprobs[1]).any()
    assert model.parse(read_segmented_texts([long])) == [None]
    with pytest.raises(UserError, match=r"cannot say what comes after.*at most 34 steps"):
        continuations(model, long)


def test_texts_without_words_have_a_reason(model: StructuredModel) -> None:
    scores = model.score(raw_texts(["老师买了一本书。", "", " "]))
    assert scores.problems[0] == ""
    assert scores.problems[1] == "it has no words, and a tree has at least one"
    assert scores.counts[1] == 0
    assert len(model.score(raw_texts([]))) == 0
    assert model.parse(raw_texts([])) == []
    assert model.next_units(raw_texts([])).logprobs.shape[0] == 0


def test_the_next_units_agree_with_the_scores(model: StructuredModel) -> None:
    words = trees(1, seed=6)[0].words()
    prefixes = [" ".join(words[:place]) for place in range(len(words) + 1)]
    following = model.next_units(read_segmented_texts(prefixes))
    assert (np.exp(following.logprobs).sum(1) <= 1 + 1e-6).all()
    assert "<s>" not in following.units and len(set(following.units)) == len(following.units)
    columns = [following.units.index(unit) for unit in [*words, "</s>"]]
    rows = following.logprobs[np.arange(len(columns)), columns]
    assert rows == pytest.approx(model.score(read_segmented_texts([" ".join(words)])).logprobs, abs=1e-5)
    # A sentence has at least one word.
    assert np.isneginf(following.logprobs[0, following.units.index("</s>")])


def test_samples_are_sentences_of_the_grammar(model: StructuredModel) -> None:
    drawn = sample(model, "老师", count=3, seed=5, longest=12)
    assert drawn[:1] == sample(model, "老师", count=1, seed=5, longest=12)
    assert all(text.words[0] == "老师" and "了" in text.words for text in drawn)
    # A text that has grown too long for the model ends there.
    assert sample(model, " ".join(["老师"] * 40), count=1, seed=1, longest=1)[0].words[:40] == ["老师"] * 40


def test_a_copy_leaves_the_network_behind(model: StructuredModel) -> None:
    texts = texts_of_trees(DEV[:3])
    expected = model.score(texts).logprobs
    raw = pickle.dumps(model)
    assert len(raw) < 1000
    assert pickle.loads(raw).score(texts).logprobs == pytest.approx(expected, abs=1e-9)


def test_the_conventions_tell_of_the_beam(folder: Path) -> None:
    told = StructuredModel(folder, action_beam=0, word_beam=0, fast_track=2, ranking="word").conventions()
    limit = "" if folder.name.startswith("rnng") else "; at most 34 steps"
    assert (told.scoring, told.unit, told.bos, told.eos) == ("beam", "word", True, True)
    assert told.context == (
        f"the whole text by a beam of all steps, all analyses a word, fast track 2, ranked by word{limit}"
    )
    usual, narrow = StructuredModel(folder).signature(), StructuredModel(folder, word_beam=3).signature()
    assert usual != narrow
    assert "10 analyses a word" in str(usual)


def test_damaged_folders_and_wrong_beams_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        StructuredModel(tmp_path / "nowhere").conventions()
    with pytest.raises(UserError, match="The beam's action is -1"):
        StructuredModel(folder, action_beam=-1).score(texts_of_trees(DEV[:1]))
    with pytest.raises(UserError, match="to have 0 lanes"):
        StructuredModel(folder, lanes=0).score(texts_of_trees(DEV[:1]))
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / WEIGHTS).write_bytes(b"short")
    broken = StructuredModel(tmp_path)
    assert broken.conventions().unit == "word"
    with pytest.raises(UserError, match="is not a whole safetensors file"):
        broken.score(texts_of_trees(DEV[:1]))
    write_text(tmp_path / "vocabulary.tsv", "<unk>\t0\n<s>\t0\n</s>\t1\n")
    with pytest.raises(UserError, match="has 3 symbols and its network was built for"):
        StructuredModel(tmp_path).conventions()


def test_the_module_imports_without_torch() -> None:
    code = "import sys; import hengliang.language_models.structured.model; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
