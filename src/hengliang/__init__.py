"""衡量: how good is this language technology, by the judgement of linguists and readers?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hengliang.analysis.accuracy_limits import accuracy_limits
    from hengliang.analysis.base import Analysis
    from hengliang.analysis.calibration import calibration, reliability
    from hengliang.analysis.category_accuracy import category_accuracy
    from hengliang.analysis.classification import accuracy, accuracy_difference, precision_recall
    from hengliang.analysis.classifier_variation import classifier_variation, noun_ceiling
    from hengliang.analysis.comparison import compare_systems
    from hengliang.analysis.confusion import confusion
    from hengliang.analysis.confusion_matrix import accuracy_by_classifier
    from hengliang.analysis.descriptions.beside_describers import describer_completeness
    from hengliang.analysis.descriptions.findings import description_findings
    from hengliang.analysis.discrimination import discrimination
    from hengliang.analysis.discrimination_differences import discrimination_differences
    from hengliang.analysis.entity_effects import entity_effects
    from hengliang.analysis.entity_statistics import entity_statistics
    from hengliang.analysis.error_kinds import error_kinds
    from hengliang.analysis.grouped_models import models_by
    from hengliang.analysis.judge_agreement import judge_agreement
    from hengliang.analysis.label_noise import label_noise
    from hengliang.analysis.layout import Layout, StatisticLabel
    from hengliang.analysis.learning_curve import learning_curve, learning_curve_fit
    from hengliang.analysis.model_analysis import mixed
    from hengliang.analysis.models.mixed import fit_mixed
    from hengliang.analysis.models.ordinal import fit_ordinal
    from hengliang.analysis.one_sample import garden_path_effects, one_sample
    from hengliang.analysis.paired_accuracy import paired_accuracy
    from hengliang.analysis.perplexity import perplexity
    from hengliang.analysis.published_accuracy import published_accuracy
    from hengliang.analysis.published_correlation import published_correlation
    from hengliang.analysis.published_tagging import published_tagging
    from hengliang.analysis.rating_correlation import rating_correlation
    from hengliang.analysis.rating_correlation_differences import rating_correlation_differences
    from hengliang.analysis.rating_reliability import rating_reliability
    from hengliang.analysis.reconstruction.published_swaps import published_swaps
    from hengliang.analysis.reconstruction.study_analyses import (
        algorithms_and_people,
        expert_scores_on_swaps,
        spread_of_answers,
        swaps_by_size,
    )
    from hengliang.analysis.score_positions import score_positions
    from hengliang.analysis.seed_spread import seed_spread
    from hengliang.analysis.structure_under_modifiers import structure_under_modifiers
    from hengliang.analysis.suite_accuracy import suite_accuracy
    from hengliang.analysis.suite_differences import suite_differences
    from hengliang.analysis.suite_models import (
        data_size,
        domains,
        intervening_content,
        kinds_of_trees,
        structural_supervision,
    )
    from hengliang.analysis.tagging_diagnosis import tagging_diagnosis
    from hengliang.analysis.tagging_differences import tagging_differences
    from hengliang.analysis.tagging_quality import tagging_quality
    from hengliang.analysis.traits import traits
    from hengliang.analysis.variation_in_use import competing_classifiers, flexibility_by_context, flexible_nouns
    from hengliang.bilingual import Bilingual
    from hengliang.errors import UserError
    from hengliang.materials.base import Material
    from hengliang.materials.ccd_slots import ccd_slots
    from hengliang.materials.classifier_slots import classifier_slots
    from hengliang.materials.described_slots import described_slots
    from hengliang.materials.elicited_descriptions import elicited_descriptions
    from hengliang.materials.pairs.material import minimal_pairs
    from hengliang.materials.perturbations.material import perturbed_sentences
    from hengliang.materials.portions import portion
    from hengliang.materials.rated_sentences.material import lau2015, lau2020, rated_sentences, smog
    from hengliang.materials.running_text import corpus_sentences
    from hengliang.materials.scene_sets import scenes
    from hengliang.materials.suites.library import suites
    from hengliang.materials.suites.published_layout import published_suites
    from hengliang.materials.tagged_sentences import tagged_sentences
    from hengliang.materials.tagging_items import tagging_items
    from hengliang.materials.trees.constituents import Tree
    from hengliang.materials.trees.treebanks import read_treebank
    from hengliang.measures.acceptability import acceptability
    from hengliang.measures.base import Measure
    from hengliang.measures.description_quality import description_quality
    from hengliang.measures.label_match import label_match
    from hengliang.measures.log_probability import log_probability
    from hengliang.measures.prediction import prediction, surprisal_difference
    from hengliang.measures.probability_scores import probability_scores
    from hengliang.measures.reconstruction import swaps
    from hengliang.measures.soft_match import soft_match
    from hengliang.measures.tagging_items import tagging_item
    from hengliang.measures.top_match import top_match
    from hengliang.people.published_ratings import published_ratings
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
    from hengliang.systems.describers.base import Describer, describer
    from hengliang.systems.describers.described_scenes import described_scenes
    from hengliang.systems.entities.base import Recogniser
    from hengliang.systems.entities.counting import entity_counts
    from hengliang.systems.language_models.base import LanguageModel
    from hengliang.systems.language_models.opening import model
    from hengliang.systems.language_models.trained import trained
    from hengliang.systems.language_models.unknown_words import unknown_words
    from hengliang.systems.readers.base import Reader, reader
    from hengliang.systems.slot_finding.material import tagged_slots
    from hengliang.systems.taggers.base import Tagger
    from hengliang.systems.taggers.mapped import mapped
    from hengliang.systems.taggers.wordwise import WordwiseTagger

# Where each public name lives. They are imported when first used, so that `import hengliang` stays quick.
_HOMES = {
    "Analysis": "analysis.base",
    "Bilingual": "bilingual",
    "Choice": "records",
    "ClassifierChooser": "systems.classifier_choosers.base",
    "Describer": "systems.describers.base",
    "Estimate": "records",
    "Item": "records",
    "Judgement": "records",
    "LanguageModel": "systems.language_models.base",
    "Layout": "analysis.layout",
    "Material": "materials.base",
    "Measure": "measures.base",
    "Reader": "systems.readers.base",
    "Recogniser": "systems.entities.base",
    "Response": "records",
    "Run": "study",
    "Signature": "signature",
    "Span": "records",
    "StatisticLabel": "analysis.layout",
    "Study": "study",
    "System": "systems.base",
    "Tables": "runs",
    "Tagger": "systems.taggers.base",
    "Tree": "materials.trees.constituents",
    "UserError": "errors",
    "WordwiseTagger": "systems.taggers.wordwise",
    "acceptability": "measures.acceptability",
    "accuracy": "analysis.classification",
    "accuracy_by_classifier": "analysis.confusion_matrix",
    "accuracy_difference": "analysis.classification",
    "accuracy_limits": "analysis.accuracy_limits",
    "algorithms_and_people": "analysis.reconstruction.study_analyses",
    "calibration": "analysis.calibration",
    "category_accuracy": "analysis.category_accuracy",
    "ccd_slots": "materials.ccd_slots",
    "chooser": "systems.classifier_choosers.base",
    "classifier_slots": "materials.classifier_slots",
    "classifier_variation": "analysis.classifier_variation",
    "compare_systems": "analysis.comparison",
    "competing_classifiers": "analysis.variation_in_use",
    "confusion": "analysis.confusion",
    "corpus_sentences": "materials.running_text",
    "data_size": "analysis.suite_models",
    "described_scenes": "systems.describers.described_scenes",
    "described_slots": "materials.described_slots",
    "describer": "systems.describers.base",
    "describer_completeness": "analysis.descriptions.beside_describers",
    "description_findings": "analysis.descriptions.findings",
    "description_quality": "measures.description_quality",
    "discrimination": "analysis.discrimination",
    "discrimination_differences": "analysis.discrimination_differences",
    "domains": "analysis.suite_models",
    "elicited_descriptions": "materials.elicited_descriptions",
    "entity_counts": "systems.entities.counting",
    "entity_effects": "analysis.entity_effects",
    "entity_statistics": "analysis.entity_statistics",
    "error_kinds": "analysis.error_kinds",
    "estimates_frame": "records",
    "expert_scores_on_swaps": "analysis.reconstruction.study_analyses",
    "fit_mixed": "analysis.models.mixed",
    "fit_ordinal": "analysis.models.ordinal",
    "flexibility_by_context": "analysis.variation_in_use",
    "flexible_nouns": "analysis.variation_in_use",
    "garden_path_effects": "analysis.one_sample",
    "intervening_content": "analysis.suite_models",
    "items_frame": "records",
    "judge_agreement": "analysis.judge_agreement",
    "judgements_frame": "records",
    "kinds_of_trees": "analysis.suite_models",
    "label_match": "measures.label_match",
    "label_noise": "analysis.label_noise",
    "lau2015": "materials.rated_sentences.material",
    "lau2020": "materials.rated_sentences.material",
    "learning_curve": "analysis.learning_curve",
    "learning_curve_fit": "analysis.learning_curve",
    "log_probability": "measures.log_probability",
    "mapped": "systems.taggers.mapped",
    "minimal_pairs": "materials.pairs.material",
    "mixed": "analysis.model_analysis",
    "model": "systems.language_models.opening",
    "models_by": "analysis.grouped_models",
    "noun_ceiling": "analysis.classifier_variation",
    "one_sample": "analysis.one_sample",
    "open_run": "study",
    "paired_accuracy": "analysis.paired_accuracy",
    "perplexity": "analysis.perplexity",
    "perturbed_sentences": "materials.perturbations.material",
    "portion": "materials.portions",
    "precision_recall": "analysis.classification",
    "prediction": "measures.prediction",
    "probability_scores": "measures.probability_scores",
    "published_accuracy": "analysis.published_accuracy",
    "published_correlation": "analysis.published_correlation",
    "published_ratings": "people.published_ratings",
    "published_suites": "materials.suites.published_layout",
    "published_swaps": "analysis.reconstruction.published_swaps",
    "published_tagging": "analysis.published_tagging",
    "rated_sentences": "materials.rated_sentences.material",
    "rating_correlation": "analysis.rating_correlation",
    "rating_correlation_differences": "analysis.rating_correlation_differences",
    "rating_reliability": "analysis.rating_reliability",
    "read_treebank": "materials.trees.treebanks",
    "reader": "systems.readers.base",
    "register": "registry",
    "reliability": "analysis.calibration",
    "scenes": "materials.scene_sets",
    "score_positions": "analysis.score_positions",
    "seed_spread": "analysis.seed_spread",
    "smog": "materials.rated_sentences.material",
    "soft_match": "measures.soft_match",
    "spread_of_answers": "analysis.reconstruction.study_analyses",
    "structural_supervision": "analysis.suite_models",
    "structure_under_modifiers": "analysis.structure_under_modifiers",
    "suite_accuracy": "analysis.suite_accuracy",
    "suite_differences": "analysis.suite_differences",
    "suites": "materials.suites.library",
    "surprisal_difference": "measures.prediction",
    "swaps": "measures.reconstruction",
    "swaps_by_size": "analysis.reconstruction.study_analyses",
    "tagged_sentences": "materials.tagged_sentences",
    "tagged_slots": "systems.slot_finding.material",
    "tagging_diagnosis": "analysis.tagging_diagnosis",
    "tagging_differences": "analysis.tagging_differences",
    "tagging_item": "measures.tagging_items",
    "tagging_items": "materials.tagging_items",
    "tagging_quality": "analysis.tagging_quality",
    "top_match": "measures.top_match",
    "trained": "systems.language_models.trained",
    "traits": "analysis.traits",
    "unknown_words": "systems.language_models.unknown_words",
}

__all__ = [
    "Analysis",
    "Bilingual",
    "Choice",
    "ClassifierChooser",
    "Describer",
    "Estimate",
    "Item",
    "Judgement",
    "LanguageModel",
    "Layout",
    "Material",
    "Measure",
    "Reader",
    "Recogniser",
    "Response",
    "Run",
    "Signature",
    "Span",
    "StatisticLabel",
    "Study",
    "System",
    "Tables",
    "Tagger",
    "Tree",
    "UserError",
    "WordwiseTagger",
    "acceptability",
    "accuracy",
    "accuracy_by_classifier",
    "accuracy_difference",
    "accuracy_limits",
    "algorithms_and_people",
    "calibration",
    "category_accuracy",
    "ccd_slots",
    "chooser",
    "classifier_slots",
    "classifier_variation",
    "compare_systems",
    "competing_classifiers",
    "confusion",
    "corpus_sentences",
    "data_size",
    "described_scenes",
    "described_slots",
    "describer",
    "describer_completeness",
    "description_findings",
    "description_quality",
    "discrimination",
    "discrimination_differences",
    "domains",
    "elicited_descriptions",
    "entity_counts",
    "entity_effects",
    "entity_statistics",
    "error_kinds",
    "estimates_frame",
    "expert_scores_on_swaps",
    "fit_mixed",
    "fit_ordinal",
    "flexibility_by_context",
    "flexible_nouns",
    "garden_path_effects",
    "intervening_content",
    "items_frame",
    "judge_agreement",
    "judgements_frame",
    "kinds_of_trees",
    "label_match",
    "label_noise",
    "lau2015",
    "lau2020",
    "learning_curve",
    "learning_curve_fit",
    "log_probability",
    "mapped",
    "minimal_pairs",
    "mixed",
    "model",
    "models_by",
    "noun_ceiling",
    "one_sample",
    "open_run",
    "paired_accuracy",
    "perplexity",
    "perturbed_sentences",
    "portion",
    "precision_recall",
    "prediction",
    "probability_scores",
    "published_accuracy",
    "published_correlation",
    "published_ratings",
    "published_suites",
    "published_swaps",
    "published_tagging",
    "rated_sentences",
    "rating_correlation",
    "rating_correlation_differences",
    "rating_reliability",
    "read_treebank",
    "reader",
    "register",
    "reliability",
    "scenes",
    "score_positions",
    "seed_spread",
    "smog",
    "soft_match",
    "spread_of_answers",
    "structural_supervision",
    "structure_under_modifiers",
    "suite_accuracy",
    "suite_differences",
    "suites",
    "surprisal_difference",
    "swaps",
    "swaps_by_size",
    "tagged_sentences",
    "tagged_slots",
    "tagging_diagnosis",
    "tagging_differences",
    "tagging_item",
    "tagging_items",
    "tagging_quality",
    "top_match",
    "trained",
    "traits",
    "unknown_words",
]


def __getattr__(name: str) -> Any:
    """Import a public name from the module where it lives."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hengliang' has no attribute '{name}'")
    return getattr(importlib.import_module(f"hengliang.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
