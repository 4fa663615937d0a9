"""What do all choosers have in common that ask a language model about candidates?

They name the model and the candidates, leave it to the model's recipe to be trained, and sign for both. How the model
is asked is theirs: `language_model` puts each candidate into the sentence, `masked` asks what stands in the gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.signature import Signature, digest
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.classifier_choosers.candidates import Classifiers, candidates
from hengliang.systems.classifier_choosers.named_models import ModelReference, model_signature, named_model


class CandidateChooser(ClassifierChooser):
    """A chooser that asks a language model about candidates: derive from it, keep these arguments, write `choose`."""

    family: ClassVar[str] = ""
    language_model: ModelReference
    classifiers: Classifiers
    any_classifier: bool

    def candidates(self) -> tuple[str, ...]:
        """Return the classifiers on offer."""
        return candidates(self.classifiers, any_classifier=self.any_classifier)

    def prepare(self, watcher: Watcher) -> None:
        """Train the language model where the store does not have it yet."""
        named_model(self.language_model).prepare(watcher)

    def signature(self) -> Signature:
        """Return the arguments, the candidates and all that can change a score of the model."""
        signature = super().signature().and_(candidates=digest(*self.candidates()))
        return Signature((*signature.pairs, *model_signature(self.language_model).pairs))

    def traits(self) -> Mapping[str, Attribute]:
        """Return the family and those of the language model, by which analyses may group."""
        return {"family": self.family, **dict(named_model(self.language_model).traits())}

    def __getstate__(self) -> dict[str, Any]:
        """Leave the open model behind: a worker process opens its own."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
