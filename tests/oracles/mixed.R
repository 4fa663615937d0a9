# What do lme4 and lmerTest say about seventeen mixed models? Remake with:
#   Rscript tests/oracles/mixed.R > tests/oracles/mixed.json
# The data are simulated here (or come with lme4) and are written into the JSON, so that the tests need no R.
suppressPackageStartupMessages({library(lme4); library(lmerTest); library(jsonlite)})
options(contrasts = c("contr.treatment", "contr.poly"))
RNGversion("4.0.0")

linear <- function(name, formula, data, reml) {
  control <- lmerControl(optimizer = "nloptwrap", optCtrl = list(xtol_abs = 1e-12, ftol_abs = 1e-12, maxeval = 100000),
                         check.conv.singular = "ignore", check.conv.grad = "ignore", check.conv.hess = "ignore")
  fit <- suppressWarnings(suppressMessages(lmerTest::lmer(as.formula(formula), data, REML = reml, control = control)))
  table <- as.data.frame(coef(summary(fit)))
  list(name = name, family = "gaussian", formula = formula, reml = reml, data = columns(formula, data),
       coefficients = rows(table, c("estimate", "error", "df", "t", "p")), components = variances(fit),
       residual = sigma(fit)^2, log_likelihood = as.numeric(logLik(fit)), parameters = attr(logLik(fit), "df"),
       n = nobs(fit), singular = isSingular(fit), groups = as.list(ngrps(fit)), modes = modes(fit),
       drops = drops(fit, data, function(f, d)
         suppressWarnings(suppressMessages(lme4::lmer(f, d, REML = FALSE, control = control)))))
}

binomial_model <- function(name, formula, data) {
  control <- glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 200000), tolPwrss = 1e-10,
                          check.conv.singular = "ignore", check.conv.grad = "ignore", check.conv.hess = "ignore")
  fit <- suppressWarnings(suppressMessages(glmer(as.formula(formula), data, family = binomial, control = control)))
  table <- as.data.frame(coef(summary(fit)))
  list(name = name, family = "binomial", formula = formula, reml = FALSE, data = columns(formula, data),
       coefficients = rows(table, c("estimate", "error", "z", "p")), components = variances(fit), residual = NULL,
       log_likelihood = as.numeric(logLik(fit)), parameters = attr(logLik(fit), "df"), n = nobs(fit),
       singular = isSingular(fit), groups = as.list(ngrps(fit)), modes = modes(fit),
       drops = drops(fit, data, function(f, d)
         suppressWarnings(suppressMessages(glmer(f, d, family = binomial, control = control)))))
}

# Each fixed term that is part of no interaction, left out in turn; both models by maximum likelihood, on the rows that
# the larger one uses (R alone would take back the rows in which only the term left out is missing).
drops <- function(fit, data, refit) {
  used <- intersect(all.vars(formula(fit)), names(data))
  data <- data[complete.cases(data[used]), ]
  scope <- drop.scope(formula(fit, fixed.only = TRUE))
  full <- refit(formula(fit), data)
  lapply(scope, function(term) {
    smaller <- refit(update(formula(fit), paste(". ~ . -", term)), data)
    statistic <- 2 * as.numeric(logLik(full) - logLik(smaller))
    df <- attr(logLik(full), "df") - attr(logLik(smaller), "df")
    list(term = term, statistic = statistic, df = df, p = pchisq(statistic, df, lower.tail = FALSE))
  })
}

rows <- function(table, names) {
  lapply(seq_len(nrow(table)), function(i)
    c(list(name = rownames(table)[i]), setNames(as.list(unname(unlist(table[i, ]))), names)))
}

variances <- function(fit) {
  held <- VarCorr(fit)
  lapply(names(held), function(group) {
    block <- held[[group]]
    list(group = sub("\\.\\d+$", "", group), names = I(colnames(block)), covariance = unname(as.matrix(block)[, , drop = FALSE]))
  })
}

modes <- function(fit) lapply(ranef(fit, condVar = FALSE), function(table) list(
  levels = I(rownames(table)), names = I(colnames(table)), values = unname(as.matrix(table))))

columns <- function(formula, data) {
  used <- intersect(all.vars(as.formula(formula)), names(data))
  lapply(data[used], function(column) if (is.factor(column)) as.character(column) else column)
}

# Simulated: scores of four systems by raters and sentences, with the effects stated here.
crossed <- function(seed, raters, sentences, deviation = c(rater = 0.6, sentence = 0.8, noise = 1)) {
  set.seed(seed)
  data <- expand.grid(rater = sprintf("r%02d", 1:raters), sentence = sprintf("s%02d", 1:sentences))
  data$system <- factor(c("BERT", "GPT", "human", "rule"))[(as.integer(data$rater) + as.integer(data$sentence)) %% 4 + 1]
  data$modifier <- factor(c("adverbial", "relative"))[(as.integer(data$sentence) + as.integer(data$rater) %/% 4) %% 2 + 1]
  data$length <- (as.integer(data$sentence) * 7) %% 11 + 3
  effect <- c(BERT = 0, GPT = 0.5, human = 1.1, rule = -0.3)
  data$latent <- effect[as.character(data$system)] + 0.4 * (data$modifier == "relative") + 0.05 * data$length +
    rnorm(raters, 0, deviation["rater"])[data$rater] + rnorm(sentences, 0, deviation["sentence"])[data$sentence]
  data$score <- round(data$latent + rnorm(nrow(data), 0, deviation["noise"]), 4)
  data$correct <- rbinom(nrow(data), 1, plogis(data$latent))
  data
}

# Simulated after the design of paper 002: accuracy of models on items that belong to modifiers.
modifiers <- function(seed) {
  set.seed(seed)
  data <- expand.grid(item = sprintf("i%03d", 1:60), model = c("large", "medium", "small"))
  data$modifier <- sprintf("m%02d", (as.integer(data$item) - 1) %% 12 + 1)
  slope <- cbind(rnorm(12, 0, .10), rnorm(12, 0, .06), rnorm(12, 0, .08))
  m <- as.integer(factor(data$modifier)); k <- as.integer(data$model)
  data$accuracy <- round(.7 - .08 * (k == 2) - .15 * (k == 3) + slope[cbind(m, 1)] + ifelse(k == 2, slope[cbind(m, 2)], 0) +
    ifelse(k == 3, slope[cbind(m, 3)], 0) + rnorm(60, 0, .05)[as.integer(data$item)] + rnorm(nrow(data), 0, .08), 4)
  data$success <- rbinom(nrow(data), 1, plogis(3 * (data$accuracy - .5)))
  data
}

schools <- function(seed) {
  set.seed(seed)
  data <- expand.grid(pupil = 1:6, class = c("a", "b", "c"), school = sprintf("k%02d", 1:10))
  data$age <- round(runif(nrow(data), 7, 11), 2)
  group <- interaction(data$school, data$class)
  data$reading <- round(20 + 2 * data$age + rnorm(10, 0, 3)[data$school] + rnorm(30, 0, 2)[group] + rnorm(nrow(data), 0, 4), 3)
  data
}

base <- crossed(1, 24, 20)
holes <- base; set.seed(3); holes$score[sample(nrow(holes), 144)] <- NA; holes$length[sample(nrow(holes), 20)] <- NA
flat <- crossed(5, 12, 10, c(rater = 0, sentence = 0.8, noise = 1))
slopes <- base
set.seed(9)
slopes$score <- round(slopes$score + rnorm(24, 0, 0.4)[slopes$rater] * (slopes$modifier == "relative"), 4)
slopes$correct <- rbinom(nrow(slopes), 1, plogis(slopes$latent + rnorm(24, 0, 1)[slopes$rater] * (slopes$modifier == "relative")))
scale_out <- base; scale_out$time <- round(1e5 + 4e4 * base$score, 1); scale_out$size <- base$length * 1e-3
sleep <- sleepstudy; sleep$Subject <- as.character(sleep$Subject)
Penicillin$plate <- as.character(Penicillin$plate); Penicillin$sample <- as.character(Penicillin$sample)
study <- modifiers(7)

cases <- list(
  linear("sleepstudy slopes", "Reaction ~ Days + (Days | Subject)", sleep, TRUE),
  linear("sleepstudy slopes ML", "Reaction ~ Days + (Days | Subject)", sleep, FALSE),
  linear("sleepstudy uncorrelated", "Reaction ~ Days + (Days || Subject)", sleep, TRUE),
  linear("Penicillin crossed", "diameter ~ 1 + (1 | plate) + (1 | sample)", Penicillin, TRUE),
  linear("nested", "reading ~ age + (1 | school/class)", schools(2), TRUE),
  linear("crossed interaction", "score ~ system * modifier + length + (1 | rater) + (1 | sentence)", base, TRUE),
  linear("unbalanced, 30 % missing", "score ~ system + length + (1 | rater) + (1 | sentence)", holes, TRUE),
  linear("singular", "score ~ system + (1 | rater) + (1 | sentence)", flat, TRUE),
  linear("factor slope", "score ~ system + modifier + (1 + modifier | rater) + (1 | sentence)", slopes, TRUE),
  linear("paper 002 accuracy", "accuracy ~ model + (1 + model | modifier) + (1 | item)", study, TRUE),
  linear("paper 002 accuracy ML", "accuracy ~ model + (1 + model | modifier) + (1 | item)", study, FALSE),
  linear("scales far apart", "time ~ size + system + (1 | rater) + (1 | sentence)", scale_out, TRUE),
  binomial_model("binomial crossed", "correct ~ system + modifier + (1 | rater) + (1 | sentence)", base),
  binomial_model("binomial interaction", "correct ~ system * modifier + (1 | rater) + (1 | sentence)", base),
  binomial_model("binomial slope", "correct ~ system + modifier + (1 + modifier | rater) + (1 | sentence)", slopes),
  binomial_model("binomial nested", "correct ~ system + length + (1 | modifier:rater) + (1 | sentence)", base),
  binomial_model("binomial paper 002", "success ~ model + (1 | modifier) + (1 | item)", study)
)
cat(toJSON(list(software = list(R = R.version.string, lme4 = as.character(packageVersion("lme4")),
                                lmerTest = as.character(packageVersion("lmerTest"))), cases = cases),
           auto_unbox = TRUE, digits = NA, na = "null", null = "null"), "\n")
