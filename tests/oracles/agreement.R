# Intraclass correlations from psych, from variance components (lme4, REML) and from mean squares (aov); Kendall, Spearman
# and Pearson.
# Rscript tests/oracles/agreement.R > tests/oracles/agreement.json
suppressPackageStartupMessages({library(lme4); library(jsonlite)})
set.seed(20)

case <- function(n, k, unit, rater, noise) {
  u <- rnorm(n, 0, unit); r <- rnorm(k, 0, rater)
  table <- round(outer(r, u, "+") + matrix(rnorm(n * k, 4, noise), k, n), 2)
  long <- data.frame(score = as.vector(t(table)), unit = factor(rep(1:n, k)), rater = factor(rep(1:k, each = n)))
  two <- as.data.frame(VarCorr(lmer(score ~ 1 + (1 | unit) + (1 | rater), long, control = lmerControl(
    optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10)))))
  one <- as.data.frame(VarCorr(lmer(score ~ 1 + (1 | unit), long, control = lmerControl(
    optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10)))))
  v <- setNames(two$vcov, two$grp); w <- setNames(one$vcov, one$grp)
  squares <- summary(aov(score ~ unit + rater, long))[[1]]
  within <- summary(aov(score ~ unit, long))[[1]]
  psych <- suppressMessages(suppressWarnings(psych::ICC(t(table), lmer = FALSE)))$results
  list(
    ratings = table,
    psych = list(form = psych$type, value = psych$ICC, low = psych$`lower bound`, high = psych$`upper bound`, F = psych$F, p = psych$p),
    single = list(
      "ICC(1)" = unname(w["unit"] / sum(w)),
      "ICC(A,1)" = unname(v["unit"] / sum(v)),
      "ICC(C,1)" = unname(v["unit"] / (v["unit"] + v["Residual"]))
    ),
    average = list(
      "ICC(1,k)" = unname(w["unit"] / (w["unit"] + w["Residual"] / k)),
      "ICC(A,k)" = unname(v["unit"] / (v["unit"] + (v["rater"] + v["Residual"]) / k)),
      "ICC(C,k)" = unname(v["unit"] / (v["unit"] + v["Residual"] / k))
    ),
    two_way = list(F = squares["unit", "F value"], p = squares["unit", "Pr(>F)"]),
    one_way = list(F = within["unit", "F value"], p = within["unit", "Pr(>F)"])
  )
}

x <- c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8); y <- c(2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5)
correlations <- sapply(c("pearson", "spearman", "kendall"), function(m) cor(x, y, method = m))

cat(toJSON(list(
  versions = list(R = R.version.string, lme4 = as.character(packageVersion("lme4")),
                  psych = as.character(packageVersion("psych"))),
  intraclass = list(case(12, 4, 1.5, 0.8, 1), case(30, 3, 1, 0.5, 1.2), case(8, 6, 2, 1, 0.7)),
  correlations = list(x = x, y = y, values = as.list(correlations))
), auto_unbox = TRUE, digits = 12, pretty = TRUE))
cat("\n")
