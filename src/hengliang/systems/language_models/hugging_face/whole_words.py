"""How probable is a word as a whole, where the space before the next word says that it has ended?

In vocabularies such as GPT-2's the space is part of the token after it. So the tokens of "book" are also the first
tokens of "bookshop", and their product is the probability of everything that begins with "book". That of the word
itself holds the event that a new word begins after it [1, 2]. Let M(x) be the probability that the next token after x
is one that begins with a space, or the end symbol. Then

    p(word | before) = p(its tokens | before) × M(before word) / M(before)

for a word whose first token begins with a space: given that a word begins, this word, and then the next one begins. The
first word of a text has no space before it in GPT-2, and is not divided.

In the scores of a text this is a shift at each place where a word begins: log M is taken from the word that begins
there and given to the one that ends. Units and spans stay as they are, so that regions sum up as always, and in the
whole text everything cancels out but its two ends. The last word gets log M of what follows it; the end symbol, if it
is scored, gives it.

It applies to text whose words are parted by spaces. Chinese is not: no token begins a word there, nothing is shifted,
nothing happens at its end, and the probability of a Chinese word is that of all that begins with it, exact only as far
as tokens end where words do.

[1] Pimentel, T., Meister, C. (2024). How to compute the probability of a word. EMNLP 2024.
[2] Oh, B.-D., Schuler, W. (2024). Leading whitespaces of language models' subword vocabulary pose a confound for
calculating word probabilities. EMNLP 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts
from hengliang.core.text.segmentation import ENDS_LATIN, STARTS_LATIN
from hengliang.systems.language_models.hugging_face.causal import HuggingFaceCausal, Members, TokenScores
from hengliang.systems.language_models.hugging_face.loading import Loaded
from hengliang.systems.language_models.scores import Scores


def whole_word_scores(model: HuggingFaceCausal, texts: Texts) -> Scores:
    """Return the scores of the texts with the probability that a word ends given to the word that does."""
    begins = word_beginnings(model.loaded(), model.end())
    contents = texts.contents.to_list()
    scored = model.score_tokens(contents, members=begins)
    shifted = [_shift(one, begins, content) for one, content in zip(scored, contents, strict=True)]
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
    given = np.append(moved[1:], one.after if spaced and not ended else 0.0)
    return replace(one, logprobs=one.logprobs - moved + given)
