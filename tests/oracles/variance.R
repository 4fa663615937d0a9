# What does R say about means and variances? Rscript tests/oracles/variance.R > tests/oracles/variance.json
suppressPackageStartupMessages({library(jsonlite); library(car)})

# Tables 4 and 5 of paper 001 (a scene's summed standard deviations by domain size), and two made-up data sets.
sets <- list(
  table_4 = list(
    `4` = c(rep(0, 8), 1), `9` = c(1, 0, 1.915, 0, 0, 2, 2.582, 2.309, 1, 0, 1, 0),
    `20` = c(6.532, 3, 4.435, 2, 2.915, 2, 9.229, 4.817, 8.639)
  ),
  table_5 = list(
    `6` = c(1.414, 0, 0, 0, 0, 1.414, rep(0, 6)), `10` = c(0, 0, 0, 0, 2.828, 0, 1.414, rep(0, 5)),
    `16` = c(0, 0, 0, 2.828, 2.828, 2.828, 1.414, 2.828, 1.414, 4.243, 1.414, 1.414)
  ),
  four = list(
    a = c(5.1, 4.8, 6.2, 5.5, 5.9), b = c(6.1, 7.3, 6.8, 5.9, 7.7, 6.6), c = c(4.2, 5.0, 3.9), d = c(9.1, 4.4, 7.2, 8.8, 2.1, 6.0, 7.7)
  ),
  two = list(a = c(3, 5, 4, 6, 7, 4), b = c(5, 6, 9, 8, 7, 9))
)

games_howell <- function(x) {
  pairs <- combn(length(x), 2)
  apply(pairs, 2, function(ij) {
    a <- x[[ij[1]]]; b <- x[[ij[2]]]
    va <- var(a) / length(a); vb <- var(b) / length(b)
    df <- (va + vb)^2 / (va^2 / (length(a) - 1) + vb^2 / (length(b) - 1))
    q <- abs(mean(a) - mean(b)) / sqrt((va + vb) / 2)
    c(q = q, df = df, p = ptukey(q, length(x), df, lower.tail = FALSE), half = qtukey(0.95, length(x), df) * sqrt((va + vb) / 2))
  })
}

describe <- function(x) {
  long <- stack(x)
  long$ind <- factor(long$ind, levels = names(x))
  model <- aov(values ~ ind, data = long)
  table <- summary(model)[[1]]
  welch <- oneway.test(values ~ ind, data = long)
  tukey <- TukeyHSD(model)$ind
  howell <- games_howell(x)
  levene <- function(...) { found <- leveneTest(long$values, long$ind, ...); list(f = found[1, 2], p = found[1, 3]) }
  list(
    data = x,
    anova = list(f = table[1, 4], p = table[1, 5], df = table[, 1]),
    welch = list(f = unname(welch$statistic), p = welch$p.value, df = unname(welch$parameter)),
    tukey = list(difference = -unname(tukey[, "diff"]), low = -unname(tukey[, "upr"]), high = -unname(tukey[, "lwr"]),
                 p = unname(tukey[, "p adj"])),
    games_howell = list(q = howell["q", ], df = howell["df", ], p = howell["p", ], half = howell["half", ]),
    levene = list(mean = levene(center = mean), median = levene(center = median), trimmed = levene(center = mean, trim = 0.1))
  )
}

t_of <- function(...) {
  sides <- list()
  for (side in c("two.sided", "greater", "less")) {
    found <- t.test(..., alternative = side)
    sides[[side]] <- found$p.value
  }
  found <- t.test(..., conf.level = 0.9)
  list(t = unname(found$statistic), df = unname(found$parameter), p = sides, interval_90 = as.numeric(found$conf.int))
}
tails <- expand.grid(q = c(0.5, 2, 3.5, 5, 8), groups = c(2, 3, 5, 10), df = c(2, 5, 27, 120))
tails$p <- ptukey(tails$q, tails$groups, tails$df, lower.tail = FALSE)
tails$critical <- qtukey(0.95, tails$groups, tails$df)

cat(toJSON(
  list(
    versions = list(R = R.version.string, car = as.character(packageVersion("car")), jsonlite = as.character(packageVersion("jsonlite"))),
    sets = lapply(sets, describe),
    t = list(
      unequal = t_of(sets$two$a, sets$two$b), equal = t_of(sets$two$a, sets$two$b, var.equal = TRUE),
      paired = t_of(sets$two$a, sets$two$b, paired = TRUE)
    ),
    studentized_range = tails
  ),
  digits = NA, auto_unbox = TRUE, pretty = TRUE
), "\n")
