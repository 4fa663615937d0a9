"""Are drawn answers counted, and only those?"""

from __future__ import annotations

import pytest

from hengliang import Response, Tables, UserError
from hengliang.analyses.classification import ties
from hengliang.classifiers import Rule, slots_of
from hengliang.core import Choice, estimate_records, responses_frame, sample_tables
from tests.tiny import Sentences

# Three answers of one system: a tie at the top, a tie below the top, a single choice; and one that is missing.
RANKINGS = (
    (Choice("个", 0.4), Choice("位", 0.4), Choice("名", 0.2)),
    (Choice("个", 0.5), Choice("位", 0.25), Choice("名", 0.25)),
    (Choice("个", 1.0),),
)


def tables() -> Tables:
    rows = [Response(f"r{n}", f"i{n}", "s", 1, "", "ranking", content) for n, content in enumerate(RANKINGS)]
    rows.append(Response("r3", "i3", "s", 1, "", "ranking", None, "missing", "no answer"))
    sample = sample_tables()
    return Tables(sample.items, sample.systems, {"ranking": responses_frame(rows, "ranking")}, sample.judgements)


def test_only_a_tie_at_the_top_counts() -> None:
    found = {row.statistic: row for row in estimate_records(ties().estimate(tables()))}
    assert found["ties"].value == 1
    assert found["share"].value == pytest.approx(1 / 3)
    assert (found["ties"].n, found["ties"].n_missing) == (3, 1)


def test_the_count_is_what_rule_says_of_itself() -> None:
    material = Sentences()
    # Every noun once with its own classifier and once with 个: ties, but for the two that have 个 anyway.
    items = material.items()
    both = items.vstack(items.with_columns(gold=items["gold"].str.replace_all(".", "个"), id=items["id"] + "x"))

    class Doubled(Sentences):
        def items(self):  # type: ignore[no-untyped-def]
            return both

    rule = Rule(train=Doubled())
    answers = rule.answer(items).with_columns(id=items["id"])
    rows = [
        Response(str(n), item, "RULE", 1, "", "ranking", tuple(Choice(**choice) for choice in content))
        for n, (item, content) in enumerate(answers.select("item", "content").iter_rows())
    ]
    sample = sample_tables()
    held = Tables(items, sample.systems, {"ranking": responses_frame(rows, "ranking")}, sample.judgements)
    counted = next(estimate_records(ties().estimate(held))).value
    assert counted == rule.tied(slots_of(items)).sum() == 4


def test_no_rankings_no_ties() -> None:
    sample = sample_tables()
    with pytest.raises(UserError, match="no rankings"):
        ties().estimate(Tables(sample.items, sample.systems, {}, sample.judgements))


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in ties().conformance() if not finding.kept] == []
