"""Does a reader of descriptions keep its promises?

The kit puts plain descriptions in both languages to the reader, made of the words of its domain, and some that nobody
can understand or that contradict themselves, and tries one promise at a time. Ours and a user's own readers run it
alike: `hengliang check NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from hengliang.core.base_classes import check_answers
from hengliang.core.conformance import Promise
from hengliang.core.labelling.same_answers import SameAnswers
from hengliang.core.records import Item, items_frame
from hengliang.core.terms import LANGUAGES, Language
from hengliang.materials.quantified_expressions import Expression, is_true
from hengliang.materials.quantified_properties import OBJECT, prop
from hengliang.materials.scene_domains import Domain, Value
from hengliang.materials.scenes import Scene
from hengliang.systems.readers.base import SIZE, Reader

SIZES = (4, 10, 16)
"""The sizes of the scenes that the kit describes; half of each is a whole number."""

_NOT_UNDERSTOOD = ("Good morning to you.", "今天天气很好。", "", "   ", "42", "🐼🐼🐼", "ﷺ\u200b\n")

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Sample:
    """A plain description, what it says, and the language it is in."""

    text: str
    size: int
    expression: Expression
    language: Language


def plain_descriptions(domain: Domain) -> list[Sample]:
    """Return short descriptions in the words of a domain, in both languages, with their logical forms."""
    one, other = domain.attributes[0].values[:2]
    wordings = (
        ("all", one, f"All of the {domain.plural} are {{}}.", f"所有的{domain.chinese}都是{{}}。"),
        ("half", other, f"Half of the {domain.plural} are {{}}.", f"一半的{domain.chinese}是{{}}。"),
        ("most", one, f"Most of the {domain.plural} are {{}}.", f"大多数{domain.chinese}是{{}}。"),
        ("no", other, f"No {domain.plural} are {{}}.", f"没有{domain.chinese}是{{}}。"),
    )
    return [
        Sample(
            wording.format(_word(value, language, domain)), size, Expression(name, OBJECT, prop(value.name)), language
        )
        for size in SIZES
        for name, value, *texts in wordings
        for language, wording in zip(LANGUAGES, texts, strict=True)
    ]


def contradictions(domain: Domain) -> list[tuple[str, Language]]:
    """Return a description that contradicts itself, in both languages: everything is one thing and another."""
    values = domain.attributes[0].values[:2]
    english = " ".join(f"All of the {domain.plural} are {_word(value, 'en', domain)}." for value in values)
    chinese = "".join(f"所有的{domain.chinese}都是{_word(value, 'zh', domain)}。" for value in values)
    return [(english, "en"), (chinese, "zh")]


def _word(value: Value, language: Language, domain: Domain) -> str:
    noun = domain.noun is not None and value in domain.noun.values
    if language == "en":
        return value.plural if noun else value.english
    return value.chinese if noun else f"{value.chinese}的"


def description_items(descriptions: Iterable[tuple[str, int]]) -> pl.DataFrame:
    """Return the item table of descriptions with the sizes of their scenes."""
    return items_frame(
        Item(f"text-{number}", f"text-{number}", "conformance", "", text, attributes={SIZE: size})
        for number, (text, size) in enumerate(descriptions, 1)
    )


def reader_promises(reader: Reader) -> list[Promise]:
    """Return what every reader promises; `hengliang.core.conformance.examine` tries it."""
    kit = _Kit(reader)
    return [
        ("reads plain descriptions", kit.reads_plain_descriptions),
        ("the counts add up to the size", kit.each_answer(_adds_up)),
        ("counts the kinds of its domain, each once", kit.each_answer(kit.names_kinds)),
        ("a scene that it names is consistent with what it read", kit.each_answer(kit.is_consistent)),
        *SameAnswers(kit.items, kit.counts).promises(),
        ("an empty table gives an empty table", kit.nothing_for_nothing),
        ("what it does not understand is missing with a reason", kit.says_what_it_does_not_understand),
        ("a contradiction is missing with a reason that names the clash", kit.names_the_clash),
        ("an item without a size gets a reason", kit.gives_a_reason_without_size),
    ]


@dataclass(frozen=True)
class _Kit:
    """The promises about one reader; each method returns a counterexample or nothing."""

    reader: Reader

    @cached_property
    def samples(self) -> list[Sample]:
        return plain_descriptions(self.reader.domain)

    @cached_property
    def items(self) -> pl.DataFrame:
        return description_items((sample.text, sample.size) for sample in self.samples)

    def _answers(self, items: pl.DataFrame) -> pl.DataFrame:
        return check_answers(self.reader.answer(items), items, self.reader)

    def counts(self, items: pl.DataFrame) -> list[list[tuple[str, int]] | None]:
        """Return the counts of each item by kind, None where there is no answer."""
        return [
            None if content is None else [(count["kind"], count["count"]) for count in content]
            for content in self._answers(items)["content"].to_list()
        ]

    @cached_property
    def languages(self) -> list[Language]:
        """The languages in which it reads all plain descriptions."""
        read = [content is not None for content in self.counts(self.items)]
        unread = {sample.language for sample, good in zip(self.samples, read, strict=True) if not good}
        return [language for language in LANGUAGES if language not in unread]

    def reads_plain_descriptions(self) -> str:
        if self.languages:
            return ""
        silent = self._answers(self.items).filter(pl.col("status") != "ok")
        return f"no answer to {silent.height} of {self.items.height} in neither language whole: {silent['reason'][0]}"

    def each_answer(self, fault: Callable[[Sample, list[tuple[str, int]]], str]) -> Callable[[], str]:
        def counterexample() -> str:
            for sample, counts in zip(self.samples, self.counts(self.items), strict=True):
                problem = fault(sample, counts) if counts is not None else ""
                if problem:
                    return f"{sample.text!r}: {problem}"
            return ""

        return counterexample

    def names_kinds(self, sample: Sample, counts: list[tuple[str, int]]) -> str:
        names = [name for name, _ in counts]
        wanted = self.reader.domain.kind_names
        return "" if sorted(names) == sorted(wanted) else f"counts {', '.join(names)}, not {', '.join(wanted)}"

    def is_consistent(self, sample: Sample, counts: list[tuple[str, int]]) -> str:
        held = dict(counts)
        scene = Scene(tuple(held.get(name, 0) for name in self.reader.domain.kind_names), self.reader.domain)
        return (
            "" if is_true(sample.expression, scene, "semantic") else f"{sample.expression} is not true of {scene.code}"
        )

    def nothing_for_nothing(self) -> str:
        count = max(self._answers(self.items.clear()).height, len(self.reader.read([])))
        return f"{count} answers to nothing" if count else ""

    def says_what_it_does_not_understand(self) -> str:
        return self._missing((text, 4) for text in _NOT_UNDERSTOOD)

    def names_the_clash(self) -> str:
        texts = contradictions(self.reader.domain)
        asked = [(text, 4) for text, language in texts if language in self.languages]
        problem = self._missing(asked)
        if problem or not asked:
            return problem
        for reason in self._answers(description_items(asked))["reason"].to_list():
            for value in self.reader.domain.attributes[0].values[:2]:
                if not any(word in reason for word in (value.name, value.english, value.chinese)):
                    return f"the reason '{reason}' does not speak of {value.name}"
        return ""

    def _missing(self, texts: Iterable[tuple[str, int]]) -> str:
        """Return which text was answered, or not answered without a reason."""
        items = description_items(texts)
        for text, answer in zip(items["content"].to_list(), self._answers(items).iter_rows(named=True), strict=True):
            if answer["content"] is not None:
                return f"{text!r} was read as {answer['content']}"
            if answer["status"] != "missing" or not answer["reason"]:
                return f"{text!r}: {answer['status']}, reason {answer['reason']!r}"
        return ""

    def gives_a_reason_without_size(self) -> str:
        answers = self._answers(self.items.with_columns(pl.lit(None, dtype=pl.Int64).alias(SIZE)))
        if answers["content"].null_count() < answers.height:
            return "it was answered all the same"
        silent = answers.filter(pl.col("reason").fill_null("") == "")
        return f"{silent['status'][0]} without a reason" if silent.height else ""


def _adds_up(sample: Sample, counts: list[tuple[str, int]]) -> str:
    numbers = [number for _, number in counts]
    if min(numbers, default=0) < 0:
        return f"the counts are {numbers}"
    return "" if sum(numbers) == sample.size else f"the counts {numbers} add up to {sum(numbers)}, not to {sample.size}"
