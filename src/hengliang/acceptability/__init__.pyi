from hengliang.analysis.discrimination import discrimination as discrimination
from hengliang.analysis.discrimination_differences import discrimination_differences as discrimination_differences
from hengliang.analysis.entity_effects import entity_effects as entity_effects
from hengliang.analysis.entity_statistics import entity_statistics as entity_statistics
from hengliang.analysis.published_correlation import published_correlation as published_correlation
from hengliang.analysis.rating_correlation import rating_correlation as rating_correlation
from hengliang.analysis.rating_correlation_differences import (
    rating_correlation_differences as rating_correlation_differences,
)
from hengliang.analysis.rating_reliability import rating_reliability as rating_reliability
from hengliang.analysis.score_positions import score_positions as score_positions
from hengliang.core.labelling.recognisers import Recogniser as Recogniser
from hengliang.core.labelling.recognisers import recognise_safely as recognise_safely
from hengliang.core.labelling.recognisers import recogniser as recogniser
from hengliang.materials.perturbations.material import perturbed_sentences as perturbed_sentences
from hengliang.materials.rated_sentences.material import RatedSentences as RatedSentences
from hengliang.materials.rated_sentences.material import lau2015 as lau2015
from hengliang.materials.rated_sentences.material import lau2020 as lau2020
from hengliang.materials.rated_sentences.material import rated_sentences as rated_sentences
from hengliang.materials.rated_sentences.material import smog as smog
from hengliang.materials.rated_sentences.tables import read_rated_table as read_rated_table
from hengliang.measures.acceptability import LENGTH_PARTS as LENGTH_PARTS
from hengliang.measures.acceptability import PARTS as ACCEPTABILITY_PARTS
from hengliang.measures.acceptability import SENTENCE_PARTS as SENTENCE_PARTS
from hengliang.measures.acceptability import acceptability as acceptability
from hengliang.measures.acceptability import acceptability_values as acceptability_values
from hengliang.measures.filtered_sentences import Keep as FilterRule
from hengliang.measures.filtered_sentences import filter_sentences as filter_sentences
from hengliang.measures.scored_sentence_files import score_sentences as score_sentences
from hengliang.measures.scored_sentences import SentenceScorer as SentenceScorer
from hengliang.people.published_ratings import published_ratings as published_ratings
from hengliang.systems.entities.agreement import compare_recognisers as compare_recognisers
from hengliang.systems.entities.chinese_types import CHINESE_TYPES as CHINESE_TYPES
from hengliang.systems.entities.counting import entity_counts as entity_counts
from hengliang.systems.entities.spacy_pipeline import SpacyRecogniser as SpacyRecogniser

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "ACCEPTABILITY_PARTS",
    "FilterRule",
]
