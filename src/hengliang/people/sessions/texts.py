"""What do participants read, unless the researchers write something else?

Texts of our own, in both languages, and the file of settings in which researchers replace them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hengliang.core.terms import Bilingual

CONSENT = Bilingual(
    "You are invited to take part in a study on how people read and judge language. You will read short texts and say "
    "what you think of them. There are no right or wrong answers.\n\n"
    "Taking part is voluntary. You can stop at any time by closing the page, without giving a reason. With the code "
    "that you are shown you can also have your answers deleted later.\n\n"
    "We keep your answers, how long each page took, and what you tell us about yourself; we do not keep your name or "
    "your network address. The answers are analysed and may be published without anything that points to you.",
    "诚邀您参加一项关于人们如何阅读和评价语言的研究。您将阅读一些短文本，并说出您的看法。答案没有对错之分。\n\n"
    "参加完全自愿。您可以随时关闭页面退出，无需说明理由。凭页面上显示的代码，您之后也可以要求删除您的回答。\n\n"
    "我们会保存您的回答、每页所用的时间以及您提供的个人情况；我们不保存您的姓名和网络地址。"
    "您的回答将用于分析，并可能在不含任何可识别您身份的信息的前提下发表。",
)
INSTRUCTIONS = Bilingual(
    "You will see one text at a time. Read it once at your usual pace and answer as you feel. You cannot go back to an "
    "earlier page. A bar at the top shows how far you are.\n\n"
    "If you do not understand a text, say so with the box below it.",
    "您每次会看到一段文本。请按平常的速度读一遍，凭直觉作答。您不能返回之前的页面。页面上方的进度条显示您已完成多少。\n\n"
    "如果您看不懂某段文本，请勾选其下方的选项告诉我们。",
)

_COMMENTS = {
    "consent_version": "Raise it when the text below changes. Each participant's consent is kept with it and a digest.",
    "consent": "What participants agree to. An empty line begins a new paragraph.",
    "instructions": "What participants read before the first item.",
    "contact": "Who answers questions: a name and an address.",
    "institution": "Who is responsible for the study.",
    "ethics": "Which committee approved it, under which number.",
    "payment": "What participants get, if anything.",
    "minutes": "About how long it takes.",
    "minimum_age": "Participants confirm that they are at least so old.",
    "keep_until": "Until when the data are kept.",
    "demographics": "What participants are asked about themselves; each question may be left unanswered.",
    "highlight": "Target words bold and blue: on, off, participant (every second pair) or item (every second one).",
    "pause_every": "A pause after so many items; 0 for none.",
    "reservation_minutes": "A place on a list is held so long after the last sign of life.",
    "first_answer_minutes": "The same for who has not answered an item yet.",
    "unanswered_per_address": "So many who have not answered an item yet may hold places from one network address, and "
    "no more than are left to others; 0: any number (a class in one room).",
    "places": "How many finished participants a list takes; leave it out for any number.",
    "completion_code": "One code for everybody, as panels want it; empty: each participant gets one.",
    "completion_url": "Where the last page leads, for example back to the panel.",
    "return_url": "Where who declines or comes back too late is led; empty: the first page of that panel.",
}


def template(values: Mapping[str, Any]) -> str:
    """Return a file of settings with a comment above each entry; what has no value is commented out."""
    lines = ["# How the survey is run. Change it before the first participant comes; then serve the folder again.", ""]
    tables: list[str] = []
    for name, value in values.items():
        comment = f"# {_COMMENTS[name]}"
        if isinstance(value, Bilingual):
            # A table ends all plain entries of TOML, so tables come last.
            tables += [comment, f"[{name}]", f"en = {_text(value.en)}", f"zh = {_text(value.zh)}", ""]
        elif value is None:
            lines += [comment, f"# {name} =", ""]
        else:
            lines += [comment, f"{name} = {_plain(value)}", ""]
    return "\n".join([*lines, *tables])


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, tuple):
        return f"[{', '.join(_text(each) for each in value)}]"
    return str(value)


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""\n{escaped}"""' if "\n" in value else f'"{escaped}"'
