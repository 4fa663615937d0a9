"""Causal and masked models of Hugging Face, from a folder or a GGUF file."""
