"""Minimal pairs: SLING layout, Mandarin in JSON Lines, one folder per phenomenon and one file per paradigm.

A line holds `sentence_good sentence_bad phenomenon paradigm pair_ID field`. Three quirks are allowed for. The files on
reflexives, added later, spell two keys with a capital letter. The key `paradigm` does not tell files apart (it is
`Plural` in twelve of them), so the paradigm is the name of the file. One file names its phenomenon differently from all
others of its folder.

The paper [1] reports on 38 paradigms of 1,000 pairs; the published folder has two more, which newer versions
(`…_v2`) replace, and 14 of 40 pairs on reflexives. The selection `paper` is those 38.

[1] Song, Y., Krishna, K., Bhatt, R., & Iyyer, M. (2022). SLING: Sino linguistic evaluation of large language models.
    EMNLP 2022.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hengliang.grammar.pairs.pair_set import BrokenLine, Pair, Row, first_object, read_objects

NAME = "sling"

PAPER = (
    "haishi_ma",
    *("baseline_female", "baseline_male", "pp_female", "pp_male", "self_female", "self_male"),
    *("baseline_cl_female", "baseline_cl_male", "baseline_cl_men_female", "baseline_cl_men_male"),
    *("baseline_men_female", "baseline_men_male", "cl_men_self_female", "cl_men_self_male"),
    *("cl_self_female", "cl_self_male", "menself_female", "menself_male"),
    *("temporal_guo", "temporal_le", "zai_guo", "zai_le", "zai_no_le"),
    *("dem_cl_swap", "cl_simple_noun", "cl_adj_simple_noun", "cl_comp_noun_v2", "cl_adj_comp_noun_v2"),
    *("definiteness_demonstrative", "definiteness_every"),
    *("any", "even_wh", "more_or_less"),
    *("rc_resumptive_noun", "rc_resumptive_pronoun"),
    *("bare_wh", "mod_wh"),
)
"""The paradigms of the paper."""

SELECTIONS = {"paper": PAPER}

_MENDED = {"animacy_as_subj": "Reflexive_auto"}


def recognise(path: Path) -> bool:
    """Say whether a file is laid out as those of SLING."""
    row = first_object(path)
    wanted = {"sentence_good", "sentence_bad", "phenomenon", "paradigm", "pair_id"}
    return row is not None and wanted <= set(row.values)


def records(path: Path) -> Iterator[Pair | BrokenLine]:
    """Yield the pairs of a file, and the lines that hold none."""
    for row in read_objects(path):
        yield row if isinstance(row, BrokenLine) else pair_of(path, row, _phenomenon(path, row), path.stem, "pair_id")


def _phenomenon(path: Path, row: Row) -> str:
    """Return the phenomenon; that of a folder within the phenomenon's own is distinguished by the folder."""
    named = row.text("phenomenon") or path.parent.name
    named = _MENDED.get(named, named)
    if path.parent.name.lower() != named.lower() == path.parent.parent.name.lower():
        return f"{named}/{path.parent.name}"
    return named


def pair_of(path: Path, row: Row, phenomenon: str, paradigm: str, *id_keys: str) -> Pair | BrokenLine:
    """Return the pair of an object with `sentence_good` and `sentence_bad`, or say what it lacks."""
    good, bad = row.text("sentence_good"), row.text("sentence_bad")
    for key, sentence in (("sentence_good", good), ("sentence_bad", bad)):
        if not sentence:
            return BrokenLine(str(path), row.line, f"it has no {key}")
    return Pair(
        row.text(*id_keys) or str(row.line), phenomenon, paradigm, good, bad, str(path), row.line, row.text("field")
    )
