"""Which tag of the corpus does each tag of a tagger most often stand for?

What a tag means is said by its tag set; what it stands for can be counted. Sentences whose words the annotators and a
tagger have found are laid beside each other; where one word of the one is one word of the other, their tags are a
pair. A map that disagrees with the majority is not wrong by that (a tagger may err, and a map must not mend it), but
its maker should know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import polars as pl

from hengliang.core.text.characters import utf8
from hengliang.core.text.segmentation import align
from hengliang.materials.tag_maps.tables import TagMap
from hengliang.materials.tagged_sentences import TaggedSpan, gold_spans

EVIDENCE_SCHEMA = {
    "own": pl.String(),
    "form": pl.String(),
    "target": pl.String(),
    "n": pl.Int64(),
    "aligned": pl.Int64(),
    "target_share": pl.Float64(),
    "gold": pl.String(),
    "gold_share": pl.Float64(),
    "agrees": pl.Boolean(),
}


def tag_evidence(
    tag_map: TagMap, sentences: Iterable[tuple[str, str, Sequence[TaggedSpan]]], gold_map: TagMap | None = None
) -> pl.DataFrame:
    """Return for each own tag, and each form that a row tells apart, what the corpus says of such words.

    A sentence is its content, its gold (`就/p 此/r`) and the tagger's words with their own tags; one without words is
    passed over. `n` counts the tagger's words, `aligned` those that are one word in the corpus as well; of these
    `gold` is the most frequent tag of the corpus, null where there are none, and the shares are shares of them.
    `gold_map` maps the tags of the corpus where they are not those of the map's target.
    """
    words: Counter[tuple[str, str]] = Counter()
    pairs: dict[tuple[str, str], Counter[str]] = {}
    for content, gold, tagged in sentences:
        if not tagged:
            continue
        raw, annotated = utf8(content), gold_spans(gold)
        keys = [(tag, tag_map.form_that_decides(tag, raw[start:end].decode())) for start, end, tag in tagged]
        words.update(keys)
        for one, other in align([span[:2] for span in annotated], [span[:2] for span in tagged]):
            if len(one) == len(other) == 1:
                tag = annotated[one[0]][2]
                said = tag if gold_map is None else gold_map.one(tag)
                pairs.setdefault(keys[other[0]], Counter())[said] += 1
    rows = [_row(tag_map, key, count, pairs.get(key, Counter())) for key, count in words.most_common()]
    return pl.DataFrame(rows, schema=EVIDENCE_SCHEMA, orient="row")


def _row(tag_map: TagMap, key: tuple[str, str], count: int, golds: Counter[str]) -> tuple[object, ...]:
    own, form = key
    target = next((row.target for row in tag_map.rows if (row.own, row.form) == key), tag_map.one(own))
    aligned = golds.total()
    if not aligned:
        return own, form, target, count, 0, None, None, None, None
    most = max(golds.values())
    # Of several tags that are equally frequent, the map's own target counts as the most frequent one.
    gold = target if golds[target] == most else min(tag for tag, held in golds.items() if held == most)
    return own, form, target, count, aligned, golds[target] / aligned, gold, most / aligned, gold == target
