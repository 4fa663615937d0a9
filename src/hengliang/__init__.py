"""衡量: how good is this language technology, by the judgement of linguists and readers?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hengliang.analysis.base import Analysis
    from hengliang.analysis.classification import accuracy, accuracy_difference, precision_recall
    from hengliang.analysis.comparison import compare_systems
    from hengliang.analysis.grouped_models import models_by
    from hengliang.analysis.judge_agreement import judge_agreement
    from hengliang.analysis.layout import Layout, StatisticLabel
    from hengliang.analysis.model_analysis import mixed
    from hengliang.analysis.models.mixed import fit_mixed
    from hengliang.analysis.models.ordinal import fit_ordinal
    from hengliang.analysis.one_sample import garden_path_effects, one_sample
    from hengliang.analysis.perplexity import perplexity
    from hengliang.analysis.published_accuracy import published_accuracy
    from hengliang.analysis.suite_accuracy import suite_accuracy
    from hengliang.analysis.suite_models import data_size, domains, intervening_content, structural_supervision
    from hengliang.analysis.traits import traits
    from hengliang.bilingual import Bilingual
    from hengliang.errors import UserError
    from hengliang.materials.base import Material
    from hengliang.materials.classifier_slots import classifier_slots
    from hengliang.materials.pairs.material import minimal_pairs
    from hengliang.materials.running_text import corpus_sentences
    from hengliang.materials.suites.library import suites
    from hengliang.measures.base import Measure
    from hengliang.measures.label_match import label_match
    from hengliang.measures.log_probability import log_probability
    from hengliang.measures.prediction import prediction, surprisal_difference
    from hengliang.records import (
        Choice,
        Estimate,
        Item,
        Judgement,
        Response,
        Span,
        estimates_frame,
        items_frame,
        judgements_frame,
    )
    from hengliang.registry import register
    from hengliang.runs import Tables
    from hengliang.signature import Signature
    from hengliang.study import Run, Study, open_run
    from hengliang.systems.base import System
    from hengliang.systems.classifier_choosers.base import ClassifierChooser, chooser
    from hengliang.systems.language_models.base import LanguageModel
    from hengliang.systems.language_models.opening import model
    from hengliang.systems.language_models.trained import trained

# Where each public name lives. They are imported when first used, so that `import hengliang` stays quick.
_HOMES = {
    "Analysis": "analysis.base",
    "Bilingual": "bilingual",
    "Choice": "records",
    "ClassifierChooser": "systems.classifier_choosers.base",
    "Estimate": "records",
    "Item": "records",
    "Judgement": "records",
    "LanguageModel": "systems.language_models.base",
    "Layout": "analysis.layout",
    "Material": "materials.base",
    "Measure": "measures.base",
    "Response": "records",
    "Run": "study",
    "Signature": "signature",
    "Span": "records",
    "StatisticLabel": "analysis.layout",
    "Study": "study",
    "System": "systems.base",
    "Tables": "runs",
    "UserError": "errors",
    "accuracy": "analysis.classification",
    "accuracy_difference": "analysis.classification",
    "chooser": "systems.classifier_choosers.base",
    "classifier_slots": "materials.classifier_slots",
    "compare_systems": "analysis.comparison",
    "corpus_sentences": "materials.running_text",
    "data_size": "analysis.suite_models",
    "domains": "analysis.suite_models",
    "estimates_frame": "records",
    "fit_mixed": "analysis.models.mixed",
    "fit_ordinal": "analysis.models.ordinal",
    "garden_path_effects": "analysis.one_sample",
    "intervening_content": "analysis.suite_models",
    "items_frame": "records",
    "judge_agreement": "analysis.judge_agreement",
    "judgements_frame": "records",
    "label_match": "measures.label_match",
    "log_probability": "measures.log_probability",
    "minimal_pairs": "materials.pairs.material",
    "mixed": "analysis.model_analysis",
    "model": "systems.language_models.opening",
    "models_by": "analysis.grouped_models",
    "one_sample": "analysis.one_sample",
    "open_run": "study",
    "perplexity": "analysis.perplexity",
    "precision_recall": "analysis.classification",
    "prediction": "measures.prediction",
    "published_accuracy": "analysis.published_accuracy",
    "register": "registry",
    "structural_supervision": "analysis.suite_models",
    "suite_accuracy": "analysis.suite_accuracy",
    "suites": "materials.suites.library",
    "surprisal_difference": "measures.prediction",
    "trained": "systems.language_models.trained",
    "traits": "analysis.traits",
}

__all__ = [
    "Analysis",
    "Bilingual",
    "Choice",
    "ClassifierChooser",
    "Estimate",
    "Item",
    "Judgement",
    "LanguageModel",
    "Layout",
    "Material",
    "Measure",
    "Response",
    "Run",
    "Signature",
    "Span",
    "StatisticLabel",
    "Study",
    "System",
    "Tables",
    "UserError",
    "accuracy",
    "accuracy_difference",
    "chooser",
    "classifier_slots",
    "compare_systems",
    "corpus_sentences",
    "data_size",
    "domains",
    "estimates_frame",
    "fit_mixed",
    "fit_ordinal",
    "garden_path_effects",
    "intervening_content",
    "items_frame",
    "judge_agreement",
    "judgements_frame",
    "label_match",
    "log_probability",
    "minimal_pairs",
    "mixed",
    "model",
    "models_by",
    "one_sample",
    "open_run",
    "perplexity",
    "precision_recall",
    "prediction",
    "published_accuracy",
    "register",
    "structural_supervision",
    "suite_accuracy",
    "suites",
    "surprisal_difference",
    "trained",
    "traits",
]


def __getattr__(name: str) -> Any:
    """Import a public name from the module where it lives."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hengliang' has no attribute '{name}'")
    return getattr(importlib.import_module(f"hengliang.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
