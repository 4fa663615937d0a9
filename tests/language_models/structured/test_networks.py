"""Is a sentence with its tree as probable however that is found, and does learning move every weight?"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.corpora import Tree
from hengliang.language_models.neural.networks import draw, inclusions
from hengliang.language_models.structured.architectures import Kind
from hengliang.language_models.structured.enumeration import all_derivations
from hengliang.language_models.structured.networks import BLOCK, Heads, in_blocks, lesson_logprob, lesson_loss
from hengliang.language_models.vocabulary import BEGIN_ID, END_ID
from tests.language_models.structured.random_networks import Drawn, drawn, some_trees, walked_logprob
from tests.language_models.structured.toy_treebank import KINDS, trees


def logprob(held: Drawn, rows: list[int]) -> float:
    with torch.no_grad():
        return lesson_logprob(held.network, held.part.lesson(np.array(rows, np.int64)))


@settings(max_examples=15)
@given(kind=st.sampled_from(KINDS), given_trees=some_trees(), seed=st.integers(0, 99), forgetful=st.booleans())
def test_a_batch_one_by_one_and_step_by_step(kind: Kind, given_trees: list[Tree], seed: int, forgetful: bool) -> None:
    held = drawn(kind, given_trees, seed)
    alone = [logprob(held, [row]) for row in held.rows]
    session = held.network.session()
    walked = [walked_logprob(session, held.part.derivations, row, forgetful=forgetful) for row in held.rows]
    assert walked == pytest.approx(alone, rel=1e-4)
    assert logprob(held, list(held.rows)) == pytest.approx(sum(alone), rel=1e-4)
    assert logprob(held, list(held.rows)[::-1]) == pytest.approx(sum(alone), rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_all_continuations_share_the_probability_of_a_beginning(kind: Kind) -> None:
    # With one label, and chain and depth 1, every tree is (S word word …): after OPEN only a SHIFT is possible, so the
    # first words share everything, and the sentences of one word have a part of it.
    held = drawn(kind, [Tree("S", ("看", "了")), Tree("S", ("看",))])
    session = held.network.session()
    begun = ended = 0.0
    for word in range(session.words):
        for each in all_derivations(session, [word]):
            if each.opened:
                begun += np.exp(each.score)
            else:
                ended += np.exp(each.score)
    assert begun == pytest.approx(1.0, abs=1e-6)
    assert 0 < ended < 1


def everybody(held: Drawn) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    found = inclusions(np.ones(held.network.architecture.symbols, np.int64), 0)
    found[END_ID] = 0.0
    return found


@settings(max_examples=15)
@given(kind=st.sampled_from(KINDS), given_trees=some_trees(), seed=st.integers(0, 99))
def test_with_all_words_as_candidates_the_loss_is_exact(kind: Kind, given_trees: list[Tree], seed: int) -> None:
    held = drawn(kind, given_trees, seed)
    lesson = held.part.lesson(np.array(held.rows, np.int64))
    assert lesson.events == sum(len(tree.words()) + 1 for tree in given_trees)
    with torch.no_grad():
        loss = lesson_loss(held.network, lesson, draw(everybody(held), np.random.default_rng(0)))
    assert loss.item() == pytest.approx(-logprob(held, list(held.rows)) / lesson.events, rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_over_some_words_is_right_on_average(kind: Kind) -> None:
    held = drawn(kind, trees(6))
    lesson = held.part.lesson(np.array(held.rows, np.int64))
    some = everybody(held)
    some[3:] = 0.5
    stream = np.random.default_rng(1)
    with torch.no_grad():
        exact = -lesson_logprob(held.network, lesson) / lesson.events
        found = [lesson_loss(held.network, lesson, draw(some, stream)).item() for _ in range(100)]
    # The estimate of the sum is unbiased; its logarithm is a little low.
    assert exact - 0.1 < float(np.mean(found)) < exact + 0.02


@pytest.mark.parametrize("kind", KINDS)
def test_every_weight_is_moved(kind: Kind) -> None:
    held = drawn(kind, trees(12))
    lesson = held.part.lesson(np.array(held.rows, np.int64))
    lesson_loss(held.network, lesson, draw(everybody(held), np.random.default_rng(0))).backward()  # type: ignore[no-untyped-call]
    still = []
    for name, parameter in held.network.named_parameters():
        gradient = parameter.grad
        if gradient is None or not torch.isfinite(gradient).all() or not gradient.any():
            still.append(name)
    assert still == []
    # <s> and the end of a sentence are no words: neither read nor said.
    table = held.network.embedding.weight.grad
    assert table is not None
    assert not table[[BEGIN_ID, END_ID]].any()
    assert table[END_ID + 1 :].any(1).all()


def test_the_begin_and_the_end_are_no_words() -> None:
    network = drawn("rnng", trees(3)).network
    logits = network.word_logits(torch.randn(2, 8))
    assert torch.isneginf(logits[:, [BEGIN_ID, END_ID]]).all()
    logits[:, [BEGIN_ID, END_ID]] = 0
    assert torch.isfinite(logits).all()


def test_the_bias_begins_with_the_frequencies() -> None:
    network = drawn("rnng", trees(3)).network
    unigrams = np.log(np.full(len(network.bias), 0.25))
    unigrams[BEGIN_ID] = np.nan
    network.begin_with(unigrams)
    assert network.bias[BEGIN_ID].item() == 0
    assert network.bias[END_ID:].tolist() == pytest.approx([np.log(0.25)] * (len(network.bias) - END_ID))


@given(st.integers(0, 3 * BLOCK))
def test_blocks_are_of_one_size(count: int) -> None:
    sizes = []

    def doubled(block: torch.Tensor) -> torch.Tensor:
        sizes.append(len(block))
        return 2 * block

    rows = torch.arange(2.0 * count).view(count, 2)
    assert torch.equal(in_blocks(doubled, rows), 2 * rows)
    assert set(sizes) == {BLOCK}


def test_heads_say_the_same_of_one_word_and_of_all() -> None:
    network = drawn("plm", trees(3)).network
    heads, features = Heads(network), torch.randn(BLOCK + 5, 8)
    with torch.inference_mode():
        everything = heads.word_distributions(features)
        words = np.arange(len(features)) % (network.architecture.symbols - 3) + 3
        single = heads.word_logprobs(features, words)
        assert heads.step_logits(features).shape == (BLOCK + 5, network.architecture.limits.steps)
    assert single == pytest.approx(everything[np.arange(len(features)), words], abs=1e-6)
    assert np.exp(everything).sum(1) == pytest.approx(1.0, abs=1e-9)
