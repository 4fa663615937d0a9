"""What do readers and experts of scene descriptions read before they begin?

Texts of ours in both languages, made from the words of the domain. Readers are told what paper 001 told its readers
(appendix B): what a scene is, that its size is given, that places do not matter, that notes are allowed, that one of
several fitting scenes will do, with two worked examples, and that they may stop. Chinese texts have no classifier of
the noun: which one fits depends on the domain.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hengliang.core.terms import Bilingual, Language
from hengliang.materials.scene_domains import Domain
from hengliang.people.sessions.texts import CONSENT
from hengliang.people.tasks.scenes import Kind, kinds_of

READING_TITLE = Bilingual("Which scene is this?", "这是怎样的场景？")
ENGLISH: tuple[Language, ...] = ("en",)
RATING_TITLE = Bilingual("How good are these descriptions?", "这些描述怎么样？")


def spoken(languages: Collection[Language]) -> Bilingual:
    """Return in which languages descriptions are, as it stands before the word description."""
    if set(languages) == {"en"}:
        return Bilingual("English", "英文")
    return Bilingual("Chinese", "中文") if set(languages) == {"zh"} else Bilingual("English and Chinese", "英文和中文")


def reading_consent(domain: Domain, languages: Collection[Language]) -> Bilingual:
    """Return what readers agree to: what they will do, then what everybody agrees to."""
    held = spoken(languages)
    return _consent(
        "You are invited to take part in a study on how people understand descriptions. You will read short "
        f"{held.en} descriptions of scenes, and say for each how many {domain.plural} of each kind you think the scene "
        "holds. We test the descriptions, not you.",
        f"诚邀您参加一项关于人们如何理解描述的研究。您将阅读一些对场景的简短{held.zh}描述，并填写您认为每个场景中各种"
        f"{domain.chinese}的数量。我们检验的是描述，而不是您。",
    )


def rating_consent(languages: Collection[Language]) -> Bilingual:
    """Return what experts agree to: what they will do, then what everybody agrees to."""
    held = spoken(languages)
    return _consent(
        f"You are invited to take part in a study on descriptions of scenes. You will see scenes with short {held.en} "
        "descriptions, and answer three questions about each description. We ask for your own judgement.",
        f"诚邀您参加一项关于场景描述的研究。您将看到一些场景及其简短的{held.zh}描述，并就每段描述回答三个问题。"
        "请按您自己的判断作答。",
    )


def _consent(en: str, zh: str) -> Bilingual:
    """Return the usual text with another first paragraph, which says what is done."""
    return Bilingual(f"{en}\n\n{_after_the_first(CONSENT.en)}", f"{zh}\n\n{_after_the_first(CONSENT.zh)}")


def _after_the_first(text: str) -> str:
    return text.partition("\n\n")[2]


def reading_instructions(domain: Domain, languages: Collection[Language] = ENGLISH) -> Bilingual:
    """Return what readers are told who rebuild scenes."""
    held = spoken(languages)
    kinds = kinds_of(domain)
    listed = _listed(kinds)
    things, thing_zh = domain.plural, domain.chinese
    one, two = _examples(domain, kinds)
    return Bilingual(
        f"You are going to read short {held.en} descriptions. Each describes a scene: a number of {things} of these "
        f"kinds: {listed.en}. The page says how many {things} the scene holds, all kinds together.\n\n"
        f"Please tell us which scene the description makes you think of: how many {things} of each kind it holds. "
        f"Write 0 for a kind that is not there; all numbers together make the size of the scene. Where in the scene "
        f"the {things} stand does not matter.\n\n"
        "You may sketch or take notes on a piece of paper; what counts is what you write on the page. Some "
        "descriptions fit several scenes. In that case choose one scene that fits in your opinion, and only one.\n\n"
        "When you do not understand a description, tick the box below it. You can also leave a comment.\n\n"
        f"{one.en}\n\n{two.en}\n\n"
        "Small scenes come first. You cannot go back to an earlier page. You may stop whenever you like by closing the "
        "page.",
        f"您将读到一些简短的{held.zh}描述。每段描述说的是一个场景，其中的{thing_zh}可能有以下几种：{listed.zh}。"
        f"页面会告诉您该场景中{thing_zh}的总数。\n\n"
        f"请告诉我们，读到这段描述时您想到的是怎样的场景：每一种{thing_zh}的数量是多少。没有的种类请填 0，"
        f"各项之和应等于场景中{thing_zh}的总数。{thing_zh}所在的位置无关紧要。\n\n"
        "您可以在纸上画图或做笔记，但以页面上填写的答案为准。有些描述可能符合不止一个场景，"
        "这时请选择一个您认为符合的场景，并且只选一个。\n\n"
        "如果您看不懂某段描述，请勾选其下方的选项。您也可以留下意见。\n\n"
        f"{one.zh}\n\n{two.zh}\n\n"
        "较小的场景在前。您不能返回之前的页面。您可以随时关闭页面退出。",
    )


def rating_instructions(domain: Domain, languages: Collection[Language] = ENGLISH) -> Bilingual:
    """Return what experts are told who judge descriptions beside their scenes."""
    listed, held = _listed(kinds_of(domain)), spoken(languages)
    return Bilingual(
        f"Each page shows a scene and a description of it; the descriptions are in {held.en}. A scene holds "
        f"{domain.plural} of these kinds: {listed.en}. "
        f"Where they stand does not matter. Readers of a description know how many {domain.plural} there are in all, "
        "and should be able to tell how many there are of each kind.\n\n"
        "Please answer three questions about each description, from 1 to 5, each on its own: a description can be "
        "natural and wrong, or correct and say little. You are not told who or what wrote a description.\n\n"
        "When you do not understand a description, tick the box below it. You can also leave a comment. You may stop "
        "whenever you like by closing the page.",
        f"每一页显示一个场景和一段对它的描述；描述为{held.zh}。场景中的{domain.chinese}包括：{listed.zh}，其位置无关紧要。"
        f"描述的读者知道{domain.chinese}的总数，并应能据此说出每一种的数量。\n\n"
        "请就每段描述回答三个问题，从 1 到 5，各题分别作答：一段描述可能自然却不正确，也可能正确却信息不足。"
        "我们不会告诉您描述由谁写成。\n\n"
        "如果您看不懂某段描述，请勾选其下方的选项。您也可以留下意见。您可以随时关闭页面退出。",
    )


def _listed(kinds: Sequence[Kind]) -> Bilingual:
    return Bilingual(", ".join(kind.words.en for kind in kinds), "、".join(kind.words.zh for kind in kinds))


def _examples(domain: Domain, kinds: Sequence[Kind]) -> tuple[Bilingual, Bilingual]:
    """Return two worked examples: one with a single answer, one with several."""
    first, last, other = kinds[0], kinds[-1], kinds[1]
    one = Bilingual(
        f"Example 1. Size of the scene: 5. “Three of the {domain.plural} are {first.words.en}; all the others are "
        f"{last.words.en}.” Answer: {_counts(kinds, {first.name: 3, last.name: 2}).en}.",
        f"例一：场景中{domain.chinese}的总数为 5。“五分之三的{domain.chinese}是{first.words.zh}，"
        f"其余的都是{last.words.zh}。”"
        f"答案：{_counts(kinds, {first.name: 3, last.name: 2}).zh}。",
    )
    some = _counts(kinds, {first.name: 7, last.name: 3})
    # Of two kinds only, the second kind is the last one, too.
    others = _counts(
        kinds, {first.name: 6, last.name: 4} if other is last else {first.name: 6, other.name: 2, last.name: 2}
    )
    two = Bilingual(
        f"Example 2. Size of the scene: 10. “Most of the {domain.plural} are {first.words.en}, and there are some "
        f"{last.words.en}.” Several scenes fit. One answer: {some.en}. Another: {others.en}. You would give one of "
        "them, or another that fits.",
        f"例二：场景中{domain.chinese}的总数为 10。“大多数{domain.chinese}是{first.words.zh}，"
        f"还有一些{last.words.zh}。”符合的场景不止一个。一种答案：{some.zh}。另一种：{others.zh}。您只需给出其中一个，或其他符合的场景。",
    )
    return one, two


def _counts(kinds: Sequence[Kind], counts: Mapping[str, int]) -> Bilingual:
    held = [(kind.words, counts[kind.name]) for kind in kinds if kind.name in counts]
    rest = Bilingual(", 0 of every other kind", "，其余各种：0") if len(held) < len(kinds) else Bilingual("", "")
    return Bilingual(
        ", ".join(f"{count} {words.en}" for words, count in held) + rest.en,
        "，".join(f"{words.zh}：{count}" for words, count in held) + rest.zh,
    )
