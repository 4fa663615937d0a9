"""How is the analysis of reconstructions laid out for a report: which tables, with which sentences?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hengliang.analysis.reconstruction import describer_comparison, expert_regression, spread, swap_table
from hengliang.analysis.reconstruction.battery import Battery, ExperimentResults, analyse_reconstructions
from hengliang.analysis.reconstruction.hypotheses import answer_hypotheses
from hengliang.analysis.reconstruction.swap_table import SwapCell
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, code_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.results import ModelFit
from hengliang.statistics.results import Result


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """One part of the report: estimates with a layout, or results of tests, or models; and what they say."""

    name: str
    title: Bilingual
    explanation: Bilingual
    layout: Layout | None = None
    estimates: tuple[Estimate, ...] = ()
    results: tuple[tuple[Mapping[str, str], Result], ...] = ()
    fits: Mapping[str, ModelFit] = field(default_factory=dict)
    sentences: tuple[Bilingual, ...] = ()
    statistics: Mapping[str, StatisticLabel] = field(default_factory=dict)


def sections_of(battery: Battery) -> list[Section]:
    """Return all sections that the data allow."""
    made: list[Section | None] = [*_swaps(battery), _hypotheses(battery), _spread(battery), _spread_tests(battery)]
    made += [_spread_pairs(battery), _each_pair(battery), _regressions(battery), _against(battery), _models(battery)]
    return [section for section in made if section is not None]


def signature_of(battery: Battery) -> Signature:
    """Return what can change a number of the analysis."""
    settings = battery.settings
    parts = {"alpha": settings.alpha, "level": settings.level, "draws": settings.draws, "seed": settings.seed}
    experts = battery.experts.checksum if battery.experts else "none"
    return Signature.of(
        hengliang=version(),
        analysis="reconstruction",
        **parts,
        permutations=settings.permutations,
        human=settings.human or "known by its name",
        domain=battery.data.domain.signature(),
        code=code_checksum(analyse_reconstructions, sections_of),
        generator="PCG64",
        intervals="scenes or pairs × participants, percentile",
        data=battery.data.checksum,
        experts=experts,
    )


def place_of(battery: Battery, results: ExperimentResults) -> dict[str, str]:
    """Return by what an experiment differs from the others: nothing, where it is the only one."""
    return {"experiment": results.name} if len(battery.experiments) > 1 else {}


def _several(battery: Battery) -> tuple[str, ...]:
    return ("experiment",) if len(battery.experiments) > 1 else ()


def _title(results: ExperimentResults, battery: Battery, sentence: Bilingual) -> Bilingual:
    if len(battery.experiments) < 2:
        return sentence
    return Bilingual(f"{results.name}: {sentence.en}", f"{results.name}：{sentence.zh}")


def _swaps(battery: Battery) -> list[Section]:
    """Return the table of each experiment, for their sizes differ, and that of all."""
    if len(battery.experiments) == 1:
        return [_swap_table(battery, battery.experiments[0].cells, "swaps", Bilingual("", ""))]
    made = [
        _swap_table(
            battery, results.cells, f"swaps, {results.name}", Bilingual(f", {results.name}", f"，{results.name}")
        )
        for results in battery.experiments
    ]
    return [*made, _swap_table(battery, battery.together, "swaps, all", Bilingual(", all experiments", "，全部实验"))]


def _swap_table(battery: Battery, cells: Sequence[SwapCell], name: str, whose: Bilingual) -> Section:
    signature = str(signature_of(battery))
    rows = [row for cell in cells for row in cell.estimates(name, {}, ("describer", "size"), signature)]
    title = Bilingual(swap_table.TITLE.en + whose.en, swap_table.TITLE.zh + whose.zh)
    return Section(name, title, swap_table.EXPLANATION, swap_table.swap_layout(), tuple(rows))


def _hypotheses(battery: Battery) -> Section:
    told = [
        _title(results, battery, answer.sentence())
        for results in battery.experiments
        for answer in answer_hypotheses(results)
    ]
    told += [_title(results, battery, note) for results in battery.experiments for note in results.notes]
    return Section(
        "hypotheses",
        Bilingual("The four hypotheses", "四个假设"),
        Bilingual(
            "Those of paper 001, section 3.3, answered from the tables below.", "论文 001 第 3.3 节的假设，据下表作答。"
        ),
        Layout(rows=(), figure="none"),
        sentences=tuple(told),
    )


# --- spread -----------------------------------------------------------------------------------------------------------


def _spread(battery: Battery) -> Section:
    name, how, signature = "spread", battery.settings.resampling, str(signature_of(battery))
    rows = [
        replace(row, signature=signature)
        for results in battery.experiments
        for row in spread.spread_means(results.spreads, place_of(battery, results), how, name)
    ]
    layout = Layout(
        rows=(*_several(battery), "size"),
        statistics=spread.STATISTICS,
        factors=swap_table.FACTORS,
        figure_statistics=(spread.SUM,),
    )
    return Section(name, spread.TITLE, spread.EXPLANATION, layout, tuple(rows))


def _spread_tests(battery: Battery) -> Section | None:
    results = [
        ({**place_of(battery, held), "test": name}, test)
        for held in battery.experiments
        for name, test in (held.tests.tests if held.tests else {}).items()
    ]
    title = Bilingual("Does the spread differ between sizes?", "离散度是否随规模不同？")
    return Section("spread tests", title, spread.TESTS_EXPLANATION, results=tuple(results)) if results else None


def _spread_pairs(battery: Battery) -> Section | None:
    results: list[tuple[Mapping[str, str], Result]] = []
    for held in battery.experiments:
        compared = {spread.TUKEY: held.tests.tukey, spread.GAMES_HOWELL: held.tests.games_howell} if held.tests else {}
        for name, pairs in compared.items():
            for (one, two), test in pairs.items():
                results.append(({**place_of(battery, held), "test": name, "comparison": f"{one} − {two}"}, test))
    title = Bilingual("Which sizes differ in spread?", "哪些规模的离散度不同？")
    return Section("spread pairs", title, spread.TESTS_EXPLANATION, results=tuple(results)) if results else None


def _each_pair(battery: Battery) -> Section:
    name, signature = "spread of each pair", str(signature_of(battery))
    rows = []
    for results in battery.experiments:
        due = dict(results.data.frame["pair"].value_counts().iter_rows())
        for row in results.spreads.sort("size", maintain_order=True).iter_rows(named=True):
            place = {**place_of(battery, results), "size": str(row["size"]), "pair": row["pair"]}
            place["describer"] = row["describer"]
            told = "sum over kinds of sample standard deviations" if row["readers"] > 1 else "fewer than two answers"
            rows.append(
                Estimate(
                    name,
                    place,
                    spread.SUM,
                    row[spread.SUM],
                    n=row["readers"],
                    n_missing=due[row["pair"]] - row["readers"],
                    method=told,
                    signature=signature,
                )
            )
    layout = Layout(
        rows=(*_several(battery), "size", "pair", "describer"),
        statistics=spread.STATISTICS,
        factors=swap_table.FACTORS,
        figure="none",
    )
    title = Bilingual("Spread of each pair", "各配对的离散度")
    return Section(name, title, spread.EXPLANATION, layout, tuple(rows))


# --- experts and describers -------------------------------------------------------------------------------------------


def _regressions(battery: Battery) -> Section | None:
    name = "experts"
    rows: list[Estimate] = []
    told = []
    for results in battery.experiments:
        for score, held in results.regressions.items():
            place = {**place_of(battery, results), "score": score}
            explained = {"score on swaps": held.on_swaps, "swaps on score": held.on_score}
            for direction, regression in explained.items():
                rows += expert_regression.regression_rows(regression, name, {**place, "regression": direction})
            told.append(_title(results, battery, held.sentence()))
    layout = Layout(
        rows=(*_several(battery), "score", "regression"),
        statistics=expert_regression.STATISTICS,
        factors={
            **swap_table.FACTORS,
            "regression": Bilingual("Regression of", "回归"),
        },
        levels={
            "score on swaps": Bilingual("score on swaps", "评分对交换率"),
            "swaps on score": Bilingual("swaps on score", "交换率对评分"),
            **{
                score: expert_regression.score_title(score)
                for held in battery.experiments
                for score in held.regressions
            },
        },
        figure="none",
    )
    made = Section(
        name, expert_regression.TITLE, expert_regression.EXPLANATION, layout, tuple(rows), sentences=tuple(told)
    )
    return made if rows else None


def _against(battery: Battery) -> Section | None:
    results: list[tuple[Mapping[str, str], Result]] = []
    for held in battery.experiments:
        for one in held.compared.comparisons if held.compared else ():
            place = {**place_of(battery, held), "comparison": f"{one.algorithm} − {one.human}"}
            run = [test for test in (one.anova, one.permutation) if test is not None]
            results += [({**place, "test": test.title.en}, test) for test in run]
    made = Section(
        "algorithms and people",
        describer_comparison.TITLE,
        describer_comparison.EXPLANATION,
        results=tuple(results),
    )
    return made if results else None


def _models(battery: Battery) -> Section | None:
    fits = {name: fit for results in battery.experiments for name, fit in _fits(battery, results)}
    explanation = Bilingual(
        "Linear mixed models with random effects of participants, scenes and pairs; swaps in numbers or as a share "
        "of n.",
        "含参与者、场景与配对随机效应的线性混合模型；因变量为交换次数，或其占 n 的比例。",
    )
    title = Bilingual("Mixed models of swaps", "交换次数的混合模型")
    return Section("mixed models", title, explanation, fits=fits) if fits else None


def _fits(battery: Battery, results: ExperimentResults) -> Iterator[tuple[str, ModelFit]]:
    own = f"{results.name}: " if len(battery.experiments) > 1 else ""
    for response, fit in results.trends.items():
        yield f"{own}{response} ~ size + describer", fit.model
    if results.compared and results.compared.fit:
        yield f"{own}share ~ describer + size", results.compared.fit.model
