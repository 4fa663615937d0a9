"""How would a methods section describe this experiment?

One paragraph in English and one in Chinese, made from what the folder and the database hold. What they do not hold is
said to be not stated, in brackets, where the authors will see it. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual
from hengliang.experiments import Scale
from hengliang.people.collected.study_facts import StudyFacts
from hengliang.people.design.list_proof import stated_proof
from hengliang.people.sessions.demographics import QUESTIONS
from hengliang.people.tasks.likert import LikertRating

NOT_STATED = Bilingual("[not stated]", "［未说明］")
LISTS = {
    "clusters": Bilingual(
        "all variants of an item were in the same list, so that the same participants judged them",
        "同一条目的所有变体位于同一列表，由同一批参与者评判",
    ),
    "latin": Bilingual(
        "no list had two variants of an item (a Latin square)", "任一列表至多含同一条目的一个变体（拉丁方）"
    ),
    "allocated": Bilingual(
        "each stimulus was in the same number of lists, and each list was for one participant",
        "每个刺激出现在相同数目的列表中，每个列表供一位参与者使用",
    ),
}
ROLES = {
    "practice": Bilingual("practice items", "练习题"),
    "filler": Bilingual("fillers", "填充项"),
    "catch": Bilingual("catch items with a known answer", "已知答案的检验题"),
    "repeat": Bilingual("repeated items", "重复题"),
}
HIGHLIGHT = {
    "on": Bilingual("Target words were bold and blue.", "目标词以蓝色粗体显示。"),
    "off": Bilingual("Target words were not highlighted.", "目标词未作突出显示。"),
    "participant": Bilingual(
        "Target words were bold and blue for half of the participants.", "半数参与者所见的目标词以蓝色粗体显示。"
    ),
    "item": Bilingual("Target words were bold and blue in every second trial.", "每隔一题的目标词以蓝色粗体显示。"),
}
STATEMENTS = {
    "together": Bilingual("All statements stood on one page, in this order.", "所有陈述按此顺序列于同一页。"),
    "separate": Bilingual("Each statement had a page of its own, in this order.", "每条陈述各占一页，顺序如上。"),
    "counterbalanced": Bilingual(
        "All statements stood on one page, in an order that was balanced over participants.",
        "所有陈述列于同一页，其顺序在参与者间平衡。",
    ),
    "separate counterbalanced": Bilingual(
        "Each statement had a page of its own, in an order that was balanced over participants.",
        "每条陈述各占一页，其顺序在参与者间平衡。",
    ),
}
SIMULATED = Bilingual(
    "SIMULATED: the participants described here are programs; none of this may be reported as an experiment with "
    "people.",
    "模拟数据：此处所述参与者为程序，不得作为真人实验报告。",
)


def methods_paragraph(facts: StudyFacts) -> Bilingual:
    """Return the paragraph in both languages."""
    sentences = list(_sentences(facts))
    return Bilingual(" ".join(each.en for each in sentences), "".join(each.zh for each in sentences))


def _sentences(facts: StudyFacts) -> Iterator[Bilingual]:
    if facts.simulated:
        yield SIMULATED
    yield from _materials(facts)
    yield from _lists(facts)
    yield from _task(facts)
    yield from _participants(facts)
    yield from _people(facts)
    yield from _consent(facts)
    yield from _plan(facts)
    yield _software(facts)


def _stated(text: str | int | float | None) -> Bilingual:
    return NOT_STATED if text in (None, "") else Bilingual(str(text), str(text))


# --- what was shown ---------------------------------------------------------------------------------------------------


def _materials(facts: StudyFacts) -> Iterator[Bilingual]:
    targets = facts.roles.get("target", 0)
    yield Bilingual(
        f"The experiment had {targets:,} target stimuli, variants of {facts.n_items:,} items.",
        f"实验共有 {targets:,} 个目标刺激，为 {facts.n_items:,} 个条目的变体。",
    )
    names = Bilingual(", ".join(facts.systems), "、".join(facts.systems))
    if facts.systems and facts.survey.experiment.compared == "condition":
        yield Bilingual(
            f"They were in {len(facts.systems)} conditions ({names.en}); a text that was the same in several "
            "conditions was one stimulus, and a rating of it counts once.",
            f"它们分属 {len(facts.systems)} 个条件（{names.zh}）；"
            "多个条件下相同的文本为同一刺激，对它的每次评分只计一次。",
        )
    elif facts.systems:
        yield Bilingual(
            f"They were the responses of {len(facts.systems)} systems ({names.en}); a response that several systems "
            "gave was one stimulus, and a rating of it counts once.",
            f"它们是 {len(facts.systems)} 个系统（{names.zh}）的输出；"
            "多个系统给出的相同输出为同一刺激，对它的每次评分只计一次。",
        )
    others = {role: count for role, count in sorted(facts.roles.items()) if role in ROLES}
    if others:
        told = _counted(others, ROLES)
        yield Bilingual(f"Further stimuli: {told.en}.", f"其他刺激：{told.zh}。")


def _lists(facts: StudyFacts) -> Iterator[Bilingual]:
    sizes, design = facts.list_sizes, facts.survey.design
    size = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)}–{max(sizes)}"
    how = LISTS.get(design.lists, NOT_STATED)
    if len(sizes) == 1:
        yield Bilingual(f"There was one list of {size} presentations.", f"只有一个列表，共 {size} 次呈现。")
    else:
        yield Bilingual(
            f"They were divided into {len(sizes)} lists of {size} presentations; {how.en}.",
            f"刺激分为 {len(sizes)} 个列表，每个列表 {size} 次呈现；{how.zh}。",
        )
    order = Bilingual(
        "Each participant had a random order of their own"
        if design.order == "participant"
        else "Each list had one order",
        "每位参与者的顺序各自随机" if design.order == "participant" else "每个列表的顺序固定",
    )
    apart = Bilingual("", "")
    if design.distance > 1 and facts.shows_variants:
        apart = Bilingual(
            f", in which variants of an item were at least {design.distance} places apart",
            f"，同一条目的变体至少相隔 {design.distance} 个位置",
        )
    yield Bilingual(f"{order.en}{apart.en} (seed {design.seed}).", f"{order.zh}{apart.zh}（随机种子 {design.seed}）。")
    if facts.blocks > 1:
        yield Bilingual(
            f"The {facts.blocks} blocks of a list came in a fixed order; orders were random within blocks.",
            f"每个列表的 {facts.blocks} 个区块顺序固定，区块内顺序随机。",
        )
    found = stated_proof(facts.survey.experiment, design)
    proof = Bilingual(found.en.rstrip("."), found.zh.rstrip(".")) if design.proof else NOT_STATED
    yield Bilingual(f"Checked by the software: {proof.en}.", f"软件检查：{proof.zh}。")


def _task(facts: StudyFacts) -> Iterator[Bilingual]:
    task = facts.survey.task
    asked = [_asked(scale) for scale in task.scales()]
    yield Bilingual(
        f"In each trial participants saw one stimulus and did the task '{task.name}': "
        f"{'; '.join(each.en for each in asked)}.",
        f"每题呈现一个刺激，任务为“{task.name}”：{'；'.join(each.zh for each in asked)}。",
    )
    yield Bilingual(
        "They could also say that they did not understand it, and could not go back.",
        "参与者也可以表示看不懂；不能返回之前的页面。",
    )
    if isinstance(task, LikertRating) and len(task.statements) > 1:
        yield STATEMENTS[task.pages]
    if facts.has_targets:
        yield HIGHLIGHT[facts.survey.settings.highlight]


def _asked(scale: Scale) -> Bilingual:
    named = Bilingual(f"{scale.name}, “{scale.statement.en}”", f"{scale.name}，“{scale.statement.zh}”")
    if not scale.points:
        return named
    ends = Bilingual("", "")
    if scale.options:
        first, last = scale.options[0], scale.options[-1]
        ends = Bilingual(f", {first.en} to {last.en}", f"，从“{first.zh}”到“{last.zh}”")
    return Bilingual(f"{named.en} (1 to {scale.points}{ends.en})", f"{named.zh}（1 至 {scale.points}{ends.zh}）")


# --- who took part ----------------------------------------------------------------------------------------------------


def _participants(facts: StudyFacts) -> Iterator[Bilingual]:
    if facts.held is None or not facts.began:
        yield Bilingual("Nobody has taken part yet.", "尚无人参加。")
        return
    finished, withdrawn, excluded = (facts.state(name) for name in ("finished", "withdrawn", "excluded"))
    unfinished = facts.state("active") + facts.state("expired")
    kept = Bilingual("are not", "不") if facts.held.finished_only else Bilingual("are", "")
    yield Bilingual(
        f"{facts.began} people gave consent: {finished} finished, {unfinished} did not (their answers {kept.en} in the "
        f"data), {withdrawn} withdrew and had their answers deleted, and {excluded} were excluded.",
        f"共有 {facts.began} 人同意参加：{finished} 人完成，{unfinished} 人未完成（其回答{kept.zh}计入数据），"
        f"{withdrawn} 人撤回并删除了回答，{excluded} 人被排除。",
    )
    if facts.held.reasons:
        told = _counted({reason or NOT_STATED.en: count for reason, count in facts.held.reasons.items()})
        yield Bilingual(f"Reasons for exclusion: {told.en}.", f"排除原因：{told.zh}。")
    if facts.raters:
        low, middle, high = facts.raters
        alike = low == high
        yield Bilingual(
            f"Each target was judged by {low if alike else f'{low} to {high}'} participants (median {middle:g}).",
            f"每个目标由 {low if alike else f'{low} 至 {high}'} 人评判（中位数 {middle:g}）。",
        )
    if facts.minutes is not None:
        yield Bilingual(
            f"The median duration was {facts.minutes:.1f} minutes.", f"用时中位数为 {facts.minutes:.1f} 分钟。"
        )


def _people(facts: StudyFacts) -> Iterator[Bilingual]:
    if not facts.began:
        return
    known = facts.ages
    if known is None:
        age = NOT_STATED
    else:
        spread = f"{known.deviation:.1f}" if known.deviation is not None else "—"
        numbers = f"M = {known.mean:.1f}, SD = {spread}"
        age = Bilingual(
            f"{numbers}, {known.youngest} to {known.oldest} years, told by {known.n}",
            f"{numbers}，{known.youngest} 至 {known.oldest} 岁，{known.n} 人作答",
        )
    gender, native = _told(facts, "gender"), _told(facts, "native_language")
    spoken = {"en": Bilingual("English", "英文"), "zh": Bilingual("Chinese", "中文")}
    pages = _counted(facts.languages, spoken)
    yield Bilingual(
        f"Age: {age.en}. Gender: {gender.en}. Native language: {native.en}. Language of the pages: {pages.en}.",
        f"年龄：{age.zh}。性别：{gender.zh}。母语：{native.zh}。页面语言：{pages.zh}。",
    )


def _told(facts: StudyFacts, question: str) -> Bilingual:
    counts = facts.told(question)
    return _counted(counts, dict(QUESTIONS[question].options)) if counts else NOT_STATED


def _counted(counts: Mapping[str, int], titles: Mapping[str, Bilingual] | None = None) -> Bilingual:
    named = [((titles or {}).get(name, Bilingual(name, name)), count) for name, count in counts.items()]
    return Bilingual(
        ", ".join(f"{name.en} {count}" for name, count in named),
        "，".join(f"{name.zh} {count}" for name, count in named),
    )


# --- how it was run ---------------------------------------------------------------------------------------------------


def _consent(facts: StudyFacts) -> Iterator[Bilingual]:
    settings = facts.survey.settings
    versions = ", ".join(facts.consents)
    if not facts.began:
        yield Bilingual(
            f"The consent text has version {versions}; participants have to be {settings.minimum_age} or older.",
            f"知情同意书版本为 {versions}；参与者须年满 {settings.minimum_age} 岁。",
        )
    else:
        yield Bilingual(
            f"Everybody gave informed consent (text version {versions}) and confirmed to be {settings.minimum_age} or "
            "older.",
            f"所有参与者均已知情同意（文本版本 {versions}），并确认年满 {settings.minimum_age} 岁。",
        )
    ethics, place = _stated(settings.ethics), _stated(settings.institution)
    payment = settings.payment if settings.payment.en or settings.payment.zh else NOT_STATED
    yield Bilingual(
        f"Ethics approval: {ethics.en}. Institution: {place.en}. Payment: {payment.en or payment.zh}. "
        f"Recruitment: {NOT_STATED.en}.",
        f"伦理审批：{ethics.zh}。机构：{place.zh}。报酬：{payment.zh or payment.en}。招募方式：{NOT_STATED.zh}。",
    )


def _plan(facts: StudyFacts) -> Iterator[Bilingual]:
    plan = facts.experiment.plan
    margin = _stated(None if plan.margin is None else f"{plan.margin:g}")
    outcome, family, stopping = (_stated(text) for text in (plan.primary_outcome, plan.family, plan.stopping_rule))
    rules, raters = _stated("; ".join(plan.exclusion_rules)), _stated(plan.raters_per_item)
    yield Bilingual(
        f"Decided beforehand: primary outcome {outcome.en}; margin for no difference {margin.en}; family of tests "
        f"{family.en}; stopping rule {stopping.en}; exclusion rules {rules.en}; raters per item {raters.en}.",
        f"事先确定：主要结果 {outcome.zh}；等效界限 {margin.zh}；检验族 {family.zh}；停止规则 {stopping.zh}；"
        f"排除规则 {rules.zh}；每项评分人数 {raters.zh}。",
    )


def _software(facts: StudyFacts) -> Bilingual:
    line = signature(facts)
    return Bilingual(
        f"The survey was run with hengliang {version()} ({line}).", f"调查使用 hengliang {version()} 进行（{line}）。"
    )


def signature(facts: StudyFacts) -> str:
    """Return everything that the description was made from, in one line."""
    kind = facts.held.kind if facts.held else "none"
    return str(Signature.of(hengliang=version(), design=facts.survey.digest, kind=kind))
