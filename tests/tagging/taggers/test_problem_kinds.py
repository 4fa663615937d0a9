"""Are problems of one kind counted together, and none forgotten?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.tagging.taggers.mapped import problem_summary


def test_problems_are_counted_by_kind() -> None:
    problems = [
        "",
        "gave no answer within 60 s",
        "gave no answer within 60 s",
        "the tagger's process died (signal 11)",
        "the tagger snow failed: KeyError: '坏'",
        "the tagger snow failed: KeyError: '好'",
        "the tagger snow failed: ValueError: 3",
        "the tagger returned no words",
        "the tagger left out '好' (character 2) at the end of the sentence",
        "the tagger changed the text: it returned 'A' where the sentence has 'Ａ' (character 1)",
        "the text has 12,000 characters; the tagger lac reads at most 10,000",
        "character 3 of the text is half a character (U+D800)",
        "the program wrote 2 lines for 1 sentence",
        "the program wrote not one line for the sentence, but more",
        "the program wrote more than 1,048,704 bytes",
        "the tagger own returned a word that has no tag",
        "line 12 of 'x' is odd",
        "line 7 of 'y' is odd",
        "",
    ]
    counted = problem_summary(problems)
    assert sum(count for _, count in counted) == len([problem for problem in problems if problem])
    assert dict(counted) == {
        Bilingual("no answer within 60 s", "60 秒内没有回答"): 2,
        Bilingual("the process died (signal 11)", "进程中断（signal 11）"): 1,
        Bilingual("the tagger raised KeyError", "标注器报错（KeyError）"): 2,
        Bilingual("the tagger raised ValueError", "标注器报错（ValueError）"): 1,
        Bilingual("no words came back", "没有返回任何词"): 1,
        Bilingual("the words are not the text of the sentence", "返回的词与原句文字不符"): 2,
        Bilingual("the text is too long", "文本过长"): 1,
        Bilingual("the text holds half a character", "文本中有半个字符"): 1,
        Bilingual("not one line for one sentence", "一句的输出不是一行"): 2,
        Bilingual("far too much output", "输出过多"): 1,
        Bilingual("a word has no tag", "有的词没有标记"): 1,
        Bilingual("line … of … is odd", "line … of … is odd"): 2,
    }
    assert [count for _, count in counted] == sorted((count for _, count in counted), reverse=True)
    assert problem_summary([]) == problem_summary(["", ""]) == []


@given(st.lists(st.text()))
def test_every_problem_is_counted_once(problems: list[str]) -> None:
    counted = problem_summary(problems)
    assert sum(count for _, count in counted) == sum(problem != "" for problem in problems)
    assert len({kind for kind, _ in counted}) == len(counted)
