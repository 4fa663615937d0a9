"""Do old import paths still work, with a warning that points at whoever imports, and is all imported only once?"""

from __future__ import annotations

import importlib
import importlib.util
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

import hengliang
from hengliang.core.aliases import MOVED_NAMES, MovedModules, find_moved_modules, moved_attribute

# The names that the top level had in its first edition.
FORMER_NAMES = (
    "Analysis Bilingual Choice ClassifierChooser Describer Estimate Item Judgement LanguageModel Layout Material "
    "Measure Reader Recogniser Response Run Signature Span StatisticLabel Study System Tables Tagger Tree UserError "
    "WordwiseTagger acceptability accuracy accuracy_by_classifier accuracy_difference accuracy_limits "
    "algorithms_and_people calibration category_accuracy ccd_slots chooser classifier_slots classifier_variation "
    "compare_systems competing_classifiers confusion corpus_sentences data_size described_scenes described_slots "
    "describer describer_completeness description_findings description_quality discrimination "
    "discrimination_differences domains elicited_descriptions entity_counts entity_effects entity_statistics "
    "error_kinds estimates_frame expert_scores_on_swaps fit_mixed fit_ordinal flexibility_by_context flexible_nouns "
    "garden_path_effects intervening_content items_frame judge_agreement judgements_frame kinds_of_trees label_match "
    "label_noise lau2015 lau2020 learning_curve learning_curve_fit log_probability mapped minimal_pairs mixed model "
    "models_by noun_ceiling one_sample open_run paired_accuracy perplexity perturbed_sentences portion "
    "precision_recall prediction probability_scores published_accuracy published_correlation published_ratings "
    "published_suites published_swaps published_tagging rated_sentences rating_correlation "
    "rating_correlation_differences rating_reliability read_treebank reader register reliability scenes "
    "score_positions seed_spread smog soft_match spread_of_answers structural_supervision structure_under_modifiers "
    "suite_accuracy suite_differences suites surprisal_difference swaps swaps_by_size tagged_sentences tagged_slots "
    "tagging_diagnosis tagging_differences tagging_item tagging_items tagging_quality top_match trained traits "
    "unknown_words "
)
FORMER = FORMER_NAMES.split()
PACKAGES_NOW = {"acceptability", "scenes"}


@pytest.mark.parametrize("name", sorted(set(FORMER) - PACKAGES_NOW))
def test_former_names_of_the_top_level_still_work(name: str) -> None:
    if name in hengliang.__all__:
        assert getattr(hengliang, name) is not None
        return
    door, _, present = MOVED_NAMES[f"hengliang.{name}"].rpartition(".")
    with pytest.warns(DeprecationWarning, match=rf"hengliang\.{name} has moved: from {door} import {present} ") as seen:
        value = getattr(hengliang, name)
    assert value is getattr(importlib.import_module(door), present)
    assert {warning.filename for warning in seen} == {__file__}


def test_all_former_names_are_asked_for_and_no_others_are_in_the_table() -> None:
    assert len(FORMER) == len(set(FORMER)) == 130
    moved = set(FORMER) - set(hengliang.__all__) - PACKAGES_NOW
    assert {old for old in MOVED_NAMES if old.count(".") == 1} == {f"hengliang.{name}" for name in moved}


@pytest.mark.parametrize("name", sorted(PACKAGES_NOW))
def test_two_former_functions_are_in_packages_of_their_names(name: str) -> None:
    package = importlib.import_module(f"hengliang.{name}")
    assert isinstance(package, ModuleType)
    assert callable(getattr(package, name))


def test_a_from_import_of_a_former_name_warns_at_its_own_line() -> None:
    code = compile("\n\nfrom hengliang import label_match", "/somewhere/notebook.py", "exec")
    with pytest.warns(DeprecationWarning) as seen:
        exec(code, {"__name__": "notebook"})
    assert {(warning.filename, warning.lineno) for warning in seen} == {("/somewhere/notebook.py", 3)}


def test_a_name_that_never_was_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'hengliang' has no attribute 'label_macth'"):
        moved_attribute("hengliang", "label_macth")


MOVED = {"attic.tools": "attic.workshop.tools", "attic.crumb": "attic.chapter", "attic.old": "attic.new"}
FILES = {
    "__init__.py": "",
    "chapter.py": "class Crumb:\n    pass\n",
    "workshop/__init__.py": "",
    "workshop/tools.py": "COUNT = []\nCOUNT.append(1)\n\n\nclass Hammer:\n    pass\n",
    "new/__init__.py": "NAME = __name__\n",
    "new/inner/__init__.py": "",
    "new/inner/deep.py": "class Deep:\n    pass\n",
}


@pytest.fixture
def attic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a moved module, a module that was merged into another, and a moved package."""
    for name, text in FILES.items():
        file = tmp_path / "attic" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [MovedModules(MOVED), *sys.meta_path])
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "attic"]:
        del sys.modules[name]


def run(code: str) -> tuple[Mapping[str, object], list[warnings.WarningMessage]]:
    """Run code as a user's file, and return its names and the warnings."""
    names: dict[str, object] = {"__name__": "user"}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        exec(compile(code, "/somewhere/user.py", "exec"), names)
    return names, seen


@pytest.mark.usefixtures("attic")
@pytest.mark.parametrize(
    "code",
    [
        "import attic.tools\nfound = attic.tools",
        "import attic.tools as found",
        "from attic import tools as found",
        "import importlib\nfound = importlib.import_module('attic.tools')",
        "import attic.workshop.tools, attic.tools as found",
        "import attic.tools as found, attic.workshop.tools",
    ],
)
def test_a_moved_module_is_the_same_module_by_both_paths(code: str) -> None:
    names, seen = run(code)
    present = importlib.import_module("attic.workshop.tools")
    assert names["found"] is present
    assert present.COUNT == [1]
    assert present.__name__ == "attic.workshop.tools"
    assert present.__spec__ is not None
    assert present.__spec__.name == "attic.workshop.tools"
    assert [(warning.filename, warning.category) for warning in seen] == [("/somewhere/user.py", DeprecationWarning)]
    expected = "attic.tools has moved to attic.workshop.tools: import what you need from attic.workshop ("
    assert str(seen[0].message).startswith(expected)


@pytest.mark.usefixtures("attic")
def test_the_warning_has_the_line_of_the_import() -> None:
    _, seen = run("\n\n\nfrom attic.tools import Hammer\n")
    assert [warning.lineno for warning in seen] == [4]


@pytest.mark.usefixtures("attic")
def test_a_merged_module_gives_the_same_class() -> None:
    names, _ = run("from attic.crumb import Crumb\nfrom attic.chapter import Crumb as Present")
    assert names["Crumb"] is names["Present"]


@pytest.mark.usefixtures("attic")
@pytest.mark.parametrize(
    "code",
    [
        "from attic.old.inner.deep import Deep",
        "import attic.old.inner.deep\nDeep = attic.old.inner.deep.Deep",
        "from attic.old.inner import deep\nDeep = deep.Deep",
        "from attic.old import inner\nimport attic.old.inner.deep as deep\nDeep = deep.Deep",
    ],
)
def test_a_moved_package_takes_its_modules_along(code: str) -> None:
    names, seen = run(code)
    assert names["Deep"] is importlib.import_module("attic.new.inner.deep").Deep
    assert len({id(module) for name, module in sys.modules.items() if name.endswith("inner.deep")}) == 1
    assert {warning.filename for warning in seen} == {"/somewhere/user.py"}


@pytest.mark.usefixtures("attic")
def test_a_pickle_made_by_the_old_path_is_read() -> None:
    present = importlib.import_module("attic.workshop.tools")
    pickled = pickle.dumps(present.Hammer()).replace(
        b"\x8c\x14attic.workshop.tools", b"\x8c\x0battic.tools"
    )  # a short text is stored with its length before it: 20 characters become 11
    frame = pickled.index(b"\x95") + 1
    pickled = pickled[:frame] + (len(pickled) - frame - 8).to_bytes(8, "little") + pickled[frame + 8 :]
    with pytest.warns(DeprecationWarning, match=r"attic\.tools has moved"):
        hammer = pickle.loads(pickled)
    assert type(hammer) is present.Hammer


@pytest.mark.usefixtures("attic")
def test_find_spec_finds_an_old_path_without_a_word() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module, package = importlib.util.find_spec("attic.tools"), importlib.util.find_spec("attic.old")
        nothing = importlib.util.find_spec("attic.nothing")
    assert module is not None
    assert package is not None
    assert (module.name, Path(str(module.origin)).name) == ("attic.tools", "tools.py")
    assert module.submodule_search_locations is None
    assert [Path(place).name for place in package.submodule_search_locations or ()] == ["new"]
    assert nothing is None


@pytest.mark.usefixtures("attic")
@pytest.mark.parametrize("missing", ["attic.nothing", "attic.old.nothing", "attic.crumb.nothing", "attic.old.inner.x"])
def test_what_is_nowhere_is_missing_by_the_name_that_was_asked_for(missing: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ModuleNotFoundError) as error:
            importlib.import_module(missing)
    assert error.value.name == missing


@pytest.mark.usefixtures("attic")
def test_a_moved_module_that_cannot_be_imported_leaves_nothing_behind(attic: Path) -> None:
    (attic / "attic" / "workshop" / "tools.py").write_text("raise ValueError('no tools')", encoding="utf-8")
    for _ in range(2):
        with pytest.warns(DeprecationWarning), pytest.raises(ValueError, match="no tools"):
            importlib.import_module("attic.tools")
    assert "attic.tools" not in sys.modules


def test_the_longest_prefix_counts() -> None:
    finder = MovedModules({"a": "b", "a.c": "d.e"})
    asked = ["a", "a.x", "a.c", "a.c.y", "ab", "x.a"]
    assert [finder.present_path(name) for name in asked] == ["b", "b.x", "d.e", "d.e.y", None, None]


def test_the_finder_is_there_once_and_first() -> None:
    find_moved_modules()
    code = "import sys, hengliang; print([type(finder).__name__ for finder in sys.meta_path].index('MovedModules'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "0\n"
    assert sum(isinstance(finder, MovedModules) for finder in sys.meta_path) == 1
