"""Error messages for users: the problem, what would be valid, and what to do next.

A `UserError` is a mistake in what the user gave us, a `Failure` work that could not be done although the input was
right. An unknown name brings the closest known one, and what the operating system complains of becomes one clear line.
"""

from __future__ import annotations

import difflib
import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hengliang.core.closure import outside_signatures

_TAIL = re.compile(r" (?:of|in|for|to|with|without|about|from|that|which) | \(")
"""Where what is said of a noun begins: the noun before it has the plural."""


@outside_signatures("an error is told, not counted")
class UserError(Exception):
    """A mistake in what the user gave us: shown as a short message, never as a traceback.

    `problem` names the offending value (and file and line), `valid` says what would be accepted, `remedy` is the
    next thing to do, where possible a command. The command line exits with `exit_code`.
    """

    exit_code = 2

    def __init__(self, problem: str, *, valid: str = "", remedy: str = "") -> None:
        self.problem = problem
        self.valid = valid
        self.remedy = remedy
        super().__init__(" ".join(part for part in (problem, valid, remedy) if part))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the three parts apart, so that an error raised in a worker process arrives whole."""
        return (_rebuild, (type(self), self.problem, self.valid, self.remedy))


@outside_signatures("an error is told, not counted")
class Failure(UserError):
    """The input was right but the work could not be done: a full disk, a worker that keeps dying, a lost download."""

    exit_code = 1


def _rebuild(kind: type[UserError], problem: str, valid: str, remedy: str) -> UserError:
    return kind(problem, valid=valid, remedy=remedy)


@outside_signatures("an error is told, not counted")
class UnknownName(UserError):
    """A name that nobody has, with the closest one and the list of all.

    >>> print(UnknownName("study", "grammer", ["mandarin_grammar", "acceptability"]))
    No study is called 'grammer'. Did you mean mandarin_grammar?
    Studies: acceptability, mandarin_grammar
    """

    def __init__(self, what: str, name: str, known: Iterable[str], *, remedy: str = "") -> None:
        self.what = what
        self.name = name
        self.known = sorted(set(known))
        close = closest_name(name, self.known)
        problem = f"No {what} is called '{name}'." + (f" Did you mean {close}?" if close else "")
        plural = plural_of(what)
        listed = ", ".join(self.known) if self.known else "none"
        super().__init__(problem, valid=f"\n{plural[:1].upper()}{plural[1:]}: {listed}", remedy=remedy)

    def __str__(self) -> str:
        return self.problem + self.valid + (f"\n{self.remedy}" if self.remedy else "")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by what was asked."""
        return (_rebuild_unknown, (self.what, self.name, self.known, self.remedy))


@outside_signatures("a hint is told, not counted")
def closest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that somebody who wrote `name` probably meant."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return next(iter(close or [candidate for candidate in known if name and name in candidate]), None)


def _rebuild_unknown(what: str, name: str, known: list[str], remedy: str) -> UnknownName:
    return UnknownName(what, name, known, remedy=remedy)


def plural_of(what: str) -> str:
    """Return the plural of what is named by a noun and, perhaps, what is said of it.

    >>> plural_of("test set for taggers"), plural_of("entry in survey.toml"), plural_of("analysis")
    ('test sets for taggers', 'entries in survey.toml', 'analyses')
    """
    tail = _TAIL.search(what)
    noun, rest = (what[: tail.start()], what[tail.start() :]) if tail else (what, "")
    if noun.endswith("sis"):
        return f"{noun[:-3]}ses{rest}"
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies{rest}"
    return f"{noun}{'es' if re.search(r'(s|x|ch|sh)$', noun) else 's'}{rest}"


@outside_signatures("an error is told, not counted")
def unknown_name(what: str, name: str, known: Iterable[str], *, remedy: str = "") -> UserError:
    """Return the error for a name that nobody has."""
    return UnknownName(what, name, known, remedy=remedy)


@outside_signatures("an error is told, not counted")
@contextmanager
def file_errors(path: Path | str, doing: str) -> Iterator[None]:
    """Turn the operating system's complaint about `path` while `doing` something into one clear line."""
    try:
        yield
    except OSError as error:
        raise explain_os_error(error, path, doing) from error


@outside_signatures("an error is told, not counted")
def explain_os_error(error: OSError, path: Path | str, doing: str) -> UserError:
    """Return the UserError for `error`, which came up while `doing` something with `path`."""
    problem = f"Cannot {doing} {path}: {(error.strerror or str(error)).lower()}."
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return Failure(problem, remedy="Free some space, or choose another folder, then give the same command again.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return UserError(problem, remedy="Choose a folder that you may write to, or change its permissions.")
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return UserError(problem, remedy="Check the path for a typing mistake.")
    if error.errno == errno.EISDIR:
        return UserError(problem, valid="A file is expected here, not a folder.")
    return Failure(problem)
