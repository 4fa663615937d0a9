"""Are algorithms compared with people as the paper does, and by tests that respect pairs and readers?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize
from scipy.stats import f_oneway

from hengliang import UserError
from hengliang.analysis.reconstruction.answers import Answer, reconstructions
from hengliang.analysis.reconstruction.describer_comparison import compare_describers, find_human, mixed_fit
from hengliang.materials.scenes import Scene
from tests.analysis.reconstruction.made_answers import made, swap_answers


def simulated(worse: float = 0.0, seed: int = 1) -> pl.DataFrame:
    """Return readers and pairs with effects of their own; the descriptions of WORSE give so many more errors."""
    generator, rows = np.random.default_rng(seed), []
    readers = generator.normal(0, 0.06, 16)
    for size in (8, 16):
        for number in range(8):
            for describer in ("Human", "SAME", "WORSE"):
                own = 0.2 + generator.normal(0, 0.05) + (worse if describer == "WORSE" else 0.0)
                for reader in generator.choice(16, 4, replace=False):
                    wrong = int(generator.binomial(size, min(max(own + readers[reader], 0.0), 1.0)))
                    pair = f"{describer} {size} {number}"
                    rows.append(
                        Answer(pair, describer, Scene((size, 0, 0, 0)), f"p{reader}", (size - wrong, wrong, 0, 0))
                    )
    return reconstructions(rows).given


def test_the_anova_is_the_paper_s_over_answers() -> None:
    given = made(swap_answers("2")).given
    found = compare_describers(given, "Human", draws=99)
    shares = {name: given.filter(describer=name)["share"].to_list() for name in ("Human", "QDG-IA", "QDG-GREEDY")}
    assert [one.algorithm for one in found.comparisons] == ["QDG-IA", "QDG-GREEDY"]
    for one in found.comparisons:
        assert one.anova is not None
        assert one.anova.p == pytest.approx(f_oneway(shares["Human"], shares[one.algorithm]).pvalue)
        # Table 2 leaves p ≥ .30 for QDG-IA and more for QDG-GREEDY; the paper prints .760 and .665. Nothing is shown.
        assert not one.anova.is_significant
    # Human has 4/48, 9/144 and 36/240, in 12, 16 and 12 answers.
    pooled, alike = (12 * 4 / 48 + 16 * 9 / 144 + 12 * 36 / 240) / 40, (4 / 48 + 9 / 144 + 36 / 240) / 3
    assert found.comparisons[0].pooled[1] == pytest.approx(pooled)
    # What is told weights the three sizes alike.
    assert found.comparisons[0].means[1] == pytest.approx(alike) and found.sizes == ("4", "9", "20")


def by_brute_force(given: pl.DataFrame) -> tuple[float, float]:
    """Return the effect of WORSE and its error from the restricted likelihood, written down with whole matrices."""
    describer, size = given["describer"].to_numpy(), given["size"].to_numpy()
    x = np.column_stack([np.ones(len(size)), describer == "SAME", describer == "WORSE", size == 16]).astype(float)
    y = given["share"].to_numpy()
    same = [np.equal.outer(codes, codes) for codes in (given["participant"].to_numpy(), given["pair"].to_numpy())]

    def solved(logs: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        one, two, rest = np.exp(logs)
        covariance = one * same[0] + two * same[1] + rest * np.eye(len(y))
        inverse = np.linalg.inv(covariance)
        information = x.T @ inverse @ x
        beta = np.linalg.solve(information, x.T @ inverse @ y)
        left = y - x @ beta
        criterion = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(information)[1] + left @ inverse @ left
        return float(criterion), beta, np.linalg.inv(information)

    best = minimize(lambda logs: solved(logs)[0], np.log([0.004, 0.002, 0.01]), method="Nelder-Mead", tol=1e-8)
    _, beta, spread = solved(best.x)
    return float(beta[2]), float(np.sqrt(spread[2, 2]))


def test_the_mixed_model_against_whole_matrices() -> None:
    given = simulated(worse=0.1)
    fit, notes = mixed_fit(given, "share ~ describer + size", reference="Human")
    assert fit is not None and notes == ()
    ours = fit.coefficient("describer[WORSE]")
    assert (ours.estimate, ours.error) == pytest.approx(by_brute_force(given), rel=1e-4)
    assert dict(fit.model.groups) == {"participant": 16, "pair": 48}


def test_a_true_difference_is_found_and_none_is_not() -> None:
    found = {one.algorithm: one for one in compare_describers(simulated(worse=0.15), "Human", draws=999).comparisons}
    worse, same = found["WORSE"], found["SAME"]
    assert worse.means[0] > worse.means[1] and worse.p is not None and worse.p < 0.01
    assert worse.permutation is not None and worse.permutation.p is not None and worse.permutation.p < 0.01
    conventions = worse.permutation.conventions
    assert (conventions["unit"], conventions["strata"]) == ("32 × pair", "2 × scene")
    assert same.p is not None and same.p > 0.05


def test_the_anova_finds_too_much_where_pairs_differ() -> None:
    # No describer is worse. Pairs have effects of their own, so that answers are no independent observations: over 40
    # worlds the ANOVA of answers rejects more often than the mixed model does.
    anova = mixed = 0
    for seed in range(40):
        held = simulated(seed=seed).filter(pl.col("describer") != "SAME")
        held = held.with_columns(share=pl.col("share") + (pl.col("pair").hash(seed) % 5).cast(pl.Float64) / 10)
        one = compare_describers(held, "Human", draws=1).comparisons[0]
        anova += bool(one.anova and one.anova.is_significant)
        mixed += one.coefficient is not None and one.coefficient.p <= 0.05
    assert mixed <= 6 and anova > mixed


def test_who_is_people() -> None:
    assert find_human(("QDG-IA", "Human")) == "Human" and find_human(("人类", "A")) == "人类"
    assert find_human(("A", "B")) is None and find_human(("A", "B"), "B") == "B"
    with pytest.raises(UserError, match="No describer is called 'C'"):
        find_human(("A", "B"), "C")


def test_random_effects_that_the_data_do_not_allow_are_left_out_and_said() -> None:
    # Every participant gives one answer: what is peculiar to a participant cannot be told from the rest.
    rows = [
        Answer(f"{describer} {n // 2}", describer, Scene((8, 0, 0, 0)), f"{describer} p{n}", (8 - n % 3, n % 3, 0, 0))
        for describer in ("Human", "A")
        for n in range(8)
    ]
    given = reconstructions(rows).given
    fit, notes = mixed_fit(given, "share ~ describer + size", reference="Human")
    assert fit is not None and list(fit.model.groups) == ["pair"]
    assert "no more random effects than (1 | pair)" in notes[0].en and "随机效应只含" in notes[0].zh


def test_answers_without_any_difference_give_no_model_and_a_note() -> None:
    rows = [
        Answer(f"{who} {n}", who, Scene((8, 0, 0, 0)), f"p{n}", (8, 0, 0, 0))
        for who in ("Human", "A")
        for n in range(4)
    ]
    found = compare_describers(reconstructions(rows).given, "Human", draws=99)
    one = found.comparisons[0]
    assert found.fit is None and one.anova is None and one.coefficient is None
    assert found.notes[0].en.startswith("No mixed model could be fitted")


# --- scenes -----------------------------------------------------------------------------------------------------------


def design_a(seed: int, deviation: float = 0.06) -> pl.DataFrame:
    """Return 10 scenes × 3 descriptions × 4 of 20 readers; scenes differ by chance, sizes and describers do not."""
    generator, rows, readers = np.random.default_rng(seed), [], 0
    for number in range(10):
        size = (4, 9, 20)[0 if number < 3 else 1 if number < 7 else 2]
        scene = generator.normal(0, deviation)
        for describer in ("Human", "A", "B"):
            pair = generator.normal(0, 0.02)
            for _ in range(4):
                share = 0.2 + scene + pair + generator.normal(0, 0.08)
                rows.append((f"{number}", f"{describer} {number}", describer, size, f"p{readers % 20}", share))
                readers += 1
    names = ("scene", "pair", "describer", "size", "participant", "share")
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(swaps=pl.col("share") * pl.col("size"))


def test_an_effect_of_size_is_not_found_in_scenes_that_differ_by_chance() -> None:
    # Without (1 | scene) the three descriptions of a scene count as three scenes: of 200 such worlds 20 % had an
    # "effect of size", with it 5 %. 30 worlds: 0 to 5 is what chance allows at 5 % (P > .99).
    known = unknown = 0
    for seed in range(30):
        world = design_a(seed)
        fit, notes = mixed_fit(world, "share ~ size")
        blind, _ = mixed_fit(world.drop("scene"), "share ~ size")
        assert fit is not None and blind is not None and notes == ()
        assert set(fit.model.groups) == {"participant", "scene", "pair"}
        known += fit.coefficient("size").p <= 0.05
        unknown += blind.coefficient("size").p <= 0.05
    assert known <= 5 and unknown > known


def test_one_scene_of_each_size_is_said_and_one_description_of_each_scene_is_a_pair() -> None:
    world = design_a(1)
    single = world.with_columns(scene=pl.format("{}", "size"))
    fit, notes = mixed_fit(single, "share ~ size")
    assert fit is not None and set(fit.model.groups) == {"participant", "pair"}
    assert "no (1 | scene)" in notes[0].en and "不含 (1 | scene)" in notes[0].zh
    alone = world.filter(pl.col("describer") == "Human")
    fit, notes = mixed_fit(alone, "share ~ size")
    assert fit is not None and set(fit.model.groups) == {"participant", "pair"} and notes == ()


def test_pairs_are_exchanged_within_scenes_where_all_described_all_else_within_sizes() -> None:
    world = design_a(2)
    one = compare_describers(world, "Human", draws=99).comparisons[0].permutation
    assert one is not None and one.conventions["strata"] == "10 × scene" and one.conventions["unit"] == "20 × pair"
    fewer = world.filter(~((pl.col("describer") == "A") & (pl.col("scene") == "0")))
    found = {one.algorithm: one.permutation for one in compare_describers(fewer, "Human", draws=99).comparisons}
    strata = {name: test.conventions["strata"] for name, test in found.items() if test is not None}
    assert strata == {"A": "3 × size", "B": "10 × scene"}


def test_a_describer_of_small_scenes_is_no_better_for_it() -> None:
    # Swaps rise with the size; A is worse by .02 at every size but has mostly small scenes, people mostly large ones.
    rows = []
    for describer, counts, own in (("Human", (1, 7), 0.0), ("A", (7, 1), 0.02)):
        for size, count, level in ((4, counts[0], 0.0), (20, counts[1], 0.4)):
            for number in range(count):
                for reader in range(4):
                    wobble = ((number * 3 + reader * 5) % 4 - 1.5) / 1000
                    pair = f"{describer} {size} {number}"
                    rows.append((pair, pair, describer, size, f"p{reader}", 0.1 + level + own + wobble, 1.0))
    names = ("scene", "pair", "describer", "size", "participant", "share", "swaps")
    found = compare_describers(pl.DataFrame(rows, schema=names, orient="row"), "Human", draws=999)
    one = found.comparisons[0]
    # Pooled, A seems far better; at equal sizes, in the test and in the model it is worse.
    assert one.pooled[0] < one.pooled[1] - 0.2 and one.means[0] > one.means[1]
    assert one.permutation is not None and one.permutation.statistic == pytest.approx(0.02, abs=0.005)
    assert one.decision is not None and one.decision[0] == pytest.approx(0.02, abs=0.005)


def test_the_decision_takes_sign_and_p_of_one_test_and_a_p_of_zero_is_zero() -> None:
    one = compare_describers(design_a(3), "Human", draws=99).comparisons[0]
    assert one.coefficient is not None and one.decision == (one.coefficient.estimate, one.coefficient.p)
    sure = replace(one, coefficient=replace(one.coefficient, p=0.0, estimate=-0.1))
    assert sure.p == 0.0 and sure.decision == (-0.1, 0.0)
    lost = replace(one, coefficient=replace(one.coefficient, p=math.nan))
    assert lost.permutation is not None and lost.decision == (lost.permutation.statistic, lost.permutation.p)
    none = replace(one, coefficient=None, permutation=None, anova=None)
    assert none.p is None and none.decision is None


def test_algorithms_are_a_family() -> None:
    found = compare_describers(design_a(4), "Human", draws=99)
    assert found.family is not None and found.family.size == 2
    plain = sorted(one.p for one in found.comparisons if one.p is not None)
    held = sorted(member.adjusted for member in found.family.members if member.adjusted is not None)
    # Holm for two: twice the smaller, and the larger, but not below it.
    assert held == pytest.approx(sorted([min(1.0, 2 * plain[0]), max(plain[1], min(1.0, 2 * plain[0]))]))
