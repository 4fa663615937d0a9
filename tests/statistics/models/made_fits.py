"""Two nested fits for the tests of what models say."""

from __future__ import annotations

from dataclasses import replace

from hengliang import Bilingual
from hengliang.statistics.models.results import Coefficient, ModelFit, VarianceComponent

# The wine ratings without and with contact, as R prints them (ordinal 2022.11-16):
# clmm(rating ~ temp + contact + (1 | judge)): logLik −81.565413, AIC 177.13.
LARGER = ModelFit(
    family="ordinal",
    title=Bilingual("cumulative-link mixed model", "累积链接混合模型"),
    formula="rating ~ temp + contact + (1 | judge)",
    coefficients=(
        Coefficient("temp[warm]", 3.0630, 0.5954, 5.145, 2.68e-07, 1.896, 4.230),
        Coefficient("contact[yes]", 1.8349, 0.5125, 3.580, 0.000344, 0.830, 2.839),
    ),
    components=(VarianceComponent("judge", "(Intercept)", 1.2795, 9),),
    thresholds=(Coefficient("1|2", -1.6237, 0.6824, float("nan"), float("nan"), -2.961, -0.286),),
    log_likelihood=-81.565413,
    parameters=7,
    n=72,
    n_missing=2,
    groups={"judge": 9},
    warnings=(Bilingual("Few judges.", "评委太少。"),),
    conventions={"link": "logit", "approximation": "Laplace"},
    data="wine",
)
SMALLER = replace(LARGER, formula="rating ~ temp + (1 | judge)", log_likelihood=-89.0, parameters=6)
