"""Did anything compute a number of a study that the signatures of the study do not cover?

The closure behind a signature is read off the source; here the studies run, and every function of ours that is called
while a material, system, measure or analysis does its work is looked up in the closure of whoever called it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import hengliang
from hengliang import Bilingual, Study, chooser
from hengliang.analyses import accuracy, accuracy_difference, precision_recall
from hengliang.classifiers import ClassifierSlots, classifier_slots, label_match
from hengliang.core import Closure, Place, closure, package_data

SOURCE = Path(hengliang.__file__).parent
WORK = {"items", "prepare", "answer", "judge", "conclude"}
"""What the stages of a study call."""


SENTENCES = "".join(
    f"{who}/n 买/v 了/u 一/m {classifier}/q {noun}/n 。/w\n那/r {classifier}/q {noun}/n 很/d 好/a 。/w\n"
    for who in ("妈妈", "老师", "邻居")
    for classifier, noun in (("条", "鱼"), ("张", "桌子"), ("本", "书"), ("个", "苹果"), ("把", "椅子"))
)


@cache
def module_of(file: str) -> str:
    """Return the module of ours that is written in a file, or nothing."""
    path = Path(file)
    if SOURCE not in path.parents:
        return ""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@cache
def place_of(code: CodeType) -> Place | None:
    """Return the top-level definition that code of ours belongs to; nothing for code of others."""
    module, name = module_of(code.co_filename), code.co_qualname.partition(".")[0]
    # How a file of the package is opened is no definition of a closure: the content of the file is. Nor is how a module
    # is found, in whatever function it is imported.
    aside = name == package_data.__name__ or module in {"hengliang.core.aliases", "hengliang.core.doors"}
    return Place(module, name) if module and not name.startswith("<") and not aside else None


@cache
def is_outside(place: Place) -> bool:
    """Tell whether a definition is marked as one that changes no number."""
    defined = getattr(sys.modules[place.module], place.name, None)
    return callable(defined) and closure(defined).definitions[place].is_outside


class Watch:
    """Notes which definitions of ours run while a part of a study works, and whether its closure holds them."""

    def __init__(self) -> None:
        self.closures: dict[type, Closure] = {}
        self.stack: list[Closure | None] = []
        self.seen: set[tuple[str, Place]] = set()
        self.missing: set[tuple[str, Place]] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            self.stack.append(self._within(frame))
        elif event == "return" and self.stack:
            self.stack.pop()

    def _within(self, frame: FrameType) -> Closure | None:
        """Return against whose closure this call and the calls in it count; nothing where nothing is signed."""
        current = self.stack[-1] if self.stack else None
        code = frame.f_code
        if code.co_name == "<module>":
            return None
        place = place_of(code)
        if place is None:
            return current
        owner = frame.f_locals.get("self") if code.co_varnames[:1] == ("self",) else None
        signs = callable(getattr(type(owner), "signature", None)) and hasattr(owner, "role")
        if signs and (current is not None or code.co_name in WORK):
            current = self._closure(owner)
        if current is None:
            return None
        name = next(kind.__name__ for kind, held in self.closures.items() if held is current)
        if is_outside(place) or code.co_name in {"signature", "conformance"}:
            return None
        (self.seen if place in current.definitions else self.missing).add((name, place))
        return current

    def _closure(self, owner: Any) -> Closure:
        kind = type(owner)
        if kind not in self.closures:
            self.closures[kind] = closure(kind)
        return self.closures[kind]


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch every call within the block."""
    watch = Watch()
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield watch
    finally:
        sys.setprofile(before)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Return a small study of our own sentences: slots, two choosers, a measure and two analyses."""
    corpus = tmp_path / "small.pku"
    corpus.write_text(SENTENCES, encoding="utf-8")
    slots = classifier_slots(corpus=corpus, part=None)
    return Study(
        name="small",
        question=Bilingual("Which classifier?", "用哪个量词？"),
        materials=slots,
        systems=[chooser("GE"), chooser("RULE", train=slots)],
        measures=[label_match()],
        analyses=[accuracy(draws=20), precision_recall(draws=20), accuracy_difference(draws=20)],
    )


@pytest.mark.untraced
def test_whatever_computes_is_signed(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HENGLIANG_CACHE", str(tmp_path / "cache"))
    with watched() as watch:
        study.run(tmp_path / "run")
    assert not [f"{kind}: {place.module}.{place.name}" for kind, place in sorted(watch.missing)]
    kinds = {kind for kind, _ in watch.seen}
    assert {"ClassifierSlots", "General", "Rule", "LabelMatch", "Accuracy", "AccuracyDifference"} <= kinds
    assert len(watch.seen) > 100


def test_a_function_that_a_closure_lacks_is_noticed(study: Study) -> None:
    material = study.materials
    assert isinstance(material, ClassifierSlots)
    with watched() as watch:
        # As if the author of the closure had forgotten everything but the class itself.
        whole = closure(type(material))
        own = Place(type(material).__module__, type(material).__name__)
        watch.closures[type(material)] = Closure({own: whole.definitions[own]}, whole.checksum)
        material.items()
    assert ("ClassifierSlots", Place("hengliang.materials.slot_extraction", "extract")) in watch.missing
