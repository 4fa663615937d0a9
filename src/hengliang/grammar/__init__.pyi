from hengliang.analysis.published_accuracy import published_accuracy as published_accuracy
from hengliang.analysis.recorded_accuracy import recorded_outcomes as recorded_outcomes
from hengliang.analysis.recorded_accuracy import recorded_table as recorded_table
from hengliang.analysis.replication.structure_002 import structure_effects as structure_effects
from hengliang.analysis.structure_under_modifiers import structure_under_modifiers as structure_under_modifiers
from hengliang.analysis.suite_accuracy import suite_accuracy as suite_accuracy
from hengliang.analysis.suite_differences import suite_differences as suite_differences
from hengliang.analysis.suite_models import TREE_CONTROLS as TREE_CONTROLS
from hengliang.analysis.suite_models import data_size as data_size
from hengliang.analysis.suite_models import domains as domains
from hengliang.analysis.suite_models import intervening_content as intervening_content
from hengliang.analysis.suite_models import kinds_of_trees as kinds_of_trees
from hengliang.analysis.suite_models import structural_supervision as structural_supervision
from hengliang.analysis.tie_breaking import coin_tosses as coin_tosses
from hengliang.materials.pairs.material import minimal_pairs as minimal_pairs
from hengliang.materials.pairs.pair_set import lint_pairs as lint_pairs
from hengliang.materials.pairs.pair_set import pair_counts as pair_counts
from hengliang.materials.pairs.reading import read_pairs as read_minimal_pairs
from hengliang.materials.suites.formulas import Measured as Measured
from hengliang.materials.suites.formulas import parse_formula as parse_formula
from hengliang.materials.suites.json_format import read_json_suite as read_json_suite
from hengliang.materials.suites.json_format import suite_of_json as suite_of_json
from hengliang.materials.suites.json_format import suite_schema as suite_schema
from hengliang.materials.suites.json_format import write_json_suite as write_json_suite
from hengliang.materials.suites.library import NAME as SUITES
from hengliang.materials.suites.library import suite_items as suite_items
from hengliang.materials.suites.library import suite_of_file as suite_of_file
from hengliang.materials.suites.library import suites as suites
from hengliang.materials.suites.library import written_suites as written_suites
from hengliang.materials.suites.lint import lint as lint_suites
from hengliang.materials.suites.published_layout import NAME as PUBLISHED_SUITES
from hengliang.materials.suites.published_layout import SOURCE as PUBLISHED_SUITES_SOURCE
from hengliang.materials.suites.published_layout import PublishedSuites as PublishedSuites
from hengliang.materials.suites.published_layout import published_suites as published_suites
from hengliang.materials.suites.syntaxgym import read_syntaxgym as read_syntaxgym
from hengliang.materials.suites.syntaxgym import suite_of_syntaxgym as suite_of_syntaxgym
from hengliang.materials.suites.syntaxgym import write_syntaxgym as write_syntaxgym
from hengliang.materials.suites.text_format import parse_suite as parse_suite
from hengliang.materials.transitivity import corpus_transitivity as corpus_transitivity
from hengliang.materials.transitivity import count_uses as count_uses
from hengliang.measures.prediction import Ties as Ties
from hengliang.measures.prediction import prediction as prediction
from hengliang.measures.prediction import surprisal_difference as surprisal_difference
from hengliang.report.suite_item_building import suite_item_view as suite_item_view
from hengliang.report.suite_item_chart import draw_suite_item as draw_suite_item
from hengliang.report.suite_items import Limits as SuiteItemLimits
from hengliang.report.suite_items import SuiteView as SuiteView
from hengliang.report.suite_items import suite_views as suite_views
from hengliang.report.suite_items_html import failing_items_view as failing_items_view
from hengliang.suite_runs import FIGURES as SUITE_FIGURES
from hengliang.suite_runs import suite_study as suite_study
from hengliang.systems.recorded.surprisal_tables import PUBLISHED as PUBLISHED
from hengliang.systems.recorded.surprisal_tables import recorded_study as recorded_study
from hengliang.tree_runs import CLAUSE_LABELS as CLAUSE_LABELS
from hengliang.tree_runs import NEWSPAPER as NEWSPAPER
from hengliang.tree_runs import PLAIN as PLAIN_MODELS
from hengliang.tree_runs import QUICK_NEWSPAPER as QUICK_NEWSPAPER
from hengliang.tree_runs import SMALL_TREEBANK as SMALL_TREEBANK
from hengliang.tree_runs import STRUCTURED as STRUCTURED_MODELS
from hengliang.tree_runs import missing_treebank as missing_treebank
from hengliang.tree_runs import quick_training as quick_training
from hengliang.tree_runs import treebank_study as treebank_study

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "PLAIN_MODELS",
    "PUBLISHED_SUITES",
    "PUBLISHED_SUITES_SOURCE",
    "STRUCTURED_MODELS",
    "SUITES",
    "SUITE_FIGURES",
    "SuiteItemLimits",
    "lint_suites",
    "read_minimal_pairs",
]
