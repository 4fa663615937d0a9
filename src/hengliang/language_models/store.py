"""Export of trained n-gram models as ARPA files."""

from __future__ import annotations

from pathlib import Path

from hengliang.core.errors import UserError
from hengliang.core.learning import is_trained, read_card, stored_model
from hengliang.language_models.ngram.arpa import write_arpa
from hengliang.language_models.ngram.model import with_one_unknown
from hengliang.language_models.ngram.store import read_tables


def export_arpa(reference: str, file: Path) -> str:
    """Write an n-gram model, named by its folder or its name in the store, as an ARPA file.

    Other programs know one unknown word, <unk>, so classes of unknown words are joined to it. What is returned says
    how the file hence differs from the model, and is empty where it does not.
    """
    folder = Path(reference)
    if not is_trained(folder):
        folder = stored_model(reference).folder
    kind = read_card(folder).get("kind")
    if kind != "ngram":
        raise UserError(
            f"'{reference}' is a model of the kind '{kind}' and cannot be written as an ARPA file.",
            valid="An ARPA file lists the probabilities of n-grams; a neural model has none, for it looks at the whole "
            "sentence before a word.",
            remedy="Choose an n-gram model of: hengliang models list",
        )
    tables = read_tables(folder)
    joined = with_one_unknown(tables)
    write_arpa(joined, file)
    classes = len(tables.words) - len(joined.words)
    if not classes:
        return ""
    return (
        f"The {classes} classes of unknown words of '{reference}' are joined to <unk>, the only unknown word that "
        "other programs have. After known words, known words keep their probabilities and <unk> has the sum of the "
        "classes; after an unknown word the file looks back no further than to it. So an unknown word costs less than "
        "in the model, and perplexities of text with unknown words differ."
    )
