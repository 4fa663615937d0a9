"""Is the head the noun that goes with the classifier, by counts where there are any and by structure where not?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.slot_compatibility import Candidate, Compatibility, choose
from hengliang.materials.slot_heads import Bridge
from hengliang.materials.slot_triggers import Trigger

NOTHING_KNOWN = Compatibility()
# Eight classifiers, each ten times with one noun; no two nouns end alike.
PAIRS = {
    ("家", "厂商"): 10,
    ("项", "措施"): 10,
    ("艘", "潜艇"): 10,
    ("场", "比赛"): 10,
    ("位", "老师"): 10,
    ("封", "邮件"): 10,
    ("种", "形式"): 10,
    ("个", "国家"): 10,
}


def known(more: Mapping[tuple[str, str], int] | None = None) -> Compatibility:
    return Compatibility.of(Counter(PAIRS) + Counter(more or {}))


KNOWN = known()


# --- lift -------------------------------------------------------------------------------------------------------------


def test_lift_by_hand() -> None:
    table = Compatibility.of(Counter({("张", "纸"): 3, ("条", "鱼"): 1}))
    # Prior of 张: (3 + 0.5) / (4 + 0.5 * 3) = 7/11. By the ending 纸: (3 + 4 * 7/11) / (3 + 4) = 61/77.
    # Share: (3 + 61/77) / (3 + 1) = 292/308 = 73/77. Lift: 73/77 / (7/11) = 73/49.
    assert table.lift("张", "纸") == pytest.approx(73 / 49)
    # Prior of 条: 1.5 / 5.5 = 3/11. Ending: (0 + 12/11) / 7 = 12/77. Share: 12/77 / 4 = 3/77. Lift: 1/7.
    assert table.lift("条", "纸") == pytest.approx(1 / 7)
    # 报纸 was not counted but ends like 纸: its share is that of the ending. Lift: 61/77 / (7/11) = 61/49.
    assert table.lift("张", "报纸") == pytest.approx(61 / 49)
    # Nothing is known of a noun whose ending was never seen, and nothing at all without counts.
    assert table.lift("张", "云") == pytest.approx(1)
    assert NOTHING_KNOWN.lift("张", "纸") == 1


def test_the_three_lifts_on_which_the_choices_below_rest() -> None:
    # Prior of each: 10.5 / (80 + 4.5) = 21/169. Ending: (10 + 84/169) / 14 = 887/1183. Share: (10 + 887/1183) / 11.
    fits = (10 + Fraction(887, 1183)) / 11 / Fraction(21, 169)
    assert fits == Fraction(4239, 539)
    # A classifier that was never seen with a noun has 4p / 14 by the ending and 1/11 of it by the noun: 4 / 154.
    misfit = Fraction(4, 154)
    for classifier, _ in PAIRS:
        for other, noun in PAIRS:
            assert KNOWN.lift(classifier, noun) == pytest.approx(float(fits if classifier == other else misfit))
        assert KNOWN.lift(classifier, "工厂") == pytest.approx(1)


_counts = st.dictionaries(
    st.tuples(st.sampled_from("个张条位"), st.sampled_from(["纸", "报纸", "鱼", "金鱼", "人", "客人", "云"])),
    st.integers(1, 50),
)


@given(_counts, st.sampled_from(["纸", "报纸", "鲸鱼", "工人", "云", "风"]))
def test_the_shares_of_a_noun_sum_to_one(counts: Mapping[tuple[str, str], int], noun: str) -> None:
    table = Compatibility.of(Counter(counts))
    forms = {form: sum(count for (one, _), count in counts.items() if one == form) for form, _ in counts}
    # Lift is share / prior; one form stands for all that were never seen.
    forms["座"] = 0
    total = sum(forms.values()) + 0.5 * len(forms)
    priors = {form: (count + 0.5) / total for form, count in forms.items()}
    assert sum(table.lift(form, noun) * prior for form, prior in priors.items()) == pytest.approx(1)


@given(_counts)
def test_counts_are_kept(counts: Mapping[tuple[str, str], int]) -> None:
    table = Compatibility.of(Counter(counts))
    assert {pair: table.attested(*pair) for pair in counts} == counts
    assert table.attested("座", "山") == 0
    assert table.total == sum(counts.values()) == sum(table.classifiers.values()) == sum(table.endings.values())


def test_the_checksum_depends_on_the_counts_alone() -> None:
    backwards = Compatibility.of(Counter(dict(reversed(PAIRS.items()))))
    assert backwards.checksum() == KNOWN.checksum()
    tables = [NOTHING_KNOWN, KNOWN, known({("家", "厂商"): 1}), known({("家", "邮件"): 1})]
    assert len({table.checksum() for table in tables}) == len(tables)


# --- choice -----------------------------------------------------------------------------------------------------------


def candidates(text: str) -> list[Candidate]:
    """Read candidates apart by spaces: bridge:noun/tag, with + for an adjective and ++ for a noun before it."""
    found = []
    for token in text.split():
        bridge, _, rest = token.rpartition(":")
        noun, _, tag = rest.partition("/")
        assert bridge in get_args(Bridge)
        described, compounded = noun.startswith("+") and not noun.startswith("++"), noun.startswith("++")
        found.append(Candidate(noun.lstrip("+"), tag or "n", bridge, described, compounded))  # type: ignore[arg-type]
    return found


def chosen(classifier: str, text: str, table: Compatibility = KNOWN, trigger: Trigger = "numeral") -> str | None:
    """Return the noun of the head, or None if no candidate is good enough."""
    given_ones = candidates(text)
    index = choose(table, classifier, trigger, given_ones)
    return given_ones[index].noun if index >= 0 else None


@pytest.mark.parametrize(
    ("classifier", "text", "head"),
    [
        # A month or a county is counted whatever noun follows; of two of them the last is.
        ("个", "时间 run:月", "月"),
        ("个", "农民 run:县", "县"),
        ("个", "县 run:省", "县"),
        # The last noun of a compound is its head, unless it is a property or an action of a body.
        ("个", "经理 run:公司", "经理"),
        ("个", "收入 run:公司", "公司"),
        ("个", "发展/vn run:企业", "企业"),
        ("个", "成绩 run:夏季 run:运动员", "运动员"),
        ("个", "成绩 run:夏季", "成绩"),
        ("段", "建设/vn run:时期", "时期"),
        ("段", "建设/vn run:工厂", "建设"),
        ("项", "建设/vn run:时期", "建设"),
        # 之 passes the head on, but not to a place in time.
        ("个", "礼仪 之:邦/Ng", "邦"),
        ("个", "世纪 之:交/Ng", "世纪"),
        # A noun with its adjective describes, an amount opens a clause; another noun before a clause is counted.
        ("家", "规模 predicate:工厂", "工厂"),
        ("条", "总长 clause:隧道", "隧道"),
        ("条", "总长 predicate:隧道", "隧道"),
        ("名", "职工 clause:卡车", "职工"),
        ("个", "国家 的:领导人", "国家"),
        ("个", "屋 locative:老人", "屋"),
        ("家", "企业 and:学校", "企业"),
        ("种", "房价 and:地价", "房价"),
        # Nouns that describe before 的: a property, a place, a time before a time, a dimension with its adjective.
        ("个", "暂时性 的:问题", "问题"),
        ("批", "北京/ns 的:工人", "工人"),
        ("个", "北京/ns 的:工人", "工人"),
        ("个", "中国/ns 的:工人", "中国"),
        ("批", "中国/ns 的:工人", "工人"),
        ("个", "冬天/t 的:夜晚/t", "夜晚"),
        ("个", "冬天/t 的:故事", "冬天"),
        ("场", "+范围 的:降雪/vn", "降雪"),
        ("场", "范围 的:降雪/vn", "范围"),
        ("场", "+比赛 的:结果", "比赛"),
        # The last of several that pass the head on.
        ("个", "暂时性 的:灰色 的:问题", "问题"),
    ],
)
def test_structure_tells_without_any_counts(classifier: str, text: str, head: str) -> None:
    assert chosen(classifier, text, NOTHING_KNOWN) == head


def test_a_body_that_is_pointed_at_is_counted() -> None:
    assert chosen("个", "经理 run:公司", NOTHING_KNOWN, "demonstrative") == "公司"
    assert chosen("个", "经理 run:电器", NOTHING_KNOWN, "demonstrative") == "经理"


@pytest.mark.parametrize(
    ("classifier", "text", "head"),
    [
        # The object of the clause, where it fits and the noun after 的 does not; else what follows 的.
        ("家", "relative:措施 object:厂商", "厂商"),
        ("家", "relative:工厂 object:厂商", "工厂"),
        ("家", "relative:措施 object:学校", "措施"),
        # A noun within the run, where it fits and the last one does not.
        ("艘", "措施 run:潜艇", "潜艇"),
        ("艘", "电机 run:潜艇", "电机"),
        ("艘", "措施 run:客船", "措施"),
        ("艘", "措施 run:潜艇/ns", "措施"),
        ("场", "形式 run:比赛", "比赛"),
        # All nouns go with 种 and 个.
        ("种", "措施 run:形式", "措施"),
        ("个", "国家 run:县", "国家"),
        # Coordination: the head is the noun that is known, across others that are not.
        ("家", "国营 and:厂商", "厂商"),
        ("家", "国营 and:民营 and:厂商", "厂商"),
        ("家", "国营 and:措施", "国营"),
        ("家", "厂商 and:学校", "厂商"),
        ("家", "学校 and:经销商", "学校"),
        ("种", "措施 quoted:问题", "问题"),
        ("种", "故事 quoted:问题", "故事"),
        ("种", "形式 quoted:问题", "形式"),
        # A noun that fits keeps its place before an adjective.
        ("家", "厂商 predicate:工厂", "厂商"),
        # Beyond 的 and clauses, where the near noun does not fit and the far one does.
        ("种", "老师 clause:形式", "形式"),
        ("种", "老师 clause:故事", "老师"),
        ("种", "老师 clause:方式", "老师"),
        ("种", "故事 clause:形式", "故事"),
        ("种", "老师 的:形式", "形式"),
        # A form that counts few kinds of things needs no more than a near noun that is always counted otherwise.
        ("封", "老师 clause:长信", "长信"),
        ("封", "读者 clause:长信", "读者"),
        ("封", "邮件 clause:故事", "邮件"),
        # An action with its object before 的 describes what is known after it.
        ("个", "++建设/vn 的:国家", "国家"),
        ("个", "建设/vn 的:国家", "建设"),
        ("个", "++建设/vn 的:工厂", "建设"),
        ("个", "++城市 的:国家", "城市"),
        # Beyond a noun that is not the head nothing is looked for.
        ("家", "职工 的:学校 的:厂商", "职工"),
    ],
)
def test_counts_tell(classifier: str, text: str, head: str) -> None:
    assert chosen(classifier, text) == head


@pytest.mark.parametrize(
    ("noun", "seen", "head"),
    [
        # Lift 887/147 = 6.0 by the ending 商 alone: never seen itself.
        ("经销商", 0, "措施"),
        # Seen once: prior 11.5 / 85.5, ending .769, share (1 + .769) / 2, so a lift of 6.6.
        ("经销商", 1, "经销商"),
        # Seen once, but ten times with 封.
        ("邮件", 1, "措施"),
    ],
)
def test_the_object_of_a_clause_must_be_seen_and_fit(noun: str, seen: int, head: str) -> None:
    assert chosen("家", f"relative:措施 object:{noun}", known({("家", noun): seen})) == head


def test_of_several_fitting_nouns_in_a_run_the_last_is_the_head() -> None:
    # Prior of 艘: 12.5 / 86.5. Ending 艇: .786. Share of 快艇: (2 + .786) / 3, lift 6.4; of 潜艇 6.8: both > 5.
    assert chosen("艘", "措施 run:潜艇 run:快艇", known({("艘", "快艇"): 2})) == "快艇"


@pytest.mark.parametrize(("noun", "head"), [("国际", "形式"), ("暂时性", "形式"), ("晚会", "晚会")])
def test_a_noun_that_describes_is_not_the_occasion(noun: str, head: str) -> None:
    # Seen twice: prior of 场 12.5 / 86.5, share (2 + .43) / 3, so a lift of 5.6, more than ten times .3.
    assert chosen("场", f"形式 run:{noun}", known({("场", noun): 2})) == head


def test_a_property_leaves_its_owner_as_the_head() -> None:
    # Ten times with 种 makes 价格 a misfit of 家; 收入 is a property too and owns nothing.
    table = known({("种", "价格"): 10})
    assert chosen("家", "价格 run:学校", table) == "学校"
    assert chosen("家", "价格 run:收入", table) == "价格"


def test_a_describing_noun_is_not_counted_before_its_adjective_though_it_may_be_elsewhere() -> None:
    assert chosen("种", "流线型 predicate:汽车", known({("种", "流线型"): 10})) == "汽车"


@pytest.mark.parametrize(
    ("text", "more", "head"),
    [
        # 邮件 was seen with 家, if only once: of two coordinated nouns the near one is counted.
        ("邮件 and:厂商", {("家", "邮件"): 1}, "邮件"),
        # That once is not enough for a far one: its lift is below 2.
        ("学校 and:邮件", {("家", "邮件"): 1}, "学校"),
        # By its ending 商店 goes with 家: prior 11.5 / 88.5, ending (1 + .52) / 8 = .19, so a lift of 1.5.
        ("商店 and:厂商", {("家", "书店"): 1, ("个", "旅店"): 3}, "商店"),
    ],
)
def test_the_near_noun_of_a_coordination(text: str, more: Mapping[tuple[str, str], int], head: str) -> None:
    assert chosen("家", text, known(more)) == head


@pytest.mark.parametrize(
    ("more", "head"),
    [
        ({("种", "办法"): 1}, "老师"),
        # Lift: prior 12.5 / 86.5, ending .43, share (2 + .43) / 3, so 5.6 > 2.
        ({("种", "办法"): 2}, "办法"),
        # Seen twice among twelve: prior 12.5 / 96.5, ending .16, share (2 + .16) / 13, so 1.3 < 2.
        ({("种", "办法"): 2, ("项", "办法"): 10}, "老师"),
    ],
)
def test_a_far_noun_must_be_seen_twice_and_fit(more: Mapping[tuple[str, str], int], head: str) -> None:
    assert chosen("种", "老师 clause:办法", known(more)) == head


def test_an_action_before_its_object_is_the_head_where_it_was_seen_to_be() -> None:
    assert chosen("个", "++建设/vn 的:地区", known({("个", "地区"): 1})) == "地区"
    assert chosen("个", "++建设/vn 的:地区", known({("个", "地区"): 1, ("个", "建设"): 1})) == "建设"


def test_a_noun_rarely_counted_is_not_counted_otherwise() -> None:
    # Lift of 封 for 读者 by the ending 者: 4 / (205 * 2) = .01 < .05, but 读者 itself was seen only once.
    assert chosen("封", "读者 clause:长信", known({("位", "读者"): 1, ("位", "学者"): 200})) == "读者"


def test_an_ending_may_be_evidence_enough() -> None:
    # 领导人 was never counted. Prior of 位: 10.5 / 301.5. Ending 人: (10 + 4 * 10.5/301.5) / 14 = .724, lift 20.8 > 10.
    counts = {("位", "客人"): 10, ("个", "国家"): 290}
    assert chosen("位", "国家 的:领导人", Compatibility.of(Counter(counts))) == "领导人"
    assert chosen("位", "国家 的:领袖", Compatibility.of(Counter(counts))) == "国家"


@pytest.mark.parametrize(("seen", "head"), [(2, "领导人"), (3, "国家")])
def test_a_pair_seen_three_times_is_no_misfit(seen: int, head: str) -> None:
    # Lift of 位 for 国家, seen three times: prior 13.5/304.5, share (3 + .011) / 294, so .23: low, but not by accident.
    counts = {("位", "客人"): 10, ("个", "国家"): 290, ("位", "国家"): seen}
    assert chosen("位", "国家 的:领导人", Compatibility.of(Counter(counts))) == head


# --- nothing good enough ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seen", "head"), [(0, None), (1, None), (2, "办法")])
def test_a_verb_without_a_particle_needs_a_pair_seen_twice(seen: int, head: str | None) -> None:
    assert chosen("项", "compound:办法", known({("项", "办法"): seen})) == head


def test_a_verb_without_a_particle_needs_a_pair_that_fits() -> None:
    # Seen twice, but 15 times out of 17 with others: prior 12.5 / 101.5, share (2 + .118) / 18, so a lift of .96.
    assert chosen("项", "compound:办法", known({("项", "办法"): 2, ("种", "办法"): 15})) is None


def test_persons_before_a_verb_are_often_all_there_is() -> None:
    # 前两名制定的措施: with 20 uses elsewhere the lift is 4 / (24 * 21) = .008, with 10 it is 4 / (14 * 11) = .026.
    often = known({("项", "措施"): 10, ("位", "老师"): 10})
    assert chosen("名", "relative:措施", often) is None
    assert chosen("名", "relative:措施") == "措施"
    # With little known of the noun itself, a lift of 4 / (205 * 2) says nothing; 4 / (44 * 11) after ten uses does.
    assert chosen("名", "relative:办法", known({("项", "办法"): 1, ("项", "方法"): 200})) == "办法"
    assert chosen("名", "relative:办法", known({("项", "办法"): 10, ("项", "方法"): 30})) is None
    # A person is counted by many forms, and another form may well count what this verb describes.
    assert chosen("名", "relative:老师", often) == "老师"
    assert chosen("封", "relative:措施", often) == "措施"


def test_persons_are_not_counted_by_their_income() -> None:
    assert chosen("户", "纯收入") is None
    assert chosen("户", "农民") == "农民"
    assert chosen("种", "纯收入") == "纯收入"
    assert chosen("户", "纯收入", known({("户", "纯收入"): 2})) == "纯收入"
    # With the persons themselves before it, there is something to count.
    assert chosen("户", "纯收入 run:农民", known({("种", "纯收入"): 10})) == "农民"


def test_a_price_after_a_noun_is_no_number_of_things() -> None:
    assert chosen("块", "before:谷") is None
    assert chosen("块", "before:手表", known({("块", "手表"): 3})) == "手表"
    assert chosen("册", "before:谷") == "谷"
    assert chosen("块", "手表") == "手表"


# --- properties -------------------------------------------------------------------------------------------------------

_NOUNS = ["厂商", "措施", "潜艇", "工厂", "公司", "月", "收入", "总长", "暂时性", "范围", "谷"]
_TAGS = ["n", "vn", "ns", "t", "v"]
_FAR: list[Bridge] = ["的", "之", "and", "quoted", "locative", "predicate", "clause"]
_FIRST: list[Bridge] = ["", "relative", "compound", "verb", "title", "before"]


def _candidates(bridges: Sequence[Bridge]) -> st.SearchStrategy[Candidate]:
    return st.builds(
        Candidate,
        st.sampled_from(_NOUNS),
        st.sampled_from(_TAGS),
        st.sampled_from(bridges),
        st.booleans(),
        st.booleans(),
    )


@given(
    st.sampled_from(["个", "家", "种", "艘", "场", "段", "块", "封"]),
    st.sampled_from(get_args(Trigger)),
    _candidates(_FIRST),
    st.lists(_candidates(["run"]), max_size=3),
    st.lists(_candidates(_FAR), max_size=3),
)
def test_a_run_of_farther_nouns_never_makes_the_nearest_one_bad(
    classifier: str, trigger: Trigger, first: Candidate, run: list[Candidate], far: list[Candidate]
) -> None:
    every = [first, *run, *far]
    index = choose(KNOWN, classifier, trigger, every)
    assert -1 <= index < len(every)
    # What makes a noun too weak is how it was reached; more readings only ever help it.
    if choose(KNOWN, classifier, trigger, [first]) == 0:
        assert index >= 0
    # What lies beyond a noun of the run that was chosen, or beyond the last one, does not count against it.
    if 0 < index <= len(run):
        assert choose(KNOWN, classifier, trigger, [first, *run]) == index
