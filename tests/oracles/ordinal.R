# What does R's `ordinal` make of the same data?  Rscript tests/oracles/ordinal.R > tests/oracles/ordinal.json
#
# Every case holds its data as columns, the formula, and what clmm (clm, clmm2, glmer where said) estimates. Tolerances of
# the optimisers are tightened, because by default clmm may stop at a gradient of 1e-3 or so.
suppressMessages({library(ordinal); library(lme4); library(jsonlite)})
options(digits = 12, warn = -1)
# A loose inner tolerance (gradTol) leaves the modes of the random effects beside the maximum, and the log-likelihood comes
# out up to 4e-6 too high. A tight one makes the finite differences of the Hessian noisy: for the wine data the standard
# error of the first threshold becomes 0.690, while numDeriv on a log-likelihood written out by hand gives 0.68244, as
# clmm does by default. So estimates and likelihoods come from a tight fit and standard errors from one by default.
tight <- clmm.control(method = "nlminb", maxIter = 200, gradTol = 1e-8, rel.tol = 1e-14, x.tol = 1e-10, eval.max = 5000,
                      iter.max = 5000)

draw <- function(eta, thresholds) {
  latent <- eta + rlogis(length(eta))
  as.integer(cut(latent, c(-Inf, thresholds, Inf)))
}
columns <- function(data) lapply(data, function(column) if (is.factor(column)) as.character(column) else column)

components <- function(fit) {
  # VarCorr names components by counting levels and mixes them up when two factors have equally many; all cases here
  # have different numbers of levels.
  lapply(VarCorr(fit), function(v) list(sd = unname(attr(v, "stddev")), names = names(attr(v, "stddev")),
                                        correlation = unname(attr(v, "correlation"))))
}

clmm_case <- function(name, formula, data, link = "logit", threshold = "flexible", note = "") {
  fit <- clmm(formula, data = data, link = link, threshold = threshold, control = tight, Hess = TRUE)
  default <- clmm(formula, data = data, link = link, threshold = threshold, Hess = TRUE)
  errors <- sqrt(diag(vcov(default)))
  keep <- c(names(fit$alpha), names(fit$beta))
  list(name = name, engine = "clmm", formula = gsub("ordered\\((.*?)\\)", "\\1", paste(deparse(formula), collapse = " ")), link = link, threshold = threshold,
       note = note, log_likelihood = as.numeric(logLik(fit)), alpha = as.list(fit$alpha), theta = unname(as.numeric(fit$Theta)),
       beta = as.list(fit$beta), errors = as.list(errors[keep]), components = components(fit),
       gradient = max(abs(fit$gradient)), modes = lapply(ranef(fit), function(r) lapply(r, as.numeric)),
       levels = lapply(ranef(fit), rownames), n = nobs(fit), parameters = attr(logLik(fit), "df"), data = columns(data))
}

set.seed(20260)
cases <- list()
add <- function(case) cases[[length(cases) + 1]] <<- case

wine <- data.frame(rating = as.integer(ordinal::wine$rating), temp = ordinal::wine$temp, contact = ordinal::wine$contact,
                   bottle = paste0("b", ordinal::wine$bottle), judge = paste0("j", ordinal::wine$judge))
add(clmm_case("wine", ordered(rating) ~ temp + contact + (1 | judge), wine))
add(clmm_case("wine, probit", ordered(rating) ~ temp + contact + (1 | judge), wine, link = "probit"))
add(clmm_case("wine, symmetric", ordered(rating) ~ temp + contact + (1 | judge), wine, threshold = "symmetric"))
add(clmm_case("wine, equidistant", ordered(rating) ~ temp + contact + (1 | judge), wine, threshold = "equidistant"))
add(clmm_case("wine, interaction", ordered(rating) ~ temp * contact + (1 | judge), wine))
add(clmm_case("wine, crossed", ordered(rating) ~ temp + contact + (1 | judge) + (1 | bottle), wine,
              note = "the variance of bottles is near zero"))

crossed <- function(raters, items, thresholds, sd_rater = 0.9, sd_item = 0.7, systems = c("corpus", "bert", "rule")) {
  d <- expand.grid(rater = sprintf("r%02d", 1:raters), item = sprintf("i%02d", 1:items), stringsAsFactors = FALSE)
  r <- match(d$rater, unique(d$rater)); i <- match(d$item, unique(d$item))
  d$system <- systems[(r + i) %% length(systems) + 1]
  effect <- c(corpus = 0, bert = -0.2, rule = -0.8)[d$system]
  d$rating <- draw(effect + rnorm(raters, 0, sd_rater)[r] + rnorm(items, 0, sd_item)[i], thresholds)
  d
}
likert <- c(-2.5, -1.6, -0.9, -0.3, 0.6, 1.8)
full <- crossed(40, 36, likert)
add(clmm_case("crossed 40 x 36", ordered(rating) ~ system + (1 | rater) + (1 | item), full))
add(clmm_case("crossed 40 x 36, probit, equidistant", ordered(rating) ~ system + (1 | rater) + (1 | item), full, link = "probit",
              threshold = "equidistant"))

sparse <- crossed(30, 24, likert)
sparse <- sparse[sort(sample(nrow(sparse), round(0.7 * nrow(sparse)))), ]
rownames(sparse) <- NULL
add(clmm_case("unbalanced, 30 % missing", ordered(rating) ~ system + (1 | rater) + (1 | item), sparse))

slopes <- expand.grid(rater = sprintf("r%02d", 1:25), item = sprintf("i%02d", 1:30), stringsAsFactors = FALSE)
slopes$length <- round(runif(30, -1, 1), 3)[match(slopes$item, unique(slopes$item))]
slopes$trial <- round(runif(nrow(slopes), 0, 1), 3)
r <- match(slopes$rater, unique(slopes$rater))
b <- cbind(rnorm(25, 0, 1), rnorm(25, 0, 0.8)); b[, 2] <- 0.5 * b[, 1] + b[, 2]
slopes$rating <- draw(0.7 * slopes$length - 0.5 * slopes$trial + b[r, 1] + b[r, 2] * slopes$length +
                        rnorm(30, 0, 0.5)[match(slopes$item, unique(slopes$item))], c(-1.5, -0.2, 1, 2))
add(clmm_case("random slope", ordered(rating) ~ length + trial + (1 + length | rater) + (1 | item), slopes))
add(clmm_case("uncorrelated random slope", ordered(rating) ~ length + (1 | rater) + (0 + length | rater), slopes))

factor_slopes <- crossed(28, 30, c(-1.5, -0.3, 1), systems = c("corpus", "bert", "rule"))
shift <- matrix(rnorm(28 * 2, 0, 0.8), 28)
r <- match(factor_slopes$rater, unique(factor_slopes$rater)); i <- match(factor_slopes$item, unique(factor_slopes$item))
factor_slopes$rating <- draw(c(corpus = 0, bert = -0.3, rule = -1)[factor_slopes$system] + rnorm(28)[r] + rnorm(30, 0, 0.6)[i] +
    ifelse(factor_slopes$system == "bert", shift[r, 1], ifelse(factor_slopes$system == "rule", shift[r, 2], 0)), c(-1.5, -0.3, 1))
add(clmm_case("random slopes of a factor", ordered(rating) ~ system + (1 + system | rater) + (1 | item), factor_slopes))

nested <- data.frame(school = rep(sprintf("s%02d", 1:12), each = 30), class = rep(rep(c("a", "b", "c"), each = 10), 12))
nested$group <- paste(nested$school, nested$class, sep = ":")
nested$method <- rep(c("new", "old"), 180)
s <- match(nested$school, unique(nested$school)); g <- match(nested$group, unique(nested$group))
nested$rating <- draw(0.6 * (nested$method == "new") + rnorm(12, 0, 0.8)[s] + rnorm(36, 0, 0.6)[g], c(-1, 0, 1, 2))
nested_fit <- clmm_case("nested", ordered(rating) ~ method + (1 | school) + (1 | group), nested)
add(nested_fit)

three <- crossed(20, 18, c(-0.5, 1))
add(clmm_case("three categories", ordered(rating) ~ system + (1 | rater) + (1 | item), three))
eleven <- crossed(24, 20, seq(-3, 3, length.out = 10))
add(clmm_case("eleven categories", ordered(rating) ~ system + (1 | rater) + (1 | item), eleven))
eleven$score <- eleven$rating
add(clmm_case("eleven categories, symmetric", ordered(rating) ~ system + (1 | rater) + (1 | item), eleven[names(eleven) != "score"],
              threshold = "symmetric"))
flat <- crossed(16, 21, c(-1, 0, 1.2), sd_rater = 0)
add(clmm_case("a variance near zero", ordered(rating) ~ system + (1 | rater) + (1 | item), flat, note = "the variance of raters is near zero"))
strong <- crossed(18, 15, likert, sd_rater = 3, sd_item = 2)
add(clmm_case("large variances", ordered(rating) ~ system + (1 | rater) + (1 | item), strong))

# Two categories: clmm wants three, but its Laplace approximation is that of a binomial model, which glmer has.
two <- crossed(30, 20, 0.3)
two$rating <- as.integer(two$rating)
fit <- glmer(I(rating == 2) ~ system + (1 | rater) + (1 | item), two, family = binomial,
             control = glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5), tolPwrss = 1e-12))
add(list(name = "two categories", engine = "glmer", formula = "rating ~ system + (1 | rater) + (1 | item)", link = "logit",
         threshold = "flexible", note = "the threshold is minus the intercept", log_likelihood = as.numeric(logLik(fit)),
         theta = list(-unname(fixef(fit)[1])), beta = as.list(fixef(fit)[-1]),
         errors = as.list(c("1|2" = sqrt(diag(vcov(fit)))[[1]], setNames(sqrt(diag(as.matrix(vcov(fit))))[-1], names(fixef(fit))[-1]))),
         components = list(rater = list(sd = unname(attr(VarCorr(fit)$rater, "stddev"))), item = list(sd = unname(attr(VarCorr(fit)$item, "stddev")))),
         n = nrow(two), data = columns(two)))

# Without random effects, and with thresholds of their own for each level of a factor.
clm_case <- function(name, formula, data, nominal = NULL, by = NULL, link = "logit") {
  fit <- if (is.null(nominal)) clm(formula, data = data, link = link, control = clm.control(gradTol = 1e-10)) else
    clm(formula, nominal = nominal, data = data, link = link, control = clm.control(gradTol = 1e-10))
  theta <- as.data.frame(fit$Theta)
  list(name = name, engine = "clm", formula = gsub("ordered\\((.*?)\\)", "\\1", paste(deparse(formula), collapse = " ")), link = link,
       threshold = "flexible", thresholds_by = by, log_likelihood = as.numeric(logLik(fit)), alpha = as.list(fit$alpha),
       theta = if (is.null(nominal)) unname(as.numeric(fit$Theta)) else setNames(lapply(seq_len(nrow(theta)), function(i) as.numeric(theta[i, -1])), theta[, 1]),
       beta = as.list(fit$beta), errors = as.list(sqrt(diag(vcov(fit)))), n = nobs(fit), data = columns(data))
}
add(clm_case("no random effects", ordered(rating) ~ temp + contact, wine))
halves <- crossed(6, 90, c(-1, 0.2, 1.4), sd_rater = 0, sd_item = 0)
halves$rater <- factor(halves$rater)
add(clm_case("thresholds of each rater", ordered(rating) ~ system, halves, nominal = ~ rater, by = "rater"))

# Thresholds of their own and a random effect: clmm2 has one grouping factor.
mixed <- crossed(5, 60, c(-1, 0.2, 1.4), sd_rater = 0, sd_item = 0.8)
mixed$y <- ordered(mixed$rating); mixed$item_f <- factor(mixed$item)
fit <- clmm2(y ~ system, random = item_f, nominal = ~ rater, data = mixed, Hess = TRUE, nAGQ = 1,
             control = clmm2.control(method = "nlminb", gradTol = 1e-8, rel.tol = 1e-14, iter.max = 2000, eval.max = 4000))
add(list(name = "thresholds of each rater, items random", engine = "clmm2", formula = "rating ~ system + (1 | item)", link = "logit",
         threshold = "flexible", thresholds_by = "rater", log_likelihood = as.numeric(logLik(fit)), beta = as.list(fit$beta),
         components = list(item = list(sd = unname(fit$stDev))), n = nrow(mixed), data = columns(mixed[c("rater", "item", "system", "rating")])))

versions <- list(R = R.version.string, ordinal = as.character(packageVersion("ordinal")), lme4 = as.character(packageVersion("lme4")))
cat(toJSON(list(versions = versions, cases = cases), auto_unbox = TRUE, digits = 12, null = "null", na = "null"))
cat("\n")
