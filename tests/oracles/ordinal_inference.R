# What are the profile intervals and likelihood-ratio tests of ordinal models in R?
# Rscript tests/oracles/ordinal_inference.R > tests/oracles/ordinal_inference.json
suppressMessages({library(ordinal); library(jsonlite)})
options(digits = 12, warn = -1)
wine <- ordinal::wine
wine$y <- ordered(as.integer(wine$rating))
rows <- function(m) setNames(lapply(seq_len(nrow(m)), function(i) unname(as.numeric(m[i, ]))), rownames(m))

plain <- clm(y ~ temp + contact, data = wine, control = clm.control(gradTol = 1e-10))
profile_clm <- rows(confint(plain, level = 0.95, type = "profile"))
wald_clm <- rows(confint(plain, level = 0.95, type = "Wald"))
# With a tight gradTol nominal_test silently gives NA, so it has a fit by default.
nominal <- nominal_test(clm(y ~ temp + contact, data = wine))
dropped <- drop1(plain, test = "Chisq")

one <- clmm2(y ~ temp + contact, random = judge, data = wine, Hess = TRUE, nAGQ = 1)
invisible(capture.output(spread <- as.numeric(confint(profile(one, range = c(0.1, 5), nSteps = 60)))))

# Profile of a coefficient of a mixed model by hand: clmm has none. The coefficient is held by an offset of a fine grid, and
# the bound is where a spline through the signed roots of the deviance crosses the quantile.
fit <- clmm(y ~ temp + contact + (1 | judge), data = wine)
held <- function(value) {
  wine$shift <- value * (wine$contact == "yes")
  suppressWarnings(clmm2(y ~ temp + offset(shift), random = judge, data = wine, Hess = FALSE, nAGQ = 1))$logLik
}
best <- one$logLik
grid <- seq(0.2, 4.2, length.out = 41)
roots <- sapply(grid, function(v) sign(v - one$beta[["contactyes"]]) * sqrt(max(0, 2 * (best - held(v)))))
crossing <- function(target) approx(spline(roots, grid, n = 20001)$x, spline(roots, grid, n = 20001)$y, xout = target)$y
contact <- c(crossing(-qnorm(0.975)), crossing(qnorm(0.975)))

set.seed(7)
skewed <- data.frame(group = rep(c("a", "b"), 200), length = round(rnorm(400), 3))
# The effect of the group is 0 at the lowest border and large at the highest.
latent <- 0.5 * skewed$length + rlogis(400)
skewed$rating <- ifelse(latent < -1, 1, ifelse(latent < 0.3 + 0.5 * (skewed$group == "b"), 2, ifelse(latent < 1.5 + 1.5 * (skewed$group == "b"), 3, 4)))
free <- nominal_test(clm(ordered(rating) ~ group + length, data = skewed))
tests <- function(table) list(term = rownames(table), statistic = table$LRT, df = table$Df, p = table[["Pr(>Chi)"]])
smaller <- clmm(y ~ temp + (1 | judge), data = wine)
comparison <- anova(smaller, fit)
without <- clm(y ~ temp + contact, data = wine)
cat(toJSON(list(
  versions = list(R = R.version.string, ordinal = as.character(packageVersion("ordinal"))),
  clm_profile = profile_clm, clm_wald = wald_clm,
  nominal_test = tests(nominal), drop1 = tests(dropped), skewed = c(tests(free), list(data = as.list(skewed))),
  judge_sd_profile = spread, contact_profile = contact,
  contact_ratio = list(statistic = comparison$LR.stat[2], p = comparison[["Pr(>Chisq)"]][2]),
  judge_ratio = 2 * (as.numeric(logLik(fit)) - as.numeric(logLik(without)))
), auto_unbox = TRUE, digits = 12, na = "null"))
cat("\n")
