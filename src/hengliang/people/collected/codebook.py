"""What does each column of an export mean, and what a value in it?

The codebook travels with every export, as JSON for programs and as a sheet for people. It is made from the task, so
that the statements and options are those that participants saw.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual
from hengliang.experiments import Scale
from hengliang.people.collected.answers import Collected
from hengliang.people.collected.frames import OWN, columns_of, left_out, own_columns, wide_names
from hengliang.people.sessions.survey import Survey

ANSWER_COLUMNS: dict[str, Bilingual] = {
    "participant": Bilingual("a random id, the same in all files of this export", "随机编号，在本次导出的各文件中一致"),
    "version": Bilingual("the list that the participant saw", "参与者所见的列表"),
    "language": Bilingual("the language in which the question was asked: en or zh", "提问所用语言：en 或 zh"),
    "trial": Bilingual("the place in the participant's order, from 1", "在该参与者顺序中的位置，从 1 起"),
    "role": Bilingual(
        "target, practice, filler, catch (its right answer is known) or repeat (a target shown again)",
        "target 目标、practice 练习、filler 填充、catch 检验题（正确答案已知）、repeat 重复出现的目标",
    ),
    "item": Bilingual("the item of which this is a variant", "所属条目"),
    "about": Bilingual("the stimulus; variants that read alike are one", "刺激；显示相同的变体合而为一"),
    "occurrence": Bilingual("2 where the stimulus is shown a second time", "第二次出现时为 2"),
    "text": Bilingual("what was shown", "所显示的文本"),
    "systems": Bilingual(
        "all systems that gave this text, or conditions in which it stands, parted by semicolons: a rating is about "
        "all of them, once",
        "给出该文本的所有系统（或该文本所属的所有条件），以分号分隔：一个评分同时涉及它们，只计一次",
    ),
    "scale": Bilingual("what was asked; see the scales below", "所问的量表，见下方量表部分"),
    "value": Bilingual("the answer as a number", "以数字表示的回答"),
    "label": Bilingual("the answer as a text", "以文本表示的回答"),
    "status": Bilingual("ok, or missing with a reason", "ok；或 missing（缺失），并说明原因"),
    "reason": Bilingual("why an answer is missing", "缺失的原因"),
    "highlighted": Bilingual("whether target words were bold and blue", "目标词是否以蓝色粗体显示"),
    "screen": Bilingual("which page of the trial, from 0", "该题的第几页，从 0 起"),
    "place": Bilingual("the place of the scale on its page, from 0", "量表在页面上的位置，从 0 起"),
    "seconds": Bilingual(
        "time on the page, shared by its scales; in the wide form the sum over the pages of a trial",
        "页面停留时间（秒），同页各量表相同；宽表中为该题各页之和",
    ),
    "elapsed": Bilingual("seconds from the participant's consent to the answer", "从同意参加到作答的秒数"),
    "finished": Bilingual("whether the participant reached the end", "参与者是否完成"),
    "not_understood": Bilingual("whether 'I did not understand this' was ticked", "是否勾选了“看不懂”"),
    "comment": Bilingual("a comment on the item; may identify a person", "对条目的评论；可能识别个人"),
    "answered": Bilingual("when it was stored, UTC", "保存时间（UTC）"),
    "timing": Bilingual(
        "frames, visibility and keys as the browser told them, JSON", "浏览器报告的帧、可见性与按键事件（JSON）"
    ),
}
PARTICIPANT_COLUMNS: dict[str, Bilingual] = {
    "participant": ANSWER_COLUMNS["participant"],
    "status": Bilingual(
        "finished, active (began and may go on) or expired (began and did not come back)",
        "finished 已完成、active 进行中、expired 已过期",
    ),
    "version": ANSWER_COLUMNS["version"],
    "language": Bilingual("the language that the participant chose", "参与者选择的语言"),
    "answers": Bilingual("how many answers there are", "回答数"),
    "step": Bilingual("how many pages are done", "已完成页数"),
    "steps": Bilingual("how many pages there are", "总页数"),
    "duration": Bilingual("seconds from consent to the end", "从同意到结束的秒数"),
    "consent": Bilingual("the version of the consent text", "知情同意书版本"),
    "age": Bilingual("age in bands of five years; as told when identified", "年龄（五岁一档；标识导出时为原值）"),
    "gender": Bilingual("as told", "自报性别"),
    "education": Bilingual("as told", "自报学历"),
    "native_language": Bilingual("as told", "自报母语"),
    "other_languages": Bilingual("as told; may identify a person", "自报其他语言；可能识别个人"),
    "region": Bilingual("as told; may identify a person", "自报地区；可能识别个人"),
    "field": Bilingual("as told; may identify a person", "自报专业或职业；可能识别个人"),
    "external": Bilingual("a panel's id: personal data", "平台编号：个人信息"),
    "consented": Bilingual("when consent was given, UTC", "同意时间（UTC）"),
    "completion": Bilingual("the code shown at the end", "结束时显示的代码"),
}
APOSTROPHE = Bilingual(
    "In CSV files = + - @ (also full-width) at the beginning of a text, or after a semicolon, a tab or a line break in "
    "it, have an apostrophe before them, and so has a control character at the beginning, so that no spreadsheet takes "
    "them for a formula; take one apostrophe away at each of these places to get the text (hengliang analyse does). "
    "Excel and Parquet hold it as it is.",
    "在 CSV 文件中，文本开头以及文本内分号、制表符或换行符之后的 = + - @（包括全角）前加了一个撇号，"
    "开头的控制字符前亦然，以免电子表格将其当作公式；在上述各处去掉一个撇号即为原文（hengliang analyse 会自动还原）。"
    "Excel 与 Parquet 中为原文。",
)


def codebook(survey: Survey, held: Collected, *, identified: bool = False) -> dict[str, Any]:
    """Return the codebook of an export as a JSON object."""
    return {
        "experiment": survey.experiment.name,
        "title": survey.experiment.title.to_json(),
        "kind": held.kind,
        "simulated": held.kind == "simulated",
        "identified": identified,
        "task": {"name": survey.task.name, "parameters": survey.task.parameters()},
        "participants": dict(held.states),
        "left_out": dict(left_out(held)),
        "answers": held.answers.height,
        "columns": [
            {"table": table, "name": name, "meaning": meaning.to_json()}
            for table, columns in (
                ("answers", {**ANSWER_COLUMNS, **_own(survey)}),
                ("participants", PARTICIPANT_COLUMNS),
            )
            for name, meaning in columns.items()
        ],
        "scales": _scales(survey),
        "notes": [APOSTROPHE.to_json()],
        "signature": str(
            Signature.of(hengliang=version(), design=survey.digest, kind=held.kind, identified=identified)
        ),
    }


def _own(survey: Survey) -> dict[str, Bilingual]:
    """Return the columns that come from the researchers' own table of items."""
    return {
        name: Bilingual(
            f"the column “{name.removeprefix(OWN)}” of the table of items", f"条目表中的“{name.removeprefix(OWN)}”列"
        )
        for name in own_columns(survey.experiment).columns[1:]
    }


def _scales(survey: Survey) -> list[dict[str, Any]]:
    meanings = {column.scale: column.meaning for column in survey.task.columns()}
    kinds, names = columns_of(survey.task), wide_names(survey.task, [*ANSWER_COLUMNS, *_own(survey)])
    return [
        {
            "name": scale.name,
            "wide_column": names[scale.name],
            "column": kinds[scale.name],
            "statement": scale.statement.to_json(),
            "meaning": meanings[scale.name].to_json() if scale.name in meanings else None,
            "points": scale.points or None,
            "options": [{"value": number, **option} for number, option in _options(scale)],
        }
        for scale in survey.task.scales()
    ]


def _options(scale: Scale) -> list[tuple[int, dict[str, str]]]:
    return [(number, option.to_json()) for number, option in enumerate(scale.options, 1)]


def codebook_table(book: dict[str, Any]) -> pl.DataFrame:
    """Return the codebook as a sheet: what is explained, its value, and what it means in both languages."""
    rows = [(column["table"], column["name"], "", *column["meaning"].values()) for column in book["columns"]]
    for scale in book["scales"]:
        rows.append(("scale", scale["name"], "", *scale["statement"].values()))
        if scale["meaning"]:
            rows.append(("scale", scale["name"], scale["column"], *scale["meaning"].values()))
        rows += [("option", scale["name"], str(each["value"]), each["en"], each["zh"]) for each in scale["options"]]
    rows += [("note", "", "", *note.values()) for note in book["notes"]]
    rows += [("participants", state, str(count), "", "") for state, count in book["participants"].items()]
    return pl.DataFrame(rows, schema=dict.fromkeys(("about", "name", "value", "en", "zh"), pl.String), orient="row")
