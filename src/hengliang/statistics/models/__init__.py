"""Mixed models from lme4 formulas: linear, binomial and ordinal."""
