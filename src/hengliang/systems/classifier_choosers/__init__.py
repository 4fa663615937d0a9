"""Which classifier goes between a number and a noun?

Importing this package registers the choosers that need nothing but counting: `GE` and `RULE`.
"""

from hengliang.systems.classifier_choosers.base import ClassifierChooser, chooser
from hengliang.systems.classifier_choosers.conformance import chooser_promises
from hengliang.systems.classifier_choosers.general import General
from hengliang.systems.classifier_choosers.rule import NounCounts, Rule
from hengliang.systems.classifier_choosers.slots import slots_of

__all__ = ["ClassifierChooser", "General", "NounCounts", "Rule", "chooser", "chooser_promises", "slots_of"]
