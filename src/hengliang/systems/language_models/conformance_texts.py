"""Which texts are put to a language model to try it, and do two scores of them agree?

Sentences of our own making, with and without their words, and texts that are hard on spans and vocabularies. The
promises that are tried on them are in `hengliang.systems.language_models.conformance`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, concat, raw_texts, texts_of
from hengliang.core.text.characters import byte_offsets, utf8
from hengliang.core.text.segmentation import Segmented, join_words
from hengliang.systems.language_models.base import LanguageModel, Scoring
from hengliang.systems.language_models.scores import Numbers, Scores

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
# A masked model reads the text once a unit, so that ten thousand characters would take it hours.
_LONGEST: dict[Scoring, int] = {"causal": 10_000, "masked": 600, "beam": 600}


def segmented_texts(lines: Sequence[str] = SENTENCES) -> Texts:
    """Return texts of which all words are given, also where there is only one."""
    return texts_of(join_words(line.split()) for line in lines)


def ordinary_texts() -> Texts:
    """Return the ordinary sentences, first with their words and then without."""
    given = segmented_texts()
    return concat([given, raw_texts(given.contents)])


def awkward_texts(scoring: Scoring) -> Texts:
    """Return empty, long, foreign and broken texts, without words and then some with words."""
    long = "".join(segmented_texts().contents) * 100
    raw = raw_texts([*_AWKWARD, long[: _LONGEST[scoring]]])
    return concat([raw, texts_of(join_words(words) for words in _AWKWARD_WORDS)])


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
        one, other = expected.take([row]), found.take([row])
        if one.scored[0] != other.scored[0]:
            return f"{shown(content)}: once scored and once not: {one.problems[0]}{other.problems[0]}"
        if not (np.array_equal(one.starts, other.starts) and np.array_equal(one.ends, other.ends)):
            return f"{shown(content)}: other units"
        for what, left, right in (
            ("log-probability", one.logprobs, other.logprobs),
            ("unigram log-probability", one.unigram_logprobs, other.unigram_logprobs),
        ):
            for unit in np.flatnonzero(~close(left, right)).tolist():
                return f"{shown(content)}: the {what} of unit {unit + 1} is {left[unit]:.6f} and then {right[unit]:.6f}"
    return ""


def shown(content: str) -> str:
    """Return a content as it stands in a finding."""
    return repr(content) if len(content) <= 40 else f"{content[:20]!r}… ({len(content)} characters)"
