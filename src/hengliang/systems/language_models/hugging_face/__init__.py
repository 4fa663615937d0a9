"""Models that a user brings in the formats of Hugging Face: causal and masked, from a folder or a GGUF file."""
