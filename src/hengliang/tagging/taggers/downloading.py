"""HanLP, LTP, Stanza and pkuseg taggers, whose models are downloaded at first use.

HanLP [1], LTP [2], Stanza [3] and pkuseg [4] are small packages; their models lie elsewhere and are fetched when first
asked for. Each is used here when it is installed. A model that lies in a folder already is named after a colon
(`hanlp:FOLDER`), and then nothing is fetched; without one the library takes its own usual model. Tags are the library's
own: PKU for HanLP and pkuseg, those of the 863 corpus for LTP, Universal Dependencies for Stanza. Sentences are read
one at a time, so that the tags of one never depend on its neighbours.

[1] He, H., & Choi, J. D. (2021). The stem cell hypothesis: dilemma behind multi-task learning with transformer
    encoders. EMNLP 2021.
[2] Che, W., Feng, Y., Qin, L., & Liu, T. (2021). N-LTP: an open-source neural language technology platform for
    Chinese. EMNLP 2021, system demonstrations.
[3] Qi, P., Zhang, Y., Zhang, Y., Bolton, J., & Manning, C. D. (2020). Stanza: a Python natural language processing
    toolkit for many human languages. ACL 2020, system demonstrations.
[4] Luo, R., Xu, J., Zhang, Y., Zhang, Z., Ren, X., & Sun, X. (2019). PKUSEG: a toolkit for multi-domain Chinese word
    segmentation. arXiv:1906.11455.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json
from hengliang.core.labelling.taggers import WordwiseTagger
from hengliang.core.labelling.words import Word
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, path_checksum
from hengliang.core.terms import Bilingual
from hengliang.language_models.huggingface.loading import refuse_tokenizer_code


@dataclass(frozen=True, slots=True)
class Library:
    """A library whose model is downloaded: its reference, its title, its usual model, and where it keeps models.

    The reference is the name of the package that is imported and installed, too.
    """

    name: str
    title: str
    model: str
    place: str

    @property
    def how(self) -> str:
        """How to come by the library and its model."""
        return (
            f"Install it with: pip install {self.name}. Its model ({self.model}) is downloaded at first use, to "
            f"{self.place}; one that is there already is named by its folder: {self.name}:FOLDER"
        )


class LibraryTagger(WordwiseTagger):
    """A tagger of such a library; `folder` is that of a model, empty for the library's usual one."""

    library: ClassVar[Library]
    tag_map: ClassVar[str]
    """The tag map that its own tags have."""

    def __init__(self, folder: str = "") -> None:
        self.folder = folder
        self.name = f"{self.library.name}:{folder}" if folder else self.library.name

    @abstractmethod
    def open(self, package: Any) -> Any:
        """Return the model, opened by the library's package."""

    @abstractmethod
    def read(self, model: Any, sentence: str) -> Iterable[Word]:
        """Return the words and tags that the model gives, from what the library documents to return."""

    def words(self, sentence: str) -> Iterable[Word]:
        """Return the words of one sentence with their tags."""
        return self.read(self._model, sentence)

    def signature(self) -> Signature:
        """Return the arguments and the code, the library's version and its model: the files of one in a folder."""
        self._check()
        model = path_checksum(Path(self.folder)) if self.folder else self.library.model
        return constructor_signature(self).and_(library=metadata.version(self.library.name), model=model)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the model behind: a copy opens its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_model"}

    @cached_property
    def _model(self) -> Any:
        self._check()
        library = self.library
        try:
            with redirect_stdout(sys.stderr):  # some report there how their download goes
                return self.open(importlib.import_module(library.name))
        except UserError:
            raise
        except Exception as error:  # what a stranger's library raises without its model, or without a network
            message = " ".join(str(error).split())[:300]
            what = f"from {self.folder}" if self.folder else f"({library.model})"
            raise UserError(
                f"{library.title} could not open its model {what}: {type(error).__name__}: {message}",
                valid=f"Without {library.name}:FOLDER the model is downloaded at first use, which needs a network.",
                remedy=f"Try again where there is one, or copy {library.place} from a machine on which it works.",
            ) from error

    def _check(self) -> None:
        """Say what is missing before anything is loaded."""
        library = self.library
        if importlib.util.find_spec(library.name) is None:
            raise UserError(
                f"The tagger {library.name} needs the library {library.title}, which is not installed.",
                remedy=library.how,
            )
        if self.folder and not Path(self.folder).is_dir():
            raise UserError(
                f"There is no folder {self.folder} with a model of {library.title}.",
                valid=f"{library.name}:FOLDER names a model that was downloaded before ({library.place}).",
                remedy=f"Check the path, or say {library.name} alone to have the usual model downloaded.",
            )


@register("hanlp")
class HanlpTagger(LibraryTagger):
    """Words by the fine standard and tags of PKU by a multi-task model of HanLP 2.1."""

    title = Bilingual("HanLP", "HanLP")
    library = Library("hanlp", "HanLP", "CLOSE_TOK_POS_NER_SRL_DEP_SDP_CON_ELECTRA_SMALL_ZH", "~/.hanlp")
    tag_map = "pku"

    def open(self, package: Any) -> Any:
        """Return the multi-task model."""
        return package.load(self.folder or getattr(package.pretrained.mtl, self.library.model))

    def read(self, model: Any, sentence: str) -> Iterable[Word]:
        """Return the words of the document's field tok/… and the tags of its field pos/…"""
        document = model(sentence, tasks="pos/pku")
        return zip(_field(document, "tok"), _field(document, "pos"), strict=True)


@register("ltp")
class LtpTagger(LibraryTagger):
    """Words and tags by LTP 4.2 or later."""

    title = Bilingual("LTP", "LTP")
    library = Library("ltp", "LTP", "LTP/small", "~/.cache/huggingface")
    tag_map = "ltp"

    def open(self, package: Any) -> Any:
        """Return the model; one in a folder may build itself from parts of LTP, and from nothing else."""
        if self.folder:
            check_ltp_parts(Path(self.folder))
        model = package.LTP(self.folder or self.library.model)
        give_back_batch_encoding(getattr(model, "tokenizer", None))
        return model

    def read(self, model: Any, sentence: str) -> Iterable[Word]:
        """Return the words and tags of the one sentence that the pipeline was given."""
        output = model.pipeline([sentence], tasks=["cws", "pos"])
        return zip(output.cws[0], output.pos[0], strict=True)


_LTP_PART = re.compile(r"ltp_core\.models\.(components\.\w+|processor|ltp_model|utils)\.\w+")


def check_ltp_parts(folder: Path) -> None:
    """Refuse a folder that would have code run: LTP calls whatever its config.json names as `_ltp_target_`."""
    refuse_tokenizer_code(folder)
    file = folder / "config.json"
    strange = [
        name for name in _ltp_targets(read_json(file) if file.is_file() else {}) if not _LTP_PART.fullmatch(name)
    ]
    if strange:
        raise UserError(
            f"The model in {folder} asks to have {strange[0]} called, which is no part of LTP (config.json).",
            valid="hengliang runs no code of a model: it would have all your rights on this machine.",
            remedy="Take the model from those who made LTP, or from somebody you trust.",
        )


def _ltp_targets(held: object) -> list[str]:
    """Return all that a configuration has called, at any depth."""
    if isinstance(held, Mapping):
        own = [str(held["_ltp_target_"])] if "_ltp_target_" in held else []
        return own + [name for inner in held.values() for name in _ltp_targets(inner)]
    return [name for inner in held for name in _ltp_targets(inner)] if isinstance(held, list) else []


def give_back_batch_encoding(tokenizer: Any) -> None:
    """Give a tokenizer the method `batch_encode_plus` again, by which LTP 4.2 calls it.

    transformers 5 has left it out: to call the tokenizer itself does the same.
    """
    if tokenizer is not None and not hasattr(tokenizer, "batch_encode_plus"):
        tokenizer.batch_encode_plus = tokenizer.__call__


@register("stanza")
class StanzaTagger(LibraryTagger):
    """Words and universal tags by Stanza's pipeline for simplified Chinese."""

    title = Bilingual("Stanza", "Stanza")
    library = Library("stanza", "Stanza", "zh-hans", "~/stanza_resources")
    tag_map = "ud"

    def open(self, package: Any) -> Any:
        """Return the pipeline; with a folder it is not asked for anything newer."""
        options = {"dir": self.folder, "download_method": None} if self.folder else {}
        return package.Pipeline(
            self.library.model, processors="tokenize,pos", tokenize_no_ssplit=True, verbose=False, **options
        )

    def read(self, model: Any, sentence: str) -> Iterable[Word]:
        """Return the words of all that Stanza takes for sentences."""
        return [(word.text, word.upos) for part in model(sentence).sentences for word in part.words]


@register("pkuseg")
class PkusegTagger(LibraryTagger):
    """Words and tags by pkuseg; a folder names its model for words, that for tags is always the library's own."""

    title = Bilingual("pkuseg", "pkuseg")
    library = Library("pkuseg", "pkuseg", "default", "~/.pkuseg")
    tag_map = "pkuseg"

    def open(self, package: Any) -> Any:
        """Return the segmenter, which tags too."""
        return package.pkuseg(model_name=self.folder or self.library.model, postag=True)

    def read(self, model: Any, sentence: str) -> Iterable[Word]:
        """Return the pairs that it gives."""
        return [(word, tag) for word, tag in model.cut(sentence)]


def _field(document: Mapping[str, Any], task: str) -> list[str]:
    """Return the first field of a task whatever its standard: models in folders may have another."""
    for name, value in document.items():
        if name.partition("/")[0] == task:
            return list(value)
    raise UserError(
        f"The model of HanLP gives no {task}; it gives: {', '.join(document)}.",
        valid="A multi-task model that finds words and tags them is expected.",
    )
