# AUC and DeLong's test by pROC: Rscript tests/oracles/area_under_curve.R > tests/oracles/area_under_curve.json
suppressPackageStartupMessages(library(pROC))
library(jsonlite)
set.seed(20)
n <- 60
acceptable <- rep(c(1, 0), c(25, 35))
first <- round(rnorm(n, acceptable * 0.8), 1)
second <- round(0.5 * first + rnorm(n, acceptable * 0.6), 1)
one <- roc(acceptable, first, direction = "<", levels = c(0, 1))
two <- roc(acceptable, second, direction = "<", levels = c(0, 1))
test <- roc.test(one, two, method = "delong", paired = TRUE)
cat(toJSON(list(
  R = R.version.string,
  pROC = as.character(packageVersion("pROC")),
  acceptable = acceptable, first = first, second = second,
  areas = c(auc(one), auc(two)),
  variances = c(var(one), var(two)),
  covariance = cov(one, two),
  z = unname(test$statistic), p = test$p.value,
  pearson = cor(acceptable, first), spearman = cor(acceptable, first, method = "spearman")
), auto_unbox = TRUE, digits = NA, pretty = TRUE), "\n")
