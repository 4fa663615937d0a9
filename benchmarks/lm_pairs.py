"""How fast are minimal pairs scored, against minicons on the same model, and are the surprisals the same?

A network of the size of GPT-2 (12 layers of 768) with random weights and a tokenizer of its own scores a thousand
minimal pairs of our own templates. Speed does not depend on what the weights are. Both score every token after the
begin symbol, on two threads; loading is not counted, tokenising is. minicons runs in a process of its own, with the
interpreter that HENGLIANG_MINICONS_PYTHON or --minicons-python names, once with batches of as many tokens as ours and
once with the batch size that suits it best on a part of the sentences.

The surprisals are compared token by token on all sentences, and word by word on English ones: minicons cuts words at
spaces, which Chinese has not.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

BATCH_SIZES = (8, 16, 32, 64, 128, 256)
SAMPLE = 256
THREADS = 2
PIECES = re.compile(" ?[A-Za-z]+|.")

PEOPLE = ("他", "她", "老师", "我哥哥", "那个学生", "隔壁的王阿姨", "经理", "李医生", "小张", "我们班长")
TIMES = ("昨天", "去年", "上个星期", "终于", "后来", "今天早上", "毕业以后", "在北京")
ROLES = ("医生", "作家", "班长", "工程师", "有名的演员", "大学教授", "我们的邻居")
COUNTED = (
    ("本", "张", "书"),
    ("匹", "朵", "马"),
    ("张", "头", "桌子"),
    ("条", "本", "裙子"),
    ("辆", "只", "自行车"),
    ("把", "条", "雨伞"),
    ("棵", "件", "苹果树"),
    ("座", "根", "小桥"),
)
NUMBERS = ("一", "两", "三", "五", "好几")
DEEDS = ("写完", "看完", "做好", "准备好", "收拾好")
THINGS = ("作业", "晚饭", "那份报告", "房间", "明天的讲稿")
REASONS = ("天气很冷", "雨下得很大", "时间不多", "大家都累了", "路很远", "票很贵")
DOINGS = ("没有回家", "还是去爬山", "坚持跑步", "不想放弃", "按时到了", "继续工作")
ENGLISH = (
    "The old teacher bought three books yesterday.",
    "We took the night train to the mountains.",
    "Nobody in the village has seen the letter.",
    "The children who play outside are tired.",
)


def templated(random_state: random.Random) -> tuple[str, str]:
    person, when = random_state.choice(PEOPLE), random_state.choice(TIMES)
    kind = random_state.randrange(4)
    if kind == 0:
        role = random_state.choice(ROLES)
        return f"{person}{when}成为了{role}。", f"{person}{when}成为了。"
    if kind == 1:
        right, wrong, noun = random_state.choice(COUNTED)
        number = random_state.choice(NUMBERS)
        return tuple(f"{person}{when}看见了{number}{form}{noun}。" for form in (right, wrong))  # type: ignore[return-value]
    if kind == 2:
        deed, thing = random_state.choice(DEEDS), random_state.choice(THINGS)
        return f"{person}{when}把{thing}{deed}了。", f"{person}{when}把{deed}了{thing}。"
    reason, doing = random_state.choice(REASONS), random_state.choice(DOINGS)
    return f"虽然{reason}，{person}{when}{doing}。", f"虽然{reason}，因为{person}{when}{doing}。"


def pairs(count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Return different minimal pairs, in random order."""
    random_state, found = random.Random(seed), dict[tuple[str, str], None]()
    while len(found) < count:
        found[templated(random_state)] = None
    return list(found)


def build(folder: Path, sentences: list[str], layers: int, width: int, vocabulary: int) -> None:
    """Write the model: byte-level BPE trained on the sentences, and random weights."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    # The characters and Latin words of the sentences, not the sentences, which repeat: tokens are then as small as real
    # vocabularies have them.
    tokenizer.train_from_iterator([piece for line in sentences for piece in PIECES.findall(line)], trainer)
    torch.manual_seed(0)
    shape: dict[str, Any] = {
        "n_layer": layers,
        "n_embd": width,
        "n_head": width // 64,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    network: Any = GPT2LMHeadModel
    network(GPT2Config(vocab_size=vocabulary, **shape)).save_pretrained(folder)
    end = "<|endoftext|>"
    make: Any = PreTrainedTokenizerFast
    make(tokenizer_object=tokenizer, bos_token=end, eos_token=end).save_pretrained(folder)


def run_peer(order: dict[str, Any]) -> dict[str, Any]:
    """Score with minicons: runs in the other interpreter, and so imports nothing of ours."""
    import torch
    from minicons import scorer  # type: ignore[import-not-found, unused-ignore]

    torch.set_num_threads(THREADS)
    model = scorer.IncrementalLMScorer(order["folder"], "cpu")

    def score(sentences: list[str], size: int) -> list[list[float]]:
        found: list[list[float]] = []
        for first in range(0, len(sentences), size):
            rows = model.token_score(sentences[first : first + size], surprisal=True, bos_token=True)
            found += [[value for _, value in row[1:]] for row in rows]
        return found

    def timed(sentences: list[str], size: int) -> tuple[float, list[list[float]]]:
        begun = time.perf_counter()
        found = score(sentences, size)
        return time.perf_counter() - begun, found

    sentences = order["sentences"]
    score(sentences[:64], 32)
    # The better of two, because somebody else may have used the machine during one of them.
    trials = {size: min(timed(sentences[:SAMPLE], size)[0] for _ in range(2)) for size in BATCH_SIZES}
    best = min(trials, key=trials.__getitem__)
    seconds, surprisals = timed(sentences, best)
    same = seconds if order["same"] == best else timed(sentences, order["same"])[0]
    words = [
        [value for _, value in row]
        for row in model.word_score_tokenized(list(ENGLISH), str.split, surprisal=True, bos_token=True)
    ]
    return {"best": best, "best_seconds": seconds, "same_seconds": same, "surprisals": surprisals, "words": words}


def peer(python: str, folder: Path, sentences: list[str], same: int) -> dict[str, Any] | None:
    """Return what minicons says, or None where it is not installed."""
    order = json.dumps({"folder": str(folder), "sentences": sentences, "same": same})
    there = subprocess.run([python, "-c", "import minicons.scorer"], capture_output=True, check=False)
    if there.returncode:
        return None
    target = folder / "peer.json"
    command = [python, str(Path(__file__).resolve()), "--peer", str(target)]
    subprocess.run(command, input=order, text=True, check=True, stdout=sys.stderr)
    found: dict[str, Any] = json.loads(target.read_text())
    return found


def run_ours(folder: Path, sentences: list[str], batch_tokens: int, way: Any) -> tuple[float, list[list[float]]]:
    import torch

    from hengliang.language_models import HuggingFaceCausal, raw_texts

    torch.set_num_threads(THREADS)
    model = HuggingFaceCausal(folder, batch_tokens=batch_tokens, way=way)
    model.score(raw_texts(sentences[:64]))
    begun = time.perf_counter()
    scores = model.score(raw_texts(sentences))
    seconds = time.perf_counter() - begun
    edges = scores.offsets.tolist()
    return seconds, [(-scores.logprobs[first:last]).tolist() for first, last in itertools.pairwise(edges)]


def our_words(folder: Path) -> list[list[float]]:
    from hengliang.language_models import HuggingFaceCausal, read_texts, region_scores, word_regions

    texts = read_texts(ENGLISH)
    surprisals = region_scores(HuggingFaceCausal(folder).score(texts), word_regions(texts)).surprisals.tolist()
    edges = texts.offsets.tolist()
    return [surprisals[first:last] for first, last in itertools.pairwise(edges)]


def largest_difference(ours: list[list[float]], theirs: list[list[float]]) -> float:
    return max(abs(a - b) for one, other in zip(ours, theirs, strict=True) for a, b in zip(one, other, strict=True))


def shared_tokens(folder: Path, sentences: list[str]) -> tuple[int, int]:
    from hengliang.language_models import HuggingFaceCausal
    from hengliang.language_models.huggingface import pack_trees

    tokenised = HuggingFaceCausal(folder).loaded().tokenizer.tokenise(sentences)
    sequences = [[0, *tokens.ids.tolist()] for tokens in tokenised]
    return sum(map(len, sequences)), sum(len(pack.tokens) for pack in pack_trees(sequences))


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    sentences = [sentence for pair in pairs(arguments.pairs) for sentence in pair]
    build(folder, [*sentences, *ENGLISH], arguments.layers, arguments.width, arguments.vocabulary)
    total, computed = shared_tokens(folder, sentences)
    longest = max(len(row) for row in (run_ours(folder, sentences[:SAMPLE], 2048, "auto")[1]))
    same = max(1, 2048 // (longest + 1))
    found: dict[str, Any] = {"sentences": len(sentences), "tokens": total, "tokens_computed": computed, "same": same}
    found["seconds"], surprisals = run_ours(folder, sentences, 2048, "auto")
    found["plain_seconds"], plain = run_ours(folder, sentences, 2048, "plain")
    found["tree_difference"] = largest_difference(surprisals, plain)
    theirs = peer(arguments.minicons_python, folder, sentences, same)
    if theirs:
        found |= {name: theirs[name] for name in ("best", "best_seconds", "same_seconds")}
        found["token_difference"] = largest_difference(surprisals, theirs["surprisals"])
        found["word_difference"] = largest_difference(our_words(folder), theirs["words"])
    return found


def show(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table("who", "seconds", "sentences/s", "times ours", title="minimal pairs on a causal model")
    rows = [("hengliang", found["seconds"]), ("hengliang, nothing shared", found["plain_seconds"])]
    if "best" in found:
        rows.append((f"minicons, batches of {found['same']} (our tokens a batch)", found["same_seconds"]))
        rows.append((f"minicons, batches of {found['best']} (its best)", found["best_seconds"]))
    for name, seconds in rows:
        table.add_row(
            name, f"{seconds:.1f}", f"{found['sentences'] / seconds:.0f}", f"{seconds / found['seconds']:.2f}"
        )
    console.print(table)
    console.print(
        f"{found['sentences']} sentences of {found['tokens']} tokens, of which {found['tokens_computed']} are "
        f"computed. Largest difference between tree and plain: {found['tree_difference']:.1e} nats."
    )
    if "best" in found:
        console.print(
            f"Largest difference from minicons: {found['token_difference']:.1e} nats by token, "
            f"{found['word_difference']:.1e} by word."
        )
    else:
        console.print(
            "[bold]minicons is not installed, so there is nothing to compare with.[/bold] Put it into an environment "
            "of its own with: pip install minicons. Then name its interpreter: HENGLIANG_MINICONS_PYTHON=…/bin/python"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--vocabulary", type=int, default=21128, help="rows of the output layer, as in a Chinese GPT-2")
    parser.add_argument("--minicons-python", default=os.environ.get("HENGLIANG_MINICONS_PYTHON", sys.executable))
    parser.add_argument("--peer", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        arguments.peer.write_text(json.dumps(run_peer(json.load(sys.stdin))))
        return
    with tempfile.TemporaryDirectory() as folder:
        found = measure(arguments, Path(folder) / "model")
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        show(found)


if __name__ == "__main__":
    main()
