"""External taggers: any program that reads one sentence per line and writes `word/tag word/tag`.

The program is started by its command, not through a shell, and speaks UTF-8. How it is asked, line by line or in
batches, and what happens when it crashes, hangs or miscounts, is described in
`hengliang.tagging.taggers.line_programs`: the sentence that does it gets a problem, the others are tagged.

A line is cut at spaces and tabs, each piece at its last separator, so that `1/2/m` is the word 1/2. The words are put
back onto the bytes of the sentence, and a program that changes, drops or adds characters has a problem for that
sentence. A line break within a sentence is sent as a space. Sentences without characters are not sent.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from hengliang.core.errors import UserError
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.labelling.taggers import Tagger, unreadable
from hengliang.core.labelling.words import Word, restored
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.tagging.taggers.line_programs import LineProgram, arguments

_BREAK = re.compile("[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_BLANK = re.compile("[ \t]+")


@register("program")
class ProgramTagger(Tagger):
    """Words and tags by a program, `program:COMMAND`; `separator` stands between word and tag, as `/`, `_` or `#`.

    `seconds` is the time limit for a sentence, `tag_map` the name or the file of the tag map for its tags. What the
    program has loaded stays until `close`, the end of a `with` block, or that of this object.
    """

    title = Bilingual("Tags by a program", "外部程序标注")
    batch_size = 2000  # it may be started anew for each batch, and read a large model then

    def __init__(
        self,
        command: str = "",
        separator: str = "/",
        seconds: float = 30.0,
        name: str = "",
        *,
        tag_map: str = "pku",
    ) -> None:
        self.command = command
        self.separator = separator
        self.seconds = seconds
        self.name = name or (f"program:{command}" if command else "program")
        self.tag_map = tag_map
        self._starting: float | None = None

    @cached_property
    def _program(self) -> LineProgram:
        if not self.separator or not self.separator.strip():
            raise UserError(
                f"'{self.separator}' cannot stand between a word and its tag.", valid="A separator is visible: / _ #"
            )
        if not self.seconds > 0:
            raise UserError(f"seconds={self.seconds} is not possible.", valid="seconds is more than 0.")
        return LineProgram(self.command, self.seconds, _Fitting(self.separator), self._starting)

    def hurried(self, seconds: float) -> Tagger:
        """Return a tagger whose program answers its first sentence within these seconds, or has failed.

        From outside, a program that reads its model looks like one that hangs.
        """
        copied = copy.copy(self)
        copied._starting = seconds
        return copied

    @property
    def answers_at_once(self) -> bool:
        """Whether the program is kept and asked line by line; else it is started for each batch."""
        return self._program.answers_at_once

    def __getstate__(self) -> dict[str, Any]:
        """Leave the running program behind: a copy starts its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_program"}

    def __enter__(self) -> ProgramTagger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the program; the next sentence starts it again."""
        if "_program" in self.__dict__:
            self._program.close()

    def signature(self) -> Signature:
        """Return the arguments and the code, the checksum of the program, and those of files that the command names."""
        words = arguments(self.command)
        named = {f"file_{number}": Path(word) for number, word in enumerate(words[1:], start=1) if _is_file(word)}
        return constructor_signature(self).and_(
            program=file_checksum(Path(words[0]))[:16],
            **{name: file_checksum(path)[:16] for name, path in named.items()},
        )

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence as byte spans that cover it, labelled by the program's tags."""
        rows: list[Sequence[Labelled] | str] = [unreadable(sentence, self.name) for sentence in sentences]
        asked = [row for row, problem in enumerate(rows) if not problem and sentences[row].strip()]
        for row, problem in enumerate(rows):
            rows[row] = problem or []
        replies = self._program.ask([_BREAK.sub(" ", sentences[row]) for row in asked]) if asked else []
        for row, reply in zip(asked, replies, strict=True):
            rows[row] = reply if isinstance(reply, str) else _spans(sentences[row], reply, self.separator)
        return labelled_spans(rows)


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except OSError:  # a script after -c is too long for the name of a file
        return False


class _Fitting:
    """Knows whether a line of the program can be the answer to a sentence."""

    def __init__(self, separator: str) -> None:
        self.separator = separator

    def __call__(self, sentence: str, line: bytes) -> bool:
        return not isinstance(_spans(sentence, line, self.separator), str)


def _spans(sentence: str, line: bytes, separator: str) -> list[Labelled] | str:
    """Return the words of a line as spans of the sentence, or what is wrong with it."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return f"the program's line is not UTF-8 (byte {error.start + 1} is 0x{line[error.start]:02X})"
    words: list[Word] = []
    for piece in _BLANK.split(text.strip(" \t\r")):
        word, mark, tag = piece.rpartition(separator)
        if piece and not mark:
            return f"'{piece[:12]}' in the program's line has no tag: '{separator}' is not in it"
        if word:  # a piece without a word is the tag of a space
            words.append((word, tag))
    return restored(sentence, words)
