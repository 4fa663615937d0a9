"""Are the printed accuracies those of the paper's table, and told as such?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.core import Finding, estimate_records
from hengliang.grammar.published import PublishedAccuracy, published_accuracy
from tests.grammar.test_suite_accuracy import tables


def test_the_values_are_those_of_table_6() -> None:
    rows = list(estimate_records(published_accuracy().estimate(tables())))
    # Table 6: five models trained on the treebank, six classes.
    assert len(rows) == 30
    found = {(row.by["system"], row.by["class"]): row.value for row in rows}
    assert found["LSTM", "missing object"] == 0.847
    assert found["PLM", "garden path object"] == 0.750
    assert all("as printed" in row.method for row in rows)


def test_some_models_only() -> None:
    rows = list(estimate_records(published_accuracy(["LSTM", "Transformer"]).estimate(tables())))
    assert {row.by["system"] for row in rows} == {"LSTM", "Transformer"}
    with pytest.raises(UserError, match="RNNG"):
        published_accuracy("GPT").estimate(tables())


def test_the_analysis_keeps_its_promises() -> None:
    findings: list[Finding] = list(PublishedAccuracy().conformance())
    assert findings and all(finding.kept for finding in findings), findings
