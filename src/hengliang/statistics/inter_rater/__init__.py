"""Inter-rater agreement: kappa, Krippendorff's alpha, intraclass correlation, noise ceilings."""
