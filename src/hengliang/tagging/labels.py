"""Labels of diagnostic sentences: Correct, Wrong in the tested way, or Record, judged at the target.

A sentence of a diagnostic set asks about one stretch, its target, and about one error, the item's pair: gold p+r, wrong
d [1]. What the tagger says about the rest of the sentence does not count.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 3.3.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, get_args

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.closure import outside_signatures
from hengliang.core.errors import UserError
from hengliang.core.judging import NO_ITEM, first_problem, judgements
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import utf8
from hengliang.core.views import View
from hengliang.tagging.sentences import read_gold
from hengliang.tagging.test_sets.items import TARGET

Label = Literal["Correct", "Wrong", "Record"]
CORRECT, WRONG, RECORD = LABELS = get_args(Label)
"""What can be said about a target, in the paper's words."""

NAME = "tagging item"
NO_TARGET = "the item names no target, gold or wrong tags"
NO_WORDS = "the tagger gave no words"
GOLD_ELSEWHERE = "the gold words of the item do not spell its target"

_TARGET_SCHEMA: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "target_start": pl.Int64,
    "target_end": pl.Int64,
    "gold_tags": pl.String,
    "gold_ends": pl.String,
    "wrong_tags": pl.String,
    "problem": pl.String,
}


@register(NAME)
class TaggingItemMeasure(Measure):
    """Correct, Wrong or Record, as section 3.3 of the paper has it; the value is 1 for Correct and else 0.

    - Correct: the tagger's words within the target are exactly those of the gold, with the same tags.
    - Wrong: some of the tagger's words start and end together with the target, and their tags are exactly the item's
      wrong tags, wherever the target is cut within.
    - Record: everything else, that is another tag, another cut, or a word that reaches over an edge of the target.

    So each sentence has exactly one of the three. The paper says of the second only that the target was mistagged by
    the pattern of the item; that the edges must meet is our reading of it. An item with `gold_tags` and no gold words
    is Correct when the tags are those, wherever it is cut. A response that failed gives a failed judgement. Items of
    another material, which have neither a target nor tags to look for, are not judged.
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("tagging",)
    title = Bilingual("Diagnostic tagging item", "词性标注评测题")

    def __init__(self, name: str = NAME) -> None:
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one judgement for each answer of each system."""
        others = items.filter(~_asks_something(items)).select(item="id")
        asked = responses.join(others, on="item", how="anti", maintain_order="left")
        rows = asked.with_row_index("row").join(targets(items), on="item", how="left", maintain_order="left")
        rows = rows.join(_cuts(rows), on="row", how="left", maintain_order="left")
        problem = first_problem(
            (pl.col("problem").is_null(), NO_ITEM),
            (pl.col("problem") != "", pl.col("problem")),
            (pl.col("content").list.len() == 0, NO_WORDS),
        )
        met = pl.col("met").fill_null(value=False)
        cut = pl.col("gold_ends").is_null() | (pl.col("ends") == pl.col("gold_ends"))
        label = (
            pl.when(met & cut & (pl.col("tags") == pl.col("gold_tags"))).then(pl.lit(CORRECT))
            .when(met & (pl.col("tags") == pl.col("wrong_tags"))).then(pl.lit(WRONG))
            .otherwise(pl.lit(RECORD))
        )  # fmt: skip
        rows = rows.with_columns(judged=label)
        return judgements(rows, self.name, NAME, value=pl.col("judged") == CORRECT, label="judged", problem=problem)

    @outside_signatures("a view shows judgements and makes none")
    def views(
        self, items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], judgements: pl.DataFrame
    ) -> Sequence[View]:
        """Return the error pairs with the words that taggers miss; of several such measures, the first shows them."""
        from hengliang.tagging.views import pair_views
        from hengliang.tagging.views_html import error_pairs_view

        first = judgements.filter(pl.col("judge") == NAME)["measure"].head(1).to_list()
        if "tagging" not in responses or first != [self.name]:
            return ()
        pairs = pair_views(items, responses["tagging"], judgements, self.name)
        return [error_pairs_view(pairs, simulated=self.simulated)] if pairs else ()


def tagging_item(name: str = NAME) -> TaggingItemMeasure:
    """Judge the targets of a diagnostic set as Correct, Wrong or Record."""
    return TaggingItemMeasure(name)


def targets(items: pl.DataFrame) -> pl.DataFrame:
    """Return where each item's target lies, how the gold cuts and tags it, and the tags of the error that is tested.

    `gold_tags` are `p+r`, `gold_ends` the bytes of the sentence at which these words end (`6+9`), null where the words
    are not known. `problem` says why an item asks about nothing. A space before the target belongs to it, as
    everywhere.
    """
    rows = [
        _target(*row)
        for row in items.select(
            "id",
            "content",
            pl.col("spans").list.eval(pl.element().filter(pl.element().struct.field("name") == TARGET)).list.first(),
            "gold",
            *(pl.col(name) if name in items.columns else pl.lit(None).alias(name) for name in _TAGS),
        ).iter_rows()
    ]
    return pl.DataFrame(rows, schema=_TARGET_SCHEMA, orient="row")


_TAGS = ("gold_tags", "wrong_tags")


def _asks_something(items: pl.DataFrame) -> pl.Expr:
    """Say of each item whether it is one of a diagnostic set, whole or broken, and not of another material."""
    named = pl.col("spans").list.eval(pl.element().struct.field("name") == TARGET).list.any().fill_null(value=False)
    known = [pl.col(name).is_not_null() for name in _TAGS if name in items.columns]
    return pl.any_horizontal(named, *known)


_Target = tuple[str, int, int, str, str | None, str, str]


def _target(
    item: str,
    content: str,
    span: dict[str, int] | None,
    gold: str | None,
    gold_tags: str | None,
    wrong_tags: str | None,
) -> _Target:
    if not span or not wrong_tags or not (gold or gold_tags):
        return (item, 0, 0, "", None, "", NO_TARGET)
    start, end = int(span["start"]), int(span["end"])
    text = utf8(content)
    if start and text[start - 1 : start] == b" ":
        start -= 1
    if not gold:
        return (item, start, end, str(gold_tags), None, wrong_tags, "")
    try:
        words, tags = read_gold(gold)
    except UserError:
        words, tags = (), ()
    ends = _word_ends(text, start, words)
    if not ends or ends[-1] != end:
        return (item, start, end, "", None, wrong_tags, GOLD_ELSEWHERE)
    return (item, start, end, "+".join(tags), "+".join(map(str, ends)), wrong_tags, "")


def _word_ends(text: bytes, start: int, words: Sequence[str]) -> list[int]:
    """Walk along the target word by word; nothing when the words do not spell what stands there."""
    ends, position = [], start
    for listed in words:
        # The content is in NFC, the words of the gold are as the corpus has them.
        word = utf8(unicodedata.normalize("NFC", listed))
        position += text[position : position + 1] == b" "
        if text[position : position + len(word)] != word:
            return []
        position += len(word)
        ends.append(position)
    return ends


def words_at_targets(responses: pl.DataFrame) -> pl.DataFrame:
    """Return the tagger's words that reach into a target: row, start, end, tag.

    `responses` have the columns row, content, target_start and target_end.
    """
    answered = responses.filter(pl.col("content").list.len() > 0)
    words = answered.select("row", "target_start", "target_end", word="content").explode("word").unnest("word")
    return words.filter((pl.col("end") > pl.col("target_start")) & (pl.col("start") < pl.col("target_end")))


def _cuts(rows: pl.DataFrame) -> pl.DataFrame:
    """Return of each response its tags within the target, where these words end, and whether edges meet.

    Words that overlap or leave gaps, which no tagger should give, never meet the edges.
    """
    length = pl.col("end") - pl.col("start")
    words = words_at_targets(rows.filter(pl.col("status") == "ok", pl.col("problem") == ""))
    return words.group_by("row", maintain_order=True).agg(
        tags=pl.col("tag").str.join("+"),
        ends=pl.col("end").cast(pl.String).str.join("+"),
        met=(pl.col("start").min() == pl.col("target_start").first())
        & (pl.col("end").max() == pl.col("target_end").first())
        & (length.sum() == pl.col("target_end").first() - pl.col("target_start").first()),
    )
