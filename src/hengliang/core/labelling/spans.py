"""Sequence labelling: labelled spans of bytes and the promises of whoever labels.

The words that a tagger finds and the entities that a recogniser finds are both labelled spans. A batch in columns, as
everywhere: spans are bytes of the text, in order and apart. A text that could not be worked on has a problem and no
spans, so that one bad sentence never stops the others and never looks like a sentence without entities.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from hengliang.core.conformance import Promise
from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.text.characters import Offsets, utf8

# --- labelled spans ---------------------------------------------------------------------------------------------------


Labelled = tuple[int, int, str]
"""A stretch as its first byte, the byte after its last, and its label."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledSpans:
    """The labelled stretches of a batch. Those of text `i` are the entries `offsets[i]:offsets[i + 1]` of the columns.

    `problems` says of each text why nothing is known about it, and is empty where all went well.
    """

    offsets: Offsets
    starts: Offsets
    ends: Offsets
    labels: pl.Series
    problems: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def rows(self) -> Offsets:
        """The number of the text to which each stretch belongs."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    def of(self, row: int) -> list[Labelled]:
        """Return the stretches of one text."""
        entries = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        columns = (self.starts[entries].tolist(), self.ends[entries].tolist(), self.labels[entries].to_list())
        return list(zip(*columns, strict=True))

    def take(self, rows: Sequence[int] | Offsets) -> LabelledSpans:
        """Return those of the texts with these row numbers, in this order."""
        wanted = np.asarray(rows, np.int64)
        counts = np.diff(self.offsets)[wanted]
        places = ranges(self.offsets[:-1][wanted], counts)
        return LabelledSpans(
            edges_of(counts),
            self.starts[places],
            self.ends[places],
            self.labels.gather(places),
            tuple(self.problems[row] for row in wanted.tolist()),
        )


def labelled_spans(texts: Iterable[Sequence[Labelled] | str]) -> LabelledSpans:
    """Return the stretches of texts given one by one: those of each, or a text that says why there are none."""
    rows = list(texts)
    spans = [span for row in rows if not isinstance(row, str) for span in row]
    edges = np.array([span[:2] for span in spans], np.int64).reshape(-1, 2)
    return LabelledSpans(
        edges_of([0 if isinstance(row, str) else len(row) for row in rows]),
        edges[:, 0],
        edges[:, 1],
        pl.Series("label", [label for _, _, label in spans], dtype=pl.String),
        tuple(row if isinstance(row, str) else "" for row in rows),
    )


def labelled_safely(
    label: Callable[[Sequence[str]], LabelledSpans], contents: Sequence[str], who: str, check: str
) -> LabelledSpans:
    """Label a batch; where that fails as a whole, text by text, so that only those that fail have a problem.

    `who` says who labels ("the tagger lac"), `check` by which name `hengliang check` knows it. Somebody who cannot work
    at all (a library is missing) says so with a `UserError`, which is passed on.
    """

    def checked(texts: Sequence[str]) -> LabelledSpans:
        spans = label(texts)
        if len(spans) != len(texts):
            raise UserError(
                f"{who[0].upper()}{who[1:]} returned {len(spans)} answers for {len(texts)} texts.",
                remedy=f"Return one a text, in order, then try: hengliang check {check}",
            )
        return spans

    def alone(text: str) -> LabelledSpans:
        try:
            return checked([text])
        except UserError:
            raise
        except Exception as error:
            message = " ".join(str(error).split())[:200]
            return labelled_spans([f"{who} failed: {type(error).__name__}: {message}"])

    try:
        return checked(contents)
    except UserError:
        raise
    except Exception:  # a stranger's model may raise anything on a text it has never seen the like of
        return concat([alone(content) for content in contents])


def concat(parts: Sequence[LabelledSpans]) -> LabelledSpans:
    """Return the stretches of all parts, one after the other."""
    if not parts:
        return labelled_spans([])
    return LabelledSpans(
        edges_of(np.concatenate([np.diff(part.offsets) for part in parts])),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        pl.concat([part.labels for part in parts]),
        tuple(problem for part in parts for problem in part.problems),
    )


# --- promises about spans ---------------------------------------------------------------------------------------------
# Taggers and recognisers of entities have one method in common: texts in, labelled spans out. The promises about spans,
# batches and awkward texts are the same for both and are tried here, on sentences of our own making.

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
        spans = work(texts)
        if len(spans) != len(texts) or len(spans.problems) != len(texts):
            raise UserError(
                f"{len(spans)} answers and {len(spans.problems)} problems came back for {len(texts)} texts."
            )
        if {len(spans.starts), len(spans.ends), len(spans.labels)} != {int(spans.offsets[-1])}:
            raise UserError("The columns of the spans are not of one length.")
        return spans

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
                labelled = self.label([text])
            except Exception:  # its own promise tells of it
                continue
            yield text, labelled.of(0)

    def _empty_text(self) -> str:
        spans = self.label(["", ORDINARY[0], ""])
        for row in (0, 2):
            if spans.problems[row] or spans.of(row):
                return f"it has {spans.problems[row] or spans.of(row)}"
        return ""

    def _problems_have_no_spans(self) -> str:
        for text in (*ORDINARY, *AWKWARD):
            try:
                spans = self.label([text])
            except Exception:  # its own promise tells of it
                continue
            if spans.problems[0] and spans.of(0):
                return f"{shown(text)}: '{spans.problems[0]}' and yet {spans.of(0)}"
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
            spans = self.label([ORDINARY[row] for row in order]).take(np.argsort(order))
            problem = difference(self.spans, spans)
            if problem:
                return problem
        return ""

    def _same_beside_awkward_texts(self) -> str:
        return self._same_beside([*AWKWARD, LONG])

    def _same_beside_a_megabyte(self) -> str:
        return self._same_beside([MEGABYTE])

    def _same_beside(self, others: Sequence[str]) -> str:
        spans = self.label([*others, *ORDINARY])
        return difference(self.spans, spans.take(np.arange(len(others), len(spans))))

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
    last_end = 0
    for start, end, _ in spans:
        if start < last_end:
            return f"a span starts at byte {start}, but the one before it ends at {last_end}"
        if start == end:
            return f"the span {start}–{end} is empty"
        last_end = end
    return ""


def difference(expected: LabelledSpans, found: LabelledSpans) -> str:
    """Return where the spans of the ordinary texts differ between two tries, in words, or nothing."""
    for row, text in enumerate(ORDINARY):
        before, now = (expected.problems[row], expected.of(row)), (found.problems[row], found.of(row))
        if before != now:
            return f"{shown(text)}: {before[0] or before[1]} and then {now[0] or now[1]}"
    return ""


def shown(text: str) -> str:
    """Return a text as it stands in a finding."""
    return repr(text) if len(text) <= 40 else f"{text[:20]!r}… ({len(text)} characters)"
