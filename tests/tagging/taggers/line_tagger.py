"""What does a program do that tags lines, well or badly? Run as `python line_tagger.py WAY [MISDEED]`.

WAY is `flush` (each answer at once) or `hold` (all at the end); MISDEED is done on lines with the character 坏.
"""

from __future__ import annotations

import os
import signal
import sys
import time

MISDEEDS = {
    "change": "{}好/x",
    "untagged": "{}/x 好",
    "blank": "",
}


def main(way: str, misdeed: str = "", separator: str = "/") -> None:
    """Answer every line: each character but a space is a word with the tag x, runs of figures and slashes are one."""
    held: list[bytes] = []
    for raw in sys.stdin.buffer:
        line = raw.decode().rstrip("\n")
        answer = [f"{word}{separator}x".encode() for word in words(line)]
        written = [b" ".join(answer)]
        if "坏" in line:
            written = misbehave(misdeed, line, written)
        elif misdeed == "swap":
            written *= 2 * ("一" in line) or 1
            written = [] if "二" in line else written
        if way == "flush":
            sys.stdout.buffer.write(b"".join(one + b"\n" for one in written))
            sys.stdout.buffer.flush()
        held += written
    if way == "hold":
        sys.stdout.buffer.write(b"".join(one + b"\n" for one in held))


def words(line: str) -> list[str]:
    """Cut a line."""
    found: list[str] = []
    for character in line:
        if found and character in "0123456789/" and found[-1][-1] in "0123456789/":
            found[-1] += character
        elif not character.isspace():
            found.append(character)
    return found


def misbehave(misdeed: str, line: str, written: list[bytes]) -> list[bytes]:
    """Do what one must not."""
    if misdeed == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif misdeed == "exit":
        sys.stderr.write("I give up.\n")
        sys.stderr.flush()
        os._exit(3)
    elif misdeed == "hang":
        time.sleep(3600)
    elif misdeed == "more":
        return [*written, b"\xe5\xa5\xbd/x"]
    elif misdeed == "fewer":
        return []
    elif misdeed == "foreign":
        return [line.encode("gb18030")]
    elif misdeed in MISDEEDS:
        return [MISDEEDS[misdeed].format(line).encode()]
    return written


if __name__ == "__main__":
    main(*sys.argv[1:])
