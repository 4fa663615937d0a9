"""What do all tests share?"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.tracing import traced_at_first, untraced

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Two busy cores make honest tests slow: time is no property to test here. Whoever works on the code is shown new
# examples each time; a machine that decides about somebody's change tries the same ones twice. A property that says
# nothing else is tried on fifty examples, or on as many as HENGLIANG_EXAMPLES says.
settings.register_profile(
    "hengliang",
    deadline=None,
    max_examples=int(os.environ.get("HENGLIANG_EXAMPLES", "50")),
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("hengliang")

# These files take more than about three seconds of a quiet core each, the longest first: `pytest --durations=0` on a
# folder tells. They come first, so that no process is left alone with one of them at the end, and `make quick-test`
# leaves them out.
SLOW = [
    "tests/test_docs.py",
    "tests/test_clean_environment.py",
    "tests/studies/test_classifier_baselines.py",
    "tests/studies/test_structural_supervision.py",
    "tests/studies/test_classifier_fluency.py",
    "tests/studies/test_mandarin_grammar.py",
    "tests/studies/test_acceptability",
    "tests/studies/test_classifier_genres.py",
    "tests/studies/test_classifier_learning_curve.py",
    "tests/studies/test_tagger_",
    "tests/studies/test_scene_",
    "tests/studies/test_language_model_perplexity.py",
    "tests/studies/test_signed_code.py",
    "tests/language_models/structured/test_model.py",
    "tests/language_models/structured/test_recipe_training.py",
    "tests/language_models/structured/test_training.py",
    "tests/language_models/structured/test_beam.py",
    "tests/language_models/structured/test_networks.py",
    "tests/report/test_browser.py",
    "tests/core/engine/test_dask.py",
    "tests/report/test_page.py",
    "tests/people/test_survey_",
    "tests/analysis/descriptions/test_corpus.py",
    "tests/cli/test_analyse.py",
    "tests/tagging/taggers/test_sheltered.py",
    "tests/systems/entities/test_gold.py",
    "tests/language_models/neural/test_training.py",
    "tests/language_models/neural/test_masked_training.py",
    "tests/language_models/neural/test_model.py",
    "tests/tagging/taggers/test_jiagu_tagger.py",
    "tests/tagging/taggers/test_jieba_tagger.py",
    "tests/tagging/taggers/test_thulac_",
    "tests/materials/perturbations/test_material.py",
    "tests/people/storage/test_any_history.py",
    "tests/people/storage/test_newcomers.py",
    "tests/people/storage/test_database.py",
    "tests/people/storage/test_restoring.py",
    "tests/systems/readers/test_mandarin_grammar.py",
    "tests/cli/test_taggers.py",
    "tests/cli/test_taggers_mine.py",
    "tests/materials/test_slot_checks.py",
    "tests/systems/describers/test_generation.py",
    "tests/cli/test_classifiers_proofread.py",
    "tests/cli/test_score.py",
    "tests/cli/test_run.py",
    "tests/tagging/trained/test_mended.py",
    "tests/report/test_figures.py",
    "tests/people/test_killed_servers.py",
    "tests/report/test_results.py",
    "tests/cli/test_suites.py",
    "tests/language_models/huggingface/test_causal.py",
    "tests/people/tasks/test_scripts.py",
    "tests/people/bots/test_browser_bot.py",
    "tests/systems/describers/test_english.py",
    "tests/corpora/trees/test_treebanks.py",
    "tests/statistics/test_equivalence.py",
    "tests/analyses/test_one_sample.py",
    "tests/people/collected/test_answers.py",
    "tests/people/pages/test_researcher_overview.py",
    "tests/cli/test_survey_rehearse.py",
    "tests/cli/test_scenes_corpus.py",
    "tests/materials/rated_sentences/test_material.py",
    "tests/grammar/suites/test_syntaxgym",
    "tests/materials/test_quantified_expressions.py",
    "tests/materials/test_classifier_slots.py",
    "tests/language_models/huggingface/test_masked.py",
    "tests/grammar/test_suite_item_chart.py",
    "tests/report/test_reconstruction.py",
    "tests/cli/test_lm_train.py",
    "tests/language_models/test_conformance.py",
    "tests/systems/classifier_choosers/neural/test_training.py",
    "tests/analyses/test_grouped_models.py",
    "tests/cli/test_replicate.py",
    "tests/people/design/test_item_order.py",
    "tests/people/design/test_pair_allocation.py",
    "tests/materials/perturbations/test_classifiers.py",
    "tests/systems/readers/test_conformance.py",
    "tests/language_models/test_word_groups.py",
    "tests/analysis/descriptions/test_findings.py",
    "tests/tagging/test_tagging_errors.py",
    "tests/analyses/ratings/test_comparisons.py",
    "tests/report/test_simulated_marks.py",
    "tests/language_models/huggingface/test_whole_words.py",
    "tests/core/labelling/test_taggers_conformance.py",
    "tests/cli/test_scenes_analyse.py",
    "tests/systems/describers/test_candidate_tables.py",
    "tests/tagging/test_sets/test_tagging_set_files.py",
    "tests/report/test_ratings_brief.py",
    "tests/core/labelling/test_texts.py",
    "tests/language_models/test_streaming.py",
    "tests/analyses/ratings/test_design.py",
    "tests/systems/entities/test_chinese_numbers.py",
    "tests/systems/slot_finding/test_finding.py",
    "tests/systems/classifier_choosers/neural/test_chooser.py",
    "tests/analysis/reconstruction/test_describer_comparison.py",
    "tests/people/pages/test_participant_routes.py",
    "tests/measures/test_soft_match.py",
    "tests/systems/classifier_choosers/test_conformance.py",
    "tests/people/design/test_list_counts.py",
    "tests/report/test_ratings.py",
    "tests/systems/classifier_choosers/test_linear.py",
    "tests/analyses/test_classification.py",
    "tests/people/pages/test_researcher_participants.py",
    "tests/cli/test_classifiers_choose.py",
    "tests/systems/describers/test_conformance.py",
    "tests/materials/rated_sentences/test_smog.py",
    "tests/analysis/test_accuracy_limits.py",
    "tests/statistics/power/test_estimation.py",
    "tests/people/bots/test_simulating.py",
    "tests/language_models/ngram/test_model.py",
    "tests/systems/describers/test_candidates.py",
    "tests/tagging/test_sets/test_targeted_sentences.py",
    "tests/core/test_closure.py",
    "tests/core/engine/test_mapping.py",
    "tests/grammar/test_structure_under_modifiers.py",
    "tests/test_windows.py",
    "tests/test_reads_of_a_run.py",
    "tests/grammar/test_recorded_accuracy.py",
    "tests/grammar/test_suite_models.py",
    "tests/tagging/taggers/test_program.py",
    "tests/language_models/test_manner.py",
    "tests/cli/test_nasty_tables.py",
    "tests/study/test_study.py",
    "tests/people/pages/test_connections.py",
    "tests/analyses/test_paired_accuracy.py",
    "tests/tagging/taggers/test_snownlp_tagger.py",
    "tests/measures/test_scored_sentence_files.py",
    "tests/grammar/test_tree_runs.py",
    "tests/people/test_scene_experiment.py",
    "tests/statistics/models/ordinal/test_laplace.py",
    "tests/test_rewrite_imports.py",
    "tests/people/pages/test_serving.py",
    "tests/systems/describers/test_preference_learning.py",
    "tests/language_models/test_recipes.py",
    "tests/grammar/test_structure_002.py",
    "tests/corpora/test_running_text.py",
    "tests/cli/test_main.py",
    "tests/grammar/suites/test_published_layout.py",
    "tests/cli/test_taggers_test.py",
    "tests/statistics/test_location_tests.py",
    "tests/language_models/ngram/test_kneser_ney.py",
    "tests/statistics/test_permutation.py",
    "tests/test_startup.py",
    "tests/statistics/contingency/test_exact.py",
    "tests/corpora/trees/test_actions.py",
    "tests/corpora/trees/test_brackets.py",
    "tests/analysis/test_slot_quality.py",
    "tests/grammar/test_suite_item_building.py",
    "tests/grammar/test_suite_differences.py",
    "tests/systems/classifier_choosers/test_language_model.py",
    "tests/systems/classifier_choosers/test_ensemble.py",
    "tests/tagging/taggers/test_lac.py",
    "tests/analysis/test_rating_correlation.py",
    "tests/language_models/test_sampling.py",
    "tests/statistics/ranks/test_brunner_munzel.py",
    "tests/language_models/structured/test_enumeration.py",
    "tests/statistics/ranks/test_signed_ranks.py",
    "tests/systems/classifier_choosers/test_examples.py",
    "tests/report/test_words.py",
    "tests/tagging/test_sets/test_fine_grained_set.py",
    "tests/people/storage/test_erasing.py",
    "tests/statistics/correlation/test_coefficients.py",
    "tests/systems/classifier_choosers/neural/test_encoder.py",
    "tests/tagging/test_tagged_sentences.py",
    "tests/systems/classifier_choosers/test_rule.py",
    "tests/grammar/test_suite_items_html.py",
    "tests/statistics/ranks/test_median.py",
    "tests/study/test_description.py",
    "tests/systems/classifier_choosers/test_candidate_choosers.py",
    "tests/grammar/test_recorded_table.py",
    "tests/tagging/test_tagging_html.py",
]
_numbers = itertools.count()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bring the slow files to the front and mark what is slow: also whatever needs a browser or works on much data."""

    def rank(item: pytest.Item) -> int:
        return next((place for place, path in enumerate(SLOW) if item.nodeid.startswith(path)), len(SLOW))

    items.sort(key=rank)
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if rank(item) < len(SLOW) or marks & {"untraced", "browser"} or "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Do not wait until what is written is on the disk, thousands of times: no test takes the power away."""

    def check(file: int | IO[bytes]) -> None:
        os.fstat(file if isinstance(file, int) else file.fileno())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", check)
        yield


# Thousands of tests and the modules of all of them live as long as the process. Whoever looks for what can be thrown
# away need not look among them: not while they are collected, not afterwards, and not when pytest looks at the end.
def pytest_collectstart() -> None:
    """Let memory be while tests are collected."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave out what is there by now whenever memory is tidied up."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """Leave out all that is there at the end."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Leave the lines of a test on much data untraced, with all that it sets up."""
    if item.get_closest_marker("untraced") is None:
        return (yield)
    with untraced():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Leave the later examples of a property untraced."""
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    if handle is None:
        return (yield)
    with traced_at_first(handle):
        return (yield)


@pytest.fixture(scope="session")
def all_places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the private places of all tests; thousands of folders beside each other are slow to number."""
    return tmp_path_factory.mktemp("places")


@pytest.fixture(autouse=True)
def private_places(all_places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test away from the user's own models, cache and data."""
    own = all_places / str(next(_numbers))
    for name in ("home", "cache"):
        (own / name).mkdir(parents=True)
        monkeypatch.setenv(f"HENGLIANG_{name.upper()}", str(own / name))


@pytest.fixture
def mirror() -> Path:
    """Give the folder of real data, or skip the test where there is none."""
    value = os.environ.get("HENGLIANG_MIRROR", "")
    if not value or not Path(value).is_dir():
        pytest.skip("HENGLIANG_MIRROR is not set to the folder of real data")
    return Path(value)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give a Chromium without a window, or skip the test where there is none."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from playwright.sync_api import sync_playwright

    programs = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    program = next((found for found in programs if found), None)
    if program is None:
        pytest.skip("Chromium is not installed: apt-get install chromium fonts-noto-cjk")
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not work for root, as whom containers run.
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()
