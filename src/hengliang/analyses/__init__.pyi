from hengliang.analysis.calibration import calibration as calibration
from hengliang.analysis.calibration import reliability as reliability
from hengliang.analysis.classification import Accuracy as Accuracy
from hengliang.analysis.classification import accuracy as accuracy
from hengliang.analysis.classification import accuracy_difference as accuracy_difference
from hengliang.analysis.classification import averaged_ratios as averaged_ratios
from hengliang.analysis.classification import precision_recall as precision_recall
from hengliang.analysis.comparison import compare_systems as compare_systems
from hengliang.analysis.grouped_models import ModelsBy as ModelsBy
from hengliang.analysis.grouped_models import models_by as models_by
from hengliang.analysis.judge_agreement import judge_agreement as judge_agreement
from hengliang.analysis.learning_curve import learning_curve as learning_curve
from hengliang.analysis.learning_curve import learning_curve_fit as learning_curve_fit
from hengliang.analysis.model_analysis import mixed as mixed
from hengliang.analysis.observations import observations as observations
from hengliang.analysis.observations import parts_of as parts_of
from hengliang.analysis.one_sample import garden_path_effects as garden_path_effects
from hengliang.analysis.one_sample import one_sample as one_sample
from hengliang.analysis.paired_accuracy import paired_accuracy as paired_accuracy
from hengliang.analysis.ratings.battery import Battery as Battery
from hengliang.analysis.ratings.battery import run_battery as run_battery
from hengliang.analysis.ratings.copies import unique_ratings as without_copies
from hengliang.analysis.ratings.design import units_of as units_of
from hengliang.analysis.ratings.parts import Questions as RatingQuestions
from hengliang.analysis.ratings.reading import read_ratings_file as read_ratings_file
from hengliang.analysis.ratings.table import Columns as RatingColumns
from hengliang.analysis.ratings.table import ratings_table as ratings_table
from hengliang.analysis.seed_spread import seed_spread as seed_spread
from hengliang.analysis.shared_ratings import copies as rating_copies
from hengliang.analysis.shared_ratings import shared_ratings as shared_ratings
from hengliang.analysis.shared_ratings import unique_ratings as unique_ratings
from hengliang.analysis.shared_ratings import with_system_indicators as with_system_indicators
from hengliang.analysis.system_differences import system_difference as system_difference
from hengliang.analysis.system_differences import system_differences as system_differences
from hengliang.analysis.ties import ties as ties
from hengliang.analysis.traits import traits as traits

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "RatingColumns",
    "RatingQuestions",
    "rating_copies",
    "without_copies",
]
