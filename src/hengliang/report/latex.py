"""How does a table stand in a LaTeX paper?"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hengliang.report.tables import Table

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    "−": "$-$",
    "∞": r"$\infty$",
    "—": "---",
    # At the start of a row, a bracket would be read as the optional argument of the line break before it, and a star
    # (which marks what is not grammatical) as a part of its name.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}


def escape_latex(text: str) -> str:
    """Return the text so that LaTeX prints it as it is; Chinese stays, control characters become spaces."""
    plain = "".join(" " if unicodedata.category(character) == "Cc" else character for character in text)
    return "".join(_ESCAPES.get(character, character) for character in plain)


def has_chinese(text: str) -> bool:
    """Return whether the text needs a Chinese font."""
    return any(unicodedata.east_asian_width(character) in {"W", "F"} for character in text)


def table_latex(table: Table) -> str:
    """Return a `tabular` with the rules of booktabs; a comment says which packages it needs."""
    body = [[escape_latex(table.heading(column)) for column in table.columns]]
    body += [[escape_latex(str(cell)) for cell in row] for row in table.cells()]
    lines = [" & ".join(row) + r" \\" for row in body]
    alignment = "".join("l" if column.is_text else "r" for column in table.columns)
    packages = "% needs \\usepackage{booktabs}"
    if has_chinese("".join(lines)):
        packages += " and, for the Chinese, \\usepackage{ctex} with XeLaTeX or LuaLaTeX"
    head = [packages, rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", lines[0], r"\midrule"]
    return "\n".join([*head, *lines[1:], r"\bottomrule", r"\end{tabular}", ""])
