"""Does a fine-tuned encoder read what it says, start from any folder, and remember its own?"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from hengliang import UserError
from hengliang.core import Silent, write_json
from hengliang.systems.classifier_choosers.neural.encoder import ENCODER, READING, FineTunedEncoder, TokenReader
from hengliang.systems.classifier_choosers.neural.encoder_folders import open_encoder
from tests.systems.classifier_choosers.neural.toys import LONG, bert, tiny_bert, toy_slots


def tokens(reader: TokenReader, before: str, after: str, noun: str) -> str:
    read = reader.read(toy_slots((before, after, noun)))
    assert read.symbols[read.places[0]] == reader.tokenizer.mask_token_id
    return " ".join(reader.tokenizer.convert_ids_to_tokens(read.symbols.tolist()))


def test_the_noun_is_a_second_segment(tmp_path: Path) -> None:
    _, tokenizer = open_encoder(tiny_bert(tmp_path))
    reader = TokenReader(tokenizer, 3, noun=True)
    assert tokens(reader, "他看见一", "书。", "书") == "[CLS] 看 见 一 [MASK] 书 。 [SEP] 书 [SEP]"
    assert reader.read(toy_slots(("一", "书", "书"))).segments.tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert tokens(reader, "有一", "", "") == "[CLS] 有 一 [MASK] [SEP]"
    assert tokens(reader, "有一", LONG, "人") == "[CLS] 有 一 [MASK] [UNK] [UNK] [UNK] [SEP] 人 [SEP]"


def test_without_the_noun_there_is_one_segment(tmp_path: Path) -> None:
    _, tokenizer = open_encoder(tiny_bert(tmp_path))
    assert tokens(TokenReader(tokenizer, 3, noun=False), "有一", "书", "书") == "[CLS] 有 一 [MASK] 书 [SEP]"


def test_the_window_shrinks_to_the_places_of_the_encoder(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "short", max_position_embeddings=31)
    chooser = bert(tmp_path / "short", epochs=1, window=500)
    chooser.prepare(Silent())
    reader, _ = chooser.open(chooser.folder(), 3)
    # 31 places, of which one is left for padding, 16 for the noun and 4 for special tokens: 10, or 5 on each side.
    assert isinstance(reader, TokenReader)
    assert reader.reach == 5
    assert chooser.choose(toy_slots((LONG, LONG, LONG))).list.len().to_list() == [3]


def test_too_few_places_are_refused(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "short", max_position_embeddings=16)
    with pytest.raises(UserError, match="places for 16 tokens, too few"):
        bert(tmp_path / "short").prepare(Silent())


def test_the_content_of_the_encoder_decides_about_the_name(tmp_path: Path) -> None:
    one, other = bert(tmp_path / "one"), bert(tmp_path / "two")
    assert one.stored_name() == other.stored_name()
    assert one.signature().hash != FineTunedEncoder().signature().hash
    tiny_bert(tmp_path / "three", hidden_size=32)
    assert bert(tmp_path / "three").stored_name() != one.stored_name()
    assert FineTunedEncoder().stored_name() == "classifiers-bert-1"


def test_the_card_says_where_it_started(tmp_path: Path) -> None:
    chooser = bert(tmp_path / "tiny", epochs=1)
    chooser.prepare(Silent())
    assert chooser.card()["start"]["from"] == "tiny"
    assert "own card" in chooser.card()["start"]["terms"]
    assert f"{ENCODER}/model.safetensors" in chooser.card()["files"]


def test_a_broken_description_is_refused(tmp_path: Path) -> None:
    chooser = bert(tmp_path / "tiny", epochs=1)
    chooser.prepare(Silent())
    write_json(chooser.folder() / READING, [])
    with pytest.raises(UserError, match="does not say what the encoder reads"):
        FineTunedEncoder(model=str(chooser.folder())).probabilities(toy_slots(("有一", "书", "书")))
