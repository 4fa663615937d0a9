from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hengliang import UserError
from hengliang.language_models import raw_texts, read_segmented_texts, read_texts
from hengliang.language_models.ngram.kenlm import KenlmModel
from hengliang.language_models.ngram.model import ArpaModel
from tests.language_models.ngram.samples import SENTENCES, SMALL, TINY, UNSEEN, tiny


def test_natural_logarithms_of_a_model_by_hand(tmp_path: Path) -> None:
    scores = KenlmModel(tiny(tmp_path)).score(read_segmented_texts(["山 水", ""]))
    # p(山|<s>) = 1/2, p(水|<s> 山) = 3/4, p(</s>) = 3/10; nothing: 5/6 · 3/10. Derived in the samples.
    np.testing.assert_allclose(scores.logprobs, np.log([1 / 2, 3 / 4, 3 / 10, 5 / 6 * 3 / 10]), atol=1e-6)
    assert (scores.starts.tolist(), scores.ends.tolist()) == ([0, 3, 6, 0], [3, 6, 6, 0])
    assert np.isnan(scores.unigram_logprobs).all()


def test_our_own_model_says_the_same() -> None:
    texts = read_segmented_texts([*SENTENCES, *UNSEEN, "<s> </s> 他 <unk>"])
    ours, theirs = ArpaModel(SMALL).score(texts), KenlmModel(SMALL).score(texts)
    np.testing.assert_allclose(ours.logprobs, theirs.logprobs, atol=1e-5)
    assert ours.unknown.tolist() == theirs.unknown.tolist()
    assert ours.offsets.tolist() == theirs.offsets.tolist()


@pytest.mark.skipif(not shutil.which("build_binary"), reason="KenLM's build_binary is not installed")
@pytest.mark.parametrize("kind", ["probing", "trie"])
def test_binary_files_say_what_the_arpa_file_says(kind: str, tmp_path: Path) -> None:
    binary = tmp_path / "small.binary"
    subprocess.run(["build_binary", kind, SMALL, binary], check=True, capture_output=True)
    texts = read_segmented_texts([*SENTENCES, *UNSEEN])
    ours, theirs = ArpaModel(SMALL).score(texts), KenlmModel(binary).score(texts)
    np.testing.assert_allclose(ours.logprobs, theirs.logprobs, atol=1e-5)
    raw = binary.read_bytes()
    for kept in (10, 60, 200, len(raw) // 2):
        binary.write_bytes(raw[:kept])
        with pytest.raises(UserError, match="KenLM cannot read"):
            KenlmModel(binary).score(texts)


def test_raw_text_is_segmented() -> None:
    scores = KenlmModel(SMALL).score(raw_texts(["老师昨天没有来上课。"]))
    assert scores.counts.tolist() == [len(read_texts(["老师 昨天 没有 来 上课 。"]).words) + 1]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"neither\n",
        b"mmap lm http://kheafield.com/code",
        b"\x1f\x8b broken",
        TINY[:150].encode(),
        b"\\data\\\n",
        bytes(range(255, 0, -1)),
    ],
)
def test_a_broken_file_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(data)
    with pytest.raises(UserError, match=r"KenLM cannot read .*broken"):
        KenlmModel(tmp_path / "broken").conventions()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        KenlmModel(tmp_path / "none").score(raw_texts(["山"]))
    with pytest.raises(UserError, match="A file is expected"):
        KenlmModel(tmp_path).score(raw_texts(["山"]))


def test_a_missing_library_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(UserError, match=r"pip install 'hengliang\[kenlm\]'"):
        KenlmModel(SMALL).conventions()


def test_a_model_travels_by_the_name_of_its_file() -> None:
    model = KenlmModel(SMALL)
    texts = read_segmented_texts(SENTENCES)
    before = model.score(texts).logprobs.tolist()
    copy = pickle.loads(pickle.dumps(model))
    assert copy.score(texts).logprobs.tolist() == before
    assert copy.signature() == model.signature()
    assert "kenlm:kenlm-ex" in str(model.signature())
    assert model.name == "small.arpa"


def test_nothing_is_printed_while_loading(capfd: pytest.CaptureFixture[str]) -> None:
    KenlmModel(SMALL).conventions()
    assert capfd.readouterr() == ("", "")
