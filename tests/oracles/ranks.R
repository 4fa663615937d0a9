# Rank tests as R computes them, for tests/analysis/ranks. Remake: Rscript tests/oracles/ranks.R > tests/oracles/ranks.json
suppressPackageStartupMessages({library(jsonlite); library(coin)})
options(warn = -1)
set.seed(20240501)

sides <- c("two.sided", "greater", "less")
three <- function(run) setNames(lapply(sides, run), c("two-sided", "greater", "less"))
p_of <- function(test) unname(test$p.value)
coin_p <- function(test) as.numeric(pvalue(test))

likert <- function(n, weights) sample(1:7, n, replace = TRUE, prob = weights)

# Pairs: ratings with ties and zeros, and measurements without
pairs_of <- function(x, y) {
  d <- x - y
  list(
    x = x, y = y,
    V = unname(wilcox.test(x, y, paired = TRUE)$statistic),
    default = three(function(s) p_of(wilcox.test(x, y, paired = TRUE, alternative = s))),
    plain = three(function(s) p_of(wilcox.test(x, y, paired = TRUE, alternative = s, exact = FALSE, correct = FALSE))),
    corrected = three(function(s) p_of(wilcox.test(x, y, paired = TRUE, alternative = s, exact = FALSE, correct = TRUE))),
    coin_wilcox = three(function(s) coin_p(wilcoxsign_test(x ~ y, zero.method = "Wilcoxon", alternative = s))),
    coin_pratt = three(function(s) coin_p(wilcoxsign_test(x ~ y, zero.method = "Pratt", alternative = s))),
    coin_pratt_z = as.numeric(statistic(wilcoxsign_test(x ~ y, zero.method = "Pratt"))),
    coin_wilcox_exact = three(function(s)
      coin_p(wilcoxsign_test(x ~ y, zero.method = "Wilcoxon", distribution = "exact", alternative = s))),
    coin_pratt_exact = three(function(s)
      coin_p(wilcoxsign_test(x ~ y, zero.method = "Pratt", distribution = "exact", alternative = s))),
    sign = three(function(s) p_of(binom.test(sum(d > 0), sum(d != 0), alternative = s))),
    share = as.numeric(binom.test(sum(d > 0), sum(d != 0))$conf.int)
  )
}
pairs <- list(
  ratings = pairs_of(likert(40, c(1, 1, 2, 3, 5, 7, 6)), likert(40, c(2, 2, 3, 4, 5, 4, 3))),
  few = pairs_of(c(7, 6, 5, 7, 4, 6, 3, 7, 5), c(5, 6, 3, 4, 4, 5, 4, 2, 5)),
  measured = pairs_of(round(rnorm(12, 0.5), 4), round(rnorm(12), 4)),
  many = pairs_of(likert(300, c(1, 1, 2, 3, 5, 7, 6)), likert(300, c(1, 2, 2, 3, 5, 6, 5)))
)

# Two independent samples
median_of <- function(x, y) {
  grand <- median(c(x, y))
  tables <- list(
    below = rbind(c(sum(x > grand), sum(y > grand)), c(sum(x <= grand), sum(y <= grand))),
    above = rbind(c(sum(x >= grand), sum(y >= grand)), c(sum(x < grand), sum(y < grand))),
    ignore = rbind(c(sum(x > grand), sum(y > grand)), c(sum(x < grand), sum(y < grand)))
  )
  lapply(tables, function(t) list(
    table = t,
    none = list(statistic = unname(chisq.test(t, correct = FALSE)$statistic), p = p_of(chisq.test(t, correct = FALSE))),
    yates = list(statistic = unname(chisq.test(t, correct = TRUE)$statistic), p = p_of(chisq.test(t, correct = TRUE))),
    fisher = three(function(s) p_of(fisher.test(t, alternative = s)))
  ))
}
two_of <- function(x, y, exact = TRUE) {
  value <- c(x, y)
  group <- factor(rep(c("x", "y"), c(length(x), length(y))))
  list(
    x = x, y = y,
    W = unname(wilcox.test(x, y)$statistic),
    default = three(function(s) p_of(wilcox.test(x, y, alternative = s))),
    plain = three(function(s) p_of(wilcox.test(x, y, alternative = s, exact = FALSE, correct = FALSE))),
    corrected = three(function(s) p_of(wilcox.test(x, y, alternative = s, exact = FALSE, correct = TRUE))),
    z = as.numeric(statistic(wilcox_test(value ~ group))),
    coin_exact = if (exact) lapply(list(greater = "greater", less = "less"), function(s)
      coin_p(wilcox_test(value ~ group, distribution = "exact", alternative = s))),
    median = median_of(x, y)
  )
}
counts <- list(random = c(45, 36, 45, 27, 61, 162, 212), infrequent = c(33, 49, 51, 51, 61, 151, 177))
two <- list(
  ratings = two_of(likert(18, c(1, 1, 2, 3, 5, 7, 6)), likert(23, c(3, 3, 4, 4, 4, 3, 2))),
  measured = two_of(round(rnorm(7, 1), 4), round(rnorm(9), 4)),
  unequal = two_of(likert(5, c(1, 1, 1, 1, 2, 4, 6)), likert(31, c(3, 3, 4, 4, 4, 3, 2))),
  paper = two_of(rep(1:7, counts$random), rep(1:7, counts$infrequent), exact = FALSE)
)

# Several groups, and blocks; Dunn and Nemenyi by their formulas, with R's rank, pnorm and ptukey
groups <- list(likert(15, c(1, 1, 2, 3, 5, 7, 6)), likert(20, c(3, 3, 4, 4, 4, 3, 2)), likert(12, rep(1, 7)),
               likert(17, c(6, 5, 4, 3, 2, 1, 1)))
value <- unlist(groups)
label <- rep(seq_along(groups), lengths(groups))
ranked <- rank(value)
ties <- table(value)
n <- length(value)
variance <- n * (n + 1) / 12 - sum(ties^3 - ties) / (12 * (n - 1))
dunn <- combn(length(groups), 2, function(pair) {
  means <- tapply(ranked, label, mean)
  sizes <- lengths(groups)
  unname((means[pair[1]] - means[pair[2]]) / sqrt(variance * sum(1 / sizes[pair])))
})
blocks <- cbind(likert(14, c(1, 1, 2, 3, 5, 7, 6)), likert(14, c(3, 3, 4, 4, 4, 3, 2)), likert(14, rep(1, 7)),
                likert(14, c(6, 5, 4, 3, 2, 1, 1)))
within <- t(apply(blocks, 1, rank))
nemenyi <- combn(4, 2, function(pair) {
  q <- abs(diff(colMeans(within)[pair])) / sqrt(4 * 5 / (12 * 14))
  ptukey(q, 4, Inf, lower.tail = FALSE)
})
wilcoxons <- combn(4, 2, function(pair)
  p_of(wilcox.test(blocks[, pair[1]], blocks[, pair[2]], paired = TRUE, exact = FALSE, correct = FALSE)))
kruskal <- kruskal.test(groups)
friedman <- friedman.test(blocks)
several <- list(
  groups = groups,
  H = unname(kruskal$statistic), p = kruskal$p.value,
  coin_median = list(
    below = coin_p(median_test(value ~ factor(label), mid.score = "0")),
    above = coin_p(median_test(value ~ factor(label), mid.score = "1"))
  ),
  median_table = sapply(groups, function(g) c(sum(g > median(value)), sum(g <= median(value)))),
  median_chi = unname(chisq.test(sapply(groups, function(g) c(sum(g > median(value)), sum(g <= median(value)))))$statistic),
  dunn_z = dunn, dunn_p = 2 * pnorm(-abs(dunn)),
  dunn_holm = p.adjust(2 * pnorm(-abs(dunn)), "holm"),
  dunn_bonferroni = p.adjust(2 * pnorm(-abs(dunn)), "bonferroni")
)
in_blocks <- list(
  blocks = t(blocks),
  chi = unname(friedman$statistic), p = friedman$p.value,
  nemenyi = nemenyi, wilcoxon = wilcoxons, holm = p.adjust(wilcoxons, "holm")
)

cat(toJSON(list(
  R = R.version.string, coin = as.character(packageVersion("coin")), jsonlite = as.character(packageVersion("jsonlite")),
  pairs = pairs, counts = counts, two = two, several = several, blocks = in_blocks
), digits = NA, auto_unbox = TRUE, pretty = TRUE), "\n")
