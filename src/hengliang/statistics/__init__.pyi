from hengliang.analyses.judge_levels import judge_agreement as agreement_of_judges
from hengliang.statistics.area_under_curve import area_difference as area_difference
from hengliang.statistics.area_under_curve import area_under_curve as area_under_curve
from hengliang.statistics.area_under_curve import discriminate as discriminate
from hengliang.statistics.area_under_curve import own_pairs as own_pairs
from hengliang.statistics.area_under_curve import weighted_area as weighted_area
from hengliang.statistics.contingency.cutoffs import scan_cutoff_counts as scan_cutoff_counts
from hengliang.statistics.contingency.exact import fisher_exact as fisher_exact
from hengliang.statistics.contingency.exact import freeman_halton as freeman_halton
from hengliang.statistics.contingency.mcnemar import mcnemar as mcnemar
from hengliang.statistics.contingency.mcnemar import mcnemar_pairs as mcnemar_pairs
from hengliang.statistics.contingency.tables import CONVENTIONS as CHI_SQUARED_CONVENTIONS
from hengliang.statistics.contingency.tables import CountTable as CountTable
from hengliang.statistics.contingency.tables import chi_squared as chi_squared
from hengliang.statistics.contingency.tables import g_test as g_test
from hengliang.statistics.conventions import multiverse as multiverse
from hengliang.statistics.conventions import with_sensitivity as with_sensitivity
from hengliang.statistics.correlation.coefficients import kendall as kendall
from hengliang.statistics.correlation.coefficients import pearson as pearson
from hengliang.statistics.correlation.coefficients import spearman as spearman
from hengliang.statistics.correlation.dependent import dependent_correlations as dependent_correlations
from hengliang.statistics.correlation.regression import linear_regression as linear_regression
from hengliang.statistics.effect_sizes import cliffs_delta as cliffs_delta
from hengliang.statistics.effect_sizes import cohens_d as cohens_d
from hengliang.statistics.effect_sizes import matched_rank_biserial as matched_rank_biserial
from hengliang.statistics.effect_sizes import phi as phi
from hengliang.statistics.effect_sizes import r_from_z as r_from_z
from hengliang.statistics.equivalence import Equivalence as Equivalence
from hengliang.statistics.equivalence import against_margin as against_margin
from hengliang.statistics.equivalence import tost_paired_means as tost_paired_means
from hengliang.statistics.equivalence import tost_proportions as tost_proportions
from hengliang.statistics.equivalence import tost_signed_ranks as tost_signed_ranks
from hengliang.statistics.equivalence import tost_superiority as tost_superiority
from hengliang.statistics.inter_rater.intraclass import intraclass_correlation as intraclass_correlation
from hengliang.statistics.inter_rater.kappa import cohen_kappa as cohen_kappa
from hengliang.statistics.inter_rater.kappa import fleiss_kappa as fleiss_kappa
from hengliang.statistics.inter_rater.krippendorff import krippendorff_alpha as krippendorff_alpha
from hengliang.statistics.inter_rater.noise_ceiling import noise_ceiling as noise_ceiling
from hengliang.statistics.inter_rater.raters import Thresholds as RaterThresholds
from hengliang.statistics.inter_rater.raters import diagnose_raters as diagnose_raters
from hengliang.statistics.inter_rater.raters_worth import raters_worth as raters_worth
from hengliang.statistics.inter_rater.raters_worth import reliability_by as reliability_by
from hengliang.statistics.inter_rater.raters_worth import reliability_of_means as reliability_of_means
from hengliang.statistics.inter_rater.score_tables import ScoreTable as ScoreTable
from hengliang.statistics.location_tests import location_test as location_test
from hengliang.statistics.location_tests import one_sample_t_test as one_sample_t_test
from hengliang.statistics.models.comparison import drop_terms as drop_terms
from hengliang.statistics.models.design import Design as ModelDesign
from hengliang.statistics.models.design import design as model_design
from hengliang.statistics.models.formula import parse as parse_model_formula
from hengliang.statistics.models.mixed import fit_mixed as fit_mixed
from hengliang.statistics.models.ordinal.fit import OrdinalFit as OrdinalFit
from hengliang.statistics.models.ordinal.fitting import fit_ordinal as fit_ordinal
from hengliang.statistics.models.ordinal.profiles import drop_ordinal_terms as drop_ordinal_terms
from hengliang.statistics.models.ordinal.profiles import profile_interval as profile_interval
from hengliang.statistics.models.ordinal.profiles import proportional_odds as proportional_odds
from hengliang.statistics.models.ordinal.profiles import with_profile_intervals as with_profile_intervals
from hengliang.statistics.models.results import Coefficient as Coefficient
from hengliang.statistics.models.results import ModelFit as ModelFit
from hengliang.statistics.models.results import VarianceComponent as VarianceComponent
from hengliang.statistics.multiple_testing import adjust as adjust
from hengliang.statistics.multiple_testing import family as family
from hengliang.statistics.permutation import label_permutation as label_permutation
from hengliang.statistics.permutation import paired_permutation as paired_permutation
from hengliang.statistics.power.estimation import PowerResult as PowerResult
from hengliang.statistics.power.estimation import estimate_power as estimate_power
from hengliang.statistics.power.plan import TEMPLATE as PLAN_TEMPLATE
from hengliang.statistics.power.plan import PlannedExperiment as PlannedExperiment
from hengliang.statistics.power.plan import read_plan as read_plan
from hengliang.statistics.power.plan import simulate_ratings as simulate_ratings
from hengliang.statistics.power.plan import thresholds_for as thresholds_for
from hengliang.statistics.ranks.brunner_munzel import brunner_munzel_test as brunner_munzel_test
from hengliang.statistics.ranks.friedman import friedman_pairs as friedman_pairs
from hengliang.statistics.ranks.friedman import friedman_test as friedman_test
from hengliang.statistics.ranks.kruskal_wallis import dunn_tests as dunn_tests
from hengliang.statistics.ranks.kruskal_wallis import kruskal_wallis_test as kruskal_wallis_test
from hengliang.statistics.ranks.mann_whitney import mann_whitney_test as mann_whitney_test
from hengliang.statistics.ranks.median import median_test as median_test
from hengliang.statistics.ranks.samples import expand_counts as expand_counts
from hengliang.statistics.ranks.sign import sign_test as sign_test
from hengliang.statistics.ranks.wilcoxon import CONVENTIONS as SIGNED_RANK_CONVENTIONS
from hengliang.statistics.ranks.wilcoxon import signed_rank_test as signed_rank_test
from hengliang.statistics.resampling import Floats as Floats
from hengliang.statistics.resampling import IntervalKind as IntervalKind
from hengliang.statistics.resampling import Resampling as Resampling
from hengliang.statistics.resampling import Way as ResamplingWay
from hengliang.statistics.resampling import bootstrap as bootstrap
from hengliang.statistics.resampling import cluster_codes as cluster_codes
from hengliang.statistics.resampling import cluster_counts as cluster_counts
from hengliang.statistics.resampling import crossed_bootstrap as crossed_bootstrap
from hengliang.statistics.resampling import describe_crossed as describe_crossed
from hengliang.statistics.resampling import describe_interval as describe_interval
from hengliang.statistics.resampling import row_weights as row_weights
from hengliang.statistics.resampling import two_way_variance as two_way_variance
from hengliang.statistics.resampling import ways_of as ways_of
from hengliang.statistics.results import Effect as Effect
from hengliang.statistics.results import TestResult as TestResult
from hengliang.statistics.results import Variant as Variant
from hengliang.statistics.results import p_remark as p_remark
from hengliang.statistics.results import write_df as write_df
from hengliang.statistics.results import write_p as write_p
from hengliang.statistics.results import write_statistic as write_statistic
from hengliang.statistics.variance.anova import Summary as GroupSummary
from hengliang.statistics.variance.anova import one_way_anova as one_way_anova
from hengliang.statistics.variance.levene import levene_test as levene_test
from hengliang.statistics.variance.t_tests import paired_t_test as paired_t_test
from hengliang.statistics.variance.t_tests import t_test as t_test
from hengliang.statistics.variance.tukey import games_howell as games_howell
from hengliang.statistics.variance.tukey import tukey_hsd as tukey_hsd

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "CHI_SQUARED_CONVENTIONS",
    "PLAN_TEMPLATE",
    "SIGNED_RANK_CONVENTIONS",
    "GroupSummary",
    "ModelDesign",
    "RaterThresholds",
    "ResamplingWay",
    "agreement_of_judges",
    "model_design",
    "parse_model_formula",
]
