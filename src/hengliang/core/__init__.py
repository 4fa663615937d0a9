"""Foundations: the four record types, the base classes of the stages, text, engine and files.

Records and their tables (items, responses, judgements, estimates, tables of a run), errors, registry of plug-ins,
signatures, conformance kits and findings, views for reports, byte offsets and script of Chinese text, word and
sentence segmentation, labelled spans, engines (in process, processes, Dask), cache, progress, files, bilingual texts.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
