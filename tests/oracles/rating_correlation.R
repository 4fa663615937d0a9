# Correlations of two scores with ratings, and Williams' t for their difference, for tests/analysis/test_rating_*.py.
# Rscript tests/oracles/rating_correlation.R > tests/oracles/rating_correlation.json
suppressPackageStartupMessages(library(jsonlite))
set.seed(2022)
n <- 40
rating <- round(rnorm(n, 2.5, 0.8), 1)
first <- round(0.3 * rating + rnorm(n), 3)
second <- round(0.8 * rating + rnorm(n), 3)
of <- function(x) {
  pearson <- cor.test(x, rating)
  list(pearson = unname(pearson$estimate), fisher = as.numeric(pearson$conf.int),
       spearman = cor(x, rating, method = "spearman"), kendall = cor(x, rating, method = "kendall"))
}
# Williams' t as in Steiger (1980), formula 7: second against first, n - 3 degrees of freedom.
r <- cor(second, rating); s <- cor(first, rating); b <- cor(first, second)
determinant <- 1 - r^2 - s^2 - b^2 + 2 * r * s * b
t <- (r - s) * sqrt((n - 1) * (1 + b) / (2 * (n - 1) / (n - 3) * determinant + (r + s)^2 / 4 * (1 - b)^3))
write(toJSON(list(
  R = R.version.string, jsonlite = as.character(packageVersion("jsonlite")),
  rating = rating, first = first, second = second, of_first = of(first), of_second = of(second),
  z = as.numeric(scale(rating)), z_first = as.numeric(scale(first)), z_second = as.numeric(scale(second)),
  williams = list(t = t, df = n - 3, p = 2 * pt(-abs(t), n - 3))
), digits = 12, auto_unbox = TRUE), stdout())
