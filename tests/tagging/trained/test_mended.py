"""Does a tagger gain where it is mended, without ever having seen the sentences by which the gain is measured?"""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Span, UserError, tagger
from hengliang.core import Silent, items_frame, labelled_spans, places
from hengliang.tagging.sentences import gold_spans, read_gold, tagged_sentences
from hengliang.tagging.test_sets.selection import jaccard
from hengliang.tagging.test_sets.test_set import write_set
from hengliang.tagging.trained import correction as mended
from hengliang.tagging.trained.correction import (
    MENDINGS,
    MendedTagger,
    Mending,
    MendingPlan,
    added_sentences,
    learned_rules,
    made_tagger,
    right_targets,
    split_training,
    targeted_places,
    worst_words,
)
from hengliang.tagging.trained.tagger import CrfTagger
from tests.tagging.trained.small_newspaper import paper_set, write_paper

pytest.importorskip("pycrfsuite", reason="python-crfsuite, with which the tagger crf learns, is not installed")


@dataclass(frozen=True)
class Loop:
    """A plan on our small newspaper, and the store in which its taggers lie."""

    plan: MendingPlan
    home: Path


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    """Give the loop with all its taggers trained: two seconds of work."""
    folder = tmp_path_factory.mktemp("mending")
    path = write_paper(folder)
    # One block of 50 of the 1,600 sentences of the training part.
    plan = MendingPlan(paper_set(path), path, share=0.03, worst=3, least=2, per_word=6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HENGLIANG_HOME", str(folder / "home"))
        for how in MENDINGS:
            MendedTagger(how, plan).prepare(Silent())
        yield Loop(plan, folder / "home")


@pytest.fixture
def plan(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> MendingPlan:
    """Give the plan, with its store in place."""
    monkeypatch.setenv("HENGLIANG_HOME", str(loop.home))
    return loop.plan


def share_right(how: Mending, plan: MendingPlan, part: str = "test") -> float:
    """Return the share of targets in a part of the test set that a tagger gets right."""
    asked = plan.asked.items().filter(pl.col("corpus_part") == part)
    return float(np.mean(right_targets(asked, MendedTagger(how, plan).tag(asked["content"].to_list()))))


# --- the gain -------------------------------------------------------------------------------------------------------


def test_targeted_sentences_teach_what_random_ones_do_not(plan: MendingPlan) -> None:
    found = {how: share_right(how, plan) for how in MENDINGS}
    # Of 22 rare uses in the test part, the base, which has seen 50 sentences, knows a few.
    assert found["base"] < 0.5
    assert found["targeted"] > found["base"] + 0.4
    assert found["base"] <= found["random"] < found["targeted"]
    assert found["everything"] == 1
    assert found["rules"] > found["base"] + 0.4


def test_rules_repair_what_the_word_beside_betrays(plan: MendingPlan) -> None:
    # Whatever follows 走 is a verb in the paper, and what follows 请 a noun: see `USES`.
    rules = {(rule.word, rule.wrong, rule.right, rule.value) for rule in learned_rules(plan, Silent())}
    assert {("过去", "t", "v", "走"), ("编辑", "v", "n", "请")} <= rules
    new = "裁缝在田间走过去洗净了雨伞。"
    before, after = (MendedTagger(how, plan).tag([new]).of(0) for how in ("base", "rules"))
    # 过去 are the seventh and the eighth character, of three bytes each.
    assert (18, 24, "t") in before
    assert (18, 24, "v") in after
    # Rules change tags, never words.
    assert [word[:2] for word in before] == [word[:2] for word in after]


# --- what is learned from -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["base", "targeted", "random", "everything"])
def test_nothing_of_dev_and_test_was_seen(plan: MendingPlan, how: Mending) -> None:
    made = made_tagger(how, plan, Silent())
    assert isinstance(made, CrfTagger)
    whole = tagged_sentences(plan.corpus).items()
    held_out = whole.filter(pl.col("corpus_part") != "train")["content"].to_list()
    assert not made.seen(held_out).any()
    base, _ = split_training(plan)
    assert made.seen(base["content"].to_list()).all()
    assert made.model_card()["left_out"] == 0


def test_nothing_near_the_test_set_is_learned_from(loop: Loop, tmp_path: Path) -> None:
    asked = loop.plan.asked.items()["content"].to_list()
    # One sentence of the training part becomes a sentence of the test set with another end.
    path = tmp_path / "paper.txt"
    lines = Path(loop.plan.corpus).read_text(encoding="utf-8").splitlines()
    tested = tagged_sentences(loop.plan.corpus, ("test",)).items().filter(pl.col("content").is_in(asked))
    lines[2] = tested["gold"][0].replace("。/w", "！/w")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    plan = replace(loop.plan, tagging_set=paper_set(path), corpus=path)
    learned = pl.concat(split_training(plan))
    assert "".join(read_gold(lines[2])[0]) not in learned["content"].to_list()
    # An independent look at each pair of sentences; the search in `near_duplicates` is another.
    texts = plan.asked.items()["content"].unique().to_list()
    assert max(jaccard(text, other) for text in texts for other in learned["content"]) < 0.6


def test_what_is_learned_from_is_nested(plan: MendingPlan) -> None:
    base, pool = split_training(plan)
    assert not set(base["id"]) & set(pool["id"])
    assert base["block"].n_unique() == 1
    assert not set(base["block"]) & set(pool["block"])
    added = {how: set(added_sentences(how, plan, Silent())["id"]) for how in MENDINGS}
    assert added["base"] == added["rules"] == set()
    assert added["everything"] == set(pool["id"])
    assert added["targeted"] < added["everything"]
    assert added["random"] < added["everything"]
    words = {how: int(added_sentences(how, plan, Silent())["words"].sum()) for how in ("targeted", "random")}
    # The last sentence that is drawn may have some words too many.
    assert 0 < words["targeted"] <= words["random"] < words["targeted"] + int(pool["words"].max())  # type: ignore[arg-type]
    assert added["random"] != added["targeted"]
    assert added["targeted"] == set(targeted_places(plan, Silent())["item"])


def test_only_words_that_are_missed_in_dev_are_looked_up(plan: MendingPlan) -> None:
    asked = plan.asked.items().filter(pl.col("corpus_part") == "dev")
    right = right_targets(asked, MendedTagger("base", plan).tag(asked["content"].to_list()))
    missed = set(asked.filter(~pl.Series(right))["word"])
    assert set(targeted_places(plan, Silent())["word"]) <= missed


def test_another_seed_draws_others(plan: MendingPlan) -> None:
    one, two = (split_training(replace(plan, seed=seed))[0]["id"].to_list() for seed in (1, 2))
    assert one != two


# --- the system -----------------------------------------------------------------------------------------------------


def test_what_is_known_before_training(loop: Loop) -> None:
    # The store of this test is empty.
    system = MendedTagger("targeted", loop.plan)
    traits, line = system.traits(), system.signature()
    assert traits["mending"] == "targeted"
    _, pool = split_training(loop.plan)
    assert (
        {"v", "n", "p", "t"}
        <= set(str(traits["tags"]).split())
        == {tag for gold in [*pool["gold"], *split_training(loop.plan)[0]["gold"]] for _, _, tag in gold_spans(gold)}
    )
    assert not places.models().exists()
    assert system.signature() == line
    assert (system.name, system.title.en, system.seed) == ("mended:targeted", "with targeted sentences", 1)


def test_the_base_has_only_the_tags_it_learned(plan: MendingPlan) -> None:
    card = CrfTagger(made_tagger("base", plan, Silent()).model).model_card()  # type: ignore[attr-defined]
    assert str(MendedTagger("base", plan).traits()["tags"]).split() == card["tags"]


def test_stored_models_are_used_again(plan: MendingPlan, loop: Loop) -> None:
    before = {path: path.stat().st_mtime_ns for path in loop.home.rglob("*") if path.is_file()}
    # Four of the five ways have a model of their own; rules use that of the base.
    assert len({path.parent for path in before}) == 4
    for how in MENDINGS:
        MendedTagger(how, plan).prepare(Silent())
    assert {path: path.stat().st_mtime_ns for path in loop.home.rglob("*") if path.is_file()} == before


def test_trained_again_elsewhere_it_is_the_same(plan: MendingPlan, tmp_path: Path) -> None:
    one = made_tagger("targeted", plan, Silent())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HENGLIANG_HOME", str(tmp_path))
        mended._split.cache_clear()
        mended._places.cache_clear()
        two = made_tagger("targeted", plan, Silent())
        assert two.folder.is_relative_to(tmp_path)  # type: ignore[attr-defined]
        line = two.signature()
    assert one.signature() == line


@pytest.mark.parametrize("how", ["targeted", "rules"])
def test_a_copy_in_another_process_answers_alike(plan: MendingPlan, tmp_path: Path, how: Mending) -> None:
    system = MendedTagger(how, plan)
    asked = plan.asked.items()["content"].to_list()[:5]
    wanted = [system.tag(asked).of(row) for row in range(5)]
    (tmp_path / "sent").write_bytes(pickle.dumps((system, asked)))
    code = (
        "import pathlib, pickle, sys\n"
        "system, asked = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "assert '_made' in vars(system)\n"
        "print([system.tag(asked).of(row) for row in range(5)], system.signature().hash)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "sent")], capture_output=True, text=True)
    assert done.stdout.strip() == f"{wanted} {system.signature().hash}", done.stderr


def test_a_copy_whose_store_is_empty_trains_anew(loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "home"))
    system = MendedTagger("base", loop.plan)
    wanted = system.tag(["老师在河边走过去。"]).of(0)
    sent = pickle.dumps(system)
    shutil.rmtree(tmp_path / "home")
    assert pickle.loads(sent).tag(["老师在河边走过去。"]).of(0) == wanted


def test_the_signature_tells_plans_apart(plan: MendingPlan, tmp_path: Path) -> None:
    path = tmp_path / "set.tsv"
    assert not isinstance(plan.tagging_set, str | Path)
    write_set(path, plan.tagging_set)
    plans = [plan, *(replace(plan, **{name: 7}) for name in ("worst", "least", "per_word", "seed"))]  # type: ignore[arg-type]
    plans += [replace(plan, share=0.5), replace(plan, tagging_set=plan.tagging_set.of_parts(["dev"]))]
    lines = [str(MendedTagger("targeted", one).signature()) for one in plans]
    assert len({*lines, str(MendedTagger("random", plan).signature())}) == len(plans) + 1
    # The same set from a file without its text is the same set.
    assert (
        MendedTagger("targeted", replace(plan, tagging_set=path)).signature()
        == MendedTagger("targeted", plan).signature()
    )
    assert "crfsuite" in lines[0]


def test_it_is_found_by_its_name() -> None:
    found = tagger("mended:random")
    assert isinstance(found, MendedTagger)
    assert (found.how, found.plan, found.name) == ("random", MendingPlan(), "mended:random")


# --- right and wrong ------------------------------------------------------------------------------------------------


def test_a_target_is_right_when_cut_and_tagged_alike() -> None:
    # 就此 stands at the bytes 3 to 9 of the sentence; 就 and 此 have three bytes each.
    item = Item("i", "i", "toy", "", "他就此走", (Span("target", 3, 9),), "就/p 此/r")
    right = [(0, 3, "r"), (3, 6, "p"), (6, 9, "r"), (9, 12, "v")]
    wrong_tag = [(0, 3, "r"), (3, 6, "d"), (6, 9, "r"), (9, 12, "v")]
    wrong_cut = [(0, 3, "r"), (3, 6, "p"), (6, 12, "r")]
    one_word = [(0, 3, "r"), (3, 9, "d"), (9, 12, "v")]
    elsewhere = [(0, 3, "n"), (3, 6, "p"), (6, 9, "r"), (9, 12, "n")]
    items = items_frame(replace(item, id=f"i{number}") for number in range(6))
    found = labelled_spans([right, wrong_tag, wrong_cut, one_word, elsewhere, "it failed"])
    assert right_targets(items, found) == [True, False, False, False, True, False]


@pytest.mark.parametrize("start", [3, 4])
def test_a_space_before_the_target_belongs_to_it(start: int) -> None:
    item = Item("i", "i", "toy", "", "The cat", (Span("target", start, 7),), "cat/n")
    assert right_targets(items_frame([item]), labelled_spans([[(0, 3, "r"), (3, 7, "n")]])) == [True]


@given(st.lists(st.tuples(st.sampled_from(["n:v", "v:t"]), st.sampled_from("甲乙丙"), st.booleans()), min_size=1))
def test_words_are_missed_in_the_worst_pairs(rows: list[tuple[str, str, bool]]) -> None:
    items = pl.DataFrame([row[:2] for row in rows], schema=["pair", "word"], orient="row")
    scores = {pair: np.mean([right for one, _, right in rows if one == pair]) for pair in {row[0] for row in rows}}
    imperfect = sorted((score, pair) for pair, score in scores.items() if score < 1)
    if not imperfect:
        with pytest.raises(UserError, match="misses nothing"):
            worst_words(items, [row[2] for row in rows], 1, 1)
        return
    worst = imperfect[0][1]
    wanted = sorted({(pair, word) for pair, word, right in rows if pair == worst and not right})
    assert worst_words(items, [row[2] for row in rows], 1, 1).rows() == wanted


# --- mistakes -------------------------------------------------------------------------------------------------------


def test_an_unknown_way_of_mending(plan: MendingPlan) -> None:
    with pytest.raises(UserError, match=r"'tragetted'.*targeted"):
        MendedTagger("tragetted", plan).prepare(Silent())  # type: ignore[arg-type]


def test_a_share_of_all_leaves_nothing_to_mend_from(plan: MendingPlan) -> None:
    with pytest.raises(UserError, match="nothing is left to mend from"):
        MendedTagger("base", replace(plan, share=1)).prepare(Silent())


def test_a_set_without_sentences_to_diagnose_on(loop: Loop) -> None:
    plan = replace(loop.plan, tagging_set=paper_set(Path(loop.plan.corpus), "test"))
    with pytest.raises(UserError, match="no sentence of the dev part"):
        MendedTagger("targeted", plan).prepare(Silent())
    # That is said before anything is trained.
    assert not places.models().exists()


def test_a_tagger_that_misses_nothing(plan: MendingPlan) -> None:
    with pytest.raises(UserError, match="misses nothing"):
        MendedTagger("targeted", replace(plan, share=0.9)).prepare(Silent())


def test_words_that_nobody_can_teach(loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HENGLIANG_HOME", str(loop.home))
    # In the training part 过去 is never a verb.
    parts = dict(tagged_sentences(loop.plan.corpus).items().select("paragraph", "corpus_part").iter_rows())
    path, lines = tmp_path / "paper.txt", Path(loop.plan.corpus).read_text(encoding="utf-8").splitlines()
    kept = [line.replace("过去/v", "下去/v") if parts[n] == "train" else line for n, line in enumerate(lines, start=1)]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    plan = replace(loop.plan, tagging_set=paper_set(path).of_pairs(["v:t"]), corpus=path)
    with pytest.raises(UserError, match="right tags: 过去"):
        MendedTagger("targeted", plan).prepare(Silent())


@pytest.mark.parametrize("wanted", [{"worst": 0}, {"least": 0}])
def test_too_little_is_asked_for(plan: MendingPlan, wanted: dict[str, int]) -> None:
    with pytest.raises(UserError, match="One or more"):
        MendedTagger("targeted", replace(plan, **wanted)).prepare(Silent())  # type: ignore[arg-type]
