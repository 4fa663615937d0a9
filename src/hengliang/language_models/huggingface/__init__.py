"""Hugging Face models: causal and masked language models, from a folder or a GGUF file."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
