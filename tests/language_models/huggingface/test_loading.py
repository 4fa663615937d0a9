from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import T5Config, T5ForConditionalGeneration

from hengliang import UserError
from hengliang.cli.main import outcome
from hengliang.language_models import raw_texts
from hengliang.language_models.huggingface.causal import HuggingFaceCausal
from hengliang.language_models.huggingface.loading import load
from tests.language_models.huggingface import tiny_gguf, tiny_models
from tests.language_models.huggingface.code_folders import with_code


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.gpt2(tmp_path_factory.mktemp("models") / "whole")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


@pytest.fixture
def yes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer every question of a library with yes, as `echo y | hengliang …` does."""
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 20))


@pytest.mark.usefixtures("yes")
@pytest.mark.parametrize("part", ["config", "tokenizer"])
def test_no_code_of_a_model_is_run(folder: Path, part: str) -> None:
    trace = with_code(folder, part)
    with pytest.raises(
        UserError, match=r"asks to have program code of its own run \(auto_map.*runs no code of a model"
    ):
        HuggingFaceCausal(folder).score(raw_texts(["他成为了医生。"]))
    assert not trace.exists()


@pytest.mark.usefixtures("yes")
def test_the_command_line_runs_no_code_of_a_model(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = with_code(folder)
    (tmp_path / "text.txt").write_text("他成为了医生。\n", encoding="utf-8")
    assert outcome(["score", str(tmp_path / "text.txt"), "--model", f"hf:{folder}"]) == 2
    assert "program code of its own" in capsys.readouterr().err
    assert not trace.exists()


def test_a_tokenizer_that_transformers_knows_is_opened_without_the_code_beside_it(folder: Path) -> None:
    expected = HuggingFaceCausal(folder).score(raw_texts(["他"])).logprobs.tolist()
    known = json.loads((folder / "tokenizer_config.json").read_text())["tokenizer_class"]
    trace = with_code(folder, "tokenizer")
    held = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**held, "tokenizer_class": known}))
    assert HuggingFaceCausal(folder).score(raw_texts(["他"])).logprobs.tolist() == expected
    assert not trace.exists()


def test_no_pickled_code_is_run(folder: Path) -> None:
    """A file of weights in the format of pickle may name any function to be called when it is read."""
    trace = folder.parent / "code-has-run.txt"

    class Brought:
        def __reduce__(self) -> tuple[Any, ...]:
            return (os.mkdir, (str(trace),))

    (folder / "model.safetensors").unlink()
    torch.save({"transformer.wte.weight": Brought()}, folder / "pytorch_model.bin")
    with pytest.raises(UserError, match="cannot be read"):
        HuggingFaceCausal(folder).score(raw_texts(["他"]))
    assert not trace.exists()


def change_weights(folder: Path, change: Any) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def change_config(folder: Path, **values: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | values))


def test_a_whole_model(whole: Path) -> None:
    loaded = load(whole, "causal")
    assert (loaded.context, loaded.vocabulary) == (64, 380)
    assert not loaded.model.training
    assert {weights.dtype for weights in loaded.model.parameters()} == {torch.float32}
    assert loaded.special("bos") == loaded.special("eos") == 0
    assert loaded.special("cls") is None
    assert load(whole, "causal") is loaded


def test_half_precision_is_widened(folder: Path) -> None:
    def halve(weights: dict[str, torch.Tensor]) -> None:
        weights.update({name: held.bfloat16() for name, held in weights.items()})

    change_weights(folder, halve)
    change_config(folder, dtype="bfloat16")
    assert {weights.dtype for weights in load(folder, "causal").model.parameters()} == {torch.float32}


def test_a_changed_model_is_read_again(folder: Path) -> None:
    before = load(folder, "causal")
    tiny_models.gpt2(folder, seed=5)
    after = load(folder, "causal")
    assert after is not before
    assert not torch.equal(after.model.transformer.wte.weight, before.model.transformer.wte.weight)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no model at"):
        load(tmp_path / "gpt3", "causal")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["config.json"], "holds no config.json"),
        (["tokenizer.json"], "holds no tokenizer"),
        (["model.safetensors"], "holds no weights"),
    ],
)
def test_a_file_is_not_there(folder: Path, names: list[str], message: str) -> None:
    for name in names:
        (folder / name).unlink()
    with pytest.raises(UserError, match=message):
        load(folder, "causal")


def test_weights_that_were_cut_short(folder: Path) -> None:
    raw = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(raw[: len(raw) // 2])
    with pytest.raises(UserError, match=r"The model in .* cannot be read"):
        load(folder, "causal")


def test_files_that_are_not_what_they_should_be(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(UserError, match=r"The tokenizer in .* cannot be read"):
        load(folder, "causal")
    (folder / "config.json").write_text("{")
    with pytest.raises(UserError, match=r"config\.json cannot be read"):
        load(folder, "causal")


def test_weights_that_are_missing_are_not_drawn_at_random(folder: Path) -> None:
    change_weights(folder, lambda weights: weights.pop("transformer.h.1.mlp.c_fc.weight"))
    with pytest.raises(UserError, match=r"lack transformer\.h\.1\.mlp\.c_fc\.weight"):
        load(folder, "causal")


def test_weights_that_nobody_uses(folder: Path) -> None:
    # The config speaks of one layer, the weights hold two: the numbers would be those of half a model.
    change_config(folder, n_layer=1)
    with pytest.raises(UserError, match=r"besides what the model needs, .*h\.1\."):
        load(folder, "causal")


def test_a_head_for_another_task_is_allowed(folder: Path) -> None:
    change_weights(folder, lambda weights: weights.update({"v_head.weight": torch.zeros(1, 32)}))
    assert load(folder, "causal").vocabulary == 380


def test_what_older_versions_saved_besides_is_allowed(whole: Path, folder: Path) -> None:
    # The first GPT-2 was saved without the prefix of the network, and with its masks.
    weights = load_file(folder / "model.safetensors")
    old = {name.removeprefix("transformer."): held for name, held in weights.items()}
    old |= {"h.0.attn.bias": torch.ones(1, 1, 64, 64), "h.0.attn.masked_bias": torch.tensor(-1e4)}
    save_file(old, folder / "model.safetensors", metadata={"format": "pt"})
    pairs = zip(load(whole, "causal").model.parameters(), load(folder, "causal").model.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


def test_a_model_that_translates_is_no_language_model(tmp_path: Path) -> None:
    config = T5Config(vocab_size=120, d_model=8, d_ff=8, num_layers=1, num_heads=1, d_kv=8)
    folder = tiny_models.save(tmp_path / "t5", T5ForConditionalGeneration, config, tiny_models.unigram())
    with pytest.raises(UserError, match="reads one text and writes another"):
        load(folder, "causal")


def test_weights_of_another_shape(folder: Path) -> None:
    change_config(folder, vocab_size=381)
    with pytest.raises(UserError):
        load(folder, "causal")


def test_weights_that_are_no_numbers(folder: Path) -> None:
    def spoil(weights: dict[str, torch.Tensor]) -> None:
        weights["transformer.h.0.attn.c_attn.weight"][0, 0] = float("nan")

    change_weights(folder, spoil)
    with pytest.raises(UserError, match=r"h\.0\.attn\.c_attn\.weight .* no numbers"):
        load(folder, "causal")


def test_a_masked_model_is_not_causal_and_the_other_way_round(whole: Path, tmp_path: Path) -> None:
    bert = tiny_models.bert(tmp_path / "bert")
    with pytest.raises(UserError, match=r"is BertForMaskedLM, not a causal language model.* Give it as a masked model"):
        load(bert, "causal")
    with pytest.raises(UserError, match=r"is GPT2LMHeadModel, not a masked language model.* Give it as a causal model"):
        load(whole, "masked")
    assert load(bert, "masked").special("bos", "cls") == 2


def test_a_file_that_is_not_gguf(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"PK\x03\x04")
    with pytest.raises(UserError, match="is not a GGUF file"):
        load(tmp_path / "model.gguf", "causal")


def test_a_broken_gguf_file_names_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF\x03\x00\x00\x00")
    with pytest.raises(UserError, match="cannot be read"):
        load(tmp_path / "model.gguf", "causal")


def test_a_gguf_file_gives_the_numbers_of_the_folder_it_was_made_from(tmp_path: Path) -> None:
    folder = tiny_gguf.qwen2(tmp_path / "folder")
    file = tiny_gguf.write_gguf(folder, tmp_path / "model.gguf")
    texts = raw_texts(["他成为了医生。", "The cat sat on the mat.", "龘"])
    expected, found = HuggingFaceCausal(folder).score(texts), HuggingFaceCausal(file).score(texts)
    assert found.problems == expected.problems == ("", "", "")
    assert found.ends.tolist() == expected.ends.tolist()
    assert found.logprobs == pytest.approx(expected.logprobs, abs=1e-6)


def test_a_gguf_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    file = tiny_gguf.write_gguf(tiny_gguf.qwen2(tmp_path / "folder"), tmp_path / "model.gguf")
    file.write_bytes(file.read_bytes()[:-5000])
    with pytest.raises(UserError, match=r"model\.gguf"):
        load(file, "causal")
