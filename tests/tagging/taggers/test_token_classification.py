"""Are the labels of a token-classification model read as words, by the right bytes, whatever else is in the batch?"""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError, tagger
from hengliang.core.labelling import ORDINARY
from hengliang.tagging.taggers.token_classification import (
    Label,
    TokenClassificationTagger,
    read_labels,
    windows,
    words_of,
)
from tests.killed import goes_on_within_a_batch
from tests.language_models.huggingface.code_folders import with_code

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

CHARACTERS = sorted(set("".join(ORDINARY)) - set(" "))
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *CHARACTERS, *"abcdefghijklmnopqrstuvwxyz"]
VOCABULARY = list(dict.fromkeys([*VOCABULARY, *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789")]))
LABELS = ["O", "B-n", "I-n", "B-v", "I-v", "v", "w"]


def save(folder: Path, model: Any) -> Path:
    """Save a model with a tokenizer of characters, as people do."""
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    model.save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=False).save_pretrained(folder)
    return folder


def random_model(positions: int = 64) -> Any:
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=positions,
        initializer_range=0.7,  # larger than usual, so that labels differ from token to token
        id2label=dict(enumerate(LABELS)),
        label2id={label: number for number, label in enumerate(LABELS)},
    )
    return transformers.BertForTokenClassification(config).eval()


def known_model(labels: dict[str, str], names: list[str]) -> Any:
    """Return a network without layers in which each token is its own direction, and its label is the one told."""
    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=len(VOCABULARY),
        num_hidden_layers=0,
        num_attention_heads=1,
        max_position_embeddings=32,
        id2label=dict(enumerate(names)),
        label2id={label: number for number, label in enumerate(names)},
    )
    model = transformers.BertForTokenClassification(config)
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight.copy_(torch.eye(len(VOCABULARY)))
        model.bert.embeddings.position_embeddings.weight.zero_()
        model.bert.embeddings.token_type_embeddings.weight.zero_()
        model.classifier.weight.zero_()
        model.classifier.bias.zero_()
        for token, label in labels.items():
            model.classifier.weight[names.index(label), VOCABULARY.index(token)] = 1.0
    return model.eval()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("models") / "random", random_model())


@pytest.mark.parametrize("part", ["config", "tokenizer"])
def test_no_code_of_a_model_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    trace = with_code(save(tmp_path / "model", random_model()), part)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 20))
    with pytest.raises(UserError, match="asks to have program code of its own run"):
        tagger(f"hf:{tmp_path / 'model'}").tag(["他走了。"])
    assert not trace.exists()


def test_labels_are_read_by_hand(tmp_path: Path) -> None:
    # 孩子 are B I, 们 an I of another tag, 在 a bare label, 唱 B and 歌 I, 。 bare; a and ##b are one written word.
    labels = {"孩": "B-n", "子": "I-n", "们": "I-v", "在": "v", "唱": "B-v", "歌": "I-v", "。": "w", "a": "B-n"}
    labels |= {"##b": "w", "[UNK]": "O"}
    made = TokenClassificationTagger(save(tmp_path / "known", known_model(labels, LABELS)))
    found = made.tag(["孩子们在唱歌。", "在 ab。 ", "龘孩", ""])
    # 孩子 is 6 bytes; 们 cannot go on with a word of another tag; 在 and 。 are words by themselves.
    assert found.of(0) == [(0, 6, "n"), (6, 9, "v"), (9, 12, "v"), (12, 18, "v"), (18, 21, "w")]
    # The space belongs to ab, that at the end to the last word.
    assert found.of(1) == [(0, 3, "v"), (3, 6, "n"), (6, 10, "w")]
    # A character that the vocabulary does not hold is one token still.
    assert found.of(2) == [(0, 3, "O"), (3, 6, "n")]
    assert found.of(3) == []
    assert set(found.problems) == {""}


def test_bare_tags_make_runs_or_single_words(tmp_path: Path) -> None:
    names = ["n", "v", "w"]
    labels = {"孩": "n", "子": "n", "院": "n", "唱": "v", "。": "w"}
    saved = save(tmp_path / "bare", known_model(labels, names))
    assert TokenClassificationTagger(saved).tag(["孩子唱。"]).of(0) == [(0, 6, "n"), (6, 9, "v"), (9, 12, "w")]
    apart = TokenClassificationTagger(saved, scheme="tokens").tag(["孩子唱。"]).of(0)
    assert apart == [(0, 3, "n"), (3, 6, "n"), (6, 9, "v"), (9, 12, "w")]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("B-n I-n B-n I-n", [(0, 2, "n"), (2, 4, "n")]),
        ("B-n M-n E-n S-v", [(0, 3, "n"), (3, 4, "v")]),
        ("B_n I_n O O", [(0, 2, "n"), (2, 3, "O"), (3, 4, "O")]),
        ("B-n E-n E-n E-n", [(0, 2, "n"), (2, 3, "n"), (3, 4, "n")]),  # what follows an end begins anew
        ("I-n I-n I-v B-v", [(0, 2, "n"), (2, 3, "v"), (3, 4, "v")]),  # nothing to go on with
        ("S-n I-n B-n S-n", [(0, 1, "n"), (1, 2, "n"), (2, 3, "n"), (3, 4, "n")]),
        ("n n v v", [(0, 2, "n"), (2, 4, "v")]),
        ("B-NOUN-X I-NOUN-X ADJ I-ADJ", [(0, 2, "NOUN-X"), (2, 3, "ADJ"), (3, 4, "ADJ")]),
    ],
)
def test_each_scheme_cuts_words(names: str, words: list[tuple[int, int, str]]) -> None:
    labels = read_labels(names.split())
    assert words_of(labels, [False] * len(labels)) == words


@given(
    st.lists(st.tuples(st.sampled_from("BIES"), st.sampled_from(["n", "v"]), st.booleans()), max_size=30),
)
def test_words_follow_each_other_and_cover_the_tokens(told: list[tuple[str, str, bool]]) -> None:
    labels, continued = [Label(position, tag) for position, tag, _ in told], [sticks for _, _, sticks in told]
    words = words_of(labels, continued)
    assert [place for first, after, _ in words for place in range(first, after)] == list(range(len(told)))
    assert all(tag == labels[first].tag for first, _, tag in words)
    # A token that was told to belong to the one before it begins no word, but for the very first.
    assert not any(continued[first] for first, _, _ in words[1:])


@given(st.integers(0, 200), st.one_of(st.none(), st.integers(1, 40)))
def test_every_token_gets_its_label_in_one_window(length: int, room: int | None) -> None:
    found = windows(length, room)
    assert [place for _, first, after in found for place in range(first, after)] == list(range(length))
    for start, first, after in found:
        assert start >= 0
        assert start <= first
        assert room is None or after <= start + room
        # Where windows overlap by half, a token has a quarter of the window on each side, or the text ends there.
        if room is not None and length > room:
            assert first == 0 or first - start >= room // 4
            assert after == length or start + room - after >= room // 4


def test_words_do_not_depend_on_the_batch_nor_on_padding(folder: Path) -> None:
    made = TokenClassificationTagger(folder)
    found = made.tag(ORDINARY)
    # The same network by another way: all sentences padded to one length, with an attention mask.
    model = transformers.BertForTokenClassification.from_pretrained(folder).eval()
    tokenizer = transformers.BertTokenizerFast.from_pretrained(folder)
    padded = tokenizer(list(ORDINARY), padding=True, return_tensors="pt", return_offsets_mapping=True)
    offsets = padded.pop("offset_mapping").tolist()
    with torch.inference_mode():
        best = model(**padded).logits.argmax(-1).tolist()
    distinct = set()
    for row, sentence in enumerate(ORDINARY):
        tokens = [place for place, (start, end) in enumerate(offsets[row]) if end > start]
        labels = read_labels([LABELS[best[row][place]] for place in tokens], "prefixes")
        sticks = [VOCABULARY[padded["input_ids"][row, place]].startswith("##") for place in tokens]
        words = words_of(labels, sticks)
        ends = [len(sentence[: offsets[row][tokens[after - 1]][1]].encode()) for _, after, _ in words]
        assert [(end, tag) for _, end, tag in found.of(row)] == list(
            zip(ends, [tag for _, _, tag in words], strict=True)
        )
        distinct |= {tag for _, _, tag in words}
    assert len(distinct) > 2  # the random network does say different things
    assert [finding for finding in made.conformance() if not finding.kept] == []


def test_a_long_sentence_is_read_in_windows(tmp_path: Path) -> None:
    # The network sees 32 tokens, 30 of them of the text; its labels do not depend on their place.
    labels = {"孩": "B-n", "子": "I-n", "。": "w"}
    made = TokenClassificationTagger(save(tmp_path / "known", known_model(labels, LABELS)))
    found = made.tag(["孩子。" * 40])
    assert found.of(0) == [span for at in range(0, 360, 9) for span in ((at, at + 6, "n"), (at + 6, at + 9, "w"))]


def test_the_signature_follows_the_files(tmp_path: Path) -> None:
    saved = save(tmp_path / "one", random_model())
    made = tagger(f"hf:{saved}")
    before = made.signature()
    assert pickle.loads(pickle.dumps(made)).signature() == before
    assert TokenClassificationTagger(saved, "tokens").signature() != before
    save(saved, random_model(positions=48))
    assert made.signature() != before
    assert made.tag(["好" * 60]).problems == ("",)  # the changed files are read anew


def test_what_is_no_such_model_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UserError, match="needs a model"):
        TokenClassificationTagger().tag(["好。"])
    with pytest.raises(UserError, match="There is no folder"):
        TokenClassificationTagger(tmp_path / "nowhere").signature()
    with pytest.raises(UserError, match="holds no config"):
        TokenClassificationTagger(tmp_path).tag(["好。"])
    with pytest.raises(UserError, match="No scheme of labels is called 'bio'"):
        TokenClassificationTagger(folder, "bio").tag(["好。"])  # type: ignore[arg-type]
    with pytest.raises(UserError, match="name no tags"):
        read_labels(["B", "I"])
    # A model without the layer that gives labels would answer at random.
    plain = save(tmp_path / "plain", transformers.BertModel(random_model().config))
    with pytest.raises(UserError, match="lack classifier"):
        TokenClassificationTagger(plain).tag(["好。"])
    broken = save(tmp_path / "broken", random_model())
    (broken / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(UserError, match="cannot be read"):
        TokenClassificationTagger(broken).tag(["好。"])


def test_what_a_slow_batch_has_computed_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = TokenClassificationTagger(save(tmp_path / "model", random_model()))

    def work() -> object:
        found = held.tag(ORDINARY)
        return [*found.starts, *found.ends]

    assert goes_on_within_a_batch(work, tmp_path / "kept", monkeypatch) == len(ORDINARY)
