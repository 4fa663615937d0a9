"""Studies of grammar: language models on suites and minimal pairs, recorded models, models trained on a treebank.

The studies that the commands compose, and what is printed of their results. The last section trains its models itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import polars as pl

from hengliang.analyses.one_sample import GARDEN_PATHS, garden_path_effects
from hengliang.analyses.traits import traits
from hengliang.core.base_classes import Analysis, Material, System
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.judging import CONTROL
from hengliang.core.records import Attribute, estimate_records, with_response_ids
from hengliang.core.terms import Bilingual, Language
from hengliang.corpora.catalogue import DEFAULT_CORPUS, is_here, list_sources
from hengliang.corpora.running_text import corpus_sentences
from hengliang.grammar.accuracy import CLASS_TITLES, Counted, suite_accuracy
from hengliang.grammar.models import (
    PARAMETERISATIONS,
    TREE_CONTROLS,
    domains,
    intervening_content,
    structural_supervision,
)
from hengliang.grammar.pairs.material import NAME as PAIRS
from hengliang.grammar.pairs.material import MinimalPairs, minimal_pairs
from hengliang.grammar.prediction import prediction, surprisal_difference
from hengliang.grammar.recorded_surprisals import KINDS, SurprisalUnit, recorded_study
from hengliang.grammar.suites.library import NAME as SUITES
from hengliang.grammar.suites.library import is_suite_file, open_suites, suite_items, suites
from hengliang.grammar.suites.published import NAME as PUBLISHED
from hengliang.grammar.suites.published import PublishedSuites, is_published, published_suites
from hengliang.grammar.suites.suite import Suite
from hengliang.grammar.suites.text_format import SUFFIX
from hengliang.grammar.views import SuiteItemView, suite_item_view
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.measures import log_probability
from hengliang.language_models.perplexity_analysis import perplexity
from hengliang.language_models.recipes import Kind
from hengliang.language_models.regions import Edges
from hengliang.language_models.trained import TrainedModel, trained
from hengliang.study.description import report_content
from hengliang.study.study import Run, Study

# --- suites and minimal pairs -----------------------------------------------------------------------------------------


QUESTION = Bilingual(
    "Where do these language models expect what a speaker of the language expects, and where do they not?",
    "这些语言模型在哪些地方与母语者的预期一致，在哪些地方不一致？",
)

FIGURES = Bilingual(
    "Figures of Wang et al. (2021) that are drawn here: 1 is suite accuracy by class, 2 suite accuracy, 3 suite "
    "accuracy by modifier (missing object), 4 garden-path effects, 6 suite accuracy by domain and modifier, 7 suite "
    "accuracy by class and modifier. In 2 and 6 each set counts once, as in a mean over suites; in the others each "
    "comparison does. Figure 6 pools the networks of the paper, here each system is by itself.",
    "此处所绘图与 Wang 等（2021）各图的对应关系：图 1 为按类别的套件准确率，图 2 为套件准确率，"
    "图 3 为宾语缺失类按修饰语的套件准确率，图 4 为花园幽径效应，图 6 为按领域与有无修饰语的套件准确率，"
    "图 7 为按类别与修饰语的套件准确率。图 2 与图 6 中每个句组只计一次，相当于对各套件取平均；其余各图按比较计。"
    "论文的图 6 合并了各神经网络，此处各系统分列。",
)
COUNTED = KINDS["ngram"].title
ACCURACY, CONTROLS = suite_accuracy(by="class"), suite_accuracy(by=("class", "part"), show="controls")


def suite_materials(names: Sequence[str], phenomena: Sequence[str] = (), limit: int | None = None) -> list[Material]:
    """Return what is asked, each by its name or path: suites of ours, published ones, files, and minimal pairs."""
    published = list(dict.fromkeys(name for name in names if names_published(name)))
    of_pairs = list(dict.fromkeys(name for name in names if name not in published and names_pairs(name)))
    of_suites = [name for name in names if name not in {*of_pairs, *published}]
    if not of_pairs and (phenomena or limit is not None):
        raise UserError(
            f"'{phenomena[0]}' is a phenomenon, and no minimal pairs are asked."
            if phenomena
            else f"A limit of {limit} is set, and no minimal pairs are asked.",
            valid="Phenomena and a limit choose among minimal pairs; suites are asked whole.",
            remedy="Name a set of pairs, for example --suite sling, or leave the option away.",
        )
    if len(published) + bool(of_suites) > 1:
        raise UserError(
            f"'{published[0]}' and '{[*of_suites, *published[1:]][0]}' have classes of the same names, which would be "
            "counted together.",
            valid="Published suites are asked in a run of their own.",
            remedy="Run the command twice, once for each.",
        )
    materials: list[Material] = [suites(*of_suites)] if of_suites or not names else []
    materials += [published_suites(name) for name in published]
    for name in of_pairs:
        called = f"{PAIRS} ({name})" if len(of_pairs) > 1 else PAIRS
        materials.append(minimal_pairs(name, phenomena=phenomena, limit=limit, name=called))
    return materials


def names_published(name: str) -> bool:
    """Say whether a name means the published suites, or a folder with text files of their names."""
    return not _is_ours(name) and is_published(name)


def names_pairs(name: str) -> bool:
    """Say whether a name is that of minimal pairs: a source of the catalogue, or a file or folder that is not a suite.

    What a suite or class of ours is called means this, also beside a folder of that name, for example that of a run.
    """
    path = Path(name)
    if _is_ours(name):
        return False
    files = sorted(path.glob("*")) if path.is_dir() else []
    if files and all(file.suffix == SUFFIX for file in files):
        raise UserError(
            f"{name} is a folder of suites.",
            valid="A suite, a class, a file, or a folder of minimal pairs.",
            remedy=f"Name each file, for example --suite {files[0]}",
        )
    if path.exists() or path.suffix in {".jsonl", ".csv", ".tsv"}:
        return not is_suite_file(path)
    return name in {source.name for source in list_sources()}


def _is_ours(name: str) -> bool:
    if Path(name).name != name or Path(name).suffix in {SUFFIX, ".json"}:
        return False
    try:
        return bool(open_suites(name))
    except UserError:
        return False


Settled = Literal["half", "failure", "coin"]
"""A tie counts half, not at all, or as a fair coin with a seed has it."""


def suite_analyses(materials: Sequence[Material], ties: Counted = "half") -> list[Analysis]:
    """Return accuracy by class and in detail, controls where there are any, and ties."""
    suites_asked: list[Suite] = []
    for material in materials:
        if isinstance(material, PublishedSuites):
            suites_asked += material.suites()
        elif not isinstance(material, MinimalPairs):
            suites_asked += open_suites(*getattr(material, "names", ()))
    several = len({suite.modifier.en for suite in suites_asked}) > 1
    pairs = any(isinstance(material, MinimalPairs) for material in materials)
    controls = pairs or any(not prediction.counts for suite in suites_asked for prediction in suite.predictions)
    return [
        suite_accuracy(by="class", ties=ties),
        suite_accuracy(ties=ties, observation="set"),
        *([suite_accuracy(by=("class", "modifier"), ties=ties)] if several else []),
        *([suite_accuracy(by=("class", "suite"), ties=ties)] if pairs else []),
        *([suite_accuracy(by=("class", "part"), show="controls", ties=ties)] if controls else []),
        suite_accuracy(by="class", show="ties"),
    ]


def suite_study(
    systems: Sequence[System],
    names: Sequence[str] = (),
    *,
    phenomena: Sequence[str] = (),
    limit: int | None = None,
    ties: Settled = "half",
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
        measures=[
            prediction("coin" if ties == "coin" else "failure", coin_seed=coin_seed, edges=edges),
            surprisal_difference(edges),
        ],
        analyses=suite_analyses(materials, "failure" if ties == "failure" else "half"),
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


def printed_tables(run: Run) -> list[tuple[Bilingual, str]]:
    """Return titles and names of the tables for a terminal: accuracy and, beside it, the controls of suites.

    Those of minimal pairs are many and stay in the report.
    """
    wanted = [ACCURACY, CONTROLS] if {SUITES, PUBLISHED} & set(run.items["material"]) else [ACCURACY]
    made = set(run.estimates["analysis"])
    return [(analysis.title, analysis.name) for analysis in wanted if analysis.name in made]


def remarks(run: Run) -> Iterator[Bilingual]:
    """Give what a reader of the table must know: ties, what was not scored and why, what was left out."""
    counted = run.judgements.filter(~pl.col("part").str.starts_with(CONTROL))
    labels = counted.drop_nulls("label").group_by("scored_system", maintain_order=True)
    for (system,), rows in labels:
        ties = rows.filter(pl.col("label").str.starts_with("tie")).height
        if ties:
            yield Bilingual(
                f"{system}: {ties} of {rows.height} predictions are ties (see Ties in the report).",
                f"{system}：{rows.height} 条预测中有 {ties} 条为平局（见报告“平局”部分）。",
            )
    yield from _lost(run.judgements)
    for material in report_content(run.folder).materials:
        yield from (Bilingual(f"{title.en}: {value}", f"{title.zh}：{value}") for title, value in material.facts)


def _lost(judgements: pl.DataFrame) -> Iterator[Bilingual]:
    """Give how many comparisons and controls of each model could not be judged, and why.

    What the two measures say of a comparison is lost together and counts once.
    """
    once = judgements.unique(["about", "scored_system", "part"], maintain_order=True)
    control = once.with_columns(control=pl.col("part").str.starts_with(CONTROL))
    for (system, is_control), asked in control.group_by("scored_system", "control", maintain_order=True):
        what = Bilingual("controls", "项对照") if is_control else Bilingual("comparisons", "项比较")
        missing = asked.filter(pl.col("status") != "ok")
        for (reason,), rows in missing.group_by("reason", maintain_order=True):
            yield Bilingual(
                f"{system}: {rows.height} of {asked.height} {what.en} are missing: {reason}.",
                f"{system}：{asked.height} {what.zh}中缺失 {rows.height} 项：{reason}。",
            )


def default_folder(names: Sequence[str]) -> Path:
    """Return where a run is put when nobody says where."""
    return Path("runs") / ("-".join(Path(name).stem.replace(" ", "_") for name in names) or "suites")


def recorded_suite_study(
    folder: str,
    name: str = "recorded suites",
    unit: SurprisalUnit | None = None,
    table: TableOptions = AS_RECOGNISED,
) -> Study:
    """Return the study that asks the paper's questions of models of which only the surprisals are recorded.

    A folder may hold a part of the suites and models; what cannot be asked of them is left out.
    """
    materials, systems = recorded_study(folder, unit, table)
    return Study(
        name=name,
        question=QUESTION,
        materials=materials,
        systems=systems,
        measures=[prediction(), surprisal_difference()],
        analyses=_recorded_analyses(materials.items(), [system.traits() for system in systems]),
        notes=[FIGURES],
    )


def _recorded_analyses(items: pl.DataFrame, traits: Sequence[Mapping[str, Attribute]]) -> list[Analysis]:
    missing = items.filter(pl.col("class") == "missing object")["modifier"].unique().to_list()
    both = {"syntactic", "semantic"} <= set(items["domain"].drop_nulls())
    paths = [name for name in GARDEN_PATHS if name in items["class"]]
    networks = tuple(dict.fromkeys(str(trait["architecture"]) for trait in traits if trait["architecture"] != COUNTED))
    structured = {trait.get("structured") for trait in traits} >= {True, False}
    kinds = {PARAMETERISATIONS.get(name) for name in networks} - {None}
    by = ["class", *(["data"] if any(trait.get("data") for trait in traits) else []), "parameterisation"]
    analyses: list[Analysis] = [suite_accuracy(by="class"), suite_accuracy(observation="set")]
    analyses.append(suite_accuracy(by=("class", "modifier")))
    if missing:
        analyses.append(suite_accuracy(by="modifier", where={"class": "missing object"}))
    if both:
        chosen = {"domain": ("syntactic", "semantic")}
        analyses.append(suite_accuracy(by=("domain", "modified"), where=chosen, observation="set"))
    if structured and kinds:
        analyses += [structural_supervision(convention, by=by) for convention in ("paper", "nested")]
    if networks and "none" in missing and len(missing) > 1:
        analyses.append(intervening_content(where={"class": "missing object", "architecture": networks}))
    if networks and both:
        analyses.append(domains(without={"architecture": COUNTED}))
    if paths:
        analyses.append(garden_path_effects(classes=paths))
    return [*analyses, suite_accuracy(by="class", show="ties")]


MANY = 4
"""So many models stand side by side in a terminal; of more, each has a row, without intervals."""


def models_as_lines(run: Run, analysis: str, language: Language) -> Iterator[str]:
    """Give the values of an analysis by class in per cent, a line for each model, below the numbered classes."""
    rows = [cell for cell in estimate_records(run.estimates) if cell.analysis == analysis]
    levels = list(dict.fromkeys(cell.by["class"] for cell in rows))
    systems = list(dict.fromkeys(cell.by["system"] for cell in rows))
    values = {(cell.by["system"], cell.by["class"]): cell.value for cell in rows}
    for number, level in enumerate(levels, 1):
        yield f"{number:>3}  {CLASS_TITLES.get(level, Bilingual(level, level))[language]}"
    width = max(map(len, systems))
    yield " " * width + "".join(f"{number:>7}" for number in range(1, len(levels) + 1))
    for system in systems:
        shown = [values.get((system, level)) for level in levels]
        yield f"{system:<{width}}" + "".join("      —" if cell is None else f"{100 * cell:7.1f}" for cell in shown)


# --- models trained on a treebank -------------------------------------------------------------------------------------
# Models with and without trees, trained on one corpus, are asked for its sentences and their trees. Five kinds of model
# learn from the same sentences and are asked some that none of them has read. Those with structure find their
# perplexity by a beam search, and their cards say how far their best trees agree with the given ones.

PLAIN: Mapping[Kind, str] = {"lstm": "LSTM", "transformer": "Transformer"}
STRUCTURED: Mapping[Kind, str] = {"rnng": "RNNG", "plm": "PLM"}
ASKED, QUICK_ASKED = 100, 10
"""How many sentences of the test part are asked for: a search of one takes longer than reading hundreds."""

TRAITS = ("labelled_f1", "unlabelled_f1", "parameters", "vocabulary", "training_words", "training_seconds")


@dataclass(frozen=True, slots=True)
class Training:
    """From what and how the models of a study learn: the corpus, their size and seeds, how much of it and how often.

    `controls` are further kinds of trees, of which those with structure learn with the seeds `control_seeds`.
    """

    data: str = DEFAULT_CORPUS
    size: str = "small"
    seeds: Sequence[int] = (1, 2)
    sentences: int = 0
    epochs: int = 0
    controls: Sequence[str] = ()
    control_seeds: Sequence[int] = ()

    def model(self, kind: Kind, name: str, seed: int, trees: str = "") -> TrainedModel:
        """Return the network of this kind and seed."""
        return trained(
            kind, self.size, seed, self.data, name, sentences=self.sentences, trees=trees, epochs=self.epochs
        )

    def models(self) -> list[TrainedModel]:
        """Return a 5-gram model, networks without and with structure, and structured ones on trees without syntax."""
        models = [trained("ngram", size="5", name="5-gram", data=self.data, sentences=self.sentences)]
        for kind, name in {**PLAIN, **STRUCTURED}.items():
            models += [self.model(kind, name, seed) for seed in self.seeds]
        for kind, name in STRUCTURED.items():
            for trees in self.controls:
                models += [self.model(kind, f"{name}, {trees}", seed, trees) for seed in self.control_seeds]
        return models


NEWSPAPER = Training(sentences=10_000, controls=TREE_CONTROLS["trees"], control_seeds=(1,))
"""The models of structural supervision: as many sentences as two cores learn from in less than half an hour."""

SMALL_TREEBANK = Training(seeds=(1,), epochs=6)
"""For treebanks of a hundred thousand words: the more often they are read."""


def quick_training(training: Training) -> Training:
    """Return the same models as tiny networks, each trained once, on a few sentences."""
    return replace(training, size="tiny", seeds=(1,), sentences=150, epochs=0)


QUICK_NEWSPAPER = quick_training(NEWSPAPER)


def missing_treebank(data: str) -> str:
    """Say that a treebank is not here and how to get it; nothing if it is."""
    return "" if is_here(data) else f"the data {data}: hengliang data get {data}"


def treebank_study(
    name: str, question: Bilingual, training: Training, quick: bool, notes: Sequence[Bilingual]
) -> Study:
    """Return the study of perplexity and parsing on sentences of the test part that no model has read."""
    draws = 500 if quick else 10_000
    return Study(
        name=name,
        question=question,
        materials=corpus_sentences(training.data, part="test", most=QUICK_ASKED if quick else ASKED),
        systems=training.models(),
        measures=[log_probability()],
        analyses=[
            perplexity(draws=draws),
            *([] if quick else [perplexity(by=["seed"], per="word", draws=draws)]),
            traits(TRAITS),
        ],
        notes=[*NOTES, *notes, *([QUICK_NOTE] if quick else [])],
    )


NOTES = (
    Bilingual(
        "The perplexity of RNNG and PLM is that of the words alone, summed over the trees that a word-synchronous beam "
        "search holds (100 steps, 10 analyses a word), not that of words and given trees. The end of a sentence counts "
        "as one event for every model: for these two it is the closing of all that is open. A beam leaves trees out, "
        "so their true perplexity is lower, never higher.",
        "RNNG 与 PLM 的困惑度只计词，并对词同步束搜索（100 步、每词 10 个分析）所保留的句法树求和，"
        "而非词与给定树的联合困惑度。句末对每个模型均计为一个事件；对这两种模型即关闭所有未完成的成分。束搜索会舍弃部分句法树，故真实困惑度只会更低。",
    ),
    Bilingual(
        "F1 compares the best trees with the given ones on 100 sentences of the test part (punctuation left out, roots "
        "counted), as the models' cards tell.",
        "F1 为最优句法树与给定句法树在测试集 100 句上的一致程度（不计标点，计根节点），取自模型卡。",
    ),
)
CLAUSE_LABELS = Bilingual(
    "The trees of the newspaper are chunked by rules. One rule gives a clause the label CP if it begins with a word of "
    "a hand-written list, which holds every subordinator of our suites. What RNNG and PLM show on subordination may "
    "come from that list: with the label renamed, RNNGs fail its control (python -m benchmarks.clause_labels).",
    "报纸的句法树由规则切分而成，其中一条规则将以词表中词语开头的小句标为 CP，而该人工词表包含自编套件的全部从属连词。"
    "RNNG 与 PLM 在从属一类上的表现可能来自该词表：将此标签改名后，RNNG 不再通过该类的对照"
    "（python -m benchmarks.clause_labels）。",
)
QUICK_NOTE = Bilingual(
    "The quick form has tiny networks that have read next to nothing: a rehearsal, not a result.",
    "快速版的微型网络几乎未经训练，仅供演练，不构成结果。",
)
