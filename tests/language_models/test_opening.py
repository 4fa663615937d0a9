"""Is every way to name a language model understood, and every wrong one explained?"""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path

import pytest

from hengliang import UserError, register
from hengliang.language_models import read_texts, write_card
from hengliang.language_models.huggingface.causal import HuggingFaceCausal
from hengliang.language_models.huggingface.masked import HuggingFaceMasked
from hengliang.language_models.ngram.kenlm import KenlmModel
from hengliang.language_models.ngram.model import ArpaModel, NgramModel
from hengliang.language_models.opening import model
from hengliang.language_models.recipes import Recipe, train
from hengliang.language_models.structured.model import StructuredModel
from tests.language_models.stories import story
from tests.language_models.tiny_language_models import Tiny

ARPA = Path(__file__).parent / "ngram" / "data" / "small.arpa"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "home"))
    return tmp_path


def test_a_stored_model_is_found_by_its_name_and_by_its_folder(home: Path) -> None:
    folder = train(Recipe("ngram", "2", data=story(home / "story.txt")))
    by_name, by_folder = model("ngram-2-story"), model(str(folder))
    assert isinstance(by_name, NgramModel)
    assert by_name.folder == by_folder.folder == folder  # type: ignore[attr-defined]
    assert (by_name.name, by_folder.name) == ("ngram-2-story", "ngram-2-story")
    assert by_name.signature() == by_folder.signature()
    assert model(str(folder), name="mine").name == "mine"


def test_files_of_other_programs_are_named_by_a_prefix(home: Path) -> None:
    assert isinstance(model(f"arpa:{ARPA}"), ArpaModel)
    assert isinstance(model(f"kenlm:{ARPA}"), KenlmModel)
    assert model(f"arpa:{ARPA}").name == f"arpa:{ARPA}"


@pytest.mark.parametrize(
    ("architecture", "kind"), [("GPT2LMHeadModel", HuggingFaceCausal), ("BertForMaskedLM", HuggingFaceMasked)]
)
def test_the_configuration_says_whether_a_model_is_masked(home: Path, architecture: str, kind: type) -> None:
    (home / "hf").mkdir()
    (home / "hf" / "config.json").write_text(json.dumps({"architectures": [architecture]}))
    assert isinstance(model(f"hf:{home / 'hf'}"), kind)


def test_a_gguf_file_is_causal(home: Path) -> None:
    assert isinstance(model(f"hf:{home / 'model.gguf'}"), HuggingFaceCausal)


@register("opening-test")
class Registered(Tiny):
    """A plug-in's model."""

    def __init__(self, name: str = "opening-test") -> None:
        super().__init__(name=name)


def test_a_plugin_is_found_by_its_name() -> None:
    assert isinstance(model("opening-test"), Registered)
    with pytest.raises(UserError, match="has no option 'order'"):
        model("opening-test", order=3)


def test_an_unknown_name_lists_what_there_is(home: Path) -> None:
    train(Recipe("ngram", "2", data=story(home / "story.txt")))
    with pytest.raises(UserError) as caught:
        model("ngram-2-stori")
    assert "Did you mean ngram-2-story?" in str(caught.value)
    assert "hengliang lm train" in str(caught.value)


def test_a_prefix_without_a_path_and_a_folder_without_a_model(home: Path) -> None:
    with pytest.raises(UserError, match="'arpa:' names no file"):
        model("arpa:")
    (home / "empty").mkdir()
    with pytest.raises(UserError, match="holds no trained model"):
        model(str(home / "empty"))


@pytest.mark.parametrize("reference", ["", "  "])
def test_an_empty_name_is_no_folder(home: Path, reference: str) -> None:
    with pytest.raises(UserError, match=rf"'{reference}' names no language model.*hengliang models list"):
        model(reference)


def test_a_changed_byte_of_a_trained_model_is_found_however_it_is_opened(home: Path) -> None:
    folder = train(Recipe("ngram", "2", data=story(home / "story.txt")))
    texts = read_texts(["他 昨天 来 了 。"])
    before = NgramModel(folder).score(texts).logprobs.tolist()
    rng = random.Random(3)
    for file in sorted(file for file in folder.iterdir() if not file.name.startswith(".")):
        whole = file.read_bytes()
        for place in rng.sample(range(len(whole)), 20):
            damaged = bytearray(whole)
            damaged[place] ^= rng.randrange(1, 256)
            file.write_bytes(damaged)
            for opened in (partial(model, folder.name), partial(NgramModel(folder).score, texts)):
                with pytest.raises(UserError):
                    opened()
        file.write_bytes(whole)
    assert NgramModel(folder).score(texts).logprobs.tolist() == before


def test_a_kind_of_another_version_is_named(home: Path) -> None:
    folder = train(Recipe("ngram", "2", data=story(home / "story.txt")))
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    write_card(folder, **{**card, "kind": "grammar"})
    with pytest.raises(UserError, match=r"of the kind 'grammar'.*masked, rnng, plm"):
        model(str(folder))


@pytest.mark.parametrize("kind", ["rnng", "plm"])
def test_a_model_with_structure_is_opened_with_its_beam(home: Path, kind: str) -> None:
    folder = train(Recipe("ngram", "2", data=story(home / "story.txt")))
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    write_card(folder, **{**card, "kind": kind})
    opened = model(str(folder), word_beam=3, ranking="word")
    assert isinstance(opened, StructuredModel)
    assert (opened.folder, opened.word_beam, opened.action_beam, opened.ranking) == (folder, 3, 100, "word")
    with pytest.raises(UserError, match=r"has no option 'beam'.*action_beam, word_beam"):
        model(str(folder), beam=3)


def test_a_model_with_structure_that_is_not_there_is_told_with_its_command() -> None:
    with pytest.raises(UserError, match="hengliang lm train rnng --size small"):
        model("rnng-small-1")


def test_a_name_that_is_not_there_is_told_with_the_command_that_trains_it() -> None:
    with pytest.raises(UserError, match="hengliang lm train ngram --size 4"):
        model("ngram-4-rne.lac")


def test_a_hugging_face_folder_is_told_from_a_trained_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UserError, match=f"hf:{tmp_path}"):
        model(str(tmp_path))
