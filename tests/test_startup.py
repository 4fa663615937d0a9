"""Does a command import only what it needs, and begin about as quickly as the libraries it stands on?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.startup import ARPA, COMMAND, commands, processor_time

HEAVY = {"altair", "dask", "formulaic", "jinja2", "pandas", "scipy", "sklearn", "sqlalchemy", "torch", "transformers"}
TELL = "import atexit, json, sys; atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr));"


def imported(*line: str) -> set[str]:
    """Run a line of Python in a process of its own and return the packages that it imported."""
    program, *arguments = line
    command = [sys.executable, "-c", TELL + program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ})
    return {module.partition(".")[0] for module in json.loads(done.stderr.splitlines()[-1])}


def test_help_imports_no_library_but_click() -> None:
    assert not imported(COMMAND, "--help") & {*HEAVY, "numpy", "polars", "rich"}
    assert not imported(COMMAND, "survey", "--help") & {*HEAVY, "numpy", "polars", "rich"}


def test_a_study_is_there_without_scientific_libraries() -> None:
    assert not imported("import hengliang; hengliang.Study") & HEAVY


def test_an_ngram_model_is_asked_without_scientific_libraries(tmp_path: Path) -> None:
    model = tmp_path / "tiny.arpa"
    model.write_text(ARPA, encoding="utf-8")
    assert not imported(COMMAND, "lm", "surprisal", "他 他", "--model", f"arpa:{model}") & HEAVY


def test_commands_begin_about_as_quickly_as_the_libraries_they_stand_on(tmp_path: Path) -> None:
    """Ratios of processor times in one run, for a busy machine slows both sides alike.

    Help takes 0.8 times as long as numpy and click, a study and a surprisal 1.8 times as long as numpy, polars and
    click; before commands imported only what they use, these were 16, 2.6 and 4.1 times.
    """
    model = tmp_path / "tiny.arpa"
    model.write_text(ARPA, encoding="utf-8")
    seconds = {name: processor_time(line, 3) for name, line in commands(model).items() if "scipy" not in name}
    assert seconds["hengliang --help"] < 2 * seconds["import numpy, click"]
    libraries = seconds["import numpy, polars, click"]
    assert seconds["import hengliang; hengliang.Study"] < 2.5 * libraries
    assert seconds["hengliang lm surprisal"] < 3 * libraries
