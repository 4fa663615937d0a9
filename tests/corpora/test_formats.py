"""Has every format a reader, and can a plug-in bring one of its own?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from hengliang import Bilingual, UserError
from hengliang.core import file_checksum, registry
from hengliang.corpora import catalogue as formats
from hengliang.corpora import catalogue as sources
from hengliang.corpora.catalogue import FORMATS, Source, SourceFile, find_format, reads
from hengliang.corpora.running_text import corpus_sentences, find_origin, read_running_text
from hengliang.corpora.trees.treebanks import read_treebank

# Word, tab, tag; a blank line ends a sentence.
VERTICAL = """
from hengliang.corpora.catalogue import reads
from hengliang.corpora.tagged import TaggedParagraph

@reads("vertical", ".vert")
def read_vertical(path):
    for number, block in enumerate(path.read_text(encoding="utf-8").strip().split("\\n\\n"), 1):
        words, tags = zip(*(line.split("\\t") for line in block.splitlines()))
        yield TaggedParagraph(number, words, tags)
"""
SENTENCES = "我\tr\n有\tv\n马\tn\n。\tw\n\n他\tr\n走\tv\n。\tw\n"


@pytest.fixture(autouse=True)
def own_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test start with our formats, and register what it likes without leaving it to others."""
    registry.load_plugins()
    ours = {name: held for name, held in formats._formats.items() if held.reader.__module__.startswith("hengliang.")}
    monkeypatch.setattr(formats, "_formats", ours)
    for name in ("_entries", "_broken"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    monkeypatch.setattr(registry, "_loaded", set(registry._loaded))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "toy.vert"
    file.write_text(SENTENCES, encoding="utf-8")
    return file


def load(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "plugin.py").write_text(text, encoding="utf-8")
    registry.load_file(folder / "plugin.py")


def test_every_source_names_a_format_with_a_reader_or_none() -> None:
    text = resources.files("hengliang.corpora").joinpath("catalogue.json").read_text(encoding="utf-8")
    entries = json.loads(text)["sources"]
    assert all("format" in entry for entry in entries)
    named = {entry["format"] for entry in entries} - {""}
    assert named == {"pku", "plain", "ccd", "conllu", "sinica", "pairs"}
    for name in named | {name for name, _ in FORMATS.values()}:
        held = find_format(name)
        assert held.name == name and callable(held.reader)


def test_no_source_is_described_by_where_its_code_lies() -> None:
    for entry in sources.list_sources():
        assert entry.format == "" or entry.format.isidentifier()
        assert "hengliang." not in json.dumps(entry.to_json())


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"No data format is called 'conlu'. Did you mean conllu\?") as caught:
        find_format("conlu")
    assert all(name in str(caught.value) for name in ("brackets", "ccd", "pairs", "pku", "plain", "sinica"))
    assert "docs/plugins.md" in caught.value.remedy


def test_two_readers_of_one_format_are_refused() -> None:
    def read_otherwise(path: Path) -> Iterator[tuple[int, str]]:
        yield 1, path.read_text(encoding="utf-8")

    with pytest.raises(UserError, match=r"Two functions want to read the format 'pku': .*read_pku and .*otherwise"):
        reads("pku")(read_otherwise)
    with pytest.raises(UserError, match=r"The formats 'plain' and 'mine' want the same files: \*\.txt"):
        reads("mine", ".mine", ".txt")(read_otherwise)
    reads("mine", ".mine")(read_otherwise)
    with pytest.raises(UserError, match=r"The formats 'mine' and 'yours' want the same files: \*\.mine"):
        reads("yours", ".mine")(read_otherwise)
    reads("mine", ".mine")(read_otherwise)  # again, as a file that is loaded twice does


def test_a_format_of_an_installed_plugin_becomes_items(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"toy\.vert is in no known format of text"):
        read_running_text(str(corpus))
    # A distribution as pip leaves it: a module and its metadata with an entry point.
    (tmp_path / "vertical_plugin.py").write_text(VERTICAL, encoding="utf-8")
    info = tmp_path / "vertical_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vertical_plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hengliang.plugins]\nvertical = vertical_plugin\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    text = read_running_text(str(corpus))
    assert text.segmenter == "given"
    assert text.sentences["line"].to_list() == ["我 有 马 。", "他 走 。"]
    parts = [corpus_sentences(str(corpus), part).items() for part in ("train", "dev", "test")]
    assert sorted(content for part in parts for content in part["content"]) == ["他走。", "我有马。"]
    (tmp_path / "toy.other").write_text("x")
    with pytest.raises(UserError, match=r"\*\.pku \(word/tag, a paragraph a line\).*\*\.vert \(vertical\)"):
        find_origin(str(tmp_path / "toy.other"))
    with pytest.raises(UserError, match=r"toy\.vert is in the format vertical: it has no trees"):
        read_treebank(str(corpus))


def test_a_source_in_a_format_of_a_plugin(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Bilingual("a toy", "玩具")
    file = SourceFile("toy.vert", corpus.stat().st_size, file_checksum(corpus))
    entry = Source("toy", text, text, "CC0 1.0", "Free.", "Nobody.", "https://example.org", (file,), format="vertical")
    monkeypatch.setattr(sources, "_catalogue", lambda: {"toy": entry})
    monkeypatch.setenv("HENGLIANG_MIRROR", str(corpus.parent))
    with pytest.raises(UserError, match="No data format is called 'vertical'"):
        read_running_text("toy")
    load(corpus.parent / "a", VERTICAL)
    found = read_running_text("toy")
    assert (found.name, found.licence, found.sentences.height) == ("toy", "CC0 1.0", 2)


def test_lines_of_a_plugin_are_cut_into_words(tmp_path: Path) -> None:
    lines = 'from hengliang.corpora.catalogue import reads\n@reads("lines", ".lines")\ndef read_lines(path):\n'
    load(tmp_path / "a", lines + "    yield from enumerate(path.read_text(encoding='utf-8').split('|'), 1)\n")
    (tmp_path / "toy.lines").write_text("我 有 马 。|他 走 。", encoding="utf-8")
    assert read_running_text(str(tmp_path / "toy.lines")).sentences["line"].to_list() == ["我 有 马 。", "他 走 。"]


def test_the_code_of_a_reader_is_signed(corpus: Path) -> None:
    load(corpus.parent / "a", VERTICAL)
    before = corpus_sentences(str(corpus)).signature()
    assert before == corpus_sentences(str(corpus)).signature()
    load(
        corpus.parent / "b",
        VERTICAL.replace(
            "yield TaggedParagraph(number, words, tags)",
            """
        yield TaggedParagraph(number, words[::-1], tags[::-1])""",
        ),
    )
    assert corpus_sentences(str(corpus)).signature() != before
    assert "。 马 有 我" in " ".join(read_running_text(str(corpus)).sentences["line"])


@pytest.mark.parametrize(
    "rows", ["[]", "['我']", "[(1, '我'), None]", "[(1, '我'), TaggedParagraph(1, ('我',), ('r',))]"]
)
def test_a_reader_gives_words_or_lines(corpus: Path, rows: str) -> None:
    reader = VERTICAL.partition("    for number")[0]
    load(corpus.parent / "a", f"{reader}    yield from {rows}\n")
    with pytest.raises(UserError, match=r"format 'vertical' finds no text in toy\.vert.*yields TaggedParagraph"):
        read_running_text(str(corpus))
