"""Are entities counted by type, beside a language model in one study, and is a failure not a zero?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from hengliang import Item, Material, Study
from hengliang.acceptability import Recogniser
from hengliang.core import Labelled, LabelledSpans, items_frame, labelled_spans
from hengliang.systems.entities.counting import EntityCounts, entity_counts
from hengliang.systems.entities.spacy_pipeline import SpacyRecogniser
from tests.language_models.small_models import SmallBigrams

SENTENCES = ("Anna met Boris and Carl in 2019 .", "it rained .", "Carl broke it .", "broken Anna .", "")


class Capitals(Recogniser):
    """Holds capitalised words for people and four digits for dates; cannot read `broken`."""

    name = "capitals"
    types = ("PERSON", "DATE")

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        return labelled_spans("it is broken" if "broken" in text else list(self.found(text)) for text in contents)

    def found(self, text: str) -> list[Labelled]:
        rows, place = [], 0
        for word in text.split():
            start = text.index(word, place)
            place = start + len(word)
            if word.istitle() or word.isdigit():
                rows.append((start, place, "PERSON" if word.istitle() else "DATE"))
        return rows


class Mine(Material):
    """Five sentences of our own."""

    name = "mine"

    def items(self) -> pl.DataFrame:
        """Return the sentences."""
        return items_frame(Item(f"s{n}", f"s{n}", "mine", "", text) for n, text in enumerate(SENTENCES))


def test_entities_are_counted_by_type() -> None:
    answers = EntityCounts(Capitals()).answer(Mine().items())
    assert answers["content"].to_list() == [
        [{"kind": "PERSON", "count": 3}, {"kind": "DATE", "count": 1}],
        [],
        [{"kind": "PERSON", "count": 1}],
        None,
        [],
    ]
    assert answers["status"].to_list() == ["ok", "ok", "ok", "failed", "ok"]
    assert answers["reason"].to_list() == ["", "", "", "it is broken", ""]


def test_it_is_named_and_signed_by_its_recogniser() -> None:
    counting = entity_counts(Capitals())
    assert counting.name == "entities (capitals)"
    assert Capitals().signature().pairs[0][1] in dict(counting.signature().pairs)["recogniser.class"]
    by_name = entity_counts("spacy")
    assert by_name.name == "entities (spacy)"
    assert isinstance(by_name.recogniser, SpacyRecogniser)
    assert "recogniser.library.files" in dict(by_name.signature().pairs)
    assert [finding for finding in counting.conformance() if not finding.kept] == []


def test_it_answers_in_a_study_beside_a_language_model(tmp_path: Path) -> None:
    study = Study(
        "counted", materials=[Mine()], systems=[SmallBigrams(), EntityCounts(Capitals())], measures=[], analyses=[]
    )
    run = study.run(tmp_path / "run")
    tables = run.responses
    assert sorted(tables) == ["counts", "units"]
    counts = tables["counts"]
    assert counts["system"].unique().to_list() == ["entities (capitals)"]
    held = dict(zip(counts["item"], counts["content"].to_list(), strict=True))
    assert held["s0"] == [{"kind": "PERSON", "count": 3}, {"kind": "DATE", "count": 1}]
    assert held["s1"] == []
    assert counts.filter(pl.col("status") == "failed")["item"].to_list() == ["s3"]
