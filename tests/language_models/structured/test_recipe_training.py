"""Is a model with structure trained from its recipe, with the trees asked for, and judged on what it has not seen?"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import Silent, digest
from hengliang.corpora import Tree, compare_brackets, read_treebank, right_branching, write_brackets
from hengliang.language_models import read_card
from hengliang.language_models.perplexity import perplexity
from hengliang.language_models.recipes import KINDS, SIZES, STRUCTURED, Recipe, train
from hengliang.language_models.structured.architectures import StructuredArchitecture
from hengliang.language_models.structured.model import StructuredModel
from hengliang.language_models.structured.recipe_training import bracketing, judged, structured_settings
from hengliang.language_models.training_texts import read_corpus
from tests.language_models.stories import story
from tests.language_models.structured.toy_treebank import trees, write_bank


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an RNNG that was trained on a treebank of our own in brackets, which lies beside it."""
    place = tmp_path_factory.mktemp("trained")
    data = write_bank(place / "toy.brackets", trees(800))
    return train(Recipe("rnng", "tiny", data=data), place / "model")


def data_beside(folder: Path) -> str:
    return str(folder.parent / "toy.brackets")


def test_the_card_tells_of_trees_perplexity_and_parsing(folder: Path) -> None:
    card = read_card(folder)
    assert (card["kind"], card["size"], card["seed"], card["recipe"]["trees"]) == ("rnng", "tiny", 1, "given")
    facts = dict(card["trees"])
    assert facts.pop("checksum") == digest(write_brackets(read_treebank(data_beside(folder)).trees["train"]))
    assert facts == {"kind": "annotated", "labels": ["NP", "S"], "chain": 2, "depth": 2}
    assert card["parameters"] == StructuredArchitecture.read(folder).parameters
    assert card["architecture"].startswith("rnng 1 × 32, 2 labels")
    assert card["conventions"]["scoring"] == "beam"
    assert card["conventions"]["segmenter"] == f"rjieba {metadata.version('rjieba')}"
    assert card["curve"][card["best_epoch"] - 1]["dev_perplexity"] == pytest.approx(
        card["joint_dev_perplexity"], abs=1e-4
    )
    # A tenth of 800 sentences each, fewer than the hundred that are judged at most.
    assert card["perplexity"]["test"]["sentences"] == card["sentences"]["test"] == card["parsing"]["test"]["sentences"]
    assert card["perplexity"]["test"]["unscored"] == 0
    # Four epochs of the tiny settings teach most of so small a grammar.
    assert card["parsing"]["test"]["labelled_f1"] > 0.7
    assert card["parsing"]["test"]["unlabelled_f1"] >= card["parsing"]["test"]["labelled_f1"]


def test_what_the_card_tells_can_be_found_again(folder: Path) -> None:
    card, model = read_card(folder), StructuredModel(folder)
    texts = read_corpus(data_beside(folder)).parts["test"]
    bank = read_treebank(data_beside(folder)).trees["test"]
    assert card["perplexity"]["test"]["per_word"] == pytest.approx(
        perplexity(model.score(texts), texts).per("word"), abs=1e-3
    )
    found = model.parse(texts)
    whole = [tree for tree in found if tree is not None]
    assert card["parsing"]["test"]["labelled_f1"] == pytest.approx(compare_brackets(bank, whole).f1, abs=1e-4)


def test_some_sentences_are_judged(folder: Path) -> None:
    corpus, bank = read_corpus(data_beside(folder)).parts, read_treebank(data_beside(folder)).trees
    found = judged(StructuredModel(folder), corpus["test"], bank["test"], Silent(), sentences=5)
    assert found["parsing"]["test"]["sentences"] == found["perplexity"]["test"]["sentences"] == 5
    assert found["perplexity"]["test"]["per_word"] > 1


def test_sentences_alone_are_at_least_as_probable_as_with_their_trees(folder: Path) -> None:
    corpus = read_corpus(data_beside(folder)).parts
    alone = perplexity(StructuredModel(folder).score(corpus["dev"]), corpus["dev"]).per("word")
    assert alone <= read_card(folder)["joint_dev_perplexity"] + 1e-3


def test_a_sentence_without_a_tree_counts_as_flat() -> None:
    reference = [Tree("S", (Tree("NP", ("老师",)), "看")), Tree("S", (Tree("NP", ("学生",)), "买"))]
    scores = bracketing(reference, [None, Tree("S", ("学生", "买"))])
    # Two constituents a sentence in the reference, one found, which is right.
    assert (scores.reference, scores.found, scores.matched) == (4, 2, 2)


def test_right_branching_trees_need_no_treebank(tmp_path: Path) -> None:
    data = story(tmp_path / "story.txt")
    card = read_card(train(Recipe("plm", "tiny", data=data, trees="right-branching"), tmp_path / "model"))
    # The longest sentences have 10 words, such as 那 位 医生 昨天 买 了 一 本 书 。; none has more constituents.
    deepest = right_branching(["那", "位", "医生", "昨天", "买", "了", "一", "本", "书", "。"])
    depth = 1 + sum(isinstance(part, Tree) for part in deepest.parts())
    facts = {name: value for name, value in card["trees"].items() if name != "checksum"}
    assert facts == {"kind": "right-branching", "labels": [deepest.label], "chain": 1, "depth": depth}
    # Right-branching trees say nothing, and are soon learned.
    assert card["parsing"]["test"]["labelled_f1"] > 0.9
    assert card["recipe"]["trees"] == "right-branching"


def test_right_branching_trees_follow_the_segmenter(tmp_path: Path) -> None:
    raw, spaced = tmp_path / "raw.txt", Path(story(tmp_path / "story.txt"))
    raw.write_text(spaced.read_text(encoding="utf-8").replace(" ", ""), encoding="utf-8")
    recipe = Recipe("plm", "tiny", data=str(raw), trees="right-branching", segmenter="characters", sentences=30)
    card = read_card(train(recipe, tmp_path / "model"))
    assert card["segmenter"] == "characters"
    assert card["sentences"] == {"train": 30, "dev": 3, "test": 3}
    assert card["perplexity"]["test"]["sentences"] == 3


def test_tagged_text_has_chunked_trees(tmp_path: Path) -> None:
    lines = [
        f"老师/n {when}/t {verb}/v 了/u 一/m 本/q 书/n 。/w" for when in ("昨天", "今天") for verb in "买看找卖画想"
    ]
    data = tmp_path / "tagged.pku"
    data.write_text("\n".join(lines * 4) + "\n", encoding="utf-8")
    card = read_card(train(Recipe("plm", "tiny", data=str(data)), tmp_path / "model"))
    assert card["trees"]["kind"] == "chunked"
    assert {"NP", "VP"} <= set(card["trees"]["labels"])


def test_a_text_without_trees_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is plain text: it has no trees"):
        train(Recipe("rnng", "tiny", data=story(tmp_path / "story.txt")), tmp_path / "model")


def test_the_epochs_are_those_of_the_recipe(tmp_path: Path) -> None:
    data = write_bank(tmp_path / "toy.brackets", trees(40))
    card = read_card(train(Recipe("plm", "tiny", data=data, epochs=1), tmp_path / "model"))
    assert len(card["curve"]) == card["settings"]["epochs"] == 1
    assert card["recipe"]["epochs"] == 1


def test_every_size_has_settings() -> None:
    assert set(STRUCTURED) == {"rnng", "plm"} <= set(KINDS)
    found = [structured_settings(kind, size) for kind in STRUCTURED for size in SIZES[kind]]
    assert all(settings.threads >= 1 for settings in found)
