"""Does `hengliang run` find studies, go on after a crash, and end well with bad input?"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from hengliang.cli.main import outcome
from hengliang.core import file_checksum
from hengliang.report import words
from tests import ROOT

HENGLIANG = [sys.executable, "-c", "from hengliang.cli.main import main; main()"]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a study file that runs as it is."""
    monkeypatch.chdir(tmp_path)
    assert outcome(["new", "study", "mine"]) == 0
    return tmp_path / "mine.py"


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the figures where nobody looks at them: they take longer than all the rest."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)


def tables(folder: Path) -> dict[str, str]:
    found = {str(file.relative_to(folder)): file_checksum(file) for file in sorted(folder.rglob("*.parquet"))}
    assert found
    return found


def test_a_study_runs_by_its_path(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["run", "mine.py", "--quick", "--quiet", "--out", "R"]) == 0
    *_, result, path = capsys.readouterr().out.splitlines()
    assert result.startswith("Accuracy: GE 25.0% [0.0, 75.0], by noun 75.0%")
    assert path == "R/report.html"
    assert Path("R/report.html").is_file()


def test_json_is_an_array_of_estimates_with_a_schema_version(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert outcome(["run", "mine.py", "--quick", "--quiet", "--json", "--out", "R"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert held["schema_version"] == 1
    # 个 is right once in four (朋友); the table also with 书 and 车.
    assert {row["by"]["system"]: row["value"] for row in held["estimates"]} == {"GE": 0.25, "by noun": 0.75}


def test_stages_alone(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["run", "mine.py", "--out", "R", "-q", "--only", "responses"]) == 2
    assert "has no items yet" in capsys.readouterr().err
    assert outcome(["run", "mine.py", "--out", "R", "-q", "--only", "items"]) == 0
    assert outcome(["run", "mine.py", "--out", "R", "-q", "--from", "responses"]) == 0
    assert outcome(["run", "mine.py", "--out", "R", "-q", "--only", "nothing"]) == 2
    assert "Stages: estimates, items, judgements, report, responses" in capsys.readouterr().err


def test_processes_give_the_same_tables(study: Path) -> None:
    assert outcome(["run", "mine.py", "--out", "A", "-q", "--no-cache"]) == 0
    assert outcome(["run", "mine.py", "--out", "B", "-q", "--no-cache", "--engine", "processes:2"]) == 0
    assert {name: held for name, held in tables(Path("A")).items() if "cache" not in name} == {
        name: held for name, held in tables(Path("B")).items() if "cache" not in name
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "grammer"], "No study is called 'grammer'."),
        (["run"], "No study is named."),
        (["run", "gone.py"], "There is no file gone.py."),
        (["run", "mine.py", "--all"], "cannot be given together"),
        (["run", "mine.py", "--engine", "cloud"], "cloud"),
        (["run", "mine.py", "--out", "mine.py"], "mine.py is a file, not a folder."),
        (["report", "gone"], "There is no folder gone."),
        (["compare", "gone", "gone"], "There is no folder gone."),
    ],
)
def test_bad_input_is_one_message(
    arguments: list[str], message: str, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(arguments) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.startswith("hengliang: ")
    assert "Traceback" not in shown


def test_a_file_without_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.py").write_text("")
    assert outcome(["run", str(tmp_path / "empty.py")]) == 2
    assert "defines no study" in capsys.readouterr().err


# --- a user's own corpus ---

OWN_CORPUS = """
from hengliang import chooser, Study
from hengliang.analyses import accuracy
from hengliang.classifiers import classifier_slots, label_match


def study(quick=False):
    return Study(name="own", materials=classifier_slots(corpus="corpus.txt", errors={errors!r}),
                 systems=[chooser("GE")], measures=[label_match()], analyses=[accuracy(draws=50)])
"""
GOOD = "他/r 买/v 了/u 一/m 本/q 书/n 。/w\n"


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (b"", "corpus.txt holds no tagged words."),
        (b"\n\n", "corpus.txt holds no tagged words."),
        ((GOOD + "他/r 买 书/n\n").encode(), "corpus.txt, line 2: there is no '/' in '买'."),
        ((GOOD + "[他/r 买/v\n").encode(), "corpus.txt, line 2: "),
        (GOOD.encode("gb18030"), "corpus.txt, line 1 is not utf-8"),
        ("他/r 来/v 了/y 。/w\n".encode(), "corpus.txt has no classifier slots."),
        (None, "corpus.txt: no such file or directory."),
    ],
)
def test_a_broken_corpus_is_one_line_with_file_and_line(
    corpus: bytes | None,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN_CORPUS.format(errors="raise"))
    if corpus is not None:
        Path("corpus.txt").write_bytes(corpus)
    assert outcome(["run", "own.py", "--quiet", "--out", "R"]) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert len(shown.splitlines()) == 1
    assert not list(Path("R").glob("*.parquet"))


def test_broken_lines_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN_CORPUS.format(errors="skip"))
    Path("corpus.txt").write_text(GOOD + "他/r 买 书/n\n" + GOOD.replace("书", "画报"))
    assert outcome(["run", "own.py", "--quiet", "--out", "R"]) == 0
    assert pl.read_parquet("R/items.parquet")["head"].to_list() == ["书", "画报"]


# --- the form ---


def test_a_trial_is_called_one_wherever_it_is_shown(
    study: Path, no_figures: None, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert outcome(["run", "mine.py", "--quick", "--quiet", "--out", "R"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [words.QUICK.en, words.QUICK.zh]
    assert words.QUICK.zh in Path("R/report.html").read_text(encoding="utf-8")
    assert '"form": "quick"' in Path("R/manifest.json").read_text()
    assert outcome(["run", "mine.py", "--quick", "--quiet", "--out", "R", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == [{"study": "mine", "folder": "R", "form": "quick"}]
    assert outcome(["run", "mine.py", "--quiet", "--out", "F"]) == 0
    assert words.QUICK.en not in capsys.readouterr().out
    assert words.QUICK.en not in Path("F/report.html").read_text(encoding="utf-8")


def test_a_study_without_a_quick_form_says_so(
    study: Path, no_figures: None, capsys: pytest.CaptureFixture[str]
) -> None:
    study.write_text(study.read_text() + "\n\nstudy = study()\n")
    capsys.readouterr()
    assert outcome(["run", "mine.py", "--quick", "--quiet", "--out", "R"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "hengliang: mine.py has one form only; --quick changes nothing.\n"
    assert words.QUICK.en not in shown.out


# --- all of them ---

GOOD_STUDY = """
from hengliang import chooser, Study
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match
from tests.tiny import Sentences


def study(quick=False):
    return Study(name="toy_good", materials=Sentences(), systems=[chooser("GE")], measures=[label_match()],
                 analyses=[accuracy(draws=50)])
"""
# In the order of their names: the first three never get to an end, and the good one comes last but one.
TOY_STUDIES = {
    "toy_absent": "def missing():\n    return 'the data moon: hengliang data get moon'\n",
    "toy_bare": "import torch_of_elsewhere\n",
    "toy_dear": "import torch\n\n\ndef study(quick=False):\n    pass\n",
    "toy_good": GOOD_STUDY,
    "toy_wrong": "from hengliang import UserError\n\n\ndef study(quick=False):\n    raise UserError('No moon.')\n",
}


@pytest.fixture
def toys(tmp_path: Path, no_figures: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put toy studies into the place of ours, in a folder that is also where we work."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hengliang.studies.__path__", [str(tmp_path / "studies")])
    monkeypatch.setitem(sys.modules, "torch", None)
    (tmp_path / "studies").mkdir()
    for name, text in TOY_STUDIES.items():
        monkeypatch.delitem(sys.modules, f"hengliang.studies.{name}", raising=False)
        (tmp_path / "studies" / f"{name}.py").write_text(text)
    return tmp_path / "studies"


def test_a_study_that_fails_does_not_stop_the_others(toys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["run", "--all", "--quick", "--out", "R"]) == 1
    shown = capsys.readouterr()
    # 个 is right twice in six.
    assert shown.out.splitlines()[2].startswith("Accuracy: GE 33.3%")
    assert shown.out.splitlines()[3:] == ["R/toy_good/report.html", "R/index.html"]
    # A module that is none of ours is a fault, torch and what studies say themselves are the user's.
    assert shown.err.splitlines()[-3:] == [
        "hengliang: toy_bare failed: a fault of our own: ModuleNotFoundError: No module named 'torch_of_elsewhere'. "
        "Set HENGLIANG_DEBUG=1 and repeat the command to see where, and report it.",
        "hengliang: toy_dear failed: This needs the library torch, which is not installed. "
        "Install it with: pip install 'hengliang[neural]'",
        "hengliang: toy_wrong failed: No moon.",
    ]
    index = Path("R/index.html").read_text(encoding="utf-8")
    assert 'href="toy_good/report.html"' in index and words.QUICK.zh in index
    assert "toy_wrong: No moon." in index


def test_progress_names_the_study_it_is_in(toys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("toy_bare", "toy_dear"):
        (toys / f"{name}.py").unlink()
    # What is left are a user's mistakes.
    assert outcome(["run", "--all", "--out", "R"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "hengliang: toy_absent is left out: it needs the data moon: hengliang data get moon",
        "toy_good: study 2 of 3",
        "toy_wrong: study 3 of 3",
        "toy_wrong: failed; the reason is told at the end",
        "hengliang: toy_wrong failed: No moon.",
    ]


def test_all_as_json_names_runs_and_failures(toys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["run", "--all", "--quiet", "--out", "R", "--json"]) == 1
    held = json.loads(capsys.readouterr().out)
    assert held["runs"] == [{"study": "toy_good", "folder": "R/toy_good", "form": "full"}]
    assert list(held["failed"]) == ["toy_bare", "toy_dear", "toy_wrong"]
    assert Path("R/index.html").is_file()


# --- crashes ---

# Nobody looks at the figures, which take longer than all the rest.
SLOW = """
import os
import sys
import time
from pathlib import Path

sys.modules["vl_convert"] = None

from hengliang import chooser, Study
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match
from hengliang.core import RunFolder
from tests.tiny import ByTable, Sentences


written = RunFolder.write_manifest


def stuck(folder, manifest):
    if manifest.stages:
        Path("stuck").touch()
        time.sleep(600)
    written(folder, manifest)


if os.environ.get("STUCK"):
    RunFolder.write_manifest = stuck


class Slow(ByTable):
    def choose(self, slots):
        time.sleep(0.02)
        return super().choose(slots)


def study(quick=False):
    return Study(name="slow", materials=Sentences(40), systems=[chooser("GE"), Slow(batch_size=4)],
                 measures=[label_match()], analyses=[accuracy(draws=200)])
"""


def started(folder: Path, out: str, **variables: str) -> subprocess.Popen[str]:
    # The tests are not installed; the package is, or lies where this process found it.
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "HENGLIANG_CACHE": str(folder / f"cache-{out}"), **variables}
    command = [*HENGLIANG, "run", "slow.py", "--quick", "--quiet", "--out", out]
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


# The study of tests/studies/test_classifier_baselines.py is killed there, on real data.
@pytest.mark.untraced
def test_a_run_killed_at_any_moment_ends_with_the_same_tables(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    begun = time.monotonic()
    assert started(tmp_path, "undisturbed").wait() == 0
    whole = time.monotonic() - begun
    moments = random.Random(20)
    for _ in range(3):
        process = started(tmp_path, "killed")
        time.sleep(moments.uniform(0.1, 0.9) * whole)
        process.send_signal(signal.SIGKILL)
        process.wait()
    last = started(tmp_path, "killed")
    assert last.wait() == 0, last.communicate()
    assert tables(tmp_path / "killed") == tables(tmp_path / "undisturbed")


@pytest.mark.untraced
def test_a_run_killed_between_its_items_and_their_record_goes_on(
    tmp_path: Path, no_figures: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "slow.py").write_text(SLOW.replace("Sentences(40)", "Sentences(2)"))
    process = started(tmp_path, "killed", STUCK="1")
    while not (tmp_path / "stuck").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    # The manifest is stuck when the items have been written and are to be recorded.
    assert (tmp_path / "killed" / "items.parquet").is_file()
    process.send_signal(signal.SIGKILL)
    process.wait()
    monkeypatch.chdir(tmp_path)
    assert outcome(["run", "slow.py", "--quick", "--quiet", "--out", "killed"]) == 0, capsys.readouterr().err
    # 2 copies of 6 sentences to 2 systems.
    assert pl.read_parquet(tmp_path / "killed" / "judgements.parquet").height == 24


@pytest.mark.untraced
def test_finished_batches_are_not_redone_after_a_kill(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    process = started(tmp_path, "killed")
    cache = tmp_path / "cache-killed" / "responses"
    while len(list(cache.glob("*/*.parquet"))) < 15:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.kill()
    process.wait()
    done = {file: file.stat().st_mtime_ns for file in cache.glob("*/*.parquet")}
    assert started(tmp_path, "killed").wait() == 0
    assert {file: file.stat().st_mtime_ns for file in done} == done
    log = (tmp_path / "killed" / "log.txt").read_text()
    # 40 copies of 6 items in batches of 4: GE takes one batch of 240, the slow system sixty.
    assert "of 60 batches were done already" in log


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    process = started(tmp_path, "stopped")
    while not list((tmp_path / "cache-stopped" / "responses").glob("*/*.parquet")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, shown = process.communicate()
    assert process.returncode == 130, shown
    assert shown.strip() == "hengliang: interrupted. What was finished is kept; the same command goes on from there."


# --- the disk ---


def mounted(folder: Path, options: str) -> bool:
    folder.mkdir()
    try:
        return (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True
            ).returncode
            == 0
        )
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [("size=48k", 1, "no space left on device"), ("ro", 2, "read-only file system")],
)
def test_a_disk_that_takes_nothing_more(
    options: str, code: int, message: str, study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    disk = tmp_path / "disk"
    if not mounted(disk, options):
        pytest.skip("this test mounts a small disk, which is not allowed here")
    try:
        long = '*[("他说" * 2000 + str(n), "书。", "书", "本") for n in range(400)], ("他有两"'
        (tmp_path / "mine.py").write_text(study.read_text().replace('("他有两"', long))
        assert outcome(["run", "mine.py", "--quiet", "--out", str(disk / "R")]) == code
        shown = capsys.readouterr().err
        assert message in shown
        assert str(disk) in shown
        assert len(shown.splitlines()) == 1
        assert not list(disk.rglob("*.tmp"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)
