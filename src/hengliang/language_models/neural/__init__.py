"""Neural models of words that are trained here: LSTM, Transformer, and a masked model of characters."""
