"""Are the four hypotheses answered by what the numbers say, in both languages?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from hengliang.analysis.reconstruction.answers import Answer, reconstructions
from hengliang.analysis.reconstruction.battery import ExperimentResults, Settings, analyse_reconstructions
from hengliang.analysis.reconstruction.experts import expert_scores
from hengliang.analysis.reconstruction.hypotheses import HYPOTHESES, VERDICTS, answer_hypotheses
from hengliang.materials.scenes import Scene
from tests.analysis.reconstruction.made_answers import made, scores_of, spread_answers, swap_answers

QUICK = Settings(draws=50, permutations=99)


def verdicts(results: ExperimentResults) -> dict[int, str]:
    return {answer.number: answer.verdict for answer in answer_hypotheses(results)}


def sentence(results: ExperimentResults, number: int, language: str = "en") -> str:
    return answer_hypotheses(results)[number - 1].sentence()[language]  # type: ignore[index]


@pytest.fixture(scope="module")
def experiment_a() -> ExperimentResults:
    data = made(spread_answers("4"))
    long = scores_of(data).unpivot(index="pair", variable_name="score", value_name="value")
    return analyse_reconstructions(data, expert_scores(long), QUICK).experiments[0]


def test_the_spreads_of_table_4(experiment_a: ExperimentResults) -> None:
    # 4 and 9 are not parted by Tukey's test, so that the hypothesis is supported in part; Games and Howell part them.
    assert verdicts(experiment_a)[1] == "in part"
    said = sentence(experiment_a, 1)
    assert "0.111 (n = 4), 0.984 (n = 9), 4.841 (n = 20)" in said and "not 4–9 (p = .456)" in said
    assert "Without a common variance otherwise: Games–Howell 4–9 p = .034." in said
    assert "未区分 4–9" in sentence(experiment_a, 1, "zh")


def test_swaps_by_size(experiment_a: ExperimentResults) -> None:
    assert verdicts(experiment_a)[2] == "supported"
    assert "mixed model with describers: swaps b = " in sentence(experiment_a, 2)
    # Table 3: 1.39, 9.17 and 9.11 %; the share does not rise all the way.
    held = analyse_reconstructions(made(swap_answers("3")), settings=QUICK).experiments[0]
    assert verdicts(held)[2] == "in part"
    assert "of n: 1.39 % (n = 6), 9.17 % (n = 10), 9.11 % (n = 16)" in sentence(held, 2)


def test_experts(experiment_a: ExperimentResults) -> None:
    # Informativity follows swaps, correctness does not (`scores_of`).
    assert verdicts(experiment_a)[3] == "in part"
    assert "informativity: fewer swaps with higher scores" in sentence(experiment_a, 3)
    assert "信息量：评分越高交换越少" in sentence(experiment_a, 3, "zh")


def test_algorithms_and_people(experiment_a: ExperimentResults) -> None:
    assert verdicts(experiment_a)[4] == "not supported"
    assert "mixed model p = " in sentence(experiment_a, 4) and "配对置换检验" in sentence(experiment_a, 4, "zh")


def better_algorithms() -> ExperimentResults:
    rows = []
    for number in range(8):
        for who, wrong in (("Human", 4), ("A", 0), ("B", 1)):
            for reader in range(3):
                own = wrong + (number + reader) % 2
                scene = Scene((12, 0, 0, 0))
                rows.append(Answer(f"{who} {number}", who, scene, f"p{(number + reader) % 8}", (12 - own, own, 0, 0)))
    return analyse_reconstructions(reconstructions(rows), settings=QUICK).experiments[0]


def test_algorithms_that_are_better() -> None:
    held = better_algorithms()
    assert verdicts(held) == {1: "open", 2: "open", 3: "open", 4: "supported"}


def test_what_the_data_do_not_tell_is_open() -> None:
    held = analyse_reconstructions(made(swap_answers("3")), settings=QUICK).experiments[0]
    assert verdicts(held)[3] == "open" and verdicts(held)[4] == "open"
    assert "QDG-IA and QDG-GREEDY" in sentence(held, 4)


def test_spreads_that_fall_do_not_support() -> None:
    data = made(spread_answers("4"))
    swapped = {4: 20, 9: 9, 20: 4}
    turned = data.frame.with_columns(pl.col("size").replace_strict(swapped, return_dtype=pl.Int64))
    held = analyse_reconstructions(type(data)(turned, data.domain), settings=QUICK).experiments[0]
    assert verdicts(held)[1] == "not supported"


def test_every_sentence_is_in_both_languages(experiment_a: ExperimentResults) -> None:
    for answer in answer_hypotheses(experiment_a):
        said = answer.sentence()
        assert said.en.startswith(f"Hypothesis {answer.number} ({HYPOTHESES[answer.number].en})")
        assert said.zh.startswith(f"假设 {answer.number}（") and VERDICTS[answer.verdict].zh in said.zh


def with_other_scenes(describers: dict[str, tuple[int, ...]], worse: str = "", seed: int = 1) -> ExperimentResults:
    """Return readers of scenes that differ, each describer with scenes of its sizes; `worse` errs much more."""
    generator, rows = np.random.default_rng(seed), []
    for size in sorted({size for sizes in describers.values() for size in sizes}):
        for number in range(4):
            own = generator.normal(0, 0.05)
            for who, sizes in describers.items():
                for reader in range(3) if size in sizes else ():
                    chance = 0.2 + own + (0.3 if who == worse else 0.0)
                    wrong = int(generator.binomial(size - number, min(max(chance, 0.0), 1.0)))
                    counts = (size - number - wrong, number + wrong, 0, 0)
                    scene = Scene((size - number, number, 0, 0))
                    rows.append(Answer(f"{who} {size} {number}", who, scene, f"p{(number + reader) % 9}", counts))
    return analyse_reconstructions(reconstructions(rows), settings=QUICK).experiments[0]


def test_a_describer_of_large_scenes_only_is_no_effect_of_size() -> None:
    held = with_other_scenes({"Human": (6, 12), "A": (6, 12), "B": (6, 12, 24)}, worse="B")
    assert held.shared == (6, 12) and "n = 24" not in sentence(held, 2) + sentence(held, 1)
    assert "Only over the sizes that all describers have (n = 6, 12)." in sentence(held, 2)
    assert "仅取所有描述者共有的规模（n = 6, 12）" in sentence(held, 1, "zh")
    assert "Means over n = 6, 12, each size weighted alike" in sentence(held, 4) and "Holm p" in sentence(held, 4)
    # The table of tests has all sizes; the means of scenes are a row of it.
    assert held.tests is not None and list(held.tests.columns) == ["6", "12", "24"]
    assert "Over the means of scenes" in sentence(held, 1) and "以场景平均计" in sentence(held, 1, "zh")


def test_describers_without_common_sizes_leave_size_open() -> None:
    held = with_other_scenes({"Human": (6,), "A": (12,)})
    assert verdicts(held)[1] == verdicts(held)[2] == "open"
    assert any("No size has descriptions of all describers" in note.en for note in held.notes)


def test_a_single_scene_of_each_size_is_said(experiment_a: ExperimentResults) -> None:
    assert "There is one scene of each size" in sentence(experiment_a, 2)


def test_sign_and_p_are_of_one_test_and_zero_is_a_p() -> None:
    held = better_algorithms()
    assert held.compared is not None
    first, second = held.compared.comparisons
    assert first.coefficient is not None and second.coefficient is not None
    # Means that point the wrong way do not matter, and p = 0 is as small as can be.
    turned = replace(first, means=(0.9, 0.1), coefficient=replace(first.coefficient, p=0.0))
    assert verdicts(replace(held, compared=replace(held.compared, comparisons=(turned, second))))[4] == "supported"
    wrong = replace(first, coefficient=replace(first.coefficient, estimate=0.3, p=0.0))
    assert verdicts(replace(held, compared=replace(held.compared, comparisons=(wrong, second))))[4] == "in part"
    # Holm: two p of .03 are .06 each.
    close = tuple(replace(one, coefficient=replace(first.coefficient, p=0.03)) for one in (first, second))
    assert verdicts(replace(held, compared=replace(held.compared, comparisons=close)))[4] == "not supported"
    # Without any test nothing is known.
    none = replace(first, coefficient=None, permutation=None, anova=None)
    assert verdicts(replace(held, compared=replace(held.compared, comparisons=(none,))))[4] == "open"


def test_a_missing_p_is_not_a_small_one(experiment_a: ExperimentResults) -> None:
    tests = experiment_a.shared_tests
    assert tests is not None
    lost = {pair: replace(result, p=None) for pair, result in tests.tukey.items()}
    held = replace(experiment_a, shared_tests=replace(tests, tukey=lost))
    assert verdicts(held)[1] == "not supported" and "4–9 (p not defined)" in sentence(held, 1)
