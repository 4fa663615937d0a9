"""Which sentences with slots do the tests of experiments share? All are of our own making."""

from __future__ import annotations

from pathlib import Path

# id, sentence, head noun, corpus, RULE, LSTM, BERT
ROWS = (
    "s1,桌 上 有 一 <CL> 信 。,信,封,封,封,封",
    "s2,他 牵 着 一 <CL> 马 。,马,匹,匹,个,匹",
    "s3,门 口 停 着 两 <CL> 车 。,车,辆,台,台,部",
    "s4,每 <CL> 的 钟声 都 很 响 。,钟声,次,种,声,声",
    "s5,她 买 了 三 <CL> 书 。,书,本,册,套,箱",
)


def write_rows(folder: Path, rows: tuple[str, ...] = ROWS) -> Path:
    """Write the rows as a file in the format of the Chinese Classifier Dataset."""
    file = folder / "rows.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file
