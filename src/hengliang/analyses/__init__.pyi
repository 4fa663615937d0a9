from hengliang.analyses.calibration import calibration as calibration
from hengliang.analyses.calibration import reliability as reliability
from hengliang.analyses.classification import Accuracy as Accuracy
from hengliang.analyses.classification import accuracy as accuracy
from hengliang.analyses.classification import accuracy_difference as accuracy_difference
from hengliang.analyses.classification import averaged_ratios as averaged_ratios
from hengliang.analyses.classification import precision_recall as precision_recall
from hengliang.analyses.classification import ties as ties
from hengliang.analyses.comparison import compare_systems as compare_systems
from hengliang.analyses.grouped_models import ModelsBy as ModelsBy
from hengliang.analyses.grouped_models import models_by as models_by
from hengliang.analyses.judge_agreement import judge_agreement as judge_agreement
from hengliang.analyses.learning_curve import learning_curve as learning_curve
from hengliang.analyses.learning_curve import learning_curve_fit as learning_curve_fit
from hengliang.analyses.model_analysis import mixed as mixed
from hengliang.analyses.observations import copies as rating_copies
from hengliang.analyses.observations import observations as observations
from hengliang.analyses.observations import parts_of as parts_of
from hengliang.analyses.observations import shared_ratings as shared_ratings
from hengliang.analyses.observations import unique_ratings as unique_ratings
from hengliang.analyses.observations import with_system_indicators as with_system_indicators
from hengliang.analyses.one_sample import garden_path_effects as garden_path_effects
from hengliang.analyses.one_sample import one_sample as one_sample
from hengliang.analyses.paired_accuracy import paired_accuracy as paired_accuracy
from hengliang.analyses.ratings.battery import Battery as Battery
from hengliang.analyses.ratings.battery import run_battery as run_battery
from hengliang.analyses.ratings.comparisons import unique_ratings as without_copies
from hengliang.analyses.ratings.design import units_of as units_of
from hengliang.analyses.ratings.parts import Questions as RatingQuestions
from hengliang.analyses.ratings.reading import read_ratings_file as read_ratings_file
from hengliang.analyses.ratings.table import Columns as RatingColumns
from hengliang.analyses.ratings.table import ratings_table as ratings_table
from hengliang.analyses.seed_spread import seed_spread as seed_spread
from hengliang.analyses.system_differences import system_difference as system_difference
from hengliang.analyses.system_differences import system_differences as system_differences
from hengliang.analyses.traits import traits as traits

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "RatingColumns",
    "RatingQuestions",
    "rating_copies",
    "without_copies",
]
