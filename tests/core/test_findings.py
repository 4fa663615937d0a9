"""Does a conformance kit report every promise, kept or broken?"""

from __future__ import annotations

from hengliang.core.conformance import Finding, examine, general_promises
from hengliang.core.errors import UserError
from hengliang.core.signature import Signature


def kept() -> str:
    return ""


def broken() -> str:
    return "counterexample"


def raises() -> str:
    raise ZeroDivisionError("nought")


def refuses() -> str:
    raise UserError("no.", remedy="Try yes.")


def test_every_promise_is_tried_whatever_the_others_do() -> None:
    found = list(examine([("a", raises), ("b", broken), ("c", refuses), ("d", kept)]))
    assert found == [
        Finding("a", False, "ZeroDivisionError: nought"),
        Finding("b", False, "counterexample"),
        Finding("c", False, "no. Try yes."),
        Finding("d", True),
    ]


class Good:
    name = "good"

    def signature(self) -> Signature:
        return Signature.of(name=self.name)


class Bad:
    name = ""

    def __init__(self) -> None:
        self.calls = 0
        self.helper = (value for value in [1])  # a generator cannot be pickled

    def signature(self) -> Signature:
        self.calls += 1
        return Signature.of(calls=self.calls)


def test_the_general_promises_catch_what_they_say() -> None:
    assert all(finding.kept for finding in examine(general_promises(Good())))
    assert not any(finding.kept for finding in examine(general_promises(Bad())))
