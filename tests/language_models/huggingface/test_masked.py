from __future__ import annotations

import pickle
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertConfig, BertForMaskedLM, RobertaConfig, RobertaForMaskedLM

from hengliang import UserError
from hengliang.core import segmenter_identity
from hengliang.language_models import raw_texts, read_texts, write_card
from hengliang.language_models.huggingface.masked import HuggingFaceMasked
from hengliang.language_models.huggingface.unigram_counts import count_units
from hengliang.language_models.neural.masked_training import UNIT_COUNTS
from hengliang.language_models.opening import model as open_model
from hengliang.language_models.perplexity import perplexity
from tests.killed import goes_on_within_a_batch
from tests.language_models.huggingface import tiny_models

LINES = (
    "他 成为 了 医生 。",
    "她 昨天 买 了 三 本 书 ， 都 很 有 意思 。",
    "We take the train to Beijing.",
    "我 的 laptop 坏 了 ， 要 送 去 修 。",
    "了",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def parts(folder: Path) -> tuple[Any, Any]:
    """The network and the tokenizer, loaded without any of our code."""
    make: Any = BertForMaskedLM
    return make.from_pretrained(folder).eval(), tiny_models.word_piece()


def naive(parts: tuple[Any, Any], ids: list[int], place: int, hidden: list[int]) -> float:
    """The log-probability of one token, from one pass over one sequence: [CLS] tokens [SEP], all logits kept."""
    model, tokenizer = parts
    seen = [tokenizer.mask_token_id if at in hidden else number for at, number in enumerate(ids)]
    framed = torch.tensor([[tokenizer.cls_token_id, *seen, tokenizer.sep_token_id]])
    with torch.no_grad():
        logits = model(framed).logits[0, place + 1]
    return float(torch.log_softmax(logits, -1)[ids[place]])


def test_pll_hides_each_token_in_turn(folder: Path, parts: tuple[Any, Any]) -> None:
    texts = read_texts(LINES)
    scores = HuggingFaceMasked(folder).score(texts)
    for row, content in enumerate(texts.contents.to_list()):
        ids = parts[1].encode(content, add_special_tokens=False)
        wanted = [naive(parts, ids, place, [place]) for place in range(len(ids))]
        units = scores.units(row)
        assert [unit.logprob for unit in units] == pytest.approx(wanted, abs=1e-5)
        assert units[0].start == 0 and units[-1].end == len(content.encode())


def test_a_text_is_read_in_the_widths_of_the_model_and_spans_are_those_of_the_original(folder: Path) -> None:
    # The tokenizer of the tests knows ， and not the comma of ASCII.
    line, plain = "都 很 有 意思 ， 了", HuggingFaceMasked(folder)
    folding = HuggingFaceMasked(folder, widths="marks=full")
    wide, narrow = folding.score(read_texts([line, line.replace("，", ",")])), plain.score(read_texts([line]))
    assert wide.units(0) == narrow.units(0)
    assert [unit.logprob for unit in wide.units(1)] == [unit.logprob for unit in wide.units(0)]
    # Five characters of three bytes before the mark, which has one byte where it is written narrow.
    assert [(unit.start, unit.end) for unit in wide.units(1)][-2:] == [(15, 16), (16, 19)]
    assert [(unit.start, unit.end) for unit in wide.units(0)][-2:] == [(15, 18), (18, 21)]
    assert folding.conventions().widths == "marks=full" and plain.conventions().widths == ""


def test_word_l2r_hides_the_rest_of_the_word_as_well(folder: Path, parts: tuple[Any, Any]) -> None:
    # 他|成为|了|医生|。 is one token a character, so tokens 1 and 4 begin a word of two and hide the next as well.
    scores = HuggingFaceMasked(folder, method="word-l2r").score(read_texts([LINES[0]]))
    ids = parts[1].encode("他成为了医生。", add_special_tokens=False)
    hidden = [[0], [1, 2], [2], [3], [4, 5], [5], [6]]
    wanted = [naive(parts, ids, place, hidden[place]) for place in range(7)]
    assert [unit.logprob for unit in scores.units(0)] == pytest.approx(wanted, abs=1e-5)
    alone = [naive(parts, ids, place, [place]) for place in range(7)]
    assert wanted[1] != pytest.approx(alone[1], abs=1e-3)


def test_word_l2r_of_latin_words_goes_by_their_pieces(folder: Path, parts: tuple[Any, Any]) -> None:
    # "the" is one token, "mat" is m + ##at; a space belongs to the word after it.
    ids = parts[1].encode("the mat", add_special_tokens=False)
    assert parts[1].convert_ids_to_tokens(ids) == ["the", "m", "##at"]
    scores = HuggingFaceMasked(folder, method="word-l2r").score(read_texts(["the mat"]))
    wanted = [naive(parts, ids, 0, [0]), naive(parts, ids, 1, [1, 2]), naive(parts, ids, 2, [2])]
    assert [unit.logprob for unit in scores.units(0)] == pytest.approx(wanted, abs=1e-5)
    assert [(unit.start, unit.end) for unit in scores.units(0)] == [(0, 3), (3, 5), (5, 7)]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(sorted(set("他成为了医生。她昨天买三本书"))), min_size=1, max_size=12))
def test_both_methods_agree_when_every_word_is_one_token(folder: Path, characters: list[str]) -> None:
    texts = read_texts([" ".join([*characters, "。"])])
    alone = HuggingFaceMasked(folder, method="pll").score(texts)
    by_word = HuggingFaceMasked(folder, method="word-l2r").score(texts)
    np.testing.assert_allclose(alone.logprobs, by_word.logprobs, atol=1e-6)


@settings(max_examples=10, deadline=None)
@given(order=st.permutations(range(len(LINES))), batch_tokens=st.sampled_from([1, 30, 4096]))
def test_a_score_does_not_depend_on_the_company(folder: Path, order: list[int], batch_tokens: int) -> None:
    model = HuggingFaceMasked(folder, method="word-l2r", batch_tokens=batch_tokens)
    together = model.score(read_texts([LINES[row] for row in order]))
    for place, row in enumerate(order):
        alone = HuggingFaceMasked(folder, method="word-l2r").score(read_texts([LINES[row]]))
        np.testing.assert_allclose(together.take([place]).logprobs, alone.logprobs, atol=1e-5)


def test_a_token_across_the_edge_of_a_word_is_a_problem(folder: Path) -> None:
    # "##at" of "mat" cannot be cut: the words m + a + t of this (contrived) item split it.
    from hengliang.core import Segmented
    from hengliang.language_models import texts_of

    texts = texts_of([Segmented("mat", [(0, 1), (1, 2), (2, 3)]), Segmented("mat", [(0, 1), (1, 3)])])
    scores = HuggingFaceMasked(folder, method="word-l2r").score(texts)
    assert "crosses the edge of a word" in scores.problems[0]
    assert scores.problems[1] == "" and scores.counts.tolist() == [0, 2]
    assert HuggingFaceMasked(folder).score(texts).problems == ("", "")


def test_a_long_text_is_scored_in_windows_around_each_token(tmp_path: Path) -> None:
    # Eight places, two of them [CLS] and [SEP]: six tokens fit. Token i of ten stands at place 3 of its window, where
    # the text lets it: the window starts at min(max(i − 3, 0), 10 − 6).
    folder = tiny_models.bert(tmp_path, context=8)
    make: Any = BertForMaskedLM
    parts = make.from_pretrained(folder).eval(), tiny_models.word_piece()
    content = "她昨天买了三本书，都"
    ids = parts[1].encode(content, add_special_tokens=False)
    wanted = []
    for place in range(10):
        start = min(max(place - 3, 0), 4)
        wanted.append(naive(parts, ids[start : start + 6], place - start, [place - start]))
    model = HuggingFaceMasked(folder)
    scores = model.score(raw_texts([content, content[:6]]))
    assert [unit.logprob for unit in scores.units(0)] == pytest.approx(wanted, abs=1e-5)
    assert scores.counts.tolist() == [10, 6]
    assert "beyond 6 tokens windows around the token" in model.conventions().context


def test_unknown_characters_are_marked(folder: Path) -> None:
    scores = HuggingFaceMasked(folder).score(raw_texts(["他骑马。"]))
    assert scores.unknown.tolist() == [False, True, True, False]


def test_empty_and_missing_texts(folder: Path) -> None:
    model = HuggingFaceMasked(folder)
    assert len(model.score(raw_texts([]))) == 0
    empty = model.score(raw_texts(["", "了"]))
    assert empty.counts.tolist() == [0, 1] and empty.problems == ("", "")


def test_unigrams_come_from_a_file_of_counts(folder: Path, tmp_path: Path) -> None:
    model = HuggingFaceMasked(folder)
    size = model.loaded().vocabulary
    assert np.isnan(model.score(raw_texts(["他了"])).unigram_logprobs).all()
    count_units(model.loaded().tokenizer, ["他他了"], tmp_path / "counts.parquet")
    counted = HuggingFaceMasked(folder, unigrams=tmp_path / "counts.parquet").score(raw_texts(["他了。"]))
    # Three tokens, one added to each of the vocabulary.
    wanted = np.log(np.array([3, 2, 1]) / (3 + size))
    np.testing.assert_allclose(counted.unigram_logprobs, wanted)


def test_the_frame_of_a_template_is_used_and_places_after_padding_are_left_out(tmp_path: Path) -> None:
    # RoBERTa numbers places from padding_idx + 1: of 16 rows 16 − 2 = 14 are places, 12 of them for the text.
    from tokenizers import processors

    tokenizer = tiny_models.word_piece()
    backend: Any = tokenizer.backend_tokenizer
    backend.post_processor = processors.TemplateProcessing(single="[SEP] $A", special_tokens=[("[SEP]", 3)])
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=16, pad_token_id=1,
    )  # fmt: skip
    torch.manual_seed(0)
    make: Any = RobertaForMaskedLM
    model = make(config).eval()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    ours = HuggingFaceMasked(tmp_path)
    assert "between [SEP] … ; beyond 13 tokens" in ours.conventions().context
    content = "孩子们在公园里放风筝。孩子们在公园里"
    ids: Any = tokenizer.encode("孩子", add_special_tokens=False)
    with torch.no_grad():
        logits = model(torch.tensor([[3, tokenizer.mask_token_id, ids[1]]])).logits[0, 1]
    scores = ours.score(raw_texts([content, "孩子"]))
    assert scores.units(1)[0].logprob == pytest.approx(float(torch.log_softmax(logits, -1)[ids[0]]), abs=1e-5)
    assert scores.counts[0] == len(content)


def test_fill_gives_the_distribution_at_a_place(folder: Path, parts: tuple[Any, Any]) -> None:
    # 买了三|本|书: the third token is hidden; 三 bytes each.
    model = HuggingFaceMasked(folder)
    texts = raw_texts(["买了三本书", "了书"])
    found = model.fill(texts, [(9, 12), (3, 3)])
    np.testing.assert_allclose(np.exp(found.logprobs).sum(1), 1.0, atol=1e-5)
    ids = parts[1].encode("买了三本书", add_special_tokens=False)
    assert found.logprobs[0, ids[3]] == pytest.approx(naive(parts, ids, 3, [3]), abs=1e-5)
    # A span of no width: something stands between 了 and 书.
    between = parts[1].encode("了天书", add_special_tokens=False)
    assert found.logprobs[1, between[1]] == pytest.approx(naive(parts, between, 1, [1]), abs=1e-5)
    assert found.units[ids[3]] == "本"


def test_fill_scores_candidates(folder: Path, parts: tuple[Any, Any]) -> None:
    model = HuggingFaceMasked(folder)
    texts = raw_texts(["买了三本书", "一"])
    candidates = ["本", "天上", "匹"]
    found = model.fill(texts, [(9, 12), (0, 0)], candidates)
    everything = model.fill(texts, [(9, 12), (0, 0)])
    column = list(everything.units).index("本")
    np.testing.assert_allclose(found.logprobs[:, 0], everything.logprobs[:, column], atol=1e-6)
    ids = parts[1].encode("买了三天上书", add_special_tokens=False)
    assert found.logprobs[0, 1] == pytest.approx(naive(parts, ids, 3, [3, 4]) + naive(parts, ids, 4, [4]), abs=1e-5)
    # 匹 is not in the vocabulary: no number, rather than that of [UNK].
    assert np.isnan(found.logprobs[:, 2]).all()
    assert list(found.units) == candidates


def test_fill_refuses_what_it_cannot_place(folder: Path) -> None:
    model = HuggingFaceMasked(folder)
    with pytest.raises(UserError, match="2 spans for 1 texts"):
        model.fill(raw_texts(["了"]), [(0, 0), (0, 3)])
    with pytest.raises(UserError, match="inside a character"):
        model.fill(raw_texts(["了"]), [(0, 1)])


def test_a_masked_model_of_ours_gets_words_from_the_segmenter_of_its_card(tmp_path: Path) -> None:
    folder = tiny_models.bert(tmp_path / "ours")
    write_card(folder, kind="masked", segmenter="characters")
    count_units(HuggingFaceMasked(folder).loaded().tokenizer, ["他成为了医生。"], folder / UNIT_COUNTS)
    by_word, alone = open_model(str(folder), method="word-l2r"), open_model(str(folder))
    assert by_word.conventions().segmenter == "characters"
    assert "conventions.segmenter:characters|" in str(by_word.signature())
    raw = raw_texts(["他成为了医生。"])
    # Where every character is a word nothing is hidden but the token itself; rjieba finds 成为 and 医生.
    np.testing.assert_array_equal(by_word.score(raw).logprobs, alone.score(raw).logprobs)
    asked = open_model(str(folder), method="word-l2r", segmenter="rjieba")
    assert not np.allclose(asked.score(raw).logprobs, alone.score(raw).logprobs)


def test_conventions_and_signature(folder: Path) -> None:
    alone, by_word = HuggingFaceMasked(folder), HuggingFaceMasked(folder, method="word-l2r")
    conventions = alone.conventions()
    assert (conventions.scoring, conventions.bos, conventions.eos) == ("masked", False, False)
    assert "between [CLS] … [SEP]" in conventions.context
    assert conventions.segmenter == "" and by_word.conventions().segmenter == "rjieba"
    assert alone.signature() != by_word.signature()
    # Who cuts is named once, with its version, as for every other model.
    assert f"conventions.segmenter:rjieba {metadata.version('rjieba')}|" in str(by_word.signature())
    assert str(metadata.version("rjieba")) not in str(alone.signature())
    learned = HuggingFaceMasked(folder, method="word-l2r", segmenter="pku").signature()
    assert f"conventions.segmenter:{segmenter_identity('pku')}|" in str(learned)
    assert not alone.foretells
    assert pickle.loads(pickle.dumps(alone)).signature() == alone.signature()


@pytest.mark.parametrize("method", ["pll", "word-l2r"])
def test_it_keeps_the_promises_of_a_masked_model(folder: Path, method: Any) -> None:
    findings = list(HuggingFaceMasked(folder, method=method).conformance())
    assert [f"{finding.promise}: {finding.detail}" for finding in findings if not finding.kept] == []
    assert len(findings) > 5


def test_an_unknown_method_is_refused(folder: Path) -> None:
    with pytest.raises(UserError, match="No method is called 'mlm'"):
        HuggingFaceMasked(folder, method="mlm").score(raw_texts(["了"]))  # type: ignore[arg-type]


def test_a_model_without_a_mask_is_refused(tmp_path: Path) -> None:
    tokenizer = tiny_models.byte_level()
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
    )
    make: Any = BertForMaskedLM
    make(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(UserError, match="has no mask"):
        HuggingFaceMasked(tmp_path).score(raw_texts(["了"]))


def test_pseudo_perplexity(folder: Path) -> None:
    texts = read_texts([LINES[0]])
    scores = HuggingFaceMasked(folder).score(texts)
    found = perplexity(scores, texts)
    # Seven characters, five words, and no end of sentence: exp(−sum / 7).
    assert found.per("character") == pytest.approx(float(np.exp(-scores.logprobs.sum() / 7)))
    assert found.ends == 0


def test_a_plain_text_is_no_batch_of_texts(folder: Path) -> None:
    with pytest.raises(UserError, match=r"'他走了' is no batch of texts"):
        HuggingFaceMasked(folder).score("他走了")  # type: ignore[arg-type]


def test_what_a_slow_batch_has_computed_is_kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = HuggingFaceMasked(folder)

    def work() -> np.ndarray:
        return model.score(read_texts(LINES)).logprobs

    # Five lengths.
    assert goes_on_within_a_batch(work, tmp_path, monkeypatch) == 5
