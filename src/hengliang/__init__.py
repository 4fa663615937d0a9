"""衡量: how good is this language technology, by the judgement of linguists and readers?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hengliang.analysis.base import Analysis
    from hengliang.analysis.classification import accuracy, accuracy_difference, precision_recall
    from hengliang.analysis.layout import Layout, StatisticLabel
    from hengliang.bilingual import Bilingual
    from hengliang.errors import UserError
    from hengliang.materials.base import Material
    from hengliang.materials.classifier_slots import classifier_slots
    from hengliang.measures.base import Measure
    from hengliang.measures.label_match import label_match
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

# Where each public name lives. They are imported when first used, so that `import hengliang` stays quick.
_HOMES = {
    "Analysis": "analysis.base",
    "Bilingual": "bilingual",
    "Choice": "records",
    "ClassifierChooser": "systems.classifier_choosers.base",
    "Estimate": "records",
    "Item": "records",
    "Judgement": "records",
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
    "estimates_frame": "records",
    "items_frame": "records",
    "judgements_frame": "records",
    "label_match": "measures.label_match",
    "open_run": "study",
    "precision_recall": "analysis.classification",
    "register": "registry",
}

__all__ = [
    "Analysis",
    "Bilingual",
    "Choice",
    "ClassifierChooser",
    "Estimate",
    "Item",
    "Judgement",
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
    "estimates_frame",
    "items_frame",
    "judgements_frame",
    "label_match",
    "open_run",
    "precision_recall",
    "register",
]


def __getattr__(name: str) -> Any:
    """Import a public name from the module where it lives."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hengliang' has no attribute '{name}'")
    return getattr(importlib.import_module(f"hengliang.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
