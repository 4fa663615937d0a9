"""What is a constituent tree?

A constituent has a label and parts, each of them a constituent or a word. Models of sentences and their trees want
phrases over words, without a constituent for the part of speech of a single word; a reader of a treebank may return
those too, and `hengliang.materials.trees.brackets` takes them away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

_Flat = tuple[str | tuple[str, int], ...]


# A right-branching tree is as deep as its sentence is long. What a dataclass brings along for comparing, showing and
# pickling calls itself for every part and gives up at some 250 levels, so all of that goes by a list here.
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree:
    """A constituent: its label and its parts, in the order of the sentence; a text among them is a word."""

    label: str
    children: tuple[Tree | str, ...]

    def words(self) -> tuple[str, ...]:
        """Return the words of the sentence.

        >>> Tree("IP", (Tree("NP", ("他",)), Tree("VP", ("走", "了")), "。")).words()
        ('他', '走', '了', '。')
        """
        return tuple(part for part in self.parts() if isinstance(part, str))

    def parts(self) -> Iterator[Tree | str]:
        """Yield every constituent and every word below this one, a constituent before its parts."""
        waiting: list[Tree | str] = list(reversed(self.children))
        while waiting:
            part = waiting.pop()
            yield part
            if isinstance(part, Tree):
                waiting.extend(reversed(part.children))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pairs: list[tuple[Tree | str, Tree | str]] = [(self, other)]
        while pairs:
            one, two = pairs.pop()
            if isinstance(one, str) or isinstance(two, str):
                if one != two:
                    return False
            elif one is not two:
                if one.label != two.label or len(one.children) != len(two.children):
                    return False
                pairs.extend(zip(one.children, two.children, strict=True))
        return True

    def __hash__(self) -> int:
        return hash(self._flat())

    def __repr__(self) -> str:
        shown: list[str] = []
        waiting: list[Tree | str | tuple[str]] = [self]  # a tuple holds a text to be shown as it is
        while waiting:
            part = waiting.pop()
            if isinstance(part, tuple):
                shown.append(part[0])
            elif isinstance(part, str):
                shown.append(repr(part))
            else:
                shown.append(f"Tree({part.label!r}, (")
                waiting.append((",))",) if len(part.children) == 1 else ("))",))
                for place, child in enumerate(reversed(part.children)):
                    waiting += [(", ",), child] if place else [child]
        return "".join(shown)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuilt, (self._flat(),))

    def _flat(self) -> _Flat:
        """Return every constituent as its label and number of parts, and every word, a constituent before its parts."""
        everything: Iterable[Tree | str] = (self, *self.parts())
        return tuple(part if isinstance(part, str) else (part.label, len(part.children)) for part in everything)


def _rebuilt(flat: _Flat) -> Tree:
    done: list[Tree | str] = []
    for part in reversed(flat):
        if isinstance(part, str):
            done.append(part)
        else:
            label, count = part
            below = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(Tree(label, tuple(reversed(below))))
    return cast(Tree, done[0])
