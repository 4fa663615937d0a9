"""Which of the eighteen types is a Chinese name or time, when its tag says only that it is a place or a time?

Chinese taggers know few kinds of names: persons, places, organisations, times, titles, others. The types of OntoNotes
are finer. What the last characters of a name say is used to tell them apart, and nothing else: the rules are short, can
be read in one sitting, and are the same for every recogniser. `docs/entities.md` has them as a table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

CHINESE_TYPES: Mapping[str, str] = {
    "PERSON": "a name of a person; surname and given name are one",
    "NORP": "a name that ends in 族 or 教, or is that of a known faith",
    "FAC": "a place that ends in 机场, 大桥, 大街, 公路, 铁路, 车站, 大厦, 广场 or the like",
    "ORG": "a name of an organisation; in the gold tags also other proper names, most of which are companies",
    "GPE": "every other place",
    "LOC": "a place that ends in 山, 江, 河, 湖, 海, 洋, 洲, 岛, 地区 or the like and is no province or city",
    "EVENT": "a name that ends in 战争, 大战, 战役, 革命, 起义, 运动会, 世界杯 or 奥运会",
    "WORK_OF_ART": "a title; in the gold tags also names that end in 演义, 传 or 奖",
    "LAW": "a title or name that ends in 法, 条例, 规定, 条约, 协定, 公约, 宪法 or 宣言",
    "LANGUAGE": "a name that ends in 语 or 文",
    "DATE": "a time without an hour or a part of the day; a numeral with 年, 月, 日, 天, 世纪, 岁 or the like",
    "TIME": "a time with an hour or a part of the day; a numeral with 小时, 分钟, 秒, 点钟 or the like",
    "PERCENT": "百分之 with a numeral; a numeral with %, ‰, 成 or 个百分点",
    "MONEY": "a numeral with a currency (元, 美元, 块钱) or after a sign (￥, $)",
    "QUANTITY": "a numeral with a unit of length, weight, area, volume, temperature, power, …",
    "ORDINAL": "第 with a numeral; 首 before a classifier",
    "CARDINAL": "every other numeral, without its classifier; fractions and ratios",
}
"""The types that Chinese recognisers give, and when. Of the eighteen PRODUCT is never given: no tag tells it."""

NEVER_GIVEN = ("PRODUCT",)

# Countries, provinces and cities that are named after what they lie at.
_CITIES = re.compile(
    "上海|青海|珠海|北海|威海|乌海|临海|定海|镇海|黑龙江|浙江|镇江|九江|湛江|丽江|阳江|内江|吴江|晋江|靖江|怒江|"
    "中山|佛山|鞍山|唐山|舟山|乐山|保山|眉山|昆山|台山|鹤山|萧山|马鞍山|平顶山|双鸭山|文山|凉山|黑河|漯河|红河|"
    "清河|三河|芜湖|巢湖|平湖|株洲|青岛|秦皇岛|葫芦岛|三门峡|台湾|臺湾|冰岛|所罗门群岛|马绍尔群岛|旧金山|釜山|"
    "广岛|福岛|鹿儿岛|铁岭|公主岭|赤峰"
)
_REGIONS = re.compile(
    "中东|近东|远东|东亚|西亚|南亚|北亚|中亚|东南亚|东北亚|亚太|拉美|南美|北美|中美洲|东欧|西欧|南欧|北欧|中欧|"
    "北非|西非|东非|华北|华南|华东|华中|东北|西北|西南|华西|江南|江北|南极|北极|黄淮|环渤海|长三角|珠三角|塞北|"
    "岭南|中原|三峡|罗布泊"
)
_NATURE = re.compile(
    r"(?:山|山脉|岭|峰|江|河|湖|海|洋|洲|岛|群岛|半岛|湾|海峡|峡谷|峡|泊|水库|瀑布|沙漠|草原|高原|平原|盆地|"
    r"三角洲|流域|地区|林区|灾区|山区|大陆|海域|沿海|沿岸|两岸|赤道)\Z"
)
_BUILT = re.compile(
    r"(?:机场|大桥|铁桥|立交桥|大街|胡同|大道|公路|铁路|高速|车站|火车站|地铁站|港口|码头|大厦|大楼|广场|体育场|体育馆|"
    r"音乐厅|大会堂|纪念堂|博物馆|图书馆|美术馆|纪念馆|展览馆|宾馆|饭店|剧院|剧场|故居|公园|动物园|教堂|清真寺|.寺|故宫|天安门)\Z"
)
_LAWS = re.compile(r"(?:[^方办书]法|条例|规定|规则|规范|条约|协定|协议|公约|宪法|宣言|议定书|公报|决议|办法|公告)\Z")
_EVENTS = re.compile(r"(?:战争|大战|战役|革命|起义|事变|运动会|世界杯|奥运会|锦标赛|.杯|大赛)\Z")
_FAITHS = frozenset(["伊斯兰", "穆斯林", "什叶派", "逊尼派", "犹太"])
_OTHER_NAMES = (
    ("NORP", re.compile(r"(?:[^民宗]族|.教)\Z")),
    ("LANGUAGE", re.compile(r"(?:.语|[中英法德日俄藏蒙维汉韩外华]文)\Z")),
    ("EVENT", _EVENTS),
    ("LAW", re.compile(r"(?:条例|条约|协定|公约|宪法|宣言|议定书)\Z")),
    ("FAC", re.compile(r"(?:[京津沪广川藏南北东西宝成昆陇海兰新青湘桂黔]{2,3}线|..铁路|..(?<!高速)(?<!高架)公路)\Z")),
    ("WORK_OF_ART", re.compile(r"(?:演义|..传|.奖|红楼梦|西游记)\Z")),
)

# The traditional forms of the characters that the rules look at.
_SIMPLIFIED = str.maketrans(
    "島灣峽嶺脈區陸環極東歐亞納機場橋鐵廈廣樓館園寺條約協議憲規則範報決辦戰爭役運動會賽盃語漢韓華藏獎傳夢紅遊記義線時點鐘淩",
    "岛湾峡岭脉区陆环极东欧亚纳机场桥铁厦广楼馆园寺条约协议宪规则范报决办战争役运动会赛杯语汉韩华藏奖传梦红游记义线时点钟凌",
)
_NUMERAL = "0-9０-９〇零○一二三四五六七八九十两几半"
_CLOCK = re.compile(
    rf"[{_NUMERAL}](?:点|时(?!代|期)|分(?!之)|秒|刻)|[0-9０-９][:：∶][0-9０-９]|小时|分钟|秒钟|点钟|刻钟|"
    r"凌晨|清晨|早晨|早上|上午|中午|正午|午后|下午|傍晚|黄昏|拂晓|黎明|午夜|今早|[今昨明当當前]晚|晚上|夜(?!大|校)|零点|零时"
)


def place_type(name: str) -> str:
    """Return GPE, LOC or FAC for the name of a place.

    >>> place_type("长江"), place_type("黑龙江"), place_type("东南亚"), place_type("首都机场")
    ('LOC', 'GPE', 'LOC', 'FAC')
    """
    name = name.translate(_SIMPLIFIED)
    if _CITIES.fullmatch(name):
        return "GPE"
    if _REGIONS.fullmatch(name) or _NATURE.search(name):
        return "LOC"
    return "FAC" if _BUILT.search(name) else "GPE"


def time_type(text: str) -> str:
    """Return TIME for a time with an hour or a part of the day, DATE for any other.

    >>> time_type("去年三月"), time_type("下午三点半"), time_type("当时"), time_type("三小时")
    ('DATE', 'TIME', 'DATE', 'TIME')
    """
    return "TIME" if _CLOCK.search(text.translate(_SIMPLIFIED)) else "DATE"


_AROUND = re.compile(
    rf"(?:[近约自从至到](?=[{_NUMERAL}]))?(.*?[{_NUMERAL}].*?(?<=[年月日天周时分秒期纪代底初钟]))"
    r"(?:多?(?:以来|以后|之后|之前|以前|期间|之内|内|间|起|前|后|来)|多)?\Z"
)


def bare_time(text: str) -> tuple[int, int]:
    """Return where in an expression of time the time itself begins and ends: without 近, 以来, 前, 后, 内, 起.

    >>> bare_time("近１０年来"), bare_time("三天内"), bare_time("不久前")
    ((1, 4), (0, 2), (0, 3))
    """
    found = _AROUND.match(text.translate(_SIMPLIFIED))
    return found.span(1) if found is not None else (0, len(text))


def title_type(title: str) -> str:
    """Return LAW for the title of a law, a rule or a treaty, WORK_OF_ART for any other."""
    return "LAW" if _LAWS.search(title.translate(_SIMPLIFIED)) else "WORK_OF_ART"


def name_type(name: str) -> str:
    """Return the type of a proper name of no stated kind by its last characters, or nothing where they say nothing.

    >>> name_type("苗族"), name_type("汉语"), name_type("抗日战争"), name_type("丰田")
    ('NORP', 'LANGUAGE', 'EVENT', '')
    """
    name = name.translate(_SIMPLIFIED)
    if name in _FAITHS:
        return "NORP"
    return next((kind for kind, ending in _OTHER_NAMES if ending.search(name)), "")
