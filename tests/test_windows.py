"""Does hengliang work without what only POSIX systems have, as on Windows?

No Windows runs here. A `sitecustomize` that every Python of these tests loads first, worker processes too, takes away
the modules and functions that Windows lacks and that this system can spare. filelock falls back to lock files then.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

TAKEN = """
import os, signal, sys

for name in ("fcntl", "grp", "pwd", "pty", "resource", "syslog", "termios", "tty", "uvloop"):
    sys.modules[name] = None
for module, names in {
    os: "O_CLOEXEC O_DIRECTORY O_NOFOLLOW fork forkpty geteuid getuid killpg nice sched_getaffinity waitid",
    signal: "SIGALRM SIGCHLD SIGHUP SIGKILL SIGUSR1 SIGUSR2 alarm pthread_sigmask setitimer",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
"""
MAIN = "from hengliang.cli.main import main; main()"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an empty folder, with what takes POSIX away beside it."""
    base = tmp_path_factory.mktemp("windows")
    (base / "site").mkdir()
    (base / "site" / "sitecustomize.py").write_text(TAKEN, encoding="utf-8")
    (base / "work").mkdir()
    return base / "work"


def python(work: Path, code: str, *arguments: str, encoding: str = "utf-8") -> str:
    """Run Python without POSIX in the folder, and return what it printed."""
    base = work.parent
    variables = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("HENGLIANG", "COV"))},
        "PYTHONPATH": os.pathsep.join([str(base / "site"), str(ROOT / "src")]),
        "HENGLIANG_HOME": str(base / "home"),
        "HENGLIANG_CACHE": str(base / "cache"),
        "PYTHONIOENCODING": encoding,
        "PYTHONWARNINGS": "ignore",
    }
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=work, env=variables, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, f"{arguments} ended with {done.returncode}:\n{done.stdout!r}\n{done.stderr.decode()}"
    return done.stdout.decode()


IMPORT_ALL = """
import importlib, json, pkgutil, sys
import hengliang

faults = {}
for found in pkgutil.walk_packages(hengliang.__path__, "hengliang.", onerror=lambda name: None):
    try:
        importlib.import_module(found.name)
    except Exception as error:
        faults[found.name] = f"{type(error).__name__}: {error}"
print(json.dumps(faults))
"""


def test_posix_is_really_gone(work: Path) -> None:
    with pytest.raises(AssertionError, match="import of fcntl halted"):
        python(work, "import fcntl")


def test_every_module_can_be_imported(work: Path) -> None:
    assert json.loads(python(work, IMPORT_ALL)) == {}


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_help_is_printed_whatever_the_console_can_write(work: Path, encoding: str) -> None:
    assert "衡量" in python(work, MAIN, "--help", encoding=encoding)


STUDY = '''
"""Does always saying 个 suit four sentences of our own?"""

import polars as pl

from hengliang import Item, Material, Span, Study, chooser
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match
from hengliang.core import items_frame

ROWS = [("我有一", "弟弟。", "个"), ("想一", "办法。", "个"), ("有一", "狗。", "条"), ("买一", "票。", "张")]


class FourSentences(Material):
    """Four sentences, two of which want 个."""

    name = "four sentences"

    def items(self) -> pl.DataFrame:
        """Return the sentences."""
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
            for number, (before, after, gold) in enumerate(ROWS)
        )


study = Study(
    name="four_sentences",
    materials=FourSentences(),
    systems=[chooser("GE")],
    measures=[label_match()],
    analyses=[accuracy(cluster="id")],
)
'''


@pytest.mark.parametrize("engine", [(), ("--engine", "processes:2")])
def test_a_study_runs_and_goes_on(work: Path, engine: tuple[str, ...]) -> None:
    (work / "own_study.py").write_text(STUDY, encoding="utf-8")
    out = f"own{len(engine)}"
    python(work, MAIN, "run", "own_study.py", "--quiet", "--out", out, *engine)
    rows = json.loads(python(work, MAIN, "run", "own_study.py", "--quiet", "--out", out, "--json", *engine))[
        "estimates"
    ]
    # 个 is right in two of the four sentences.
    assert 0.5 in {row["value"] for row in rows if row["statistic"] == "accuracy"}


def test_a_model_is_trained_and_scores(work: Path) -> None:
    drawn = random.Random(1)
    subjects, verbs, objects = ("我", "他", "老师", "学生"), ("看", "买", "写", "读"), ("书", "信", "报", "词典")
    sentences = [f"{drawn.choice(subjects)} {drawn.choice(verbs)} {drawn.choice(objects)} 。" for _ in range(300)]
    (work / "toy.txt").write_text("\n".join(sentences), encoding="utf-8")
    python(work, MAIN, "lm", "train", "ngram", "--size", "2", "--data", "toy.txt", "--out", "toy-model")
    # A second command finds the model whole, and its folder locked by nobody.
    python(work, MAIN, "lm", "train", "ngram", "--size", "2", "--data", "toy.txt", "--out", "toy-model")
    said = json.loads(python(work, MAIN, "lm", "surprisal", "他 看 书 。", "-m", "toy-model", "--json"))
    assert "书" in json.dumps(said, ensure_ascii=False)
    (work / "two.txt").write_text("他 看 书 。\n书 看 他 。\n", encoding="utf-8")
    python(work, MAIN, "score", "two.txt", "-m", "toy-model", "--measure", "mean-lp", "--out", "scores.jsonl")
    usual, odd = (json.loads(line)["mean_lp"] for line in (work / "scores.jsonl").read_text("utf-8").splitlines())
    # In the corpus every sentence begins with who does something.
    assert usual > odd


def test_ratings_are_analysed(work: Path) -> None:
    rows = [
        f"{item},{rater},{system},{4 + (system == 'b') + (item + rater) % 2}"
        for item in range(8)
        for rater in range(4)
        for system in "ab"
    ]
    (work / "ratings.csv").write_text("\n".join(["item,rater,system,fluency", *rows]), encoding="utf-8")
    options = ("--by", "system", "--pair", "item,rater", "--out", "ratings.html")
    python(work, MAIN, "analyse", "ratings.csv", "--measure", "fluency", *options)
    assert "fluency" in (work / "ratings.html").read_text(encoding="utf-8")


SERVE = """
import urllib.request
from pathlib import Path
from hengliang.people.pages.serving import fitted, raise_open_files, running, Limits
from hengliang.people.sessions.survey import read_survey
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.migrating import migrate
import shutil, sys

folder = Path("survey")
shutil.copytree(sys.argv[1], folder)
raise_open_files()
assert fitted(Limits()).connections == Limits().connections
url = database_url(folder, None)
migrate(url)
with Database.open(url, alone=True) as database, running(read_survey(folder), database) as server:
    try:
        print(urllib.request.urlopen(server.url + "/nowhere").status)
    except urllib.error.HTTPError as error:
        print(error.code)
"""


def test_a_survey_answers(work: Path) -> None:
    pytest.importorskip("starlette")
    assert python(work, SERVE, str(ROOT / "tests" / "core" / "stored" / "survey")).split() == ["404"]
