"""Conformance tests of language models: spans, chain rule, prefix invariance, next-unit probabilities, beam mass.

The kit puts sentences of our own making to the model, ordinary and awkward ones, and tests one promise at a time. Which
promises there are follows from the model's conventions: a masked model sees both sides and promises no chain rule, a
beam may lose mass. Our own models and those of a user go through the same tests: `hengliang check NAME`. The chapter
has the test texts, the promises about next units, and those of every language model.
"""

from __future__ import annotations

import inspect
import pickle
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, get_args, runtime_checkable

import numpy as np
import numpy.typing as npt

from hengliang.core.base_classes import check_answers
from hengliang.core.conformance import Promise
from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import WORD, Texts, raw_texts, texts_of
from hengliang.core.labelling.texts import concat as concat_texts
from hengliang.core.records import Item, Span, items_frame
from hengliang.core.text.characters import byte_offsets, utf8
from hengliang.core.text.segmentation import Segmented, join_words, words_of
from hengliang.language_models.base import END, LanguageModel, NextUnits, Scoring, Unit
from hengliang.language_models.regions import sentence_logprobs
from hengliang.language_models.scores import Numbers, Scores, concat, scores_of_content

# --- test texts -------------------------------------------------------------------------------------------------------
# Sentences of our own making, with and without their words, and texts that are hard on spans and vocabularies; and the
# comparison of two scores of them.

SAME_TOLERANCE = 1e-5
"""How far two log-probabilities may lie apart, in nats or, below −1, in parts of them: single precision does that."""

SENTENCES = (
    "他 终于 成为 了 医生 。",
    "昨天 晚上 下 了 一 场 大雨 。",
    "研究 生命 的 起源 很 有意思 。",
    "研究生 命 苦 。",
    "孩子 们 在 院子 里 唱歌 。",
    "这 本 书 我 还 没有 看完 。",
    "虽然 天气 很 冷 ， 他们 还是 去 爬山 了 。",
    "我 把 钥匙 忘 在 家里 了 。",
    "老 师 问 学 生 谁 会 回 答 。",
    "火车 开走 了 。",
    "好 。",
)
SHORT_SENTENCES = ("他 走 了 。", "火车 开走 了 。", "好 。", "医生 好")
_AWKWARD = (
    *("", "我", "。", " ", "他\n走\t了", "，。，。！？", "哈" * 60),
    *("𠮷𠮟𪚥", "龘靐齉的书", "👍🏽很好👨‍👩‍👧‍👦", "字\u0301e\u0323\u0302走x\u0302了", "\u0301", "葛\U000e0100飾區"),
    *("I love 北京 very much.", "Hello", "2024年，ＡＢＣ３．１４％", "这是 GPT-4 吗？", "дом かな 한글"),
    *("他\x00走\x07了\x1b。", "\u200b他\ufeff走\u2028了", "\ue000\U0010fffd"),
    *("這本書很有意思。", "臺灣的鄉下"),
    *("</s>", "他</s>走<s>了<unk>", "[MASK][CLS]好[SEP]", "<|endoftext|>好<pad>"),
)
_AWKWARD_WORDS = (
    (),
    ("我",),
    ("</s>",),
    ("<s>", "好"),
    ("<unk>", "走"),
    ("Hello", "world"),
    ("他", "𠮷𠮟", "👍🏽", "了"),
)
# A masked model reads the text once per unit, so that ten thousand characters would take it hours.
_LONGEST: dict[Scoring, int] = {"causal": 10_000, "masked": 600, "beam": 600}


def segmented_texts(lines: Sequence[str] = SENTENCES) -> Texts:
    """Return texts of which all words are given, also where there is only one."""
    return texts_of(join_words(line.split()) for line in lines)


def ordinary_texts() -> Texts:
    """Return the ordinary sentences, first with their words and then without."""
    segmented = segmented_texts()
    return concat_texts([segmented, raw_texts(segmented.contents)])


def awkward_texts(scoring: Scoring) -> Texts:
    """Return empty, long, foreign and broken texts, without words and then some with words."""
    long = "".join(segmented_texts().contents) * 100
    raw = raw_texts([*_AWKWARD, long[: _LONGEST[scoring]]])
    return concat_texts([raw, texts_of(join_words(words) for words in _AWKWARD_WORDS)])


def long_text() -> Texts:
    """Return one text with words, many times as long as an ordinary sentence."""
    return texts_of([join_words([word for line in SENTENCES * 3 for word in line.split()])])


def cut(text: Segmented, place: int) -> Segmented:
    """Return the text up to this byte; a word that reaches beyond it is cut."""
    spans = [(start, min(end, place)) for start, end in text.spans if start < place]
    return Segmented(utf8(text.content)[:place].decode(), spans)


def places_to_cut(text: Segmented, *, at_words: bool) -> list[int]:
    """Return where the words, or else the characters, of a text end."""
    ends: list[int] = byte_offsets(text.content)[1:].tolist()
    return [end for _, end in text.spans] if at_words else ends


def checked_scores(model: LanguageModel, texts: Texts) -> Scores:
    """Return the model's scores when their columns fit each other and the texts, else say what is wrong."""
    scores = model.score(texts)
    columns = (scores.starts, scores.ends, scores.logprobs, scores.unigram_logprobs, scores.unknown)
    if len(scores) != len(texts) or len(scores.problems) != len(texts):
        raise UserError(f"{len(scores)} texts and {len(scores.problems)} problems came back for {len(texts)} texts.")
    if {len(column) for column in columns} != {int(scores.offsets[-1])} or (scores.counts < 0).any():
        raise UserError("The columns of the scores are not of one length, or their offsets do not ascend.")
    if scores.counts[~scores.scored].any():
        raise UserError("A text has a problem and yet units.")
    return scores


def close(one: Numbers, other: Numbers) -> npt.NDArray[np.bool_]:
    """Say of each pair of log-probabilities whether they are the same but for rounding."""
    return np.isclose(one, other, rtol=SAME_TOLERANCE, atol=SAME_TOLERANCE, equal_nan=True)


def difference(texts: Texts, expected: Scores, found: Scores) -> str:
    """Return where two scores of the same texts differ, in words, or nothing."""
    for row, content in enumerate(texts.contents):
        expected_row, found_row = expected.take([row]), found.take([row])
        if expected_row.scored[0] != found_row.scored[0]:
            return f"{shown(content)}: once scored and once not: {expected_row.problems[0]}{found_row.problems[0]}"
        if not (
            np.array_equal(expected_row.starts, found_row.starts) and np.array_equal(expected_row.ends, found_row.ends)
        ):
            return f"{shown(content)}: other units"
        for what, left, right in (
            ("log-probability", expected_row.logprobs, found_row.logprobs),
            ("unigram log-probability", expected_row.unigram_logprobs, found_row.unigram_logprobs),
        ):
            for unit in np.flatnonzero(~close(left, right)).tolist():
                return f"{shown(content)}: the {what} of unit {unit + 1} is {left[unit]:.6f} and then {right[unit]:.6f}"
    return ""


def shown(content: str) -> str:
    """Return a content as it stands in a finding."""
    return repr(content) if len(content) <= 40 else f"{content[:20]!r}… ({len(content)} characters)"


# --- promises about next units ----------------------------------------------------------------------------------------
# No unit is scored by what stands after it, the probabilities of the next unit sum to one, a unit is scored with the
# probability that it had as the next unit, and a beam holds no more mass than there is.

SUM_TOLERANCE = 1e-5
"""How far from one a sum of probabilities may lie: a table in single precision over a hundred thousand words does."""

# How vocabularies of subwords mark a piece that begins a word or goes on with one.
_MARKS = ("", " ", "▁", "Ġ", "##")


@runtime_checkable
class BeamModel(Protocol):
    """What a model with the scoring `beam` may offer so that the kit can weigh its beam; optional."""

    def enumerable(self) -> bool:
        """Say whether short sentences have so few analyses that all of them can be enumerated."""

    def exact_logprobs(self, texts: Texts) -> Numbers:
        """Return the log-probability of each text over all analyses; NaN where that would take too long."""

    def at_full_width(self) -> LanguageModel:
        """Return the same model with a beam that drops no analysis."""


def next_unit_promises(model: LanguageModel) -> list[Promise]:
    """Return what a model that reads from left to right promises about what comes next."""
    kit = _NextUnitKit(model)
    scoring = model.conventions().scoring
    promises: list[Promise] = [("what comes later does not change a score", kit.prefix_invariance)]
    if model.foretells:
        whole = "sum to one" if scoring == "causal" else "sum to no more than one"
        promises += [
            (f"the probabilities of the next unit {whole}", kit.sums_to_one),
            ("the next unit is the same alone as in a batch", kit.same_alone),
            ("a unit is scored as it is foretold", kit.chain_rule),
        ]
    if scoring == "beam" and isinstance(model, BeamModel) and model.enumerable():
        promises += [
            ("the mass of the beam is never above the exact marginal", kit.mass_of_the_beam),
            ("at full width the mass is the exact marginal", kit.mass_at_full_width),
        ]
    return promises


@dataclass(frozen=True)
class _NextUnitKit:
    """The promises about one model; each method returns a counterexample or nothing."""

    model: LanguageModel

    @property
    def _cuts_at_words(self) -> bool:
        conventions = self.model.conventions()
        return conventions.unit == "word" or bool(conventions.segmenter)

    @property
    def _has_plain_units(self) -> bool:
        return self.model.conventions().unit in {"word", "character"}

    # --- prefixes -----------------------------------------------------------------------------------------------------

    def prefix_invariance(self) -> str:
        texts = segmented_texts()
        scores = checked_scores(self.model, texts)
        for row, text in enumerate(texts):
            places = places_to_cut(text, at_words=self._cuts_at_words)
            places = places[len(places) // 3 :: max(1, len(places) // 3)]
            shortened = checked_scores(self.model, texts_of(cut(text, end) for end in places))
            for number, end in enumerate(places):
                problem = self._prefix_difference(scores.take([row]), shortened.take([number]), end)
                if problem:
                    return f"{text.content!r}, cut after byte {end}: {problem}"
        return ""

    def _prefix_difference(self, whole: Scores, prefix: Scores, place: int) -> str:
        # The last subword of a prefix may be another one than in the whole, although it stands at the same place.
        inside = prefix.ends <= place if self._has_plain_units else prefix.ends < place
        count = min(int((inside & (prefix.ends > prefix.starts)).sum()), len(whole.starts))
        same = (whole.starts[:count] == prefix.starts[:count]) & (whole.ends[:count] == prefix.ends[:count])
        shared = int(np.argmin(np.append(same, False)))
        for unit in np.flatnonzero(~close(whole.logprobs[:shared], prefix.logprobs[:shared])).tolist():
            return f"unit {unit + 1} had {whole.logprobs[unit]:.6f} and has {prefix.logprobs[unit]:.6f}"
        return ""

    # --- next units ---------------------------------------------------------------------------------------------------

    @cached_property
    def prefixes(self) -> list[tuple[Segmented, Scores, int]]:
        """Some sentences with their scores and the number of each unit before which they can be cut."""
        texts = segmented_texts([SENTENCES[0], SENTENCES[6], SENTENCES[9]])
        scores = checked_scores(self.model, texts)
        # Without a begin symbol a model need not know how a sentence begins.
        first = 0 if self.model.conventions().bos else 1
        chosen = []
        for row, text in enumerate(texts):
            places = {0, *places_to_cut(text, at_words=self._cuts_at_words)}
            single = scores.take([row])
            starts = enumerate(single.starts.tolist())
            chosen += [(text, single, unit) for unit, start in starts if unit >= first and start in places]
        return chosen

    @cached_property
    def foretold(self) -> tuple[Texts, NextUnits]:
        texts = texts_of(cut(text, int(scores.starts[unit])) for text, scores, unit in self.prefixes)
        return texts, self.model.next_units(texts)

    def sums_to_one(self) -> str:
        texts, following = self.foretold
        units, conventions = list(following.units), self.model.conventions()
        if following.logprobs.shape != (len(texts), len(units)):
            return f"{following.logprobs.shape} log-probabilities for {len(texts)} prefixes and {len(units)} units"
        if conventions.eos and END not in units:
            return f"the end of a sentence, {END!r}, is not among the units"
        if self._has_plain_units and len(set(units)) < len(units):
            return "a unit comes twice"
        totals = np.exp(following.logprobs.astype(np.float64)).sum(axis=1)
        # Written so that a NaN, which is not within any distance of 1, is caught.
        right = totals <= 1 + SUM_TOLERANCE
        if conventions.scoring == "causal":
            right &= totals >= 1 - SUM_TOLERANCE
        for row in np.flatnonzero(~right).tolist():
            return f"after {texts.contents[row]!r} they sum to {float(totals[row])!r}"
        return ""

    def same_alone(self) -> str:
        texts, following = self.foretold
        for row in range(0, len(texts), 3):
            alone = self.model.next_units(texts.take([row]))
            if list(alone.units) != list(following.units):
                return f"after {texts.contents[row]!r}: other units"
            if not close(alone.logprobs[0], following.logprobs[row]).all():
                return f"after {texts.contents[row]!r}: other probabilities"
        return ""

    def chain_rule(self) -> str:
        texts, following = self.foretold
        shortened = checked_scores(self.model, texts)
        places = {unit: column for column, unit in enumerate(following.units)}
        for row, (text, scores, unit) in enumerate(self.prefixes):
            prefix = shortened.take([row])
            # A prefix of subwords may be cut up otherwise than the whole, and then predicts something else. Before a
            # text some tokenizers put a piece of their own, which is one unit with the first piece.
            alike = np.array_equal(prefix.ends[prefix.ends > prefix.starts], scores.ends[:unit])
            if alike and (unit > 0 or self._has_plain_units):
                problem = self._foretold_difference(text, scores, unit, following.logprobs[row], places)
                if problem:
                    return f"after {texts.contents[row]!r}: {problem}"
        return ""

    def _foretold_difference(
        self, text: Segmented, scores: Scores, unit: int, logprobs: Numbers, places: dict[str, int]
    ) -> str:
        start, end = int(scores.starts[unit]), int(scores.ends[unit])
        name = utf8(text.content)[start:end].decode(errors="replace").strip() if end > start else END
        marks = _MARKS[:1] if self._has_plain_units or name == END else _MARKS
        columns = [places[mark + name] for mark in marks if mark + name in places]
        if not columns:
            missing = self._has_plain_units and not scores.unknown[unit]
            return f"{name!r} is scored as a known unit and not foretold" if missing else ""
        if close(logprobs[columns], scores.logprobs[[unit]]).any():
            return ""
        return f"{name!r} is foretold with {logprobs[columns[0]]:.6f} and scored with {scores.logprobs[unit]:.6f}"

    # --- beams --------------------------------------------------------------------------------------------------------

    @cached_property
    def exact(self) -> Numbers:
        """The log-probabilities of the short sentences over all analyses, which take a while."""
        return _beam(self.model).exact_logprobs(segmented_texts(SHORT_SENTENCES))

    def mass_of_the_beam(self) -> str:
        return self._weigh(self.model, equal=False)

    def mass_at_full_width(self) -> str:
        return self._weigh(_beam(self.model).at_full_width(), equal=True)

    def _weigh(self, model: LanguageModel, *, equal: bool) -> str:
        texts = segmented_texts(SHORT_SENTENCES)
        exact, mass = self.exact, sentence_logprobs(checked_scores(model, texts))
        known = ~np.isnan(exact)
        if not known.any():
            return "the exact marginal of no short sentence is known"
        right = close(exact, mass) if equal else (mass <= exact) | close(exact, mass)
        for row in np.flatnonzero(known & ~right).tolist():
            return f"{texts.contents[row]!r}: the beam holds {mass[row]:.6f}, the exact marginal is {exact[row]:.6f}"
        return ""


def _beam(model: object) -> BeamModel:
    if not isinstance(model, BeamModel):
        raise UserError("The model has no methods enumerable, exact_logprobs and at_full_width.")
    return model


# --- promises of every language model ---------------------------------------------------------------------------------


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def language_model_promises(model: LanguageModel) -> list[Promise]:
    """Return what every language model of this kind promises; `hengliang.core.conformance.examine` tests it."""
    kit = _Kit(model)
    promises: list[Promise] = [
        ("states its conventions", kit.states_conventions),
        ("scores ordinary sentences", kit.scores_ordinary_sentences),
        ("units follow each other and cover the text", kit.each_text(_gap)),
        ("the end of a sentence is a unit of no width, if it is scored", kit.each_text(kit.wrong_end)),
        ("log-probabilities are numbers not above 0", kit.each_text(_wrong_logprobs)),
        ("unigram log-probabilities are known, if the conventions say so", kit.each_text(kit.wrong_unigrams)),
        ("gives the same scores the second time", kit.same_again),
        ("gives the same scores alone as in a batch", kit.same_alone),
        ("gives the same scores in batches of another size", kit.same_in_other_batches),
        ("gives the same scores in another order", kit.same_in_another_order),
        ("gives the same scores beside a much longer text", kit.same_beside_a_long_text),
        ("gives the same scores beside awkward texts", kit.same_beside_awkward_texts),
        ("a copy made by pickling gives the same scores", kit.same_when_pickled),
        ("a new one made with the same arguments gives the same scores", kit.same_when_made_again),
        ("answers items as it scores texts", kit.answers_as_it_scores),
        ("no texts give no scores", kit.nothing_for_nothing),
        ("awkward texts get a score or a reason", kit.survives_awkward_texts),
    ]
    conventions = model.conventions()
    if conventions.representation:
        # What stands for a word, and whether two words are one, is decided by the whole sentence.
        return promises
    if conventions.unit == "word":
        promises.append(("given words are its units", kit.respects_words))
    elif not conventions.segmenter:
        promises.append(("given words make no difference", kit.ignores_words))
    return promises if conventions.scoring == "masked" else [*promises, *next_unit_promises(model)]


@dataclass(frozen=True)
class _Kit:
    """The promises about one model; each method returns a counterexample or nothing."""

    model: LanguageModel

    @cached_property
    def texts(self) -> Texts:
        return ordinary_texts()

    @cached_property
    def scores(self) -> Scores:
        return checked_scores(self.model, self.texts)

    @cached_property
    def awkward(self) -> list[tuple[Texts, Scores | Exception]]:
        """Each awkward text with its score by itself, or with what went wrong."""
        texts = awkward_texts(self.model.conventions().scoring)
        attempts: list[tuple[Texts, Scores | Exception]] = []
        for row in range(len(texts)):
            text = texts.take([row])
            try:
                attempts.append((text, checked_scores(self.model, text)))
            except Exception as error:  # a stranger's model may raise anything, and one promise is about that
                attempts.append((text, error))
        return attempts

    @property
    def awkward_scores(self) -> list[tuple[Texts, Scores]]:
        return [(text, scores) for text, scores in self.awkward if isinstance(scores, Scores)]

    # --- each text by itself ------------------------------------------------------------------------------------------

    def states_conventions(self) -> str:
        stated = self.model.conventions()
        if stated != self.model.conventions():
            return "the conventions change from call to call"
        if stated.scoring not in get_args(Scoring) or stated.unit not in get_args(Unit):
            return f"the scoring is {stated.scoring!r} and the unit {stated.unit!r}"
        silent = [name for name in ("unknown", "unigrams", "context") if not getattr(stated, name)]
        if stated.unit == "word" and not stated.segmenter:
            silent.append("segmenter")
        return f"nothing is said about {', '.join(silent)}" if silent else ""

    def scores_ordinary_sentences(self) -> str:
        for content, problem in zip(self.texts.contents, self.scores.problems, strict=True):
            if problem:
                return f"{content!r}: {problem}"
        return ""

    def survives_awkward_texts(self) -> str:
        for text, outcome in self.awkward:
            if isinstance(outcome, Exception):
                return f"{shown(text.contents[0])}: {type(outcome).__name__}: {outcome}"
        return ""

    def each_text(self, fault: Callable[[str, Scores], str]) -> Callable[[], str]:
        def counterexample() -> str:
            for texts, scores in [(self.texts, self.scores), *self.awkward_scores]:
                for row in np.flatnonzero(scores.scored).tolist():
                    problem = fault(texts.contents[row], scores.take([row]))
                    if problem:
                        return f"{shown(texts.contents[row])}: {problem}"
            return ""

        return counterexample

    def wrong_end(self, content: str, scores: Scores) -> str:
        eos = self.model.conventions().eos
        empty = np.flatnonzero(scores.starts == scores.ends).tolist()
        if empty == ([len(scores.starts) - 1] if eos else []):
            return ""
        return f"units of no width: {len(empty)}, where the conventions say eos={eos}"

    def wrong_unigrams(self, content: str, scores: Scores) -> str:
        unknown = np.isnan(scores.unigram_logprobs)
        if self.model.conventions().unigrams == "none":
            return "" if unknown.all() else "there are some, although the conventions say none"
        return f"unit {int(np.argmax(unknown)) + 1} has none" if unknown.any() else _above_zero(scores.unigram_logprobs)

    # --- the same score -----------------------------------------------------------------------------------------------

    def same_again(self) -> str:
        first, second = checked_scores(self.model, self.texts), checked_scores(self.model, self.texts)
        checked_scores(self.model, self.texts.take([3, 0]))
        third = checked_scores(self.model, self.texts)
        return difference(self.texts, first, second) or difference(self.texts, first, third)

    def same_alone(self) -> str:
        return self._same_in_batches(1)

    def same_in_other_batches(self) -> str:
        return self._same_in_batches(5) or self._same_in_batches(9)

    def _same_in_batches(self, size: int) -> str:
        rows = np.arange(len(self.texts))
        batches = [self.texts.take(rows[start : start + size]) for start in rows[::size].tolist()]
        return difference(self.texts, self.scores, concat([checked_scores(self.model, batch) for batch in batches]))

    def same_in_another_order(self) -> str:
        rows = np.arange(len(self.texts))
        for order in (rows[::-1], np.roll(rows, 5)):
            scores = checked_scores(self.model, self.texts.take(order)).take(np.argsort(order))
            problem = difference(self.texts, self.scores, scores)
            if problem:
                return problem
        return ""

    def same_beside_a_long_text(self) -> str:
        return self._same_beside(long_text())

    def same_beside_awkward_texts(self) -> str:
        short = [pair for pair in self.awkward_scores if len(pair[0].contents[0]) < 100]
        if not short:
            return ""
        texts, scores = concat_texts([text for text, _ in short]), concat([score for _, score in short])
        return self._same_beside(texts) or difference(texts, scores, checked_scores(self.model, texts))

    def _same_beside(self, texts: Texts) -> str:
        both = checked_scores(self.model, concat_texts([texts, self.texts]))
        return difference(self.texts, self.scores, both.take(np.arange(len(texts), len(both))))

    def same_when_pickled(self) -> str:
        return self._same_as(pickle.loads(pickle.dumps(self.model)))

    def same_when_made_again(self) -> str:
        kind = type(self.model)
        names = [
            name for name, parameter in inspect.signature(kind).parameters.items() if parameter.kind not in _VARIADIC
        ]
        return self._same_as(kind(**{name: getattr(self.model, name) for name in names}))

    def _same_as(self, other: LanguageModel) -> str:
        return difference(self.texts, self.scores, checked_scores(other, self.texts))

    def answers_as_it_scores(self) -> str:
        for prefix in ("text", "other"):
            items = items_frame(_items(self.texts, prefix))
            answers = check_answers(self.model.answer(items), items, self.model)
            problem = difference(self.texts, self.scores, scores_of_content(answers["content"]))
            if problem:
                return problem
        return ""

    def nothing_for_nothing(self) -> str:
        nothing = self.texts.take([])
        count = len(checked_scores(self.model, nothing)) + self.model.answer(items_frame([])).height
        return f"{count} scores of nothing" if count else ""

    # --- words --------------------------------------------------------------------------------------------------------

    def respects_words(self) -> str:
        texts = segmented_texts()
        scores = checked_scores(self.model, texts)
        for row, text in enumerate(texts):
            units = [(unit.start, unit.end) for unit in scores.units(row) if unit.end > unit.start]
            if scores.scored[row] and units != text.spans:
                return f"{' '.join(text.words)!r} became {' '.join(words_of(text.content, units))!r}"
        return ""

    def ignores_words(self) -> str:
        texts = segmented_texts()
        rows = np.arange(len(texts))
        return difference(texts, self.scores.take(rows), self.scores.take(rows + len(texts)))


def _items(texts: Texts, prefix: str) -> Iterator[Item]:
    for number, (text, has_words) in enumerate(zip(texts, texts.segmented.tolist(), strict=True)):
        spans = tuple(Span(WORD, start, end) for start, end in text.spans) if has_words else ()
        yield Item(f"{prefix}-{number}", f"{prefix}-{number}", "conformance", "", text.content, spans)


def _gap(content: str, scores: Scores) -> str:
    if all(unicodedata.category(character)[0] in "ZC" for character in content):
        return ""  # a model may have no unit for white space and control characters
    size, expected, before = len(utf8(content)), 0, (0, 0)
    for start, end in zip(scores.starts.tolist(), scores.ends.tolist(), strict=True):
        # The pieces of one character may all have the span of that character.
        if start != expected and (start, end) != before:
            return f"a unit starts at byte {start}, where {expected} was expected"
        if end < start:
            return f"a unit starts at byte {start} and ends at {end}"
        expected, before = end, (start, end)
    return f"the units end at byte {expected} of {size}" if expected != size else ""


def _wrong_logprobs(content: str, scores: Scores) -> str:
    return _above_zero(scores.logprobs)


def _above_zero(logprobs: Numbers) -> str:
    # Written so that a NaN, which is not below anything, is caught.
    for unit in np.flatnonzero(~(logprobs <= SAME_TOLERANCE)).tolist():
        return f"unit {unit + 1} has {float(logprobs[unit])!r}"
    return ""
