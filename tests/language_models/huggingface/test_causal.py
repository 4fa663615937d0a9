from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.language_models import raw_texts, read_texts
from hengliang.language_models.base import END
from hengliang.language_models.huggingface.causal import HuggingFaceCausal, whole_word_scores, window_start, windows_of
from hengliang.language_models.huggingface.unigram_counts import count_units
from hengliang.language_models.sampling import sample
from hengliang.language_models.scores import Scores
from tests.killed import goes_on_within_a_batch
from tests.language_models.huggingface import tiny_models

CONTENTS = [
    "他成为了医生。",
    "他成为了。",
    "",
    "The cat sat on the mat.",
    "龘龘 laptop 坏了",
    "他成为了医生。",
    "她昨天买了三本书，都很有意思。",
]


@pytest.fixture(scope="module", params=["gpt2", "llama", "neox"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    build = getattr(tiny_models, request.param)
    made: Path = build(tmp_path_factory.mktemp("models") / request.param)
    return made


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.gpt2(tmp_path_factory.mktemp("models") / "gpt2", context=24, vocabulary=384)


def token_by_token(model: HuggingFaceCausal, content: str) -> list[float]:
    """The independent way: transformers' own call of the tokenizer, one softmax a token, each prefix run by itself."""
    loaded = model.loaded()
    ids = [*model.begin(), *loaded.tokenizer.wrapper(content, add_special_tokens=False)["input_ids"], *model.end()]
    found = []
    with torch.no_grad():
        for place in range(1, len(ids)):
            logits = loaded.model(torch.tensor([ids[:place]])).logits[0, -1].double()
            found.append(float(logits.log_softmax(-1)[ids[place]]))
    return found


def assert_same(one: Scores, other: Scores) -> None:
    np.testing.assert_array_equal(one.offsets, other.offsets)
    np.testing.assert_array_equal(one.starts, other.starts)
    np.testing.assert_array_equal(one.ends, other.ends)
    np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-5)
    assert one.problems == other.problems


@pytest.mark.parametrize("eos", ["none", "auto"])
def test_scores_are_those_of_a_plain_loop(folder: Path, eos: str) -> None:
    model = HuggingFaceCausal(folder, eos=eos)
    scores = model.score(raw_texts(CONTENTS))
    tokenised = model.loaded().tokenizer.tokenise(CONTENTS)
    for row, content in enumerate(CONTENTS):
        expected = token_by_token(model, content)
        units = [*tokenised[row].units.tolist(), len(tokenised[row].starts)][: len(expected)]
        sums = [
            sum(value for unit, value in zip(units, expected, strict=True) if unit == which) for which in set(units)
        ]
        np.testing.assert_allclose([unit.logprob for unit in scores.units(row)], sums, atol=1e-5)


def test_units_cover_each_text_and_the_end_has_no_width(folder: Path) -> None:
    scores = HuggingFaceCausal(folder, eos="auto").score(raw_texts(CONTENTS))
    for row, content in enumerate(CONTENTS):
        *units, end = scores.units(row)
        size = len(content.encode())
        assert (end.start, end.end) == (size, size)
        assert [unit.start for unit in units] == [0, *(unit.end for unit in units)][: len(units)]
        assert (units[-1].end if units else 0) == size
        assert all(unit.start < unit.end for unit in units)


def test_same_alone_in_a_batch_in_another_order_and_batch_size(folder: Path) -> None:
    together = HuggingFaceCausal(folder).score(raw_texts(CONTENTS))
    for row, content in enumerate(CONTENTS):
        assert_same(HuggingFaceCausal(folder).score(raw_texts([content])), together.take([row]))
    order = [4, 0, 6, 2, 1, 5, 3]
    shuffled = HuggingFaceCausal(folder).score(raw_texts([CONTENTS[row] for row in order]))
    assert_same(shuffled, together.take(order))
    for way in ("tree", "plain"):
        for batch_tokens in (1, 40):
            other = HuggingFaceCausal(folder, way=way, batch_tokens=batch_tokens)
            assert_same(other.score(raw_texts(CONTENTS)), together)


def test_every_promise_is_kept(folder: Path) -> None:
    for eos in ("none", "auto"):
        broken = [finding for finding in HuggingFaceCausal(folder, eos=eos).conformance() if not finding.kept]
        assert broken == []


def test_words_make_no_difference(folder: Path) -> None:
    model = HuggingFaceCausal(folder)
    assert_same(model.score(read_texts(["他 成为 了 医生 。"])), model.score(raw_texts(["他成为了医生。"])))


def test_next_units_are_the_scores_of_what_comes_next(folder: Path) -> None:
    model = HuggingFaceCausal(folder, eos="auto")
    following = model.next_units(raw_texts(["他成为了", ""]))
    np.testing.assert_allclose(np.exp(following.logprobs).sum(1), 1, atol=1e-9)
    assert len(set(following.units)) == len(following.units) == following.logprobs.shape[1]
    scores = model.score(raw_texts(["他成为了", ""]))
    end = following.units.index(END)
    # The end after a prefix is what the last unit of its score is.
    last = [scores.units(row)[-1].logprob for row in range(2)]
    np.testing.assert_allclose(following.logprobs[:, end], last, atol=1e-5)


def test_long_texts_are_read_in_windows(gpt2: Path) -> None:
    model = HuggingFaceCausal(gpt2, stride=5)
    content = ("他成为了医生。她昨天买了三本书，" * 700)[:10_000]
    scores = model.score(raw_texts([content, content[:50]]))
    assert int(scores.ends[scores.offsets[1] - 1]) == len(content.encode())
    loaded, begin = model.loaded(), model.begin()
    ids = loaded.tokenizer.tokenise([content])[0].ids.tolist()
    # 24 places, one of them the begin symbol, leave 23. Token 23 is the first that needs a second window, which begins
    # at 5; token 28 a third, which begins at 10; so token 100 stands in the window from ceil(78 / 5) * 5 = 80.
    for place, start in ((0, 0), (22, 0), (23, 5), (27, 5), (28, 10), (100, 80)):
        with torch.no_grad():
            logits = loaded.model(torch.tensor([[*begin, *ids[start:place]]])).logits[0, -1].double()
        assert scores.logprobs[place] == pytest.approx(float(logits.log_softmax(-1)[ids[place]]), abs=1e-5)
    # A token sees only what is before it: the beginning scores alike, however the text goes on.
    short = scores.units(1)
    np.testing.assert_allclose(scores.logprobs[: len(short)], [unit.logprob for unit in short], atol=1e-5)
    # And what comes next is asked of the same window.
    prefix = "他成为了医生。她昨天买了三本书，他成为了"
    count = len(loaded.tokenizer.tokenise([prefix])[0].ids)
    assert count > 23
    following = model.next_units(raw_texts([prefix]))
    assert following.logprobs[0, ids[count]] == pytest.approx(scores.logprobs[count], abs=1e-5)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 60), st.integers(1, 20), st.data())
def test_windows_score_each_token_once_with_enough_before_it(length: int, body: int, data: st.DataObject) -> None:
    stride = data.draw(st.integers(1, body))
    windows = windows_of(length, body, stride)
    assert [place for _, scored, stop in windows for place in range(scored, stop)] == list(range(length))
    for start, scored, stop in windows:
        assert start <= scored < stop <= start + body
        assert all(window_start(place, body, stride) == start for place in range(scored, stop))
        assert scored - start >= min(scored, body - stride)


def test_no_context_limit_is_one_window() -> None:
    assert windows_of(1000, None, 1) == [(0, 0, 1000)]
    assert windows_of(0, None, 1) == []


def test_without_a_begin_symbol_the_first_token_has_its_unigram(gpt2: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot score the first token"):
        HuggingFaceCausal(gpt2, bos="none").score(raw_texts(["他"]))
    target = tmp_path / "counts.parquet"
    plain = HuggingFaceCausal(gpt2)
    count_units(plain.loaded().tokenizer, ["他了", "他"], target)
    model = HuggingFaceCausal(gpt2, bos="none", unigrams=target)
    assert not model.conventions().bos
    scores = model.score(raw_texts(["他了"]))
    first, *rest = model.loaded().tokenizer.tokenise(["他了"])[0].ids.tolist()
    # The first token of 他 was counted twice among the tokens of 他了 and 他; one is added to each of 384.
    total = (
        2 * model.loaded().tokenizer.tokenise(["他"])[0].ids.size
        + model.loaded().tokenizer.tokenise(["了"])[0].ids.size
    )
    assert scores.logprobs[0] == pytest.approx(np.log(3 / (total + 384)))
    assert scores.unigram_logprobs[0] == scores.logprobs[0]
    with torch.no_grad():
        logits = model.loaded().model(torch.tensor([[first]])).logits[0, -1].double()
    assert scores.logprobs[1] == pytest.approx(float(logits.log_softmax(-1)[rest[0]]), abs=1e-5)
    assert np.exp(model.next_units(raw_texts([""])).logprobs).sum() == pytest.approx(1)


def test_unigrams_are_counts_and_unknown_without_a_file(gpt2: Path, tmp_path: Path) -> None:
    target = tmp_path / "counts.parquet"
    model = HuggingFaceCausal(gpt2, eos="auto")
    assert np.isnan(model.score(raw_texts(["他"])).unigram_logprobs).all()
    count_units(model.loaded().tokenizer, ["a", "a", "b"], target)
    counted = HuggingFaceCausal(gpt2, eos="auto", unigrams=target)
    # Five events more: a twice, b once, the end three times, and one for each of 384 rows of the network.
    found = counted.score(raw_texts(["a", "c"])).unigram_logprobs
    np.testing.assert_allclose(np.exp(found), np.array([3, 4, 1, 4]) / (384 + 6))
    assert counted.conventions().unigrams != model.conventions().unigrams


def test_symbols_and_strides_that_are_not_possible(gpt2: Path) -> None:
    with pytest.raises(UserError, match="has no token '<bos>'"):
        HuggingFaceCausal(gpt2, bos="<bos>").score(raw_texts(["他"]))
    with pytest.raises(UserError, match="A stride is 1 to 23 tokens"):
        HuggingFaceCausal(gpt2, stride=24).score(raw_texts(["他"]))


def test_conventions_name_symbols_and_windows(gpt2: Path) -> None:
    conventions = HuggingFaceCausal(gpt2).conventions()
    assert (conventions.bos, conventions.eos, conventions.unit) == (True, False, "subword")
    assert conventions.context == "23 tokens, then windows of 23 moving by 11; begin <|endoftext|>"
    assert conventions.unknown == "spelled in bytes"
    assert HuggingFaceCausal(gpt2, eos="auto").conventions().eos


def test_a_token_outside_of_the_network_is_a_problem(tmp_path: Path) -> None:
    folder = tiny_models.gpt2(tmp_path / "small", vocabulary=300)
    scores = HuggingFaceCausal(folder).score(raw_texts(["a", "The cat"]))
    assert scores.problems[0] == ""
    assert "has no weights for the token" in scores.problems[1]
    assert scores.counts.tolist() == [1, 0]


def test_the_unknown_is_marked_and_a_lost_character_is_a_problem(tmp_path: Path) -> None:
    model = HuggingFaceCausal(tiny_models.neox(tmp_path / "neox"))
    scores = model.score(raw_texts(["他龘了"]))
    assert scores.unknown.tolist() == [False, True, False]
    assert model.conventions().unknown == "<unk>"


def test_it_pickles_and_its_signature_knows_the_weights(gpt2: Path, tmp_path: Path) -> None:
    model = HuggingFaceCausal(gpt2, name="tiny")
    model.score(raw_texts(["他"]))
    copy = pickle.loads(pickle.dumps(model))
    assert copy.signature() == model.signature()
    assert len(pickle.dumps(model)) < 2000
    other = HuggingFaceCausal(tiny_models.gpt2(tmp_path / "gpt2", context=24, vocabulary=384, seed=1), name="tiny")
    assert other.signature() != model.signature()


def test_no_texts(gpt2: Path) -> None:
    assert len(HuggingFaceCausal(gpt2).score(raw_texts([]))) == 0


# --- drawing texts ----------------------------------------------------------------------------------------------------


def test_texts_are_drawn_from_the_next_token(gpt2: Path) -> None:
    model = HuggingFaceCausal(gpt2)
    texts = sample(model, "他成为了", count=400, seed=5, longest=1)
    assert all(text.content.startswith("他成为了") for text in texts)
    chances = np.exp(model.next_units(raw_texts(["他成为了"])).logprobs[0])
    # Only a token of whole characters can be seen in the text.
    pieces = [(piece or b"\xff").decode(errors="ignore") for piece in model.loaded().tokenizer.pieces]
    whole = [number for number, piece in enumerate(pieces) if piece and pieces.count(piece) == 1]
    best = max(whole, key=chances.__getitem__)
    share = np.mean([text.content == "他成为了" + pieces[best] for text in texts])
    # Four standard errors of a share over 400 draws.
    assert share == pytest.approx(chances[best], abs=4 * np.sqrt(chances[best] * (1 - chances[best]) / 400))


def test_the_same_seed_draws_the_same_texts_whatever_their_number(gpt2: Path) -> None:
    model = HuggingFaceCausal(gpt2)
    three = sample(model, "我们", count=3, seed=1, longest=8)
    assert sample(model, "我们", count=2, seed=1, longest=8) == three[:2]
    assert sample(model, "我们", count=3, seed=2, longest=8) != three
    cold = sample(model, "我们", count=3, seed=1, longest=8, temperature=1e-6)
    assert len({text.content for text in cold}) == 1


def test_nothing_is_drawn_from_nothing(gpt2: Path, tmp_path: Path) -> None:
    count_units(HuggingFaceCausal(gpt2).loaded().tokenizer, ["他成为了医生。"], tmp_path / "counts.parquet")
    with pytest.raises(UserError, match="nothing to go on from"):
        sample(HuggingFaceCausal(gpt2, bos="none", unigrams=tmp_path / "counts.parquet"))


# --- whole words ------------------------------------------------------------------------------------------------------


def test_whole_words_are_an_option_that_the_conventions_name(gpt2: Path) -> None:
    plain, whole = HuggingFaceCausal(gpt2), HuggingFaceCausal(gpt2, whole_words=True)
    texts = raw_texts(["The cat sat on the mat.", "他成为了医生。"])
    expected = whole_word_scores(plain, texts)
    assert whole.score(texts).logprobs.tolist() == expected.logprobs.tolist()
    english, chinese = plain.score(texts).take([0]), plain.score(texts).take([1])
    assert not np.allclose(english.logprobs, expected.take([0]).logprobs)
    assert np.allclose(chinese.logprobs, expected.take([1]).logprobs)
    assert "the end of a word belongs to it" in whole.conventions().context
    assert whole.signature() != plain.signature()


def test_a_plain_text_is_no_batch_of_texts(gpt2: Path) -> None:
    with pytest.raises(UserError, match=r"'他走了' is no batch of texts"):
        HuggingFaceCausal(gpt2).score("他走了")  # type: ignore[arg-type]


def test_what_a_slow_batch_has_computed_is_kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = HuggingFaceCausal(folder, batch_tokens=16, way="plain")

    def work() -> np.ndarray:
        return model.score(raw_texts(CONTENTS)).logprobs

    assert goes_on_within_a_batch(work, tmp_path, monkeypatch) >= 2
