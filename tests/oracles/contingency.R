# What does R say about counts? Rscript tests/oracles/contingency.R > tests/oracles/contingency.json
library(jsonlite)

tables <- list(
  median = matrix(c(408, 476, 220, 96), 2, byrow = TRUE),
  small = matrix(c(8, 2, 1, 5), 2, byrow = TRUE),
  tiny = matrix(c(3, 1, 1, 3), 2, byrow = TRUE),
  zero = matrix(c(7, 0, 3, 4), 2, byrow = TRUE),
  skewed = matrix(c(2, 40, 9, 31), 2, byrow = TRUE),
  even = matrix(c(10, 10, 10, 10), 2, byrow = TRUE),
  three = matrix(c(3, 2, 1, 1, 2, 8), 2, byrow = TRUE),
  four = matrix(c(4, 2, 1, 3, 1, 5, 3, 2, 2, 2, 6, 1), 3, byrow = TRUE),
  long = matrix(c(10, 8, 6, 4, 9, 12, 7, 7, 2, 3, 5, 9), 4, byrow = TRUE),
  wide = matrix(c(300, 20, 31, 280, 40, 22), 2, byrow = TRUE)
)

describe <- function(table) {
  likelihood <- function(x) {
    expected <- outer(rowSums(x), colSums(x)) / sum(x)
    2 * sum(ifelse(x > 0, x * log(x / expected), 0))
  }
  square <- all(dim(table) == 2)
  plain <- suppressWarnings(chisq.test(table, correct = FALSE))
  result <- list(
    counts = table, expected = unname(plain$expected),
    chi = unname(plain$statistic), p = plain$p.value, df = unname(plain$parameter),
    g = likelihood(table), fisher = fisher.test(table, workspace = 2e7)$p.value
  )
  if (square) {
    yates <- suppressWarnings(chisq.test(table))
    result$yates <- list(chi = unname(yates$statistic), p = yates$p.value)
    for (side in c("two.sided", "greater", "less")) {
      exact <- fisher.test(table, alternative = side)
      result[[paste0("fisher_", side)]] <- exact$p.value
    }
    exact <- fisher.test(table, conf.level = 0.9)
    result$odds_ratio <- unname(exact$estimate)
    result$odds_interval_90 <- as.numeric(exact$conf.int)
    corrected <- mcnemar.test(table)
    uncorrected <- mcnemar.test(table, correct = FALSE)
    b <- table[1, 2]; c <- table[2, 1]
    exact <- binom.test(b, b + c)
    result$mcnemar <- list(
      corrected = list(chi = unname(corrected$statistic), p = corrected$p.value),
      uncorrected = list(chi = unname(uncorrected$statistic), p = uncorrected$p.value),
      exact = exact$p.value, exact_greater = binom.test(b, b + c, alternative = "greater")$p.value,
      share = unname(exact$estimate), interval = as.numeric(exact$conf.int)
    )
  }
  result
}

p_values <- c(0.043, 0.0009, 0.0005, 0.0002, 0.012, 0.3, 0.3, 0.049)
adjusted <- list()
for (method in c("bonferroni", "holm", "BH")) {
  adjusted[[method]] <- p.adjust(p_values, method)
  adjusted[[paste0(method, "_of_12")]] <- p.adjust(p_values, method, n = 12)
}

cat(toJSON(
  list(
    versions = list(R = R.version.string, jsonlite = as.character(packageVersion("jsonlite"))),
    tables = lapply(tables, describe),
    families = list(p = p_values, adjusted = adjusted)
  ),
  digits = NA, auto_unbox = TRUE, pretty = TRUE
), "\n")
