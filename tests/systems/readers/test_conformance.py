"""Does the kit find each fault that a reader of descriptions can have, and none where there is none?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from hengliang.core import Language, examine
from hengliang.materials.quantified_expressions import Description, Expression
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene
from hengliang.systems.readers.base import Reader, ReadScene, ReadText
from hengliang.systems.readers.conformance import contradictions, plain_descriptions, reader_promises
from hengliang.systems.readers.model_reader import ModelReader, ReaderChoice
from hengliang.systems.readers.parsing import parse_description
from hengliang.systems.readers.understanding import understand
from tests.systems.readers.test_understanding import SIX_KINDS

MEANINGS: dict[str, Description] = {sample.text: (sample.expression,) for sample in plain_descriptions(DEFAULT_DOMAIN)}
CLASHES = [text for text, _ in contradictions(DEFAULT_DOMAIN)]


def broken_promises(reader: Reader) -> set[str]:
    return {finding.promise for finding in examine(reader_promises(reader)) if not finding.kept}


@pytest.mark.parametrize("choice", ["sample", "typical"])
@pytest.mark.parametrize("domain", [DEFAULT_DOMAIN, SIX_KINDS])
def test_the_model_reader_keeps_all_promises(choice: ReaderChoice, domain: Domain) -> None:
    findings = list(ModelReader(choice, domain=domain).conformance())
    assert [finding for finding in findings if not finding.kept] == []
    assert len(findings) == 16


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_reader_of_one_language_keeps_them_too(language: Language) -> None:
    assert broken_promises(ModelReader(language=language)) == set()


class Broken(Reader):
    """A reader with one fault; without a fault it knows the kit's descriptions by heart."""

    name = "broken"

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.__dict__["_calls"] = 0

    def read(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        self.__dict__["_calls"] += 1
        return getattr(self, f"_{self.fault}", self._nothing_wrong)(descriptions)

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        answers = super().answer(items)
        counts = pl.col("content").list
        if self.fault == "too_few":
            return answers.with_columns(content=counts.head(2))
        if self.fault == "sizeless":
            given = super().answer(items.with_columns(pl.col("scene_size").fill_null(4)))
            return answers.with_columns(content=given["content"], status=given["status"], reason=given["reason"])
        return answers.reverse() if self.fault == "reversed" else answers

    def _nothing_wrong(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return [self._known(one) for one in descriptions]

    def _known(self, description: ReadText) -> ReadScene:
        if description.text in CLASHES:
            return ReadScene(None, "everything cannot be blue and red")
        if description.text not in MEANINGS:
            return ReadScene(None, "never heard of")
        return ReadScene(understand(MEANINGS[description.text], description.size).typical())

    def _silent(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return [ReadScene(None, "too tired") for _ in descriptions]

    def _inconsistent(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        known = self._nothing_wrong(descriptions)
        return [
            ReadScene(Scene((0, 0, 0, asked.size))) if read.scene else read
            for asked, read in zip(descriptions, known, strict=True)
        ]

    def _moody(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        text = next(
            sample.text for sample in plain_descriptions(DEFAULT_DOMAIN) if sample.expression.quantifier == "most"
        )
        known = self._nothing_wrong(descriptions)
        other = ReadScene(Scene((4, 0, 0, 0)))
        return [
            other if asked == ReadText(text, 4) and self.__dict__["_calls"] % 2 else read
            for asked, read in zip(descriptions, known, strict=True)
        ]

    def _alone(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return self._by_batch(descriptions, len(descriptions) == 1)

    def _five(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return self._by_batch(descriptions, len(descriptions) == 5)

    def _by_batch(self, descriptions: Sequence[ReadText], other: bool) -> list[ReadScene]:
        """Name the most typical scene, or in some batches the first that fits."""
        if not other:
            return self._nothing_wrong(descriptions)
        return [
            ReadScene(understand(MEANINGS[one.text], one.size).likeliest(1)[0][0])
            if one.text in MEANINGS
            else self._known(one)
            for one in descriptions
        ]

    def _order(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        samples = plain_descriptions(DEFAULT_DOMAIN)
        first, last = (ReadText(sample.text, sample.size) for sample in (samples[0], samples[-1]))
        asked = list(descriptions)
        turned = first in asked and last in asked and asked.index(first) > asked.index(last)
        return self._by_batch(descriptions, turned)

    def _guessing(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return [ReadScene(Scene((one.size, 0, 0, 0))) if one.text == "42" else self._known(one) for one in descriptions]

    def _clash_guessed(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return [
            ReadScene(Scene((one.size, 0, 0, 0))) if one.text in CLASHES else self._known(one) for one in descriptions
        ]

    def _clash_unnamed(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return [ReadScene(None, "nonsense") if one.text in CLASHES else self._known(one) for one in descriptions]

    def _something_for_nothing(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return self._nothing_wrong(descriptions) or [ReadScene(None, "nothing was asked")]


def test_a_reader_without_fault_breaks_nothing() -> None:
    assert broken_promises(Broken()) == set()


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("silent", "reads plain descriptions"),
        ("inconsistent", "a scene that it names is consistent with what it read"),
        ("five", "gives the same answer in batches of another size"),
        ("order", "gives the same answer in another order"),
        ("guessing", "what it does not understand is missing with a reason"),
        ("clash_guessed", "a contradiction is missing with a reason that names the clash"),
        ("clash_unnamed", "a contradiction is missing with a reason that names the clash"),
        ("something_for_nothing", "an empty table gives an empty table"),
        ("sizeless", "an item without a size gets a reason"),
    ],
)
def test_the_kit_finds_a_fault_and_only_that(fault: str, promise: str) -> None:
    assert broken_promises(Broken(fault)) == {promise}


def test_the_kit_finds_faults_that_show_in_several_promises() -> None:
    assert "gives the same answer the second time" in broken_promises(Broken("moody"))
    assert "gives the same answer alone as in a batch" in broken_promises(Broken("alone"))
    assert {"the counts add up to the size", "counts the kinds of its domain, each once"} <= broken_promises(
        Broken("too_few")
    )
    assert "reads plain descriptions" in broken_promises(Broken("reversed"))


def test_the_samples_say_what_their_forms_say() -> None:
    english = [sample for sample in plain_descriptions(DEFAULT_DOMAIN) if sample.language == "en" and sample.size == 4]
    assert {sample.text: str(sample.expression) for sample in english} == {
        "All of the objects are blue.": "all(object, blue)",
        "Half of the objects are red.": "half(object, red)",
        "Most of the objects are blue.": "most(object, blue)",
        "No objects are red.": "no(object, red)",
    }
    assert isinstance(english[0].expression, Expression)


@pytest.mark.parametrize("domain", [DEFAULT_DOMAIN, SIX_KINDS])
def test_the_samples_are_parsed_as_their_forms(domain: Domain) -> None:
    samples = plain_descriptions(domain)
    parsed = [parse_description(sample.text, domain) for sample in samples]
    assert [parse.expressions for parse in parsed] == [(sample.expression,) for sample in samples]
    assert all(parse.whole for parse in parsed)
