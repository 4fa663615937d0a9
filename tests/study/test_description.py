"""Does the folder of a run alone say everything that its report needs?"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import Bilingual, Measure, Study, UserError, chooser
from hengliang.analyses import accuracy
from hengliang.classifiers import ClassifierChooser, label_match
from hengliang.core import AttributeValue as Attribute
from hengliang.core import Choice, Manifest, RunFolder, from_json
from hengliang.grammar import SuiteView, prediction, suite_accuracy, suites, surprisal_difference
from hengliang.report import ReportContent
from hengliang.study.description import describe, report_content
from tests.language_models.small_models import CharacterPairs, SmallBigrams
from tests.tiny import ByTable, Sentences

QUESTION = Bilingual("Which?", "哪个？")


class Shy(ClassifierChooser):
    """Answers for two of the six nouns, and has a seed, traits and no title."""

    name = "shy"
    seed = 7

    def choose(self, slots: pl.DataFrame) -> Sequence[Sequence[Choice]]:
        """Return 本 for books, 辆 for cars and nothing else."""
        table = {"书": "本", "车": "辆"}
        return [[Choice(table[noun], 1.0)] if noun in table else [] for noun in slots["noun"]]

    def traits(self) -> Mapping[str, Attribute]:
        """Return traits of three types."""
        return {"size": 2, "structured": False, "data": "ours"}


class Counted(Sentences):
    """The six sentences, with a fact about those that it is shown."""

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return how many of the items are its own."""
        return [(Bilingual("Of", "来自"), ", ".join(sorted(set(items["material"]))))]


def study() -> Study:
    return Study(
        name="shyness",
        question=QUESTION,
        materials=Counted(),
        systems=[chooser("GE"), Shy()],
        measures=[label_match()],
        analyses=[accuracy(draws=20)],
        notes=[Bilingual("A note.", "说明。")],
    )


def described(**changes: object) -> ReportContent:
    """Return the description of the study, read back from JSON."""
    made = replace(study(), **changes)  # type: ignore[arg-type]
    items = pl.concat([Sentences(name="others").items(), Counted().items()])
    found = describe(made.name, QUESTION, made.material_list(), made.systems, made.measures, made.analyses, (), items)
    return ReportContent.from_json(json.loads(json.dumps(found, allow_nan=False)))


# --- what is written down ---------------------------------------------------------------------------------------------


def test_a_material_counts_and_sees_its_own_items_only() -> None:
    (entry,) = described().materials
    assert (entry.name, entry.n_items, entry.licence) == ("sentences", 6, "our own")  # of twelve, six are its own
    assert entry.facts == ((Bilingual("Of", "来自"), "sentences"),)
    assert entry.signature == str(Counted().signature())


def test_a_system_is_described_by_title_seed_traits_and_signature() -> None:
    general, shy = described().systems
    assert (general.seed, general.signature) == (None, str(chooser("GE").signature()))
    assert (shy.title, shy.seed) == (Bilingual("shy", "shy"), 7)  # without a title it goes by its name
    assert shy.traits == {"size": "2", "structured": "False", "data": "ours"}
    assert ByTable.title == described(systems=[ByTable()]).systems[0].title


def test_measures_and_analyses_are_described_by_what_they_say_of_themselves() -> None:
    made, (measure,), (analysis,) = described(), described().measures, described().analyses
    own = accuracy(draws=20)
    assert (measure.name, measure.judge_kind) == (label_match().name, "machine")
    assert measure.signature == str(label_match().signature())
    assert (analysis.title, analysis.explanation, analysis.layout) == (own.title, own.explanation, own.layout())
    assert (made.name, made.question, made.estimates.height) == ("shyness", QUESTION, 0)


# --- what is read from the folder -------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return study().run(tmp_path / "run").folder


def test_answers_are_those_that_were_given(folder: RunFolder) -> None:
    counts = {entry.name: (entry.n_responses, entry.n_missing) for entry in report_content(folder).systems}
    # 个 goes with everything; Shy knows 书 and 车 and leaves four of six open.
    assert counts == {"GE": (6, 0), "shy": (2, 4)}


def test_the_folder_gives_the_numbers_and_how_they_were_made(folder: RunFolder) -> None:
    found, manifest = report_content(folder), folder.manifest()
    assert manifest is not None
    assert found.estimates.equals(folder.estimates())
    assert found.created == manifest.stages["estimates"].finished
    assert found.versions == manifest.versions
    assert found.notes == (Bilingual("A note.", "说明。"),)
    # 2 systems by 6 items; an accuracy for each system. The report is not a stage of its own making.
    assert [stage[:2] for stage in found.stages] == [
        ("items", 6),
        ("responses", 12),
        ("judgements", 12),
        ("estimates", 2),
    ]


def test_a_system_whose_answers_were_taken_away_has_none(folder: RunFolder) -> None:
    file = folder.table_file("responses", "ranking")
    pl.read_parquet(file).filter(pl.col("system") == "GE").write_parquet(file)
    assert [entry.n_responses for entry in report_content(folder).systems] == [6, 0]


def test_a_run_that_never_saw_a_system_has_a_report(folder: RunFolder) -> None:
    manifest = folder.manifest()
    assert manifest is not None
    folder.write_manifest(replace(manifest, stages={"estimates": manifest.stages["estimates"]}))
    assert [entry.n_responses for entry in report_content(folder).systems] == [0, 0]
    assert report_content(folder).estimates.height == 2


@pytest.mark.parametrize("manifest", [None, Manifest("shyness")], ids=["no manifest", "no stage recorded"])
def test_a_folder_without_a_run_is_refused_with_the_command_that_makes_one(
    manifest: Manifest | None, tmp_path: Path
) -> None:
    folder = RunFolder.create(tmp_path / "run")
    if manifest is not None:
        folder.write_manifest(manifest)
    with pytest.raises(UserError, match="There is no run in") as caught:
        report_content(folder)
    assert "hengliang run STUDY" in caught.value.remedy


def test_a_run_without_estimates_is_refused_with_the_command_that_goes_on(tmp_path: Path) -> None:
    folder = study().run(tmp_path / "run", only="items").folder
    with pytest.raises(UserError, match="has no estimates yet") as caught:
        report_content(folder)
    assert f"hengliang run shyness --out {folder.path}" in caught.value.remedy


# --- suites -----------------------------------------------------------------------------------------------------------


SUITE = """\
class:      missing object / 宾语缺失
conditions: complete *missing
regions:    subject verb object stop
predict:    missing.stop > complete.stop

1  He bought a book.
   complete  他 | 买 了 | 书 | 。
   missing   他 | 买 了 |    | 。

2  He came.
   complete  他 | 来 了 |    | 。
   missing   他 | 来 了 | 车 | 。
"""


def suite_run(folder: Path, *measures: Measure) -> RunFolder:
    (folder / "own.suite").write_text(SUITE, encoding="utf-8")
    asked = Study(
        name="suites",
        question=QUESTION,
        materials=suites(str(folder / "own.suite")),
        systems=[SmallBigrams(), CharacterPairs()],
        measures=measures,
        analyses=[suite_accuracy(draws=20, cluster="set", measure=measures[0].name)],
    )
    return asked.run(folder / "run").folder


def shown_suites(folder: RunFolder) -> list[SuiteView]:
    return [from_json(SuiteView, one, "It") for view in report_content(folder).views for one in view.data]


def test_failing_items_of_suites_are_shown_from_the_run(tmp_path: Path) -> None:
    (suite,) = shown_suites(suite_run(tmp_path, prediction(), surprisal_difference()))
    # Of the bigrams P(。 | 了) = 2/13 and P(。 | 书) = 2/11: missing the object is more surprising, by log(13/11).
    # In the second item P(。 | 车) = 2/11 is higher than P(。 | 了): it fails. Pairs of characters cross the words.
    assert (suite.name, suite.n_items, suite.n_failing) == ("own", 2, 1)
    assert [item.id for item in suite.items] == ["own/2"]
    outcome = suite.items[0].predictions[0].outcomes[0]
    assert (outcome.model, outcome.label) == ("small bigrams", "failure")
    assert outcome.margin == pytest.approx(math.log(11 / 13), abs=1e-6)
    assert suite.models[1].model == CharacterPairs().name
    assert suite.models[1].unscored > 0


def test_the_treatment_of_edges_is_that_of_the_measure(tmp_path: Path) -> None:
    (suite,) = shown_suites(suite_run(tmp_path, prediction(edges="include", name="holds")))
    found = [outcome for item in suite.items for outcome in item.predictions[0].outcomes]
    assert found and all(outcome.label and len(outcome.sides) == 1 for outcome in found)
    assert not any(math.isnan(side) for outcome in found for pair in outcome.sides for side in pair)


def test_of_several_measures_of_this_kind_the_first_shows_its_items(tmp_path: Path) -> None:
    measures = prediction(name="holds"), surprisal_difference(), prediction("coin")
    (view,) = report_content(suite_run(tmp_path, *measures)).views
    assert view.name == "suites"


def test_a_run_without_suites_has_none(folder: RunFolder) -> None:
    assert report_content(folder).views == ()
    assert not folder.views_file.exists()


def test_a_study_with_made_up_judges_says_so() -> None:
    class Programs(type(label_match())):  # type: ignore[misc]
        """A measure whose judges are programs that stand for people."""

        simulated = True

    asked: list[tuple[list[Measure], bool]] = [([label_match()], False), ([label_match(), Programs()], True)]
    for measures, said in asked:
        held = describe("s", QUESTION, [], [], measures, [], [], Sentences().items())
        assert ReportContent.from_json(held).simulated is said


def test_what_a_plugin_says_that_is_no_text_stops_the_run_before_any_answer(tmp_path: Path) -> None:
    class Loose(Sentences):
        """A material that has no licence, and a fact that is a number."""

        licence: str = None  # type: ignore[assignment]

        def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
            """Return a number."""
            return [(Bilingual("Items", "题目"), 6)]  # type: ignore[list-item]

    with pytest.raises(
        UserError, match=r"study 'shyness': materials\[0\].facts\[0\]\[1\] is 6. A text. Mend the class"
    ):
        replace(study(), materials=Loose()).run(tmp_path)
    assert not (tmp_path / "responses").exists()
    Loose.facts = Sentences.facts  # type: ignore[method-assign]
    assert described(materials=Loose()).materials[0].licence == ""
