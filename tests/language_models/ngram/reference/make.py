"""How are the reference text and the models that lmplz makes of it written anew?

`python -m tests.language_models.ngram.reference.make` writes `text.txt` from a small grammar of our own, one
ARPA file for each entry of `MODELS`, and the discounts that lmplz reports. It needs lmplz on the PATH.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent

MODELS: dict[str, tuple[int, tuple[int, ...]]] = {
    "order1": (1, (0,)),
    "order2": (2, (0,)),
    "order3": (3, (0,)),
    "order4": (4, (0,)),
    "order5": (5, (0,)),
    "order1_cut": (1, (1,)),
    "order3_cut": (3, (0, 0, 1)),
    "order5_cut": (5, (1, 1, 2)),
}
"""The name of each model, its order, and its cut-offs as --prune takes them."""

GRAMMAR: dict[str, tuple[str, ...]] = {
    "句": ("主 谓 。", "主 谓 。", "时 主 谓 。", "主 副 谓 。", "主 说 主 谓 。", "谁 谓 ？"),
    "主": ("我", "我", "他", "她", "老师", "这 个 人", "那 位 人", "孩子 们"),
    "人": ("医生", "工人", "邻居", "诗人"),
    "谁": ("谁", "哪 位 人"),
    "时": ("今天", "昨天", "去年 冬天", "清晨"),
    "副": ("常常", "已经", "也", "从来 不"),
    "谓": ("动 了 宾", "动 宾", "在 地 动 宾", "去 地", "把 物 放 在 地"),
    "动": ("买", "卖", "看", "修", "画"),
    "宾": ("物", "一 量 物", "一 量 物", "两 量 物", "形 的 物"),
    "量": ("本", "张", "个", "件"),
    "物": ("书", "书", "地图", "桌子", "毛衣", "茶杯", "风筝"),
    "形": ("旧", "蓝", "很 贵"),
    "地": ("家 里", "学校", "河 边", "山 上"),
}
SENTENCES = 110
SEED = 10


Triples = list[tuple[float, ...]]


def sentence(symbol: str, chance: random.Random) -> list[str]:
    """Return the words of a sentence; a symbol without a rule is a word."""
    if symbol not in GRAMMAR:
        return [symbol]
    rule = chance.choice(GRAMMAR[symbol])
    return [word for part in rule.split() for word in sentence(part, chance)]


def text(count: int = SENTENCES, seed: int = SEED) -> str:
    """Return the reference text, a sentence a line."""
    chance = random.Random(seed)
    return "".join(" ".join(sentence("句", chance)) + "\n" for _ in range(count))


def command(source: Path, arpa: Path, order: int, cutoffs: tuple[int, ...]) -> list[str]:
    """Return the command that makes one model."""
    options = ["--prune", *map(str, cutoffs)] if any(cutoffs) else []
    return ["lmplz", "-o", str(order), *options, "-S", "64M", "--text", str(source), "--arpa", str(arpa)]


def run(
    source: Path, arpa: Path, order: int, cutoffs: tuple[int, ...] = (0,), fallback: tuple[float, ...] = ()
) -> Triples | None:
    """Run lmplz and return the discounts of each level, or None where the text allows none."""
    options = ["--discount_fallback", *map(str, fallback)] if fallback else []
    done = subprocess.run(
        [*command(source, arpa, order, cutoffs), *options], capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        if "BadDiscount" not in done.stderr:
            raise RuntimeError(done.stderr)
        return None
    found = re.findall(r"^\d+ \d+(?:/\d+)? D1=(\S+) D2=(\S+) D3\+=(\S+)", done.stderr, re.MULTILINE)
    return [tuple(map(float, triple)) for triple in found]


def main() -> None:
    source = HERE / "text.txt"
    source.write_text(text(), encoding="utf-8")
    discounts = {name: run(source, HERE / f"{name}.arpa", *model) for name, model in MODELS.items()}
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(triples)}" for name, triples in discounts.items())
    (HERE / "discounts.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
