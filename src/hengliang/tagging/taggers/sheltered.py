"""Supervised subprocess for taggers: a sentence on which one hangs or crashes costs only itself.

A sheltered tagger works in a process of its own and is sent a batch at a time. When the process dies, or a batch is not
answered within the time limit, a new process is started and the sentences of that batch are sent one by one: the one
that did it gets a problem, the others get the answer that they would have had without shelter. Going one by one costs
two time limits for a sentence that hangs; halving the batch would cost one for every halving.

The limit is meant for a sentence. Batches grow only as long as they take a small part of it, so that a tagger that is
merely slow is not taken for one that hangs. Before its first batch every new process tags one short sentence of ours,
without that limit, because models are read, or even downloaded, then. Only a program of which nobody can tell whether
it reads or hangs has no more than the limit for it (`Tagger.hurried`).

Words that do not cover their sentence, or no words at all, are problems too. An exception on one sentence is one; a
`UserError` on our own short sentence (a library is missing) is raised, since it would come back for every sentence.
"""

from __future__ import annotations

import importlib
import pickle
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hengliang.core.engine.supervision import Worker, pack, said, unpicklable
from hengliang.core.errors import Failure, UserError
from hengliang.core.labelling.spans import LabelledSpans, concat, labelled_spans
from hengliang.core.labelling.taggers import Tagger, TaggerCard
from hengliang.core.labelling.taggers import tagger as tagger_of
from hengliang.core.labelling.words import checked_words
from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.registry import find
from hengliang.core.signature import Signature
from hengliang.tagging.taggers.mapped import problem_summary as problem_summary

BATCH = 256
"""The most sentences that are sent at a time."""

STARTING = 600.0
"""Seconds in which a new process must have read its model and tagged a short sentence."""

MOST_LOST = 20
"""Sentences in a row that may cost the process; more than that is no bad sentence, but a bad tagger."""

_FIRST_BATCH, _GROWTH = 16, 4
_SHORT = "好。"


class ShelteredTagger(Tagger):
    """The tagger inside, in a process of its own; `seconds` is the time limit for a sentence, `batch` the most sent.

    It has the name, the traits and, but for a note, the signature of the tagger inside. The process starts with the
    first sentence and lives until `close`, the end of a `with` block, or that of this object.
    """

    def __init__(self, tagger: Tagger, seconds: float = 60.0, batch: int = BATCH) -> None:
        self.tagger = tagger
        self.seconds = seconds
        self.batch = batch
        self.name = tagger.name
        self.title = tagger.title
        self.seed = tagger.seed
        self.batch_size = tagger.batch_size

    @property
    def tag_map(self) -> object:
        """The tag map of the tagger inside, if it names one."""
        return getattr(self.tagger, "tag_map", "")

    @cached_property
    def _child(self) -> _Child:
        return _Child(self.tagger.hurried(self.seconds), self.seconds)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the process behind: a copy starts its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_child"}

    def __enter__(self) -> ShelteredTagger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the next sentence starts another."""
        if "_child" in self.__dict__:
            self._child.stop()

    def prepare(self, watcher: Watcher) -> None:
        """Get the tagger inside ready, here; it is sent to its process as it is then."""
        self.close()
        self.__dict__.pop("_child", None)
        self.tagger.prepare(watcher)

    def signature(self) -> Signature:
        """Return the signature of the tagger inside, with a note of the time limit."""
        return self.tagger.signature().and_(shelter=f"{self.seconds:g} s a sentence")

    def card(self) -> TaggerCard | None:
        """Return the card of the tagger inside."""
        return self.tagger.card()

    def traits(self) -> Mapping[str, Attribute]:
        """Return the traits of the tagger inside."""
        return self.tagger.traits()

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence; one that the tagger did not survive, or not in time, has a problem."""
        for name, value in (("seconds", self.seconds), ("batch", self.batch)):
            if not value > 0:
                raise UserError(f"{name}={value} is not possible for a shelter.", valid=f"{name} is more than 0.")
        parts: list[LabelledSpans] = []
        position, child = 0, self._child
        with child.lock:
            while position < len(sentences):
                size, began = min(child.pace, self.batch), time.monotonic()
                parts.append(self._answers(list(sentences[position : position + size])))
                position += size
                child.keep_pace(time.monotonic() - began, size)
        return concat(parts)

    def _answers(self, sentences: list[str]) -> LabelledSpans:
        reply = self._child.tagged(sentences)
        if not isinstance(reply, str):
            return reply
        return labelled_spans([reply]) if len(sentences) == 1 else concat([self._answers([text]) for text in sentences])


def sheltered(tagger: Tagger | str, seconds: float = 60.0) -> ShelteredTagger:
    """Return a tagger, itself or by its reference (`snownlp`, `program:COMMAND`), in a process of its own."""
    return ShelteredTagger(tagger_of(tagger) if isinstance(tagger, str) else tagger, seconds)


# --- the parent's side ----------------------------------------------------------------------------------------------


class _Child(Worker):
    """The process in which the tagger works: started when it is asked something, and anew after it was lost."""

    def __init__(self, tagger: Tagger, seconds: float) -> None:
        super().__init__("hengliang shelter")
        self.tagger, self.seconds = tagger.name, seconds
        self.packed = _packed(tagger)
        self.pace = _FIRST_BATCH
        self.lost = 0
        self.lock = threading.Lock()  # two threads would take each other's answers

    def keep_pace(self, taken: float, size: int) -> None:
        """Make the next batch larger if this one of `size` took a small part of the time limit, and else smaller."""
        if taken * _GROWTH < self.seconds / 4:
            self.pace = max(self.pace, size * _GROWTH)
        elif taken > self.seconds / 4:
            self.pace = max(1, size // _GROWTH)

    def tagged(self, sentences: list[str]) -> LabelledSpans | str:
        """Return the answers to a batch, or why there are none; the process is then no more."""
        if not self.running:
            self._get_ready()
        kind, content = self._answer(pack(sentences), self.seconds)
        if kind == "result":
            self.lost = 0
            return content  # type: ignore[no-any-return]
        if kind != "lost":
            return f"the tagger {self.tagger} failed: {content[1] if kind == 'raised' else content}"
        self.lost += len(sentences) == 1
        if self.lost > MOST_LOST:
            raise Failure(
                f"The tagger '{self.tagger}' cost its process on {self.lost} sentences in a row; of the last: "
                f"{content}.",
                remedy=f"See what it does with one sentence: hengliang taggers tag --tagger '{self.tagger}' {_SHORT}",
            )
        return str(content)

    def death(self) -> str:
        """Say how it died."""
        return f"the tagger's {super().death()}"

    def _get_ready(self) -> None:
        self.start()
        kind, content = self._answer(None, STARTING)
        if kind == "lost":
            raise Failure(
                f"The process of the tagger '{self.tagger}' was not ready: {content}.",
                valid="It imports the script again: a script starts its work only under `if __name__ == '__main__':`.",
            )
        for message in (self.packed, pack(None)):
            kind, content = self._answer(message, STARTING)
            if kind == "lost":
                raise Failure(f"The tagger '{self.tagger}' did not survive its first sentence, '{_SHORT}': {content}.")
            if kind == "raised":
                content = Failure(f"The tagger '{self.tagger}' could not be made in its process: {content[1]}")
            if isinstance(content, UserError):
                self.stop()
                raise content

    def _answer(self, message: bytes | None, seconds: float) -> tuple[str, Any]:
        """Send a message and return the answer; `("lost", why)` when there is none, and then no process either."""
        answer = self.ask(message, seconds)
        if isinstance(answer, str):
            return "lost", answer
        read: tuple[str, Any] = pickle.loads(answer)
        return read


def _packed(tagger: Tagger) -> bytes:
    """Return what a process needs to have this tagger: the tagger, or its name where it cannot be sent."""
    try:
        return pack(_Tagging(tagger))
    except Exception as error:
        problem = unpicklable(f"The tagger '{tagger.name}' cannot be sent to a process of its own: {said(error)}")
        try:
            again = tagger_of(tagger.name)
        except UserError:
            raise problem from error
        if type(again) is not type(tagger) or again.signature() != tagger.signature():
            raise problem from error
        return pack(_Tagging(tagger.name, find("tagger", tagger.name.partition(":")[0]).kind.__module__))


# --- the child's side -----------------------------------------------------------------------------------------------


@dataclass
class _Tagging:
    """What the process does: it tags batches, and for None the short sentence, to say what would always go wrong."""

    tagger: Tagger | str
    module: str = ""

    def __call__(self, sentences: list[str] | None) -> LabelledSpans | UserError | None:
        if sentences is None:
            return self._always_wrong()
        try:
            return _checked(self._tagger, sentences)
        except (Exception, SystemExit):  # a stranger's model may raise anything
            return concat([_alone(self._tagger, sentence) for sentence in sentences])

    @cached_property
    def _tagger(self) -> Tagger:
        if isinstance(self.tagger, Tagger):
            return self.tagger
        importlib.import_module(self.module)
        return tagger_of(self.tagger)

    def _always_wrong(self) -> UserError | None:
        tagger = self._tagger
        try:
            tagger.tag([_SHORT])
        except UserError as error:
            return error
        except (Exception, SystemExit):
            pass  # sentences that go wrong are reported one by one
        return None


def _alone(tagger: Tagger, sentence: str) -> LabelledSpans:
    try:
        return _checked(tagger, [sentence])
    except (Exception, SystemExit) as error:
        message = " ".join(str(error).split())[:200]
        return labelled_spans([f"the tagger {tagger.name} failed: {type(error).__name__}: {message}"])


def _checked(tagger: Tagger, sentences: list[str]) -> LabelledSpans:
    return checked_words(tagger.tag(sentences), sentences, tagger.name)
