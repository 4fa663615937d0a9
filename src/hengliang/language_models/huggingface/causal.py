"""Causal language models of Hugging Face: token log-probabilities, sliding windows, whole-word correction.

The texts are scored without any special token of the tokenizer's own: the begin symbol, and the end symbol if it is
asked for, are put there by us, so that the same rule holds for every model.

Begin symbol (`bos`). "auto" takes the tokenizer's or the config's begin symbol, else the end symbol, after which GPT-2
and its like begin a new text. Another value names a token. "none" gives the first token its unigram probability, for
nothing else is known of it; it needs `unigrams`.

End symbol (`eos`). "none", the default: the models that people bring were trained on documents, and to them the end of
a text is not the end of a sentence. "auto" or the name of a token scores it as a last unit of no width.

Words (`whole_words`). In vocabularies whose tokens carry the space before a word, True gives each word the probability
that it ends, as the section on whole words below explains. Chinese text is not changed.

Long texts. A model sees `context` tokens at once. A longer text is read in windows of that size that move on by
`stride` tokens (half a window unless said otherwise), each after the begin symbol; a token is scored in the first
window that holds it, so what it sees depends only on what stands before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, check_texts
from hengliang.core.text.segmentation import ENDS_LATIN, STARTS_LATIN
from hengliang.language_models.base import END, Conventions, LanguageModel, NextUnits, Unit
from hengliang.language_models.huggingface.loading import Loaded, load
from hengliang.language_models.huggingface.prefix_tree import Traced, Way, last_logprobs, trace
from hengliang.language_models.huggingface.tokens import Tokens, units_of
from hengliang.language_models.huggingface.unigram_counts import read_unit_counts
from hengliang.language_models.sampling import draw_one
from hengliang.language_models.scores import Numbers, Scores, concat, scores_of

# --- the model --------------------------------------------------------------------------------------------------------


Members = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TokenScores:
    """The tokens of one text with what the model said of them, the end symbol last if it is scored.

    `before[i]` is the log-probability that one of a class of tokens stands in the place of token i, `after` that one
    comes after the last; NaN without a class.
    """

    tokens: Tokens
    ids: list[int]
    logprobs: Numbers
    before: Numbers
    after: float


class HuggingFaceCausal(LanguageModel):
    """A causal language model from a folder that `save_pretrained` wrote, or from a GGUF file.

    `bos`, `eos` and `stride` are explained above. `unigrams` is a file of token counts (`count_units`). `batch_tokens`
    is how many tokens go through the network at once, `way` how ("auto", "tree", "plain"): these two change speed
    and memory, and numbers only by rounding.
    """

    def __init__(
        self,
        path: Path | str,
        name: str = "",
        *,
        bos: str = "auto",
        eos: str = "none",
        unit: Unit = "subword",
        stride: int | None = None,
        unigrams: Path | str | None = None,
        whole_words: bool = False,
        batch_tokens: int = 2048,
        way: Way = "auto",
    ) -> None:
        self.path = Path(path)
        self.name = name or self.path.name
        self.bos = bos
        self.eos = eos
        self.unit = unit
        self.stride = stride
        self.unigrams = None if unigrams is None else Path(unigrams)
        self.whole_words = whole_words
        self.batch_tokens = batch_tokens
        self.way = way

    def loaded(self) -> Loaded:
        """Return network and tokenizer, which are read from the disk at the first call."""
        return load(self.path, "causal")

    def begin(self) -> list[int]:
        """Return the begin symbol as a list of ids: one, or none."""
        if self.bos == "none":
            if self.unigrams is None:
                raise UserError(
                    f"Without a begin symbol '{self.name}' cannot score the first token of a text.",
                    valid="The first token then gets its unigram probability, from a file of token counts.",
                    remedy='Write one with count_units and give it as unigrams=…, or leave bos at "auto".',
                )
            return []
        return [self._symbol(self.bos, "bos", ("bos", "eos", "cls"))]

    def end(self) -> list[int]:
        """Return the end symbol as a list of ids: one, or none."""
        return [] if self.eos == "none" else [self._symbol(self.eos, "eos", ("eos", "sep"))]

    def _symbol(self, wanted: str, argument: str, names: tuple[str, ...]) -> int:
        loaded = self.loaded()
        token_id = loaded.special(*names) if wanted == "auto" else loaded.tokenizer.backend.token_to_id(wanted)
        if token_id is None or token_id >= loaded.vocabulary:
            problem = "names none" if wanted == "auto" else f"has no token '{wanted}'"
            raise UserError(
                f"{argument} is '{wanted}', but the tokenizer of '{self.name}' {problem}.",
                valid=f'{argument} is "auto", "none" or a token of the vocabulary.',
            )
        return int(token_id)

    def conventions(self) -> Conventions:
        """Return how the log-probabilities are to be read; the context names the symbols and the windows."""
        loaded = self.loaded()
        begin, end = self.begin(), self.end()
        symbols = "".join(
            f"; {what} {loaded.tokenizer.tokens[number]}"
            for what, numbers in (("begin", begin), ("end", end))
            for number in numbers
        )
        limit = "all tokens before"
        if loaded.context is not None:
            body, stride = self._window()
            limit = f"{body} tokens, then windows of {body} moving by {stride}"
        unknown = getattr(loaded.tokenizer.wrapper, "unk_token", None) or "refused"
        return Conventions(
            scoring="causal",
            unit=self.unit,
            bos=bool(begin),
            eos=bool(end),
            unknown="spelled in bytes" if loaded.tokenizer.spells_all else unknown,
            unigrams="none" if self.unigrams is None else "token counts, one added to each",
            context=limit + symbols + ("; the end of a word belongs to it" if self.whole_words else ""),
        )

    def score(self, texts: Texts) -> Scores:
        """Return the units of each text with their log-probabilities; a unit is a token, or tokens that share bytes."""
        check_texts(texts)
        if self.whole_words:
            return whole_word_scores(self, texts)
        return self.scores_of_tokens(self.score_tokens(texts.contents.to_list()))

    def score_tokens(self, contents: Sequence[str], members: Members | None = None) -> list[TokenScores]:
        """Return the tokens of each text with their log-probabilities; `members` is a class of tokens (see there)."""
        loaded, begin, end = self.loaded(), self.begin(), self.end()
        body, stride = self._window()
        tokenised = [_checked(tokens, loaded) for tokens in loaded.tokenizer.tokenise(contents)]
        wholes = [[*tokens.ids.tolist(), *end] if not tokens.problem else [] for tokens in tokenised]
        windows = [(row, *window) for row, ids in enumerate(wholes) for window in windows_of(len(ids), body, stride)]
        sequences = [[*begin, *wholes[row][start:stop]] for row, start, _, stop in windows]
        traced = trace(loaded, sequences, batch_tokens=self.batch_tokens, way=self.way, members=members)
        parts: list[list[tuple[int, int, int, Traced]]] = [[] for _ in wholes]
        for (row, *window), traced_window in zip(windows, traced, strict=True):
            parts[row].append((window[0], window[1], window[2], traced_window))
        unigrams = None if begin else self._unigram_logprobs()
        return [
            _assemble(tokens, ids, part, len(begin), unigrams)
            for tokens, ids, part in zip(tokenised, wholes, parts, strict=True)
        ]

    def scores_of_tokens(self, scored: Sequence[TokenScores]) -> Scores:
        """Return the scores of units: sums over their tokens."""
        unigrams = None if self.unigrams is None else self._unigram_logprobs()
        unknown = self._unknown()
        if not scored:
            return scores_of([])
        return concat(
            [
                units_of(
                    text_scores.tokens, np.array(text_scores.ids, np.int64), text_scores.logprobs, unigrams, unknown
                )
                for text_scores in scored
            ]
        )

    def next_units(self, prefixes: Texts) -> NextUnits:
        """Return the distribution over all tokens after each prefix; a token is shown as the text it stands for.

        With an end symbol its token is called END. Rows of the network without a token are called <unused …>.
        """
        loaded, begin = self.loaded(), self.begin()
        body, stride = self._window()
        sequences = []
        for prefix, tokens in zip(
            prefixes.contents, loaded.tokenizer.tokenise(prefixes.contents.to_list()), strict=True
        ):
            problem = _checked(tokens, loaded).problem
            if problem:
                raise UserError(f"The prefix '{prefix[:40]}' cannot be read: {problem}.")
            start = window_start(len(tokens.ids), body, stride)
            sequences.append([*begin, *tokens.ids[start:].tolist()])
        logprobs = np.empty((len(sequences), loaded.vocabulary))
        known = [row for row, sequence in enumerate(sequences) if sequence]
        logprobs[known] = last_logprobs(loaded, [sequences[row] for row in known])
        empty = [row for row, sequence in enumerate(sequences) if not sequence]
        if empty:
            logprobs[empty] = self._unigram_logprobs()
        names = loaded.tokenizer.names(loaded.vocabulary)
        for number in self.end():
            names[number] = END
        return NextUnits(names, logprobs)

    def draw(self, prefix: str, *, count: int, seed: int, longest: int, temperature: float) -> list[str]:
        """Draw texts token by token, to the end symbol or the limit, for `hengliang.language_models.sampling`."""
        loaded, begin = self.loaded(), self.begin()
        (tokens,) = loaded.tokenizer.tokenise([prefix])
        if tokens.problem:
            raise UserError(f"The prefix '{prefix[:40]}' cannot be read: {tokens.problem}.")
        if not begin and not len(tokens.ids):
            raise UserError("Without a begin symbol a text has nothing to go on from.", remedy="Give it a prefix.")
        streams = [np.random.default_rng([seed, number]) for number in range(count)]
        drawn = [tokens.ids.tolist() for _ in range(count)]
        stop = loaded.special("eos", "sep")
        body, stride = self._window()
        going = list(range(count))
        for _ in range(longest):
            begun = [[*begin, *drawn[row][window_start(len(drawn[row]), body, stride) :]] for row in going]
            distributions = last_logprobs(loaded, begun) if going else np.zeros((0, loaded.vocabulary))
            for row, logprobs in zip(list(going), distributions, strict=True):
                token = draw_one(logprobs, temperature, streams[row])
                if token == stop:
                    going.remove(row)
                else:
                    drawn[row].append(token)
        return [str(loaded.tokenizer.wrapper.decode(ids, skip_special_tokens=True)) for ids in drawn]

    def _window(self) -> tuple[int | None, int]:
        """Return how many tokens of the text are seen at once (None: all), and by how many the window moves on."""
        context = self.loaded().context
        if context is None:
            return None, 1
        body = context - len(self.begin())
        stride = max(1, body // 2) if self.stride is None else self.stride
        most = body if self.begin() else body - 1
        if not 1 <= stride <= most:
            raise UserError(
                f"The stride {stride} of '{self.name}' is not possible.", valid=f"A stride is 1 to {most} tokens."
            )
        return body, stride

    def _unknown(self) -> int:
        loaded = self.loaded()
        number = getattr(loaded.tokenizer.wrapper, "unk_token_id", None)
        # A tokenizer that spells everything never meets the unknown, whatever its file calls so.
        return -1 if number is None or loaded.tokenizer.spells_all else int(number)

    def _unigram_logprobs(self) -> Numbers:
        if self.unigrams is None:
            raise UserError(f"'{self.name}' has no unigram probabilities: no file of token counts was given.")
        loaded, end = self.loaded(), self.end()
        counts = read_unit_counts(self.unigrams, loaded.tokenizer.tokens, loaded.vocabulary, end)
        return np.asarray(np.log(counts + 1.0) - np.log((counts + 1.0).sum()))


def _checked(tokens: Tokens, loaded: Loaded) -> Tokens:
    """Return the tokens, or a problem if there is one that the network has no row for."""
    beyond = tokens.ids[tokens.ids >= loaded.vocabulary]
    if not beyond.size:
        return tokens
    none, token = np.zeros(0, np.int64), loaded.tokenizer.tokens[int(beyond[0])]
    return Tokens(none, none, none, none, f"the model has no weights for the token '{token}' of its tokenizer")


def window_start(place: int, body: int | None, stride: int) -> int:
    """Return where the window begins in which the token at this place is scored."""
    if body is None or place < body:
        return 0
    return -(-(place - body + 1) // stride) * stride


def windows_of(length: int, body: int | None, stride: int) -> list[tuple[int, int, int]]:
    """Return the windows of a text of so many tokens: where each starts, where it begins to score, where it stops."""
    windows, scored = [], 0
    while scored < length:
        start = window_start(scored, body, stride)
        stop = length if body is None else min(length, start + body)
        windows.append((start, scored, stop))
        scored = stop
    return windows


def _assemble(
    tokens: Tokens,
    ids: list[int],
    parts: list[tuple[int, int, int, Traced]],
    begin: int,
    unigrams: Numbers | None,
) -> TokenScores:
    """Put the windows of one text together again."""
    logprobs, before, after = np.full(len(ids), np.nan), np.full(len(ids), np.nan), float("nan")
    for start, scored, stop, traced in parts:
        places = slice(begin + scored - start, begin + stop - start)
        logprobs[scored:stop] = traced.logprobs[places]
        masses = np.concatenate([[np.nan], traced.masses])
        before[scored:stop] = masses[places]
        after = float(masses[-1])
    if unigrams is not None and ids:
        logprobs[0] = unigrams[ids[0]]
    return TokenScores(tokens, ids, logprobs, before, after)


# --- whole words: the probability that a word ends --------------------------------------------------------------------
# Corrects the probability of a word where the space before the next word says that it has ended.
#
# In vocabularies such as GPT-2's the space is part of the token after it. So the tokens of "book" are also the first
# tokens of "bookshop", and their product is the probability of everything that begins with "book". That of the word
# itself holds the event that a new word begins after it [1, 2]. Let M(x) be the probability that the next token after x
# is one that begins with a space, or the end symbol. Then
#
#     p(word | before) = p(its tokens | before) × M(before word) / M(before)
#
# for a word whose first token begins with a space: given that a word begins, this word, and then the next one begins.
# The first word of a text has no space before it in GPT-2, and is not divided.
#
# In the scores of a text this is a shift at each place where a word begins: log M is taken from the word that begins
# there and given to the one that ends. Units and spans stay as they are, so that regions sum up as always, and in the
# whole text everything cancels out but its two ends. The last word gets log M of what follows it; the end symbol, if it
# is scored, gives it.
#
# It applies to text whose words are parted by spaces. Chinese is not: no token begins a word there, nothing is shifted,
# nothing happens at its end, and the probability of a Chinese word is that of all that begins with it, exact only as
# far as tokens end where words do.
#
# [1] Pimentel, T., Meister, C. (2024). How to compute the probability of a word. EMNLP 2024.
# [2] Oh, B.-D., Schuler, W. (2024). Leading whitespaces of language models' subword vocabulary pose a confound for
# calculating word probabilities. EMNLP 2024.


def whole_word_scores(model: HuggingFaceCausal, texts: Texts) -> Scores:
    """Return the scores of the texts with the probability that a word ends given to the word that does."""
    begins = word_beginnings(model.loaded(), model.end())
    contents = texts.contents.to_list()
    scored = model.score_tokens(contents, members=begins)
    shifted = [_shift(token_scores, begins, content) for token_scores, content in zip(scored, contents, strict=True)]
    return model.scores_of_tokens(shifted)


def word_beginnings(loaded: Loaded, end: Sequence[int] = ()) -> Members:
    """Return which tokens say that the word before them has ended: those that begin with a space, and the end symbol.

    Where no end symbol is scored it is the tokenizer's own.
    """
    begins = np.zeros(loaded.vocabulary, np.bool_)
    for number, piece in enumerate(loaded.tokenizer.pieces[: loaded.vocabulary]):
        begins[number] = piece is not None and piece.startswith(b" ")
    if not begins.any():
        raise UserError(
            f"No token of the model in {loaded.path} begins with a space: its tokens do not say where a word begins.",
            valid="Byte-level vocabularies (Ġ) and those of SentencePiece (▁) do.",
            remedy="Take the scores as they are: model.score(texts).",
        )
    own = loaded.special("eos")
    begins[list(end) or ([] if own is None else [own])] = True
    return begins


def _shift(one: TokenScores, begins: Members, content: str) -> TokenScores:
    """Move log M at each beginning of a word from the token that begins it to the token before."""
    if not one.ids:
        return one
    ids = np.array(one.ids, np.int64)
    ended, spaced = len(ids) > len(one.tokens.ids), bool(ENDS_LATIN.search(content))
    moved = np.where(begins[ids], one.before, 0.0)
    # A Chinese text has a ▁ before it in some vocabularies and an end after it, but no space would be written there.
    if not STARTS_LATIN.match(content.lstrip()):
        moved[0] = 0.0
    if ended and not spaced:
        moved[-1] = 0.0
    # Without a begin symbol nothing is known of what comes first.
    moved = np.nan_to_num(moved, nan=0.0)
    received = np.append(moved[1:], one.after if spaced and not ended else 0.0)
    return replace(one, logprobs=one.logprobs - moved + received)
