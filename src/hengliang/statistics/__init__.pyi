from hengliang.analysis.agreement.intraclass import intraclass_correlation as intraclass_correlation
from hengliang.analysis.agreement.judges import judge_agreement as agreement_of_judges
from hengliang.analysis.agreement.kappa import cohen_kappa as cohen_kappa
from hengliang.analysis.agreement.kappa import fleiss_kappa as fleiss_kappa
from hengliang.analysis.agreement.krippendorff import krippendorff_alpha as krippendorff_alpha
from hengliang.analysis.agreement.noise_ceiling import noise_ceiling as noise_ceiling
from hengliang.analysis.agreement.raters import Thresholds as RaterThresholds
from hengliang.analysis.agreement.raters import diagnose_raters as diagnose_raters
from hengliang.analysis.agreement.raters_worth import raters_worth as raters_worth
from hengliang.analysis.agreement.reliability_of_means import reliability_by as reliability_by
from hengliang.analysis.agreement.reliability_of_means import reliability_of_means as reliability_of_means
from hengliang.analysis.agreement.score_tables import ScoreTable as ScoreTable
from hengliang.analysis.area_under_curve import area_difference as area_difference
from hengliang.analysis.area_under_curve import area_under_curve as area_under_curve
from hengliang.analysis.area_under_curve import discriminate as discriminate
from hengliang.analysis.area_under_curve import own_pairs as own_pairs
from hengliang.analysis.area_under_curve import weighted_area as weighted_area
from hengliang.analysis.contingency.chi_squared import CONVENTIONS as CHI_SQUARED_CONVENTIONS
from hengliang.analysis.contingency.chi_squared import chi_squared as chi_squared
from hengliang.analysis.contingency.chi_squared import g_test as g_test
from hengliang.analysis.contingency.cutoffs import scan_cutoff_counts as scan_cutoff_counts
from hengliang.analysis.contingency.exact import fisher_exact as fisher_exact
from hengliang.analysis.contingency.exact import freeman_halton as freeman_halton
from hengliang.analysis.contingency.mcnemar import mcnemar as mcnemar
from hengliang.analysis.contingency.mcnemar import mcnemar_pairs as mcnemar_pairs
from hengliang.analysis.contingency.tables import CountTable as CountTable
from hengliang.analysis.correlation.coefficients import kendall as kendall
from hengliang.analysis.correlation.coefficients import pearson as pearson
from hengliang.analysis.correlation.coefficients import spearman as spearman
from hengliang.analysis.correlation.dependent import dependent_correlations as dependent_correlations
from hengliang.analysis.correlation.regression import linear_regression as linear_regression
from hengliang.analysis.crossed_resampling import Way as ResamplingWay
from hengliang.analysis.crossed_resampling import crossed_bootstrap as crossed_bootstrap
from hengliang.analysis.crossed_resampling import describe_crossed as describe_crossed
from hengliang.analysis.crossed_resampling import row_weights as row_weights
from hengliang.analysis.crossed_resampling import two_way_variance as two_way_variance
from hengliang.analysis.crossed_resampling import ways_of as ways_of
from hengliang.analysis.effect_sizes import cliffs_delta as cliffs_delta
from hengliang.analysis.effect_sizes import cohens_d as cohens_d
from hengliang.analysis.effect_sizes import matched_rank_biserial as matched_rank_biserial
from hengliang.analysis.effect_sizes import phi as phi
from hengliang.analysis.effect_sizes import r_from_z as r_from_z
from hengliang.analysis.equivalence import tost_paired_means as tost_paired_means
from hengliang.analysis.equivalence import tost_proportions as tost_proportions
from hengliang.analysis.equivalence import tost_signed_ranks as tost_signed_ranks
from hengliang.analysis.equivalence import tost_superiority as tost_superiority
from hengliang.analysis.families import adjust as adjust
from hengliang.analysis.families import family as family
from hengliang.analysis.location_tests import location_test as location_test
from hengliang.analysis.location_tests import one_sample_t_test as one_sample_t_test
from hengliang.analysis.margins import Equivalence as Equivalence
from hengliang.analysis.margins import against_margin as against_margin
from hengliang.analysis.models.design import Design as ModelDesign
from hengliang.analysis.models.dropping import drop_terms as drop_terms
from hengliang.analysis.models.formulas import design as model_design
from hengliang.analysis.models.mixed import fit_mixed as fit_mixed
from hengliang.analysis.models.ordinal.dropping import drop_ordinal_terms as drop_ordinal_terms
from hengliang.analysis.models.ordinal.fit import OrdinalFit as OrdinalFit
from hengliang.analysis.models.ordinal.fitting import fit_ordinal as fit_ordinal
from hengliang.analysis.models.ordinal.profiles import profile_interval as profile_interval
from hengliang.analysis.models.ordinal.profiles import with_profile_intervals as with_profile_intervals
from hengliang.analysis.models.ordinal.proportional_odds import proportional_odds as proportional_odds
from hengliang.analysis.models.results import Coefficient as Coefficient
from hengliang.analysis.models.results import ModelFit as ModelFit
from hengliang.analysis.models.results import VarianceComponent as VarianceComponent
from hengliang.analysis.models.syntax import parse as parse_model_formula
from hengliang.analysis.multiverse import multiverse as multiverse
from hengliang.analysis.multiverse import with_sensitivity as with_sensitivity
from hengliang.analysis.permutation import label_permutation as label_permutation
from hengliang.analysis.permutation import paired_permutation as paired_permutation
from hengliang.analysis.power.estimation import PowerResult as PowerResult
from hengliang.analysis.power.estimation import estimate_power as estimate_power
from hengliang.analysis.power.plan import TEMPLATE as PLAN_TEMPLATE
from hengliang.analysis.power.plan import PlannedExperiment as PlannedExperiment
from hengliang.analysis.power.plan import read_plan as read_plan
from hengliang.analysis.power.simulation import simulate_ratings as simulate_ratings
from hengliang.analysis.power.simulation import thresholds_for as thresholds_for
from hengliang.analysis.ranks.brunner_munzel import brunner_munzel_test as brunner_munzel_test
from hengliang.analysis.ranks.dunn import dunn_tests as dunn_tests
from hengliang.analysis.ranks.friedman import friedman_pairs as friedman_pairs
from hengliang.analysis.ranks.friedman import friedman_test as friedman_test
from hengliang.analysis.ranks.kruskal_wallis import kruskal_wallis_test as kruskal_wallis_test
from hengliang.analysis.ranks.mann_whitney import mann_whitney_test as mann_whitney_test
from hengliang.analysis.ranks.median import median_test as median_test
from hengliang.analysis.ranks.samples import expand_counts as expand_counts
from hengliang.analysis.ranks.sign import sign_test as sign_test
from hengliang.analysis.ranks.signed_ranks import CONVENTIONS as SIGNED_RANK_CONVENTIONS
from hengliang.analysis.ranks.signed_ranks import signed_rank_test as signed_rank_test
from hengliang.analysis.resampling import Floats as Floats
from hengliang.analysis.resampling import IntervalKind as IntervalKind
from hengliang.analysis.resampling import Resampling as Resampling
from hengliang.analysis.resampling import bootstrap as bootstrap
from hengliang.analysis.resampling import cluster_codes as cluster_codes
from hengliang.analysis.resampling import cluster_counts as cluster_counts
from hengliang.analysis.resampling import describe_interval as describe_interval
from hengliang.analysis.results import Effect as Effect
from hengliang.analysis.results import TestResult as TestResult
from hengliang.analysis.results import Variant as Variant
from hengliang.analysis.variance.anova import one_way_anova as one_way_anova
from hengliang.analysis.variance.levene import levene_test as levene_test
from hengliang.analysis.variance.moments import Summary as GroupSummary
from hengliang.analysis.variance.t_tests import paired_t_test as paired_t_test
from hengliang.analysis.variance.t_tests import t_test as t_test
from hengliang.analysis.variance.tukey import games_howell as games_howell
from hengliang.analysis.variance.tukey import tukey_hsd as tukey_hsd
from hengliang.analysis.wording import p_remark as p_remark
from hengliang.analysis.wording import write_df as write_df
from hengliang.analysis.wording import write_p as write_p
from hengliang.analysis.wording import write_statistic as write_statistic

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
