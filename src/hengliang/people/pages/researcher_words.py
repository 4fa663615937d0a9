"""What do the researchers' pages say, in both languages?"""

from __future__ import annotations

from collections.abc import Mapping

from hengliang.core.terms import Bilingual, Language

_PAGES = {
    "researchers": Bilingual("Researchers", "研究者"),
    "skip": Bilingual("Skip to the content", "跳到正文"),
    "menu": Bilingual("Pages for researchers", "研究者页面"),
    "overview": Bilingual("Overview", "概览"),
    "invitations": Bilingual("Invitations", "邀请链接"),
    "participants": Bilingual("Participants", "参与者"),
    "export": Bilingual("Export", "导出"),
    "sign_out": Bilingual("Sign out", "退出登录"),
    "other_language": Bilingual("中文", "English"),
    "back": Bilingual("Back", "返回"),
    "enter_title": Bilingual("Sign in as a researcher", "以研究者身份登录"),
    "enter_explained": Bilingual(
        "This link works once. You stay signed in in this browser for 12 hours.",
        "此链接只能使用一次。登录后在此浏览器中 12 小时内有效。",
    ),
    "enter": Bilingual("Sign in", "登录"),
    "refused_title": Bilingual("No access", "无法访问"),
    "refused_explained": Bilingual(
        "This address is open to signed-in researchers only. A sign-in link works once, for 15 minutes. Whoever runs "
        "the survey can make a new one:",
        "此地址仅供已登录的研究者使用。登录链接只能使用一次，15 分钟内有效。运行调查的人可以生成新的链接：",
    ),
    "lost_title": Bilingual("Not found", "未找到"),
    "lost_explained": Bilingual("There is nothing at this address.", "此地址没有内容。"),
    "stale_title": Bilingual("Nothing was done", "未执行任何操作"),
    "stale_explained": Bilingual(
        "The form was out of date or came from elsewhere. Go back, load the page again and repeat.",
        "表单已过期或来自其他网站。请返回并重新加载页面后再试。",
    ),
}

_OVERVIEW = {
    "state_open": Bilingual("Open: new participants can begin.", "开放中：新的参与者可以开始。"),
    "state_closed": Bilingual(
        "Closed: nobody new can begin; those who have begun can finish.",
        "已关闭：新的参与者无法开始；已开始的参与者可以完成。",
    ),
    "state": Bilingual("State", "状态"),
    "close": Bilingual("Close the survey", "关闭调查"),
    "reopen": Bilingual("Open the survey again", "重新开放调查"),
    "design": Bilingual("Design", "设计"),
    "design_lists": Bilingual("Lists", "列表"),
    "design_mode": Bilingual("Way of making lists", "列表方式"),
    "design_clusters": Bilingual("all variants of an item in one list", "同一项目的所有变体在同一列表中"),
    "design_latin": Bilingual("one variant of an item in a list (Latin square)", "每个列表只含一个变体（拉丁方）"),
    "design_distance": Bilingual("Least distance of variants", "变体之间的最小距离"),
    "design_order": Bilingual("Order", "顺序"),
    "design_order_participant": Bilingual("of each participant's own", "每位参与者各不相同"),
    "design_order_version": Bilingual("the same for a list", "同一列表相同"),
    "design_seed": Bilingual("Seed", "随机种子"),
    "design_proof": Bilingual("Proof", "证明"),
    "design_digest": Bilingual("Digest", "摘要"),
    "task": Bilingual("Task", "任务"),
    "none": Bilingual("none", "无"),
    "progress": Bilingual("Progress", "进度"),
    "refreshed": Bilingual("Counted at", "统计时间"),
    "refreshes": Bilingual("Counted anew every 10 seconds.", "每 10 秒更新一次。"),
    "list": Bilingual("List", "列表"),
    "active": Bilingual("Active", "进行中"),
    "finished": Bilingual("Finished", "已完成"),
    "expired": Bilingual("Expired", "已过期"),
    "withdrawn": Bilingual("Withdrawn", "已撤回"),
    "excluded": Bilingual("Excluded", "已排除"),
    "answers": Bilingual("Answers", "回答数"),
    "all_lists": Bilingual("All lists", "全部列表"),
    "places": Bilingual("Places", "名额"),
    "nobody": Bilingual("Nobody yet.", "暂无。"),
    "refused_from_one": Bilingual(
        "Attempts to begin that were refused because very many hold places from one network address without having "
        "answered:",
        "因同一网络地址有过多参与者占用名额而尚未作答，被拒绝的开始请求次数：",
    ),
    "refused_last": Bilingual("the last one at", "最近一次："),
    "refused_advice": Bilingual(
        "If they are a class in one room, set unanswered_per_address = 0 in survey.toml and serve the survey again, or "
        "give everybody a link for one person.",
        "如果是同一教室的班级，请在 survey.toml 中设置 unanswered_per_address = 0 并重新启动调查，"
        "或给每人发一个单人链接。",
    ),
    "unanswered": Bilingual("Places held without an answer so far:", "已占用但尚未作答的名额："),
    "free_places": Bilingual("Give these places back", "释放这些名额"),
    "free_explained": Bilingual(
        "Who holds one may come back while places are left.", "这些参与者在还有名额时可以继续参加。"
    ),
    "to_erase": Bilingual(
        "Withdrawals whose bytes are still in the files of the database, until nobody reads an older state (an export, "
        "a backup):",
        "数据库文件中仍残留数据的撤回（待导出或备份等读取结束后清除）：",
    ),
    "try": Bilingual("Try it", "试用"),
    "preview": Bilingual("See it as a participant", "以参与者身份预览"),
    "preview_explained": Bilingual(
        "Opens the participants' pages in this browser. A preview is marked as one, takes no place and is never "
        "exported as data.",
        "在此浏览器中打开参与者页面。预览会有标记，不占名额，也不会作为数据导出。",
    ),
    "pilot_explained": Bilingual(
        "For a pilot, make an invitation of the kind “pilot”: its answers are kept apart from the real ones.",
        "如需预实验，请创建“预实验”类型的邀请链接：其回答与正式数据分开保存。",
    ),
}

_KINDS = {
    "kind": Bilingual("Kind", "类型"),
    "kind_real": Bilingual("Real participants", "正式参与者"),
    "kind_pilot": Bilingual("Pilot", "预实验"),
    "kind_simulated": Bilingual("Simulated", "模拟"),
    "kind_preview": Bilingual("Preview", "预览"),
}

_INVITATIONS = {
    "new_invitation": Bilingual("New invitation link", "新建邀请链接"),
    "label": Bilingual("Label (for you only)", "标签（仅供您识别）"),
    "label_short": Bilingual("Label", "标签"),
    "uses": Bilingual("How many people may use it (empty: any number)", "可使用人数（留空表示不限）"),
    "version": Bilingual("List", "列表"),
    "least_filled": Bilingual("the least filled one", "人数最少的列表"),
    "make": Bilingual("Make the link", "生成链接"),
    "new_link": Bilingual(
        "The new link. Copy it now: it is shown this once.", "新链接如下。请立即复制：只显示这一次。"
    ),
    "made": Bilingual("Made", "创建时间"),
    "used": Bilingual("Used", "已使用"),
    "any_list": Bilingual("any", "不限"),
    "link_state": Bilingual("State", "状态"),
    "valid": Bilingual("valid", "有效"),
    "revoked": Bilingual("revoked", "已撤销"),
    "used_up": Bilingual("used up", "已用完"),
    "revoke": Bilingual("Revoke", "撤销"),
    "existing": Bilingual("Existing links", "已有链接"),
    "no_invitations": Bilingual("There are no links yet.", "暂无链接。"),
    "wrong_uses": Bilingual(
        "The number of people must be a whole number from 1 to 100000.", "人数必须是 1 到 100000 之间的整数。"
    ),
    "wrong_kind": Bilingual("There is no such kind of link.", "没有这种类型的链接。"),
    "wrong_version": Bilingual("There is no such list.", "没有这个列表。"),
    "wrong_label": Bilingual("The label has more than 200 characters.", "标签超过 200 个字符。"),
}

_PARTICIPANTS = {
    "participant": Bilingual("Participant", "参与者"),
    "language": Bilingual("Language", "语言"),
    "language_en": Bilingual("English", "英文"),
    "language_zh": Bilingual("Chinese", "中文"),
    "status": Bilingual("Status", "状态"),
    "status_active": Bilingual("active", "进行中"),
    "status_finished": Bilingual("finished", "已完成"),
    "status_withdrawn": Bilingual("withdrawn", "已撤回"),
    "status_excluded": Bilingual("excluded", "已排除"),
    "status_expired": Bilingual("expired", "已过期"),
    "step": Bilingual("Pages done", "已完成页数"),
    "began": Bilingual("Began", "开始时间"),
    "seen": Bilingual("Last seen", "最近活动"),
    "panel": Bilingual("Panel id", "平台编号"),
    "show_panel": Bilingual(
        "Show panel ids (personal data; this is logged)", "显示平台编号（个人信息；此操作会被记录）"
    ),
    "hide_panel": Bilingual("Hide panel ids", "隐藏平台编号"),
    "page_of": Bilingual("Part", "部分"),
    "earlier": Bilingual("Later ones", "较新的"),
    "later": Bilingual("Earlier ones", "较早的"),
    "catch_failed": Bilingual("Catch items failed", "未通过的检验题"),
    "repeats": Bilingual("Repeated items: mean difference", "重复题：平均差异"),
    "median_seconds": Bilingual("Median seconds on a page", "每页用时中位数（秒）"),
    "not_understood": Bilingual("Not understood", "未理解"),
    "of": Bilingual("of", "/"),
    "comments": Bilingual("Comments", "评论"),
    "about": Bilingual("Item", "项目"),
    "comment": Bilingual("Comment", "评论"),
    "reason": Bilingual("Reason", "原因"),
    "exclude": Bilingual("Exclude", "排除"),
    "exclude_explained": Bilingual(
        "The answers stay, but are left out of exports; the place on the list becomes free. The reason goes into the "
        "export’s list of exclusions: write nothing personal.",
        "回答会保留，但不会导出；列表名额将被释放。原因会写入导出的排除清单：请勿填写个人信息。",
    ),
    "reason_needed": Bilingual("An exclusion needs a reason.", "排除必须说明原因。"),
    "reason_long": Bilingual("The reason has more than 500 characters.", "原因超过 500 个字符。"),
    "readmit": Bilingual("Readmit", "恢复"),
    "readmit_explained": Bilingual(
        "The answers count again, and so does the place on the list.", "回答重新计入数据，列表名额也重新计入。"
    ),
    "withdraw": Bilingual("Delete all answers", "删除全部回答"),
    "withdraw_explained": Bilingual(
        "At a participant’s request. The answers, comments and personal details are deleted for good; only the fact "
        "that somebody withdrew stays. Type the participant’s id to confirm.",
        "应参与者要求执行。回答、评论和个人信息将被永久删除，只保留有人撤回这一事实。请输入参与者编号以确认。",
    ),
    "confirm_id": Bilingual("The participant’s id", "参与者编号"),
    "confirm_wrong": Bilingual(
        "This is not the participant’s id. Nothing was deleted.", "参与者编号不符。未删除任何内容。"
    ),
    "impossible": Bilingual(
        "This is not possible in the participant’s present state.", "参与者当前的状态不允许此操作。"
    ),
}

_EXPORT = {
    "export_explained": Bilingual(
        "Without panel ids, of finished and unfinished participants; those who were excluded or have withdrawn are "
        "left out.",
        "不含平台编号；包括已完成和未完成的参与者；不含被排除或已撤回的参与者。",
    ),
    "identified": Bilingual(
        "With panel ids (personal data; this is logged)", "包含平台编号（个人信息；此操作会被记录）"
    ),
    "form": Bilingual("Form", "格式"),
    "form_long": Bilingual("Long table: one row per answer (CSV)", "长表：每行一个回答（CSV）"),
    "form_wide": Bilingual(
        "Wide table: one row per participant and presentation (CSV)", "宽表：每行为一位参与者的一次呈现（CSV）"
    ),
    "form_parquet": Bilingual("Parquet", "Parquet"),
    "form_excel": Bilingual("Excel", "Excel"),
    "form_codebook": Bilingual("Codebook: what the columns mean", "编码手册：各列的含义"),
    "form_zip": Bilingual("Everything in one archive (ZIP)", "全部打包（ZIP）"),
    "download": Bilingual("Download", "下载"),
    "wrong_moment": Bilingual(
        "Another export is being made, one at a time so that participants need not wait. Try again in a moment.",
        "正在生成另一份导出文件。为了不让参与者等待，每次只生成一份，请稍后再试。",
    ),
}

WORDS: Mapping[str, Bilingual] = {**_PAGES, **_OVERVIEW, **_KINDS, **_INVITATIONS, **_PARTICIPANTS, **_EXPORT}
"""Every text by its name."""


def words(language: Language) -> dict[str, str]:
    """Return every text in one language, by its name."""
    return {name: text[language] for name, text in WORDS.items()}
