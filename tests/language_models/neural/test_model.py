"""Does a trained network keep the promises of a language model?"""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hengliang import UserError
from hengliang.core import write_text
from hengliang.core.training_loop import WEIGHTS
from hengliang.language_models import raw_texts, read_segmented_texts, read_texts, write_card
from hengliang.language_models.neural.model import NeuralModel
from hengliang.language_models.neural.settings import Kind
from hengliang.language_models.perplexity import perplexity
from hengliang.language_models.regions import sentence_logprobs
from hengliang.language_models.sampling import sample
from hengliang.language_models.vocabulary import Vocabulary
from tests.language_models.neural.toy_corpus import sentences, texts, train_tiny

KINDS: tuple[Kind, ...] = ("lstm", "transformer")


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("models") / f"{request.param}-tiny"
    train_tiny(request.param, found)
    return found


@pytest.fixture
def model(folder: Path) -> NeuralModel:
    return NeuralModel(folder)


def test_the_conformance_kit(model: NeuralModel) -> None:
    findings = list(model.conformance())
    assert len(findings) > 15
    assert [finding for finding in findings if not finding.kept] == []


def test_units_are_words_and_the_end(model: NeuralModel) -> None:
    scores = model.score(read_texts(["老师 买 了 一 本 宇宙飞船 。"]))
    assert scores.unknown.tolist() == [False] * 5 + [True, False, False]
    assert scores.starts.tolist() == [0, 6, 9, 12, 15, 18, 30, 33]
    assert scores.ends.tolist() == [6, 9, 12, 15, 18, 30, 33, 33]
    assert (scores.logprobs < 0).all() and np.isfinite(scores.unigram_logprobs).all()


def test_words_are_looked_up_in_the_width_that_the_card_names(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "wide")
    held = Vocabulary.read(folder)
    # The network stays; the word that was 书 is now a number in full width.
    Vocabulary(held.symbols.replace("书", "５"), held.counts).write(tmp_path / "wide")
    write_card(tmp_path / "wide", widths="digits=full")
    lines = read_texts(["老师 买 了 一 本 5 。", "老师 买 了 一 本 ５ 。"])
    half, full = (NeuralModel(tmp_path / "wide").score(lines).units(row) for row in (0, 1))
    assert [unit.logprob for unit in half] == pytest.approx([unit.logprob for unit in full], abs=1e-6)
    # Five words of 18 bytes before the number, which has one byte or three.
    assert ((half[5].start, half[5].end), (full[5].start, full[5].end)) == ((18, 19), (18, 21))
    assert NeuralModel(tmp_path / "wide", fold=False).score(lines).unknown.tolist()[5] is True
    assert not NeuralModel(tmp_path / "wide").score(lines).unknown.any()


def test_the_perplexity_is_that_of_training(folder: Path, tmp_path: Path) -> None:
    kind: Kind = "lstm" if folder.name.startswith("lstm") else "transformer"
    trained = train_tiny(kind, folder)
    dev = texts(40, seed=1)
    assert perplexity(NeuralModel(folder).score(dev), dev).per("word") == pytest.approx(trained.dev_perplexity)


def test_same_scores_in_any_company(model: NeuralModel) -> None:
    held = texts(30, seed=4)
    expected = model.score(held).logprobs
    small = NeuralModel(model.folder, places=7).score(held).logprobs
    alone = np.concatenate([model.score(held.take([row])).logprobs for row in range(len(held))])
    order = np.random.default_rng(0).permutation(len(held))
    mixed = model.score(held.take(order)).take(np.argsort(order)).logprobs
    for found in (small, alone, mixed):
        assert found == pytest.approx(expected, abs=1e-5)


def test_the_next_units_sum_to_one_and_agree_with_score(model: NeuralModel) -> None:
    words = sentences(1, seed=6)[0].split()
    prefixes = [" ".join(words[:place]) for place in range(len(words) + 1)]
    following = model.next_units(read_segmented_texts(prefixes))
    assert np.exp(following.logprobs).sum(1) == pytest.approx(1.0, abs=1e-9)
    assert "<s>" not in following.units and len(set(following.units)) == len(following.units)
    columns = [following.units.index(unit) for unit in [*words, "</s>"]]
    rows = following.logprobs[np.arange(len(columns)), columns]
    assert rows == pytest.approx(model.score(read_segmented_texts([" ".join(words)])).logprobs, abs=1e-5)


def test_a_text_of_ten_thousand_characters(model: NeuralModel) -> None:
    long = " ".join(sentences(1200, seed=9))
    held = read_segmented_texts([long, sentences(1)[0]])
    assert held.contents.str.len_chars()[0] > 10_000
    scores = model.score(held)
    assert np.isfinite(scores.logprobs).all()
    # What stands far before the end of the text does not change when more follows.
    cut = read_segmented_texts([" ".join(long.split()[:500])])
    assert model.score(cut).logprobs[:500] == pytest.approx(scores.logprobs[:500], abs=1e-5)
    said = model.conventions().context
    assert said == (
        "the whole text"
        if model.folder.name.startswith("lstm")
        else "10 words; a longer text in windows that move on by 5 words, so that each unit sees at least 6"
    )


def test_raw_texts_empty_texts_and_no_texts(model: NeuralModel) -> None:
    scores = model.score(raw_texts(["老师买了一本书。", ""]))
    assert scores.counts[1] == 1 and scores.problems == ("", "")
    assert len(model.score(raw_texts([]))) == 0
    assert np.isfinite(sentence_logprobs(scores)).all()


def test_samples_come_from_the_model(model: NeuralModel) -> None:
    assert sample(model, "老师", count=3, seed=5, longest=8) == sample(model, "老师", count=4, seed=5, longest=8)[:3]


def test_a_copy_leaves_the_network_behind(model: NeuralModel) -> None:
    held = texts(3)
    expected = model.score(held).logprobs
    raw = pickle.dumps(model)
    assert len(raw) < 1000
    assert pickle.loads(raw).score(held).logprobs == pytest.approx(expected, abs=1e-9)


def test_damaged_folders_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        NeuralModel(tmp_path / "nowhere").conventions()
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / WEIGHTS).write_bytes(b"short")
    broken = NeuralModel(tmp_path)
    assert broken.conventions().unit == "word"
    with pytest.raises(UserError, match="is not a whole safetensors file"):
        broken.score(texts(1))
    write_text(tmp_path / "vocabulary.tsv", "<unk>\t0\n<s>\t0\n</s>\t1\n")
    with pytest.raises(UserError, match="has 3 symbols and its network was built for"):
        NeuralModel(tmp_path).conventions()


def test_the_module_imports_without_torch() -> None:
    code = "import sys; import hengliang.language_models.neural.model; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
