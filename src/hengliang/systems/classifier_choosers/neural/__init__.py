"""Neural choosers of classifiers that are trained here: an LSTM, and an encoder such as BERT that is fine-tuned."""
