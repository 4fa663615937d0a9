"""Which taggers misbehave in every way that a stranger's tagger may?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from hengliang import UserError
from hengliang.core import Labelled, LabelledSpans, characters, labelled_spans
from hengliang.tagging import Tagger

TRIGGER = "坏"
"""A sentence with this character makes a bad tagger misbehave."""


def by_character(sentence: str) -> list[Labelled]:
    """Return each character as a word, tagged x."""
    return [(start, end, "x") for start, end in characters(sentence)]


class CharacterTagger(Tagger):
    """A good tagger: each character is a word."""

    name = "characters"

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the characters of each sentence."""
        return labelled_spans([self.words(sentence) for sentence in sentences])

    def words(self, sentence: str) -> list[Labelled] | str:
        """Return the words of one sentence; the bad taggers change this."""
        if TRIGGER in sentence:
            self.misbehave()
        return by_character(sentence)

    def misbehave(self) -> None:
        """Do nothing wrong."""


class RaisingTagger(CharacterTagger):
    """A tagger that raises on one sentence."""

    name = "raising"

    def misbehave(self) -> None:
        """Raise what nobody expects."""
        raise KeyError("坏")


class UserErrorTagger(CharacterTagger):
    """A tagger that raises a UserError on every sentence, as one whose library is missing."""

    name = "missing"

    def words(self, sentence: str) -> list[Labelled] | str:
        """Raise."""
        raise UserError("The library nowhere is not installed.", remedy="Install it.")


class LeavingTagger(CharacterTagger):
    """A tagger that calls sys.exit on one sentence."""

    name = "leaving"

    def misbehave(self) -> None:
        """Leave politely."""
        sys.exit(4)


class HangingTagger(CharacterTagger):
    """A tagger that hangs on one sentence."""

    name = "hanging"

    def misbehave(self) -> None:
        """Sleep for longer than any test."""
        time.sleep(3600)


class ExitingTagger(CharacterTagger):
    """A tagger that ends its process on one sentence."""

    name = "exiting"

    def misbehave(self) -> None:
        """End without a word."""
        os._exit(3)


class CrashingTagger(CharacterTagger):
    """A tagger with a segmentation fault on one sentence."""

    name = "crashing"

    def misbehave(self) -> None:
        """Crash as native code does."""
        os.kill(os.getpid(), signal.SIGSEGV)


class KilledTagger(CharacterTagger):
    """A tagger whose process is killed on one sentence, as by the kernel when memory runs out."""

    name = "killed"

    def misbehave(self) -> None:
        """Be killed."""
        os.kill(os.getpid(), signal.SIGKILL)


class ShorteningTagger(CharacterTagger):
    """A tagger that leaves out a character: its words do not cover the sentence."""

    name = "shortening"

    def words(self, sentence: str) -> list[Labelled] | str:
        """Leave out the last word of a bad sentence."""
        return by_character(sentence)[: -1 if TRIGGER in sentence else None]


class CuttingTagger(CharacterTagger):
    """A tagger that cuts a character in the middle of its bytes."""

    name = "cutting"

    def words(self, sentence: str) -> list[Labelled] | str:
        """Cut after the first byte of a bad sentence."""
        size = len(sentence.encode())
        return [(0, 1, "x"), (1, size, "x")] if TRIGGER in sentence else by_character(sentence)


class EmptyTagger(CharacterTagger):
    """A tagger that finds no words in one sentence, and does not say why."""

    name = "empty"

    def words(self, sentence: str) -> list[Labelled] | str:
        """Return no words for a bad sentence."""
        return [] if TRIGGER in sentence else by_character(sentence)


class NothingTagger(CharacterTagger):
    """A tagger that returns nothing at all when one sentence is in the batch."""

    name = "nothing"

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return None instead of words."""
        return None if TRIGGER in "".join(sentences) else super().tag(sentences)  # type: ignore[return-value]


class ForgettingTagger(CharacterTagger):
    """A tagger that returns too few answers when one sentence is in the batch."""

    name = "forgetting"

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Leave out the bad sentence."""
        return super().tag([sentence for sentence in sentences if TRIGGER not in sentence])


class StartingTagger(CharacterTagger):
    """A tagger that starts a program of its own and then hangs on one sentence; its program's number is in a file."""

    name = "starting"

    def __init__(self, file: str = "") -> None:
        self.file = file

    def misbehave(self) -> None:
        """Start a program that sleeps, and wait for it."""
        program = subprocess.Popen(["sleep", "3600"])
        Path(self.file).write_text(str(program.pid))
        program.wait()


class LockedTagger(CharacterTagger):
    """A tagger that cannot be pickled."""

    name = "locked"

    def __init__(self, size: int = 1) -> None:
        self.size = size
        self.lock = threading.Lock()


class SlowTagger(CharacterTagger):
    """A tagger that is slow, but does not hang: a fixed time for each sentence."""

    name = "slow"

    def __init__(self, seconds: float = 0.02) -> None:
        self.seconds = seconds

    def words(self, sentence: str) -> list[Labelled] | str:
        """Sleep a little."""
        time.sleep(self.seconds)
        return by_character(sentence)
