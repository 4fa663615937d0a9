"""Which study asks these language models these suites and minimal pairs, and how does its result read in a terminal?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from hengliang.analysis.base import Analysis
from hengliang.analysis.one_sample import garden_path_effects
from hengliang.analysis.suite_accuracy import suite_accuracy
from hengliang.analysis.suite_models import domains, intervening_content, structural_supervision
from hengliang.bilingual import Bilingual
from hengliang.description import report_content
from hengliang.errors import UserError
from hengliang.materials.base import Material
from hengliang.materials.pairs.material import MinimalPairs, minimal_pairs
from hengliang.materials.sources import list_sources
from hengliang.materials.suites.library import is_suite_file, open_suites, suite_items, suites
from hengliang.materials.suites.suite import Suite
from hengliang.measures.formula_values import CONTROL
from hengliang.measures.prediction import Ties, prediction, surprisal_difference
from hengliang.records import with_response_ids
from hengliang.report.suite_item_building import suite_item_view
from hengliang.report.suite_item_view import SuiteItemView
from hengliang.study import Run, Study
from hengliang.systems.base import System
from hengliang.systems.language_models.base import LanguageModel
from hengliang.systems.language_models.regions import Edges
from hengliang.systems.recorded.surprisal_tables import KINDS, recorded_study

QUESTION = Bilingual(
    "Where do these language models expect what a speaker of the language expects, and where do they not?",
    "这些语言模型在哪些地方与母语者的预期一致，在哪些地方不一致？",
)

COUNTED = KINDS["ngram"].title


def suite_materials(names: Sequence[str], phenomena: Sequence[str] = (), limit: int | None = None) -> list[Material]:
    """Return what is asked: our suites, files of the user's, and sets of minimal pairs, each by its name or path."""
    of_pairs = [name for name in names if names_pairs(name)]
    of_suites = [name for name in names if name not in of_pairs]
    found: list[Material] = [suites(*of_suites)] if of_suites or not names else []
    found += [minimal_pairs(name, phenomena=phenomena, limit=limit) for name in of_pairs]
    return found


def names_pairs(name: str) -> bool:
    """Say whether a name is that of minimal pairs: a source of the catalogue, or a file or folder that is no suite."""
    path = Path(name)
    if path.exists() or path.suffix in {".jsonl", ".csv", ".tsv"}:
        return not is_suite_file(path)
    return name in {source.name for source in list_sources()}


def suite_analyses(materials: Sequence[Material]) -> list[Analysis]:
    """Return accuracy by class and in detail, controls where there are any, and ties."""
    held: list[Suite] = []
    for material in materials:
        if not isinstance(material, MinimalPairs):
            held += open_suites(*getattr(material, "names", ()))
    several = len({suite.modifier.en for suite in held}) > 1
    pairs = any(isinstance(material, MinimalPairs) for material in materials)
    controls = pairs or any(not prediction.counts for suite in held for prediction in suite.predictions)
    return [
        suite_accuracy(by="class"),
        suite_accuracy(),
        *([suite_accuracy(by=("class", "modifier"))] if several else []),
        *([suite_accuracy(by=("class", "suite"))] if pairs else []),
        *([suite_accuracy(by=("class", "part"), show="controls")] if controls else []),
        suite_accuracy(by="class", show="ties"),
    ]


def suite_study(
    systems: Sequence[System],
    names: Sequence[str] = (),
    *,
    phenomena: Sequence[str] = (),
    limit: int | None = None,
    ties: Ties = "failure",
    coin_seed: int = 0,
    edges: Edges = "refuse",
    name: str = "suites run",
) -> Study:
    """Return the study that asks `systems` the suites and pairs of these names (all our suites when none is named)."""
    if not systems:
        raise UserError("No language model is named.", remedy="Name one: --model ngram-5; see hengliang models list")
    materials = suite_materials(names, phenomena, limit)
    return Study(
        name=name,
        question=QUESTION,
        materials=materials,
        systems=systems,
        measures=[prediction(ties, coin_seed=coin_seed, edges=edges), surprisal_difference(edges)],
        analyses=suite_analyses(materials),
    )


def shown_item(suite: Suite, models: Sequence[LanguageModel]) -> SuiteItemView:
    """Return what each model makes of each word of the one item of `suite`, and whether its predictions hold."""
    items = suite_items([suite])
    asked = [model.answer(items).with_columns(system=pl.lit(model.name)) for model in models]
    answers = pl.concat(asked).with_columns(
        seed=pl.lit(None, dtype=pl.Int64), respondent=pl.lit(""), kind=pl.lit("units")
    )
    responses = with_response_ids(answers, "units")
    measures = (prediction(), surprisal_difference())
    judgements = pl.concat([measure.judge(items, responses) for measure in measures])
    return suite_item_view(items, responses, judgements, str(items["set"][0]))


def remarks(run: Run) -> Iterator[str]:
    """Give what a reader of the table must know: ties, what was not scored and why, what was left out."""
    counted = run.judgements.filter(~pl.col("part").str.starts_with(CONTROL))
    labels = counted.drop_nulls("label").group_by("scored_system", maintain_order=True)
    for (system,), rows in labels:
        ties = rows.filter(pl.col("label").str.starts_with("tie")).height
        if ties:
            yield f"{system}: {ties} of {rows.height} predictions are ties (see Ties in the report)."
    lost = run.judgements.filter(pl.col("status") != "ok").group_by("scored_system", "reason", maintain_order=True)
    for (system, reason), rows in lost:
        yield f"{system}: {rows.height} judgements are missing: {reason}."
    for material in report_content(run.folder).materials:
        yield from (f"{title.en}: {value}" for title, value in material.facts)


def default_folder(names: Sequence[str]) -> Path:
    """Return where a run is put when nobody says where."""
    return Path("runs") / ("-".join(Path(name).stem.replace(" ", "_") for name in names) or "suites")


def recorded_suite_study(folder: str, name: str = "recorded suites") -> Study:
    """Return the study that asks the paper's questions of models of which only the surprisals are recorded.

    Structural supervision is compared where models with and without it are recorded.
    """
    materials, systems = recorded_study(folder)
    structured = {system.traits().get("structured") for system in systems}
    compared = (
        [structural_supervision("paper"), structural_supervision("nested")] if structured >= {True, False} else []
    )
    networks = tuple(kind.title for kind in KINDS.values() if kind.title != COUNTED)
    return Study(
        name=name,
        question=QUESTION,
        materials=materials,
        systems=systems,
        measures=[prediction(), surprisal_difference()],
        analyses=[
            suite_accuracy(by="class"),
            suite_accuracy(),
            suite_accuracy(by=("class", "modifier")),
            suite_accuracy(by="modifier", where={"class": "missing object"}),
            suite_accuracy(by=("domain", "modified"), where={"domain": ("syntactic", "semantic")}),
            *compared,
            intervening_content(where={"class": "missing object", "architecture": networks}),
            domains(without={"architecture": COUNTED}),
            garden_path_effects(),
            suite_accuracy(by="class", show="ties"),
        ],
    )
