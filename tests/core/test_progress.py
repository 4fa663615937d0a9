"""Does progress show what is done and what is left, and stay out of the results?"""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from hengliang.core.progress import Lines, Silent, Terminal, long_watcher, usual_watcher


def test_the_terminal_shows_steps_and_the_time_left() -> None:
    stream = io.StringIO()
    terminal = Terminal(Console(file=stream, force_terminal=True, width=100, color_system=None))
    with terminal.watch("responses: RULE", 4) as steps:
        steps.advance(3)
        steps.bar.refresh()
    shown = stream.getvalue()
    assert "responses: RULE" in shown
    assert "3/4" in shown
    assert "left" in shown
    terminal.say("a worker died [1]")
    assert "a worker died [1]" in stream.getvalue()


def test_progress_goes_to_the_error_stream(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().say("hello")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n")


def test_silence_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    watcher = Silent()
    with watcher.watch("x", None) as steps:
        steps.advance()
    watcher.say("nothing")
    assert capsys.readouterr() == ("", "")


def test_progress_is_shown_only_where_somebody_can_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert isinstance(usual_watcher(), Silent)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert isinstance(usual_watcher(), Terminal)


def test_long_work_leaves_lines_in_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    watcher = long_watcher()
    assert isinstance(watcher, Lines)
    with watcher.watch("epoch 1", 10) as steps:
        steps.advance(10)
    watcher.say("epoch 1: dev perplexity 400")
    assert capsys.readouterr() == ("", "epoch 1: dev perplexity 400\n")
    Lines("lstm-small-1").say("epoch 2")
    assert capsys.readouterr().err == "lstm-small-1: epoch 2\n"
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert isinstance(long_watcher(), Terminal)


def test_a_bar_that_nobody_sees_leaves_no_empty_line() -> None:
    stream = io.StringIO()
    terminal = Terminal(Console(file=stream, force_terminal=False), about="tagger_mending")
    with terminal.watch("responses: crf", 2) as steps:
        steps.advance(2)
    terminal.say("study 3 of 17")
    assert stream.getvalue() == "tagger_mending: study 3 of 17\n"


def test_a_bar_says_whose_it_is() -> None:
    stream = io.StringIO()
    terminal = Terminal(Console(file=stream, force_terminal=True, width=100, color_system=None), about="tagger_mending")
    with terminal.watch("responses: crf", 2) as steps:
        steps.advance()
    assert "tagger_mending: responses: crf" in stream.getvalue()
