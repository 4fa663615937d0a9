"""Are sums by level and by pairs of levels those of the matrices written out?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.statistics.models.ordinal.laplace import RandomStructure
from tests.statistics.models.ordinal.problems import random_problem, random_term


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_moments_are_those_of_the_whole_matrix(seed: int) -> None:
    problem, _ = random_problem(seed, n=40, widths=((2, 4), (1, 6), (3, 3)))
    structure = problem.structure
    weights = np.random.default_rng(seed).uniform(size=problem.n)
    matrices = []
    for block in structure.blocks:
        whole = np.zeros((problem.n, block.levels, block.width))
        whole[np.arange(problem.n), block.codes] = block.columns
        matrices.append(whole)
    moments = structure.moments(weights)
    for whole, square in zip(matrices, moments.squares, strict=True):
        assert square == pytest.approx(np.einsum("n,nla,nlb->lab", weights, whole, whole), abs=1e-12)
    for (first, second), cross in moments.crosses.items():
        pairs = structure.pairs[first, second]
        dense = np.einsum("n,nla,nmb->lmab", weights, matrices[first], matrices[second])
        assert cross == pytest.approx(dense[pairs.first, pairs.second], abs=1e-12)
        assert cross.sum() == pytest.approx(dense.sum())  # no pair that occurs is left out
    vector = np.random.default_rng(seed).normal(size=structure.size)
    for block, whole, held in zip(structure.blocks, matrices, structure.by_block(vector), strict=True):
        assert block.spread(held) == pytest.approx(np.einsum("nla,la->n", whole, held))
        assert block.sums(weights) == pytest.approx(np.einsum("n,nla->la", weights, whole))


def test_terms_of_one_factor_share_a_block_and_the_largest_comes_first() -> None:
    rng = np.random.default_rng(1)
    rater = random_term(rng, 30, "rater", 1, 4)
    slope = random_term(rng, 30, "rater", 2, 4, rater.codes)
    item = random_term(rng, 30, "item", 1, 9)
    structure = RandomStructure.of((rater, item, slope), 30)
    assert [block.terms for block in structure.blocks] == [(0, 2), (1,)]
    assert [block.size for block in structure.blocks] == [12, 9]
    joined = structure.factors((np.array([[2.0]]), np.array([[5.0]]), np.array([[3.0, 0], [1, 4]])))
    assert joined[0].tolist() == [[2, 0, 0], [0, 3, 0], [0, 1, 4]]


def test_one_observation_a_pair_needs_no_sums() -> None:
    rng = np.random.default_rng(1)
    who, what = np.repeat(np.arange(5), 6), np.tile(np.arange(6), 5)
    structure = RandomStructure.of((random_term(rng, 30, "r", 1, 5, who), random_term(rng, 30, "i", 1, 6, what)), 30)
    assert structure.pairs[0, 1].trivial
    assert structure.pairs[0, 1].count == 30
