# Correlations, dependent correlations and linear regression, for tests/analysis/correlation.
# Rscript tests/oracles/correlation.R > tests/oracles/correlation.json
suppressPackageStartupMessages(library(jsonlite))
set.seed(20240)
round3 <- function(x) round(x, 3)

n <- 30
shared <- round3(rnorm(n))
first <- round3(0.7 * shared + rnorm(n))
second <- round3(0.2 * shared + 0.4 * first + rnorm(n))
likert_x <- pmin(7, pmax(1, round(4 + 1.5 * shared)))
likert_y <- pmin(7, pmax(1, round(4 + first)))
small_x <- c(2.1, 3.4, 1.2, 5.6, 4.4, 7.7, 6.1, 0.3)
small_y <- c(1.0, 3.1, 2.2, 4.8, 5.9, 6.3, 8.8, 0.1)

take <- function(test) {
  list(statistic = unname(test$statistic), p = test$p.value, estimate = unname(test$estimate),
       interval = if (is.null(test$conf.int)) NULL else as.numeric(test$conf.int))
}
sides <- c("two.sided", "greater", "less")
each <- function(x, y, ...) setNames(lapply(sides, function(side)
  take(suppressWarnings(cor.test(x, y, alternative = side, ...)))), sides)

pearson <- each(shared, first)
pearson_90 <- take(cor.test(shared, first, conf.level = 0.90))
spearman_t <- each(likert_x, likert_y, method = "spearman", exact = FALSE)
spearman_exact <- each(small_x, small_y, method = "spearman", exact = TRUE)
kendall_exact <- each(shared, first, method = "kendall", exact = TRUE)
kendall_normal <- each(likert_x, likert_y, method = "kendall", exact = FALSE)
kendall_continuity <- each(likert_x, likert_y, method = "kendall", exact = FALSE, continuity = TRUE)

# Stuart's tau-c from its table
table_xy <- table(likert_x, likert_y)
concordant <- 0; discordant <- 0
for (i in seq_len(nrow(table_xy))) for (j in seq_len(ncol(table_xy))) {
  concordant <- concordant + table_xy[i, j] * sum(table_xy[row(table_xy) > i & col(table_xy) > j])
  discordant <- discordant + table_xy[i, j] * sum(table_xy[row(table_xy) > i & col(table_xy) < j])
}
m <- min(dim(table_xy))
tau_c <- unname((concordant - discordant) * 2 * m / (n^2 * (m - 1)))

# Williams' t: Steiger (1980), formula 7. Meng, Rosenthal and Rubin (1992), formula 1. Hittner, May and Silver (2003).
compare <- function(a, b, c) {
  r12 <- cor(a, b); r13 <- cor(a, c); r23 <- cor(b, c)
  determinant <- det(cor(cbind(a, b, c)))
  t <- (r12 - r13) * sqrt((n - 1) * (1 + r23) /
    (2 * determinant * (n - 1) / (n - 3) + ((r12 + r13) / 2)^2 * (1 - r23)^3))
  z12 <- atanh(r12); z13 <- atanh(r13)
  mean_square <- (r12^2 + r13^2) / 2
  f <- min(1, (1 - r23) / (2 * (1 - mean_square)))
  h <- (1 - f * mean_square) / (1 - mean_square)
  meng <- (z12 - z13) * sqrt((n - 3) / (2 * (1 - r23) * h))
  back <- tanh((z12 + z13) / 2)
  psi <- r23 * (1 - 2 * back^2) - 0.5 * back^2 * (1 - 2 * back^2 - r23^2)
  hittner <- (z12 - z13) * sqrt(n - 3) / sqrt(2 - 2 * psi / (1 - back^2)^2)
  # Zou (2007): intervals from cor.test, correlation of the two correlations from Olkin and Finn
  i12 <- cor.test(a, b)$conf.int; i13 <- cor.test(a, c)$conf.int
  k <- ((r23 - 0.5 * r12 * r13) * (1 - r12^2 - r13^2 - r23^2) + r23^3) / ((1 - r12^2) * (1 - r13^2))
  low <- r12 - r13 - sqrt((r12 - i12[1])^2 + (i13[2] - r13)^2 - 2 * k * (r12 - i12[1]) * (i13[2] - r13))
  high <- r12 - r13 + sqrt((i12[2] - r12)^2 + (r13 - i13[1])^2 - 2 * k * (i12[2] - r12) * (r13 - i13[1]))
  list(r = c(r12, r13, r23), williams = list(t = t, p = 2 * pt(-abs(t), n - 3)),
       meng = list(z = meng, p = 2 * pnorm(-abs(meng))), hittner = list(z = hittner, p = 2 * pnorm(-abs(hittner))),
       zou = c(low, high))
}

# Linear regression
fit <- function(formula) {
  model <- lm(formula); s <- summary(model)
  f <- s$fstatistic
  # R squared from the noncentral F, predictors fixed: lambda / (lambda + n)
  bound <- function(tail) {
    g <- function(ncp) pf(f[1], f[2], f[3], ncp = ncp) - tail
    if (g(0) < 0) 0 else { ncp <- uniroot(g, c(0, 500), tol = 1e-12)$root; ncp / (ncp + length(model$fitted)) }
  }
  x <- model.matrix(model); e <- residuals(model); h <- hatvalues(model); inverse <- solve(crossprod(x))
  hc3 <- sqrt(diag(inverse %*% crossprod(x * (e / (1 - h))) %*% inverse))
  list(coefficients = unname(apply(coef(s), 1, as.numeric, simplify = FALSE)), intervals = unname(apply(confint(model), 1, as.numeric, simplify = FALSE)),
       r_squared = s$r.squared, adjusted = s$adj.r.squared, f = as.numeric(f),
       p = unname(pf(f[1], f[2], f[3], lower.tail = FALSE)), sigma = s$sigma,
       r_squared_interval = unname(c(bound(0.975), bound(0.025))), hc3 = unname(hc3))
}

cat(toJSON(list(
  versions = list(R = R.version.string, jsonlite = as.character(packageVersion("jsonlite"))),
  data = list(shared = shared, first = first, second = second, likert_x = likert_x, likert_y = likert_y,
              small_x = small_x, small_y = small_y),
  pearson = pearson, pearson_90 = pearson_90, spearman_t = spearman_t, spearman_exact = spearman_exact,
  kendall_exact = kendall_exact, kendall_normal = kendall_normal, kendall_continuity = kendall_continuity,
  tau_c = tau_c, dependent = compare(shared, first, second),
  dependent_ranks = compare(rank(shared), rank(first), rank(second)),
  one_predictor = fit(first ~ shared), two_predictors = fit(second ~ shared + first)
), digits = NA, auto_unbox = TRUE, pretty = TRUE))
cat("\n")
