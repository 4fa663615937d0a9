"""What do the pages say to participants, besides the researchers' own texts?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from hengliang.core.terms import Bilingual, Language

WORDS: dict[str, Bilingual] = {
    # Everywhere
    "skip": Bilingual("Skip to the content", "跳到正文"),
    "next": Bilingual("Next", "下一页"),
    "start": Bilingual("Start", "开始"),
    "optional": Bilingual("optional", "可不填"),
    "progress": Bilingual("{done} of {all} items done", "已完成 {done} / {all} 题"),
    "problems": Bilingual("Please check this page", "请检查本页"),
    "problems_lead": Bilingual(
        "Nothing has been lost. Please look at the following and send the page again.",
        "您填写的内容没有丢失。请查看以下内容，然后重新提交。",
    ),
    "no_answer": Bilingual("no answer", "不回答"),
    "preview": Bilingual("Preview: nothing here is counted.", "预览：此处的内容不计入数据。"),
    # What the script says
    "sending": Bilingual("Sending your answer …", "正在提交您的回答……"),
    "waiting": Bilingual(
        "The connection is interrupted. Your answer is kept on this page and is sent again by itself. Please leave the "
        "page open.",
        "连接中断。您的回答保留在本页，系统会自动重新提交。请不要关闭页面。",
    ),
    "refused": Bilingual(
        "The page could not be sent. Please reload it and answer once more.", "本页未能提交。请刷新页面，重新作答。"
    ),
    # Consent
    "consent": Bilingual("Taking part in the study", "参加研究"),
    "consent_facts": Bilingual("About the study", "研究信息"),
    "institution": Bilingual("Responsible", "负责单位"),
    "contact": Bilingual("Contact", "联系方式"),
    "ethics": Bilingual("Ethical approval", "伦理审批"),
    "payment": Bilingual("Payment", "报酬"),
    "minutes": Bilingual("Time needed", "所需时间"),
    "minutes_value": Bilingual("about {minutes} minutes", "约 {minutes} 分钟"),
    "keep_until": Bilingual("Data kept until", "数据保存至"),
    "consent_version": Bilingual("Version of this text", "本文本版本"),
    "of_age": Bilingual("I am at least {age} years old.", "我已年满 {age} 周岁。"),
    "of_age_needed": Bilingual(
        "Only people who are at least {age} years old can take part. Please tick the box if you are.",
        "只有年满 {age} 周岁的人才能参加。如果您已达到年龄，请勾选此项。",
    ),
    "agree": Bilingual("I have read this and agree to take part", "我已阅读以上内容并同意参加"),
    "decline": Bilingual("I do not want to take part", "我不想参加"),
    "declined": Bilingual("You are not taking part", "您没有参加"),
    "declined_text": Bilingual(
        "Nothing about you has been stored. Thank you for your interest.",
        "我们没有保存任何关于您的信息。感谢您的关注。",
    ),
    "text_changed": Bilingual(
        "The text was changed while you had it open. Please read it once more.",
        "在您打开页面期间，文本有改动。请重新阅读。",
    ),
    # What to keep
    "keep": Bilingual("Please keep this", "请保存以下信息"),
    "keep_resume": Bilingual(
        "With this link you can go on later or on another device, from where you stopped:",
        "您可以通过此链接稍后继续，或在另一台设备上从中断处继续：",
    ),
    "keep_private": Bilingual(
        "This is for you alone; we cannot find it again.",
        "以上信息仅供您本人使用，遗失后我们无法找回。",
    ),
    "keep_withdrawal": Bilingual(
        "With this code you can have your answers deleted, at the address below it:",
        "凭此代码，您可以在其下方的网址删除您的回答：",
    ),
    "keep_lost": Bilingual(
        "The code with which you can have your answers deleted was shown at the beginning, on the device on which you "
        "began.",
        "用于删除回答的代码已在开始时显示在您最初使用的设备上。",
    ),
    # Demographics
    "demographics": Bilingual("About you", "关于您"),
    "demographics_lead": Bilingual("Each question may be left unanswered.", "每个问题都可以不回答。"),
    # Trials
    "instructions": Bilingual("What you will do", "说明"),
    "example": Bilingual("An example", "示例"),
    "example_lead": Bilingual(
        "This is what a page looks like. You need not answer here.", "页面如下所示。此处不用作答。"
    ),
    "practice": Bilingual("Practice item {trial}", "练习题 {trial}"),
    "trial": Bilingual("Item {trial} of {all}", "第 {trial} 题，共 {all} 题"),
    "practice_done": Bilingual("The practice is over", "练习结束"),
    "practice_done_text": Bilingual("Now the study itself begins.", "现在正式开始。"),
    "pause": Bilingual("Time for a short break", "休息一下"),
    "pause_text": Bilingual(
        "Go on when you are ready. Your answers so far are stored.", "准备好后请继续。您到目前为止的回答已保存。"
    ),
    "go_on": Bilingual("Go on", "继续"),
    "not_understood": Bilingual("I did not understand this", "我看不懂这段文本"),
    "not_understood_hint": Bilingual(
        "If you tick this, you need not answer the questions above.", "勾选后，无需回答以上问题。"
    ),
    "comment": Bilingual("Write a comment on this item", "对本题写评论"),
    "comment_label": Bilingual("Your comment", "您的评论"),
    "comment_too_long": Bilingual(
        "The comment has {length} characters; it can have up to {limit}.", "评论有 {length} 个字，最多 {limit} 个字。"
    ),
    # The end
    "end": Bilingual("Thank you", "谢谢您"),
    "end_text": Bilingual(
        "You have finished, and all your answers are stored.",
        "您已全部完成，所有回答均已保存。",
    ),
    "end_panel": Bilingual(
        "One last step: go back with this button, so that it is known there that you have finished.",
        "最后一步：请点击此按钮返回原平台，以便平台确认您已完成。",
    ),
    "close": Bilingual("You can close the page.", "您可以关闭页面。"),
    "completion": Bilingual("Your completion code:", "您的完成代码："),
    "back_to_panel": Bilingual("Back to where you came from", "返回原平台"),
    "expired": Bilingual("Your place was given away", "您的名额已让给他人"),
    "expired_text": Bilingual(
        "You have been away for a long time, and somebody else has taken your place. Thank you for what you "
        "have answered.",
        "您离开的时间较长，名额已由他人使用。感谢您已作出的回答。",
    ),
    "closed": Bilingual("You can no longer take part", "您已无法继续参加"),
    "closed_text": Bilingual(
        "Your part in this study has ended. If you have questions, write to the contact below.",
        "您在本研究中的参与已结束。如有疑问，请通过以下方式联系。",
    ),
    # Withdrawal
    "withdraw": Bilingual("Delete my answers", "删除我的回答"),
    "withdraw_lead": Bilingual(
        "Enter the code that you were given. All your answers, comments and what you said about yourself are deleted, "
        "and nobody can bring them back. We keep only that somebody took part and withdrew; if you came from a panel, "
        "also a fingerprint of your id there, which cannot be turned back into it, so that it is not used again.",
        "请输入您得到的代码。您的所有回答、评论和个人情况都将被删除，无法恢复。我们只保留“有人参加后退出”这一记录；"
        "如果您来自招募平台，还会保留您平台编号的加密摘要（无法还原为编号），以免同一编号再次参加。",
    ),
    "withdraw_code": Bilingual("Withdrawal code", "退出代码"),
    "withdraw_sure": Bilingual("Yes, delete all my answers", "是的，删除我的所有回答"),
    "withdraw_unsure": Bilingual("Please tick the box if you want your answers deleted.", "如要删除回答，请勾选此项。"),
    "withdraw_unknown": Bilingual(
        "There are no answers under this code. Please check every letter and digit.",
        "没有与此代码对应的回答。请逐字核对。",
    ),
    "withdrawn": Bilingual("Your answers have been deleted", "您的回答已删除"),
    "withdrawn_text": Bilingual("Thank you for letting us know.", "感谢告知。"),
    # Faults
    "no_session": Bilingual("Please use your invitation link", "请使用您的邀请链接"),
    "no_session_text": Bilingual(
        "This page belongs to a study. Open the link that you were sent; if you have already begun, open the link with "
        "which you can go on. Your browser must accept cookies of this site.",
        "本页面属于一项研究。请打开您收到的链接；如果您已经开始，请打开用于继续的链接。"
        "您的浏览器需要接受本网站的 Cookie。",
    ),
    "refused_title": Bilingual("You cannot take part at the moment", "您目前无法参加"),
    "unknown_resume": Bilingual("This link is not valid, or no longer.", "该链接无效或已失效。"),
    "away": Bilingual("One moment, please", "请稍候"),
    "away_text": Bilingual(
        "The study cannot be reached for a moment. What you have sent is not lost: please try again.",
        "研究系统暂时无法访问。您提交的内容没有丢失，请重试。",
    ),
    "send_again": Bilingual("Send again", "重新提交"),
    "try_again": Bilingual("Try again", "重试"),
    "bad_request": Bilingual("This request cannot be answered", "无法处理该请求"),
    "forbidden": Bilingual("The page that you sent does not belong to your session.", "您提交的页面不属于当前会话。"),
    "too_large": Bilingual("What you sent is too long.", "您提交的内容过长。"),
    "too_many": Bilingual("There were too many attempts. Please wait a minute.", "尝试次数过多。请稍等一分钟。"),
    "failed": Bilingual("Something went wrong on our side", "系统出现错误"),
    "failed_text": Bilingual("What was stored before is safe. Please try again.", "之前保存的内容没有丢失。请重试。"),
    "malformed": Bilingual("What was sent is not a form of ours.", "提交的内容不是本系统的表单。"),
    "to_page": Bilingual("Go to the current page", "前往当前页面"),
}


@lru_cache
def words_of(language: Language) -> Mapping[str, str]:
    """Return all words in one language, by name."""
    return {name: text[language] for name, text in WORDS.items()}
