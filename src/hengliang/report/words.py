"""What do report pages say in their own voice, in both languages?"""

from __future__ import annotations

from collections.abc import Mapping

from hengliang.core.terms import Bilingual

PRODUCT = Bilingual("hengliang 衡量", "衡量 hengliang")
SKIP = Bilingual("Skip to the report", "跳到正文")
LANGUAGE = Bilingual("Language", "语言")
THEME = Bilingual("Colours", "配色")
THEMES: Mapping[str, Bilingual] = {
    "auto": Bilingual("Auto", "自动"),
    "light": Bilingual("Light", "浅色"),
    "dark": Bilingual("Dark", "深色"),
}
OPEN_ALL = Bilingual("Open or close all details", "展开或收起全部细节")
CONTENTS = Bilingual("Contents", "目录")
MATERIALS = Bilingual("Materials", "材料")
SYSTEMS = Bilingual("Systems", "系统")
MEASURES = Bilingual("Measures", "测量")
RESULTS = Bilingual("Results", "结果")
NOTES = Bilingual("Method notes", "方法说明")
MAKING = Bilingual("How this was made", "生成过程")
SIGNATURES = Bilingual("Signatures", "签名")
SIMULATED_MARK = Bilingual("Simulated data", "模拟数据")
"""What stands on every figure and table of made-up answers, so that none can pass for people's once it is cut out."""

SIMULATED = Bilingual(
    "Simulated data. The answers of people in this run were made by a program. These numbers say nothing about "
    "people and must not be cited.",
    "模拟数据。本次运行中的“人工”回答由程序生成。这些数字不反映真人，请勿引用。",
)

QUICK = Bilingual(
    "Quick form: a trial, not a result. With less material, smaller models or fewer resamples than the study in full, "
    "it shows that everything runs; these numbers must not be cited.",
    "快速版：仅为试运行，不是研究结果。与完整版相比，材料较少、模型较小或重抽样次数较少，只用来检查流程能否跑通；这些数字请勿引用。",
)
QUICK_INDEX = Bilingual("Quick form: a trial, not a result.", "快速版：仅为试运行，不是研究结果。")
NOT_FINISHED = Bilingual("Not finished", "未完成")

NAME = Bilingual("Name", "名称")
DESCRIPTION = Bilingual("Description", "说明")
ITEMS = Bilingual("Items", "条目")
LICENCE = Bilingual("Licence", "许可")
CITATION = Bilingual("Citation", "出处")
SIGNATURE = Bilingual("Signature", "签名")
SEED = Bilingual("Seed", "随机种子")
TRAITS = Bilingual("Traits", "特性")
RESPONSES = Bilingual("Answers", "回答")
MISSING = Bilingual("Missing", "缺失")
MISSING_ANSWERS = Bilingual("Missing answers", "缺失的回答")
JUDGE = Bilingual("Judge", "评判者")
JUDGE_KINDS: Mapping[str, Bilingual] = {
    "machine": Bilingual("machine", "机器"),
    "person": Bilingual("persons, one row each", "个人（逐人一行）"),
    "people": Bilingual("people, a published mean", "人群（已发表的均值）"),
}
STAGE = Bilingual("Stage", "阶段")
STAGES: Mapping[str, Bilingual] = {
    "items": Bilingual("items", "条目"),
    "responses": Bilingual("responses", "回答"),
    "judgements": Bilingual("judgements", "评判"),
    "estimates": Bilingual("estimates", "估计"),
    "report": Bilingual("report", "报告"),
}
ROWS = Bilingual("Rows", "行数")
DURATION = Bilingual("Duration", "用时")
SOFTWARE = Bilingual("Software", "软件")
CREATED = Bilingual("Made", "生成于")
NUMBERS = Bilingual("Numbers", "数值")

STATISTIC = Bilingual("Statistic", "统计量")
VALUE = Bilingual("Value", "数值")
INTERVAL = Bilingual("Interval", "区间")
METHOD = Bilingual("Method", "方法")
LEFT = Bilingual("Left", "左")
RIGHT = Bilingual("Right", "右")
DIFFERENCE = Bilingual("Right − left", "右 − 左")
INTERVALS = Bilingual("Intervals", "区间关系")
INTERVAL_RELATIONS: Mapping[str, Bilingual] = {
    "overlap": Bilingual("overlap", "重叠"),
    "apart": Bilingual("apart", "分离"),
}
SIGNATURES_DIFFER = Bilingual("Signatures differ in", "签名差异")
SAME = Bilingual("same", "相同")
ANALYSIS = Bilingual("Analysis", "分析")
BY = Bilingual("Of", "范围")
COMPARE_NOTE = Bilingual(
    "Overlap of two intervals is no test of a difference: it only shows where to look.",
    "两个区间是否重叠并不是差异检验，只提示值得细看之处。",
)

ALL = Bilingual("all", "全部")
N = Bilingual("n", "n")
REASONS: Mapping[str, Bilingual] = {
    "not_estimated": Bilingual("not estimated", "未估计"),
    "no_data": Bilingual("no data", "无数据"),
    "not_computable": Bilingual("not computable", "无法计算"),
    "only_left": Bilingual("only in the left run", "仅见于左侧运行"),
    "only_right": Bilingual("only in the right run", "仅见于右侧运行"),
}
TABLE_KEY = Bilingual(
    "In brackets: the interval, as the method of the number says. A dash is a number that does not exist, with the "
    "reason; it is never a zero. Choose a number to see how it was made.",
    "方括号内为区间，其含义见各数值的方法。破折号表示没有数值并附原因，绝不表示零。点按数值可查看其由来。",
)
NO_ESTIMATES = Bilingual("There are no numbers for this analysis yet.", "该分析尚无数值。")
NO_MATERIALS = Bilingual("None named.", "未列出。")
SENTENCES = Bilingual("In words", "文字表述")
DETAILS = Bilingual("How each number was made", "每个数值的由来")
FIGURE_DATA = Bilingual("The figure as a table", "以表格查看此图")
FIGURE_MISSING = Bilingual("Not drawn, for want of a value: ", "因无数值而未绘出：")
FIGURE_TOO_LARGE = Bilingual(
    "This figure would have too many rows to be read; the table below has all the numbers.",
    "此图行数过多，难以阅读；全部数值见下表。",
)
FIGURES_WANTED = Bilingual(
    "For figures, install the extra and make the report again: ", "如需图形，请安装附加组件后重新生成报告："
)
REPORTS = Bilingual("Reports", "报告")
REPORTS_LEAD = Bilingual("Each study answers one question.", "每项研究回答一个问题。")
NO_REPORTS = Bilingual("There are no reports yet.", "尚无报告。")
EXACT_KEY = Bilingual(
    "A signature lists everything that can change a number. Equal signatures promise equal numbers.",
    "签名列出一切会影响数值的因素。签名相同，则数值相同。",
)


def answers_remark(count: int) -> Bilingual:
    """Say how many answers there are."""
    return Bilingual(f"{count:,} answer" + ("" if count == 1 else "s"), f"{count:,} 个回答")


def rows_remark(count: int) -> Bilingual:
    """Say how many rows there are."""
    return Bilingual(f"{count:,} row" + ("" if count == 1 else "s"), f"{count:,} 行")


def missing_remark(count: int) -> Bilingual:
    """Say how many are missing."""
    return Bilingual(f"{count:,} missing", f"缺失 {count:,}")
