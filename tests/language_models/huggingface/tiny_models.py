"""Which models are small enough to be made on the spot, and cover the kinds of tokenizer that there are?

Each builder writes a folder as `save_pretrained` does: a tokenizer trained on our own sentences and a random network.
The weights are larger than usual, so that probabilities differ visibly from token to token.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

SENTENCES = (
    "他成为了医生。",
    "她昨天买了三本书，都很有意思。",
    "孩子们在公园里放风筝。",
    "老师说明天不上课。",
    "我们坐火车去北京，路上看了雪山。",
    "那个学生把作业忘在家里了。",
    "The cat sat on the mat and slept.",
    "She bought three books yesterday, and they are good.",
    "We take the train to Beijing.",
    "我的 laptop 坏了，要送去修。",
)

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def byte_level(size: int = 380) -> PreTrainedTokenizerFast:
    """Byte-level BPE as in GPT-2: a rare Chinese character is two or three tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    end = "<|endoftext|>"
    return _fast(tokenizer, bos_token=end, eos_token=end, unk_token=end)


def metaspace(size: int = 420, *, fallback: bool = True) -> PreTrainedTokenizerFast:
    """BPE as in Llama: ▁ before the text and for each space, a byte as <0xE4> where a character is not known."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=fallback, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", behavior="merged_with_next")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    special = ["<unk>", "<s>", "</s>", *(BYTES if fallback else [])]
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=special, show_progress=False, max_token_length=6)
    tokenizer.train_from_iterator(SENTENCES, trainer)
    # In a real tokenizer the bytes are ordinary tokens; only the trainer needs them to be special.
    described = json.loads(tokenizer.to_str())
    described["added_tokens"] = [token for token in described["added_tokens"] if token["content"] not in BYTES]
    plain = Tokenizer.from_str(json.dumps(described))
    return _fast(plain, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def unigram(size: int = 200) -> PreTrainedTokenizerFast:
    """Unigram with Metaspace as in T5 and XLM-R, after NFKC, which turns ， into a comma."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return _fast(tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def word_piece() -> PreTrainedTokenizerFast:
    """WordPiece as in BERT: lower case, each Chinese character by itself, [UNK] for what is not known."""
    letters = sorted({letter for sentence in SENTENCES for letter in sentence.lower() if not letter.isspace()})
    latin = [letter for letter in letters if letter.isascii() and letter.isalpha()]
    tokens = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *letters,
        *(f"##{letter}" for letter in latin),
        "the",
        "##at",
    ]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return _fast(
        tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def _fast(tokenizer: Tokenizer, **special: str) -> PreTrainedTokenizerFast:
    make: Any = PreTrainedTokenizerFast
    made: PreTrainedTokenizerFast = make(tokenizer_object=tokenizer, **special)
    return made


def gpt2(folder: Path, *, seed: int = 0, context: int = 64, vocabulary: int | None = None, **changes: Any) -> Path:
    """Write a GPT-2 with byte-level BPE."""
    tokenizer = byte_level()
    config = GPT2Config(
        vocab_size=vocabulary or len(tokenizer),
        n_positions=context,
        n_embd=32,
        n_layer=2,
        n_head=4,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **changes,
    )
    return save(folder, GPT2LMHeadModel, config, tokenizer, seed)


def llama(folder: Path, *, seed: int = 0, context: int = 64, **changes: Any) -> Path:
    """Write a Llama with BPE, ▁ and byte fallback."""
    tokenizer = metaspace()
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=context,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **changes,
    )
    return save(folder, LlamaForCausalLM, config, tokenizer, seed)


def neox(folder: Path, *, seed: int = 0) -> Path:
    """Write a GPT-NeoX with a Unigram tokenizer."""
    tokenizer = unigram()
    config = GPTNeoXConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return save(folder, GPTNeoXForCausalLM, config, tokenizer, seed)


def bert(folder: Path, *, seed: int = 0, context: int = 64) -> Path:
    """Write a BERT with WordPiece."""
    tokenizer = word_piece()
    config = BertConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=context,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        pad_token_id=tokenizer.pad_token_id,
    )
    return save(folder, BertForMaskedLM, config, tokenizer, seed)


def save(folder: Path, kind: Any, config: Any, tokenizer: PreTrainedTokenizerFast, seed: int = 0) -> Path:
    """Write a network with random weights and a tokenizer."""
    torch.manual_seed(seed)
    model = kind(config).eval()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.normal_(0.0, 0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
