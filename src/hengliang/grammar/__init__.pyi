from hengliang.grammar.accuracy import coin_tosses as coin_tosses
from hengliang.grammar.accuracy import suite_accuracy as suite_accuracy
from hengliang.grammar.differences import suite_differences as suite_differences
from hengliang.grammar.models import TREE_CONTROLS as TREE_CONTROLS
from hengliang.grammar.models import data_size as data_size
from hengliang.grammar.models import domains as domains
from hengliang.grammar.models import intervening_content as intervening_content
from hengliang.grammar.models import kinds_of_trees as kinds_of_trees
from hengliang.grammar.models import structural_supervision as structural_supervision
from hengliang.grammar.pairs.material import minimal_pairs as minimal_pairs
from hengliang.grammar.pairs.pair_set import lint_pairs as lint_pairs
from hengliang.grammar.pairs.pair_set import pair_counts as pair_counts
from hengliang.grammar.pairs.reading import read_pairs as read_minimal_pairs
from hengliang.grammar.paper_analysis import structure_effects as structure_effects
from hengliang.grammar.prediction import Ties as Ties
from hengliang.grammar.prediction import prediction as prediction
from hengliang.grammar.prediction import surprisal_difference as surprisal_difference
from hengliang.grammar.published import published_accuracy as published_accuracy
from hengliang.grammar.recorded import recorded_outcomes as recorded_outcomes
from hengliang.grammar.recorded import recorded_table as recorded_table
from hengliang.grammar.recorded_surprisals import PUBLISHED as PUBLISHED
from hengliang.grammar.recorded_surprisals import recorded_study as recorded_study
from hengliang.grammar.runs import CLAUSE_LABELS as CLAUSE_LABELS
from hengliang.grammar.runs import FIGURES as SUITE_FIGURES
from hengliang.grammar.runs import NEWSPAPER as NEWSPAPER
from hengliang.grammar.runs import PLAIN as PLAIN_MODELS
from hengliang.grammar.runs import QUICK_NEWSPAPER as QUICK_NEWSPAPER
from hengliang.grammar.runs import SMALL_TREEBANK as SMALL_TREEBANK
from hengliang.grammar.runs import STRUCTURED as STRUCTURED_MODELS
from hengliang.grammar.runs import missing_treebank as missing_treebank
from hengliang.grammar.runs import quick_training as quick_training
from hengliang.grammar.runs import suite_study as suite_study
from hengliang.grammar.runs import treebank_study as treebank_study
from hengliang.grammar.structure import structure_under_modifiers as structure_under_modifiers
from hengliang.grammar.suites.formulas import Measured as Measured
from hengliang.grammar.suites.formulas import parse_formula as parse_formula
from hengliang.grammar.suites.json_format import read_json_suite as read_json_suite
from hengliang.grammar.suites.json_format import suite_of_json as suite_of_json
from hengliang.grammar.suites.json_format import suite_schema as suite_schema
from hengliang.grammar.suites.json_format import write_json_suite as write_json_suite
from hengliang.grammar.suites.library import NAME as SUITES
from hengliang.grammar.suites.library import suite_items as suite_items
from hengliang.grammar.suites.library import suite_of_file as suite_of_file
from hengliang.grammar.suites.library import suites as suites
from hengliang.grammar.suites.library import written_suites as written_suites
from hengliang.grammar.suites.lint import lint as lint_suites
from hengliang.grammar.suites.published import NAME as PUBLISHED_SUITES
from hengliang.grammar.suites.published import SOURCE as PUBLISHED_SUITES_SOURCE
from hengliang.grammar.suites.published import PublishedSuites as PublishedSuites
from hengliang.grammar.suites.published import published_suites as published_suites
from hengliang.grammar.suites.syntaxgym import read_syntaxgym as read_syntaxgym
from hengliang.grammar.suites.syntaxgym import suite_of_syntaxgym as suite_of_syntaxgym
from hengliang.grammar.suites.syntaxgym import write_syntaxgym as write_syntaxgym
from hengliang.grammar.suites.text_format import parse_suite as parse_suite
from hengliang.grammar.suites.verbs import corpus_transitivity as corpus_transitivity
from hengliang.grammar.suites.verbs import count_uses as count_uses
from hengliang.grammar.terminal import draw_suite_item as draw_suite_item
from hengliang.grammar.views import Limits as SuiteItemLimits
from hengliang.grammar.views import SuiteView as SuiteView
from hengliang.grammar.views import suite_item_view as suite_item_view
from hengliang.grammar.views import suite_views as suite_views
from hengliang.grammar.views_html import failing_items_view as failing_items_view

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
