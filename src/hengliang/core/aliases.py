"""Aliases: old import paths that still work for one version, and where each name or module lives now.

An old name of a door is looked up when the door does not have it. An old module path is found by an import finder that
enters the new module under the old name, so that a class is the same class by both paths. Either way a
`DeprecationWarning` points at the line that imports and says what to write instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

_LEFT_THE_TOP: Mapping[str, str] = {
    "hengliang.acceptability": """
        Recogniser discrimination discrimination_differences entity_counts entity_effects entity_statistics
        lau2015 lau2020 perturbed_sentences published_correlation published_ratings rated_sentences
        rating_correlation rating_correlation_differences rating_reliability score_positions smog
    """,
    "hengliang.analyses": """
        accuracy accuracy_difference calibration compare_systems
        garden_path_effects judge_agreement learning_curve learning_curve_fit mixed models_by one_sample
        paired_accuracy precision_recall reliability seed_spread traits
    """,
    "hengliang.classifiers": """
        ClassifierChooser accuracy_by_classifier accuracy_limits category_accuracy ccd_slots classifier_slots
        classifier_variation competing_classifiers confusion described_slots error_kinds flexibility_by_context
        flexible_nouns label_match label_noise noun_ceiling portion probability_scores soft_match tagged_slots top_match
    """,
    "hengliang.core": "Choice Layout StatisticLabel estimates_frame items_frame judgements_frame",
    "hengliang.corpora": "Tree corpus_sentences read_treebank",
    "hengliang.grammar": """
        data_size domains intervening_content kinds_of_trees minimal_pairs prediction published_accuracy
        published_suites structural_supervision structure_under_modifiers suite_accuracy suite_differences
        suites surprisal_difference
    """,
    "hengliang.language_models": "LanguageModel log_probability trained unknown_words",
    "hengliang.scenes": """
        Describer Reader algorithms_and_people described_scenes describer_completeness description_findings
        description_quality elicited_descriptions expert_scores_on_swaps published_swaps spread_of_answers swaps
        swaps_by_size
    """,
    "hengliang.statistics": "fit_mixed fit_ordinal",
    "hengliang.tagging": """
        Tagger WordwiseTagger mapped published_tagging tagged_sentences tagging_diagnosis tagging_differences
        tagging_item tagging_items tagging_quality
    """,
}

_MOVED_BETWEEN_DOORS: Mapping[tuple[str, str], str] = {
    ("analyses", "classifiers"): "accuracy_by_classifier confusion confusion_counts confusion_matrix",
    ("analyses", "core"): "read_delimited",
    ("analyses", "language_models"): "perplexity_of_models",
    ("corpora", "classifiers"): "Portion portion",
    ("surveys", "core"): "guarded unguarded",
}

MOVED_NAMES: Mapping[str, str] = {
    **{f"hengliang.{name}": f"{door}.{name}" for door, names in _LEFT_THE_TOP.items() for name in names.split()},
    **{
        f"hengliang.{old}.{name}": f"hengliang.{new}.{name}"
        for (old, new), names in _MOVED_BETWEEN_DOORS.items()
        for name in names.split()
    },
    "hengliang.perplexity": "hengliang.language_models.perplexity_of_models",
}
"""Names of doors that are exported by another door now, perhaps under another name, by their old full name."""


def _moved_modules() -> Mapping[str, str]:
    lines = Path(__file__).with_name("moved_modules.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {old: new for old, _, new in rows}


MOVED_MODULES: Mapping[str, str] = _moved_modules()
"""Modules and packages that were moved, or merged into another module, by their old path; the longest prefix counts."""

_INTERNAL = {"importlib", "_frozen_importlib", "_frozen_importlib_external", "pickle"}
"""Packages between the line that imports and the warning about it."""


def moved_attribute(package: str, name: str) -> Any:
    """Return what a package used to export under this name, with a warning, or say that it has no such name."""
    new = MOVED_NAMES.get(f"{package}.{name}")
    if new is None:
        raise AttributeError(f"module '{package}' has no attribute '{name}'")
    door, _, present = new.rpartition(".")
    value = getattr(importlib.import_module(door), present)
    # After the import, for a library that changes the filters of warnings makes Python forget which it has shown.
    _warn(f"{package}.{name} has moved: from {door} import {present}")
    return value


class MovedModules(MetaPathFinder):
    """Finds modules by their old paths, as a table of moved modules and packages says."""

    def __init__(self, moved: Mapping[str, str]) -> None:
        self.moved = moved

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load the module that has taken the place of `fullname`, or nothing when it was not moved."""
        new = self.present_path(fullname)
        if new is None and any(old.startswith(f"{fullname}.") for old in self.moved):
            # A package from which all modules have gone: an empty one leads to where they are.
            return PathFinder.find_spec(fullname, path) or ModuleSpec(fullname, None, is_package=True)
        spec = _spec(new) if new else None
        if new is None or spec is None:
            return None
        is_package = spec.submodule_search_locations is not None
        alias_spec = ModuleSpec(fullname, _Moved(new), origin=spec.origin, is_package=is_package)
        if spec.submodule_search_locations is not None:
            alias_spec.submodule_search_locations = list(spec.submodule_search_locations)
        return alias_spec

    def present_path(self, fullname: str) -> str | None:
        """Return where a module is now, or nothing when neither it nor a package around it was moved."""
        old = fullname
        while old:
            if old in self.moved:
                return self.moved[old] + fullname.removeprefix(old)
            old = old.rpartition(".")[0]
        return None


class _Moved(Loader):
    """Enters the present module under its old name, instead of a copy of it."""

    def __init__(self, new: str) -> None:
        self.new = new

    def exec_module(self, module: ModuleType) -> None:
        old = module.__name__
        door = ".".join(self.new.split(".")[:2])
        _warn(f"{old} has moved to {self.new}: import what you need from {door}")
        # The import system hands out what it finds here, and drops the empty module that it made for the old name.
        sys.modules[old] = importlib.import_module(self.new)


def _spec(module: str) -> ModuleSpec | None:
    """Return the spec of a module, or nothing when there is none, also when what should be its package is a module."""
    try:
        return importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None


def _warn(message: str) -> None:
    """Warn at the line that imports: the first one up the stack that is not of the import system or of a door."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_back is not None and _is_internal(frame):
        frame = frame.f_back
    assert frame is not None
    warnings.warn_explicit(
        f"{message} (the old path goes with the next version).",
        DeprecationWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=frame.f_globals.get("__name__", ""),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _is_internal(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    return name in {__name__, "hengliang.core.doors"} or name.partition(".")[0] in _INTERNAL


def find_moved_modules() -> None:
    """Let old module paths be imported, each as the module that has taken its place."""
    # First in line: another finder would find the modules of a moved package a second time, under their old names.
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, MovedModules(MOVED_MODULES))
