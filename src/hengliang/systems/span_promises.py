"""What does everybody promise who labels stretches of texts, be they words or entities?

Taggers and recognisers of entities have one method in common: texts in, labelled spans out. The promises about spans,
batches and awkward texts are the same for both and are tried here, on sentences of our own making.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hengliang.errors import UserError
from hengliang.findings import Promise
from hengliang.systems.labelled_spans import Labelled, LabelledSpans, concat
from hengliang.text import utf8

ORDINARY = (
    *(
        "他终于成为了医生。",
        "昨天晚上下了一场大雨。",
        "孩子们在院子里唱歌。",
        "这本书我还没有看完。",
        "火车开走了。",
        "好。",
    ),
    *("张小明去年三月从北京搬到了上海。", "这家公司花３００万元买了两公里的铁路。", "黄河的水涨了百分之五。"),
    *("Anna moved to Paris in 1998.", "The company paid 5 million dollars for it.", "It rained."),
)
AWKWARD = (
    *("我", "。", " ", "　", "他\n走\t了", "，。，。！？", "哈" * 60, "一" * 300, "1" * 300, "万" * 300),
    *("𠮷𠮟𪚥", "龘靐齉的书", "👍🏽很好👨‍👩‍👧‍👦", "字\u0301e\u0323\u0302走x\u0302了", "\u0301", "葛\U000e0100飾區"),
    *("I love 北京 very much.", "  Hello ", "2024年，ＡＢＣ３．１４％", "这是 GPT-4 吗？", "дом かな 한글"),
    *("他\x00走\x07了\x1b。", "\u200b他\ufeff走\u2028了", "\ue000\U0010fffd", "這本書很有意思。", "臺灣的鄉下，壹佰元"),
    *("<ne:PERSON>走了", "</s>", "第", "第第三", "百分之", "$", "1/", "3.", "一九九八年一月二十五日上午九时三十分"),
)
LONG = "".join(ORDINARY) * 100
"""A text of some ten thousand characters."""

MEGABYTE = "长" * 350_000
"""A line of a megabyte: it may be refused, and nothing else may suffer from it."""

Method = Callable[[Sequence[str]], LabelledSpans]
Fault = Callable[[str, list[Labelled]], str]
"""What is wrong with the spans of one text, or nothing."""


@dataclass(frozen=True)
class SpanKit:
    """The promises about one thing that labels spans; `method` names its method. Each returns a counterexample."""

    thing: object
    method: str

    def label(self, texts: Sequence[str], thing: object = None) -> LabelledSpans:
        """Return the spans of the texts when their columns fit each other and the texts, else say what is wrong."""
        work: Method = getattr(self.thing if thing is None else thing, self.method)
        found = work(texts)
        if len(found) != len(texts) or len(found.problems) != len(texts):
            raise UserError(
                f"{len(found)} answers and {len(found.problems)} problems came back for {len(texts)} texts."
            )
        if {len(found.starts), len(found.ends), len(found.labels)} != {int(found.offsets[-1])}:
            raise UserError("The columns of the spans are not of one length.")
        return found

    @cached_property
    def spans(self) -> LabelledSpans:
        """The spans of the ordinary texts, all in one batch."""
        return self.label(ORDINARY)

    def promises(self) -> list[Promise]:
        """Return what is promised about batches and awkward texts, whatever the labels mean."""
        return [
            ("spans lie within the text and between characters", self.each(_misplaced)),
            ("spans are in order, apart and not empty", self.each(_disordered)),
            ("an empty text has no spans and no problem", self._empty_text),
            ("a text with a problem has no spans", self._problems_have_no_spans),
            ("gives the same spans the second time", self._same_again),
            ("gives the same spans alone as in a batch", self._same_alone),
            ("gives the same spans in batches of another size", self._same_in_other_batches),
            ("gives the same spans in another order", self._same_in_another_order),
            ("gives the same spans beside awkward texts", self._same_beside_awkward_texts),
            ("gives the same spans beside a line of a megabyte", self._same_beside_a_megabyte),
            ("gives the same spans when it was sent to another process", self._same_when_pickled),
            ("nothing gives nothing", self._nothing_for_nothing),
            ("awkward texts get spans or a problem", self._survives_awkward_texts),
        ]

    def each(self, fault: Fault) -> Callable[[], str]:
        """Return a promise about the spans of every text, ordinary or awkward."""

        def counterexample() -> str:
            for text, spans in self._all():
                problem = fault(text, spans)
                if problem:
                    return f"{shown(text)}: {problem}"
            return ""

        return counterexample

    def _all(self) -> Iterator[tuple[str, list[Labelled]]]:
        for row, text in enumerate(ORDINARY):
            yield text, self.spans.of(row)
        for text in (*AWKWARD, LONG):
            try:
                found = self.label([text])
            except Exception:  # its own promise tells of it
                continue
            yield text, found.of(0)

    def _empty_text(self) -> str:
        found = self.label(["", ORDINARY[0], ""])
        for row in (0, 2):
            if found.problems[row] or found.of(row):
                return f"it has {found.problems[row] or found.of(row)}"
        return ""

    def _problems_have_no_spans(self) -> str:
        for text in (*ORDINARY, *AWKWARD):
            try:
                found = self.label([text])
            except Exception:  # its own promise tells of it
                continue
            if found.problems[0] and found.of(0):
                return f"{shown(text)}: '{found.problems[0]}' and yet {found.of(0)}"
        return ""

    def _same_again(self) -> str:
        first, second = self.label(ORDINARY), self.label(ORDINARY)
        self.label(ORDINARY[3:5])
        return difference(first, second) or difference(first, self.label(ORDINARY))

    def _same_alone(self) -> str:
        return difference(self.spans, concat([self.label([text]) for text in ORDINARY]))

    def _same_in_other_batches(self) -> str:
        for size in (5, 7):
            batches = [ORDINARY[start : start + size] for start in range(0, len(ORDINARY), size)]
            problem = difference(self.spans, concat([self.label(batch) for batch in batches]))
            if problem:
                return problem
        return ""

    def _same_in_another_order(self) -> str:
        rows = np.arange(len(ORDINARY))
        for order in (rows[::-1], np.roll(rows, 5)):
            found = self.label([ORDINARY[row] for row in order]).take(np.argsort(order))
            problem = difference(self.spans, found)
            if problem:
                return problem
        return ""

    def _same_beside_awkward_texts(self) -> str:
        return self._same_beside([*AWKWARD, LONG])

    def _same_beside_a_megabyte(self) -> str:
        return self._same_beside([MEGABYTE])

    def _same_beside(self, others: Sequence[str]) -> str:
        found = self.label([*others, *ORDINARY])
        return difference(self.spans, found.take(np.arange(len(others), len(found))))

    def _same_when_pickled(self) -> str:
        return difference(self.spans, self.label(ORDINARY, pickle.loads(pickle.dumps(self.thing))))

    def _nothing_for_nothing(self) -> str:
        count = len(self.label([]))
        return f"{count} answers about nothing" if count else ""

    def _survives_awkward_texts(self) -> str:
        for text in (*AWKWARD, LONG):
            try:
                self.label([text])
            except Exception as error:
                return f"{shown(text)}: {type(error).__name__}: {error}"
        return ""


def _misplaced(text: str, spans: list[Labelled]) -> str:
    raw = utf8(text)
    for start, end, _ in spans:
        if not 0 <= start <= end <= len(raw):
            return f"the span {start}–{end} of a text of {len(raw)} bytes"
        for edge in (start, end):
            # The bytes 10xxxxxx of UTF-8 continue a character.
            if edge < len(raw) and raw[edge] & 0xC0 == 0x80:
                return f"the span {start}–{end} cuts a character"
    return ""


def _disordered(text: str, spans: list[Labelled]) -> str:
    place = 0
    for start, end, _ in spans:
        if start < place:
            return f"a span starts at byte {start}, but the one before it ends at {place}"
        if start == end:
            return f"the span {start}–{end} is empty"
        place = end
    return ""


def difference(expected: LabelledSpans, found: LabelledSpans) -> str:
    """Return where the spans of the ordinary texts differ between two tries, in words, or nothing."""
    for row, text in enumerate(ORDINARY):
        one, other = (expected.problems[row], expected.of(row)), (found.problems[row], found.of(row))
        if one != other:
            return f"{shown(text)}: {one[0] or one[1]} and then {other[0] or other[1]}"
    return ""


def shown(text: str) -> str:
    """Return a text as it stands in a finding."""
    return repr(text) if len(text) <= 40 else f"{text[:20]!r}… ({len(text)} characters)"
