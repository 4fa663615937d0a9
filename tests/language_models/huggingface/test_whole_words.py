from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from hengliang import UserError
from hengliang.language_models import raw_texts, read_texts
from hengliang.language_models.huggingface.causal import HuggingFaceCausal, whole_word_scores, word_beginnings
from hengliang.language_models.regions import region_scores, sentence_logprobs, word_regions
from tests.language_models.huggingface import tiny_models


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of five tokens: the end, a, b, and each of them after a space. Every text has one way to be cut."""
    vocabulary = {"</s>": 0, "a": 1, "b": 2, "Ġa": 3, "Ġb": 4, "Ġ": 5}
    backend = Tokenizer(models.BPE(vocabulary, [("Ġ", "a"), ("Ġ", "b")]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    make: type = PreTrainedTokenizerFast
    wrapper = make(tokenizer_object=backend, bos_token="</s>", eos_token="</s>")
    config = GPT2Config(vocab_size=6, n_positions=32, n_embd=16, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0)
    return tiny_models.save(tmp_path_factory.mktemp("models") / "letters", GPT2LMHeadModel, config, wrapper)


def distribution(model: HuggingFaceCausal, ids: list[int]) -> list[float]:
    with torch.no_grad():
        found: list[float] = model.loaded().model(torch.tensor([[0, *ids]])).logits[0, -1].double().softmax(-1).tolist()
    return found


BEGINS = (0, 3, 4, 5)


@pytest.mark.parametrize("before", [[], [1], [2, 1, 3]])
def test_whole_words_after_a_context_sum_to_one(letters: Path, before: list[int]) -> None:
    model = HuggingFaceCausal(letters)
    texts = {0: "", 1: "a", 2: "b", 3: " a", 4: " b", 5: " "}
    context = "".join(texts[number] for number in before)
    total, longest = 0.0, 6
    mass = sum(distribution(model, before)[number] for number in BEGINS)
    words = [
        [first, *rest]
        for length in range(longest)
        for first in (3, 4)
        for rest in itertools.product((1, 2), repeat=length)
    ]
    contents = [context + "".join(texts[number] for number in word) for word in words]
    scores = whole_word_scores(model, raw_texts(contents))
    for row, word in enumerate(words):
        total += float(np.exp(sum(unit.logprob for unit in scores.units(row)[-len(word) :])))
    # What is left out: the end and the lone space right away, and words that are longer or begin with a lone space. The
    # first two are one term each; the mass of longer words is that of all beginnings of that length that go on.
    here = distribution(model, before)
    total += here[0] / mass + here[5] / mass
    for word in words:
        if len(word) == longest:
            chance, path = 1 / mass, list(before)
            for number in word:
                chance *= distribution(model, path)[number]
                path.append(number)
            total += chance * (1 - sum(distribution(model, path)[number] for number in BEGINS))
    assert total == pytest.approx(1, abs=1e-5)


def test_a_word_by_the_formula(letters: Path) -> None:
    model = HuggingFaceCausal(letters)
    texts = read_texts(["ab ba a"])
    plain = region_scores(model.score(texts), word_regions(texts)).logprobs
    whole = region_scores(whole_word_scores(model, texts), word_regions(texts)).logprobs
    ids = [1, 2, 4, 1, 3]
    masses = [np.log(sum(distribution(model, ids[:place])[number] for number in BEGINS)) for place in (0, 2, 4, 5)]
    # The first word begins without a space and is not divided by the mass before it.
    expected = plain + np.array([masses[1], masses[2] - masses[1], masses[3] - masses[2]])
    np.testing.assert_allclose(whole, expected, atol=1e-5)


def test_with_the_end_the_sentence_stays_what_it_was(letters: Path) -> None:
    model = HuggingFaceCausal(letters, eos="auto")
    texts = raw_texts(["ab ba a", "a", "b b b"])
    before, after = model.score(texts), whole_word_scores(model, texts)
    np.testing.assert_allclose(sentence_logprobs(after), sentence_logprobs(before), atol=1e-5)
    assert abs(after.logprobs - before.logprobs).max() > 0.01


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("eos", ["none", "auto"])
def test_chinese_is_left_as_it_is(tmp_path: Path, kind: str, eos: str) -> None:
    model = HuggingFaceCausal(getattr(tiny_models, kind)(tmp_path / kind), eos=eos)
    texts = raw_texts(["他成为了医生。", "龘", ""])
    np.testing.assert_allclose(whole_word_scores(model, texts).logprobs, model.score(texts).logprobs, atol=1e-5)


def test_a_latin_word_in_chinese_is_shifted_at_its_space_only(tmp_path: Path) -> None:
    model = HuggingFaceCausal(tiny_models.gpt2(tmp_path / "gpt2"))
    texts = raw_texts(["我的 laptop坏了。"])
    moved = whole_word_scores(model, texts).logprobs - model.score(texts).logprobs
    starts = model.score(texts).starts
    space = int(np.flatnonzero(starts == len("我的".encode()))[0])
    # What 的 gains the word after it loses, and the rest stays.
    assert moved[space - 1] == pytest.approx(-moved[space])
    assert moved[space - 1] < -0.01
    assert np.abs(np.delete(moved, [space - 1, space])).max() < 1e-5


def test_who_has_no_spaces_in_tokens_is_told(tmp_path: Path) -> None:
    config = GPT2Config(vocab_size=200, n_positions=32, n_embd=16, n_layer=1, n_head=2)
    folder = tiny_models.save(tmp_path / "wordpiece", GPT2LMHeadModel, config, tiny_models.word_piece())
    with pytest.raises(UserError, match="begins with a space"):
        word_beginnings(HuggingFaceCausal(folder).loaded())
