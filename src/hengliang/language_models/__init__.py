"""Language models: probabilities of texts unit by unit, surprisal, perplexity, sampling, training.

N-gram (Kneser-Ney, ARPA, KenLM), LSTM and Transformer models of words, recurrent neural network grammars, causal and
masked models of Hugging Face; surprisal of words and regions, perplexity, sampling, next-token probability, training
and model cards, preprocessing such as named-entity replacement and word classes.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
