"""How does a trained model leave for other programs?"""

from __future__ import annotations

from pathlib import Path

from hengliang.errors import UserError
from hengliang.systems.language_models.cards import FILE, read_card
from hengliang.systems.language_models.ngram.arpa import write_arpa
from hengliang.systems.language_models.ngram.store import read_tables
from hengliang.systems.model_store import stored_model


def export_arpa(reference: str, file: Path) -> None:
    """Write an n-gram model, named by its folder or its name in the store, as an ARPA file."""
    folder = Path(reference)
    if not (folder / FILE).is_file():
        folder = stored_model(reference).folder
    kind = read_card(folder).get("kind")
    if kind != "ngram":
        raise UserError(
            f"'{reference}' is a model of the kind '{kind}' and cannot be written as an ARPA file.",
            valid="An ARPA file lists the probabilities of n-grams; a neural model has none, for it looks at the whole "
            "sentence before a word.",
            remedy="Choose an n-gram model of: hengliang models list",
        )
    write_arpa(read_tables(folder), file)
