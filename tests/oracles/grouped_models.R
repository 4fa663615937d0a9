# What do lme4 and lmerTest say about the same model in two groups? Remake with:
#   Rscript tests/oracles/grouped_models.R > tests/oracles/grouped_models.json
# The data are simulated here and are written into the JSON, so that the tests need no R.
suppressPackageStartupMessages({library(lme4); library(lmerTest); library(jsonlite)})
options(contrasts = c("contr.treatment", "contr.poly"))
RNGversion("4.0.0")
set.seed(11)

modifiers <- c("none", "adjective", "relative")
data <- expand.grid(modifier = modifiers, frame = 1:16, seed = 1:3, model = c("LSTM", "RNNG"),
                    class = c("object", "subject"), stringsAsFactors = FALSE)
data <- data[!(data$model == "RNNG" & data$seed == 3), ]   # two trainings only, as in the paper
data$structured <- data$model == "RNNG"
data$frame <- sprintf("%s %02d", data$class, data$frame)
of_frame <- setNames(rnorm(32, 0, 1), unique(data$frame))
of_training <- setNames(rnorm(6, 0, 0.5), c(outer(c("LSTM", "RNNG"), 1:3, paste)))
cost <- c(none = 0, adjective = -0.4, relative = -1)
log_odds <- 0.8 + ifelse(data$class == "object", 0.9, -0.3) * data$structured + cost[data$modifier] +
  of_frame[data$frame] + of_training[paste(data$model, data$seed)]
data$success <- as.integer(runif(nrow(data)) < plogis(log_odds))

# With lme4's own tolerance (tolPwrss = 1e-7, and still with 1e-10) the standard errors below are off by 0.5 %.
control <- glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 200000), tolPwrss = 1e-13,
                        check.conv.singular = "ignore", check.conv.grad = "ignore", check.conv.hess = "ignore")
linear_control <- lmerControl(optimizer = "nloptwrap",
                              optCtrl = list(xtol_abs = 1e-12, ftol_abs = 1e-12, maxeval = 100000),
                              check.conv.singular = "ignore", check.conv.grad = "ignore", check.conv.hess = "ignore")

rows <- function(fit) {
  table <- as.data.frame(coef(summary(fit)))
  names <- if (ncol(table) == 5) c("estimate", "error", "df", "statistic", "p") else c("estimate", "error", "statistic", "p")
  lapply(seq_len(nrow(table)), function(i)
    c(list(name = rownames(table)[i]), setNames(as.list(unname(unlist(table[i, ]))), names)))
}

# The reference of the modifier is none; in sum coding the last level has -1 in every column.
fits <- lapply(c("object", "subject"), function(class) {
  own <- data[data$class == class, ]
  own$modifier <- factor(own$modifier, levels = c("none", "adjective", "relative"))
  crossed <- glmer(success ~ structured + (1 | frame) + (1 | modifier) + (1 | seed), own, binomial, control)
  own$modifier <- factor(own$modifier, levels = c("adjective", "relative", "none"))
  contrasts(own$modifier) <- contr.sum(3)
  nested <- glmer(success ~ structured * modifier + (1 | frame) + (1 | model:seed), own, binomial, control)
  contrasts(own$modifier) <- contr.treatment(3, base = 3)
  linear <- lmerTest::lmer(success ~ modifier + (1 | frame) + (1 | model:seed), own, control = linear_control)
  list(class = class, n = nrow(own), crossed = rows(crossed), nested = rows(nested), linear = rows(linear))
})

cat(toJSON(list(
  versions = list(R = R.version.string, lme4 = as.character(packageVersion("lme4")),
                  lmerTest = as.character(packageVersion("lmerTest"))),
  data = as.list(data[c("class", "modifier", "frame", "model", "seed", "structured", "success")]),
  fits = fits), auto_unbox = TRUE, digits = NA))
cat("\n")
