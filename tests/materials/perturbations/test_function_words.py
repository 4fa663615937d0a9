"""Are function words left out, put in and exchanged only where that cannot be right?"""

from __future__ import annotations

import pytest

from hengliang.materials.perturbations.function_words import missing, stray, wrong
from tests.materials.perturbations.toys import tagged


@pytest.mark.parametrize(
    ("text", "rule", "content"),
    [
        ("这/r 是/v 很/d 难得/a 的/u 机会/n 。/w", "的 after an adjective", "这是很难得机会。"),
        ("她/r 抱/v 着/u 厚厚/z 的/u 小说/n 。/w", "的 after an adjective", "她抱着厚厚小说。"),
        ("我/r 不/d 要/v 这样/r 的/u 礼物/n 。/w", "的 after 这样", "我不要这样礼物。"),
        ("我们/r 讨论/v 社会/n 上/f 的/u 问题/n 。/w", "的 after a place", "我们讨论社会上问题。"),
        ("孩子/n 跑/v 得/u 很/d 快/a 。/w", "得 before a complement", "孩子跑很快。"),
        ("他/r 也/d 对/p 医生/n 说/v 了/y 。/w", "preposition after an adverb", "他也医生说了。"),
        ("他们/r 在/p 桂林/ns 种/v 梨树/n 。/w", "preposition before a place", "他们桂林种梨树。"),
    ],
)
def test_obligatory_words_are_left_out(text: str, rule: str, content: str) -> None:
    assert (rule, content) in [(change.rule, change.content) for change in missing(tagged(text))]


@pytest.mark.parametrize(
    "text",
    [
        "这/r 是/v 新/a 的/u 机会/n 。/w",  # 新机会
        "很/d 多/a 的/u 人/n 来/v 了/y 。/w",  # 很多人
        "她/r 等/v 了/u 这么/r 长/a 的/u 时间/n 。/w",  # 这么长时间
        "大大小小/z 的/u 房子/n 都/d 卖/v 了/y 。/w",  # 大大小小房子
        "我们/r 要/v 快捷/z 的/u 服务/n 。/w",  # 快捷服务
        "他/r 也/d 为/p 自己/r 做/v 饭/n 。/w",  # 他也自己做饭
        "我/r 看/v 得/u 不/d 清楚/a 。/w",  # 看不清楚
        "社会/n 上/f 的/u 问题/n 很/d 多/a 。/w",  # 社会上问题很多
        "只/d 对/p 他/r 说/v 。/w",  # 只他说
        "会议/n 今天/t 在/p 上海/ns 举行/v 。/w",  # what a headline says
        "我们/r 必须/d 从/p 根本/n 上/f 解决/v 。/w",  # 必须根本上解决
    ],
)
def test_optional_words_stay(text: str) -> None:
    assert not list(missing(tagged(text)))


@pytest.mark.parametrize(
    ("text", "rule", "content"),
    [
        ("他/r 也/d 去/v 。/w", "particle after an adverb", "他也的去。"),
        ("我/r 从/p 上海/ns 来/v 。/w", "particle after a preposition", "我从的上海来。"),
        ("我/r 有/v 三/m 本/q 书/n 。/w", "particle after a numeral", "我有三了本书。"),
        ("小林/nr 成为/v 医生/n 。/w", "着 after a state", "小林成为着医生。"),
        ("小林/nr 是/v 医生/n 。/w", "把 or 被 before a state", "小林被是医生。"),
    ],
)
def test_stray_words_are_put_where_they_cannot_stand(text: str, rule: str, content: str) -> None:
    assert (rule, content) in [(change.rule, change.content) for change in stray(tagged(text))]


def test_nothing_is_put_in_where_it_may_stand() -> None:
    # 还的钱 is money that was returned, 对的 is right, 放在了桌上 is good.
    assert not list(stray(tagged("他/r 还/v 钱/n 。/w")))
    assert not list(stray(tagged("他/r 对/p 我/r 说/v 。/w")))
    assert not list(stray(tagged("书/n 放/v 在/p 桌/n 上/f 。/w")))


@pytest.mark.parametrize(
    ("text", "rule", "content"),
    [
        ("小林/nr 被/p 选为/v 代表/n 。/w", "把 for 被", "小林把选为代表。"),
        ("你/r 要/v 把/p 门/n 关/v 好/a 。/w", "被 for 把", "你要被门关好。"),
        ("他们/r 在/p 上海/ns 工作/v 。/w", "把 for 在", "他们把上海工作。"),
        ("我们/r 到达/v 了/u 山顶/n 。/w", "着 for 了", "我们到达着山顶。"),
        ("医院/n 的/u 花园/n 很/d 大/a 。/w", "地 for 的", "医院地花园很大。"),
        ("孩子/n 跑/v 得/u 很/d 快/a 。/w", "地 for 得", "孩子跑地很快。"),
    ],
)
def test_words_are_exchanged_for_wrong_ones(text: str, rule: str, content: str) -> None:
    assert (rule, content) in [(change.rule, change.content) for change in wrong(tagged(text))]


@pytest.mark.parametrize(
    "text",
    [
        "他/r 被/p 老师/n 批评/v 了/y 。/w",  # 他把老师批评了
        "房子/n 被/p 打扫/v 以后/f 卖/v 了/y 。/w",  # 把打扫 … 卖了
        "事故/n 造成/v 了/u 困难/n 。/w",  # 造成着困难
        "我/r 要/v 把/p 老师/n 送/v 走/v 。/w",  # 我要被老师送走
        "他们/r 在/p 上海/ns 建/v 成/v 了/y 。/w",  # 把上海建成
        "她/r 唱/v 了/u 歌/n 。/w",  # 唱着歌
        "所在/n 的/u 村/n 很/d 小/a 。/w",  # 所在地
    ],
)
def test_nothing_is_exchanged_where_the_other_may_stand(text: str) -> None:
    assert not list(wrong(tagged(text)))
