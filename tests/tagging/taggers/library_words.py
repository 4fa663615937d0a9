"""Does an adapter say what its library says, and nothing on the screen?"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable

import pytest

from hengliang import UserError, tagger
from hengliang.tagging import Tagger

SENTENCES = (
    "张小明去年三月从北京搬到了上海。",
    "他２００４年花ＡＢＣ公司３．１４％的钱买了５㎏米。",
    "I love 北京 very much, 真的！",
    " 他 走　了 ",
    "一行\n两行\t三行\r\n完",
    "👍🏽很好👨‍👩‍👧‍👦！",
    "臺灣的鄉下很安靜，壹佰元。",
    "𠮷𠮟𪚥龘靐",
    "",
    "《春天的河》是李大山写的，……一共１２章。",
    "他\x00走\x07了\u200b。",
    "这篇文章很长，" * 60 + "完了。",
)

_ELSEWHERE = """
import sys
from hengliang.core.labelling.taggers import tagger
found = tagger(sys.argv[1]).tag(sys.argv[2:])
print([found.of(row) for row in range(len(found))], found.problems)
"""


def words(found: Tagger, sentence: str) -> list[tuple[str, str]]:
    """Return the adapter's words without the white space that belongs to them."""
    spans = found.tag([sentence])
    assert spans.problems == ("",)
    raw = sentence.encode()
    return [(raw[start:end].decode().strip(), tag) for start, end, tag in spans.of(0)]


def visible(returned: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what a library gave without its words of white space, a word with its white space trimmed."""
    return [(word.strip(), tag) for word, tag in returned if word.strip()]


def differences(found: Tagger, direct: Callable[[str], Iterable[tuple[str, str]]]) -> list[str]:
    """Return the sentences about which the adapter says something else than the library."""
    return [
        sentence for sentence in SENTENCES if words(found, sentence) != (visible(direct(sentence)) if sentence else [])
    ]


def broken_promises(found: Tagger) -> list[str]:
    """Return the promises of the conformance kit of taggers that are not kept, or that there are too few of them."""
    findings = list(found.conformance())
    few = [] if len(findings) >= 20 else [f"only {len(findings)} promises were tried"]
    return [*(str(finding) for finding in findings if not finding.kept), *few]


def same_elsewhere(name: str, sentences: list[str]) -> str:
    """Check that another process, with another order of sets, gives the same answer; return what it said besides."""
    command = [sys.executable, "-W", "ignore", "-c", _ELSEWHERE, name, *sentences]
    other = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=other)
    here = tagger(name).tag(sentences)
    assert done.stdout == f"{[here.of(row) for row in range(len(here))]} {here.problems}\n"
    return done.stderr


def packed_size(found: Tagger) -> int:
    """Return how many bytes a tagger that has tagged takes when it is sent to another process, unchanged."""
    found.tag(["好"])
    packed = pickle.dumps(found)
    assert pickle.loads(packed).signature() == found.signature()
    return len(packed)


def said_without(found: Tagger, package: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is said when the library is missing, on signing and on tagging; what was loaded is forgotten."""
    for module in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)  # Python's own way to say that there is none
    said = []
    for work in (found.signature, lambda: found.tag(["好"])):
        with pytest.raises(UserError) as raised:
            work()
        said.append(" ".join(str(raised.value).split()))
    return said
