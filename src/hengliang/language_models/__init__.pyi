from hengliang.analysis.perplexity import perplexity as perplexity_of_models
from hengliang.core.labelling.texts import Texts as Texts
from hengliang.core.labelling.texts import concat as concat
from hengliang.core.labelling.texts import edges_of as edges_of
from hengliang.core.labelling.texts import ranges as ranges
from hengliang.core.labelling.texts import raw_texts as raw_texts
from hengliang.core.labelling.texts import read_segmented_texts as read_segmented_texts
from hengliang.core.labelling.texts import read_texts as read_texts
from hengliang.core.labelling.texts import texts_of as texts_of
from hengliang.core.labelling.texts import texts_of_items as texts_of_items
from hengliang.core.learning import model_folder as model_folder
from hengliang.core.learning import read_card as read_card
from hengliang.core.learning import stored_models as stored_models
from hengliang.core.learning import write_card as write_card
from hengliang.core.text.segmenters import prepare_segmenter as prepare_segmenter
from hengliang.measures.log_probability import log_probability as log_probability
from hengliang.systems.language_models.base import Conventions as Conventions
from hengliang.systems.language_models.base import LanguageModel as LanguageModel
from hengliang.systems.language_models.base import NextUnits as NextUnits
from hengliang.systems.language_models.coarse.exchange_clustering import exchange_clusters as exchange_clusters
from hengliang.systems.language_models.coarse.preprocessing import Preprocessor as Preprocessor
from hengliang.systems.language_models.coarse.preprocessing import preprocessing as preprocessing
from hengliang.systems.language_models.coarse.preprocessing import representation as representation
from hengliang.systems.language_models.coarse.tags import ReplacedTags as ReplacedTags
from hengliang.systems.language_models.coarse.word_classes import WordClasses as WordClasses
from hengliang.systems.language_models.conformance import language_model_promises as language_model_promises
from hengliang.systems.language_models.conformance_next_units import BeamModel as BeamModel
from hengliang.systems.language_models.corpora import read_corpus as read_corpus
from hengliang.systems.language_models.export import export_arpa as export_arpa
from hengliang.systems.language_models.hugging_face.causal import HuggingFaceCausal as HuggingFaceCausal
from hengliang.systems.language_models.hugging_face.masked import HuggingFaceMasked as HuggingFaceMasked
from hengliang.systems.language_models.neural.pretrained_encoder import find_encoder as find_encoder
from hengliang.systems.language_models.neural.settings import Settings as TrainingSettings
from hengliang.systems.language_models.ngram.arpa import read_arpa as read_arpa
from hengliang.systems.language_models.ngram.arpa import write_arpa as write_arpa
from hengliang.systems.language_models.ngram.encoding import encode_words as encode_words
from hengliang.systems.language_models.ngram.kenlm_binary import KenlmModel as KenlmModel
from hengliang.systems.language_models.ngram.kneser_ney import FALLBACK as FALLBACK_DISCOUNTS
from hengliang.systems.language_models.ngram.kneser_ney import estimate as estimate_kneser_ney
from hengliang.systems.language_models.ngram.model import ArpaModel as ArpaModel
from hengliang.systems.language_models.ngram.model import NgramModel as NgramModel
from hengliang.systems.language_models.ngram.store import read_model as read_ngram_model
from hengliang.systems.language_models.ngram.store import write_model as write_ngram_model
from hengliang.systems.language_models.opening import model as model
from hengliang.systems.language_models.perplexity import Perplexity as Perplexity
from hengliang.systems.language_models.perplexity import perplexity as perplexity
from hengliang.systems.language_models.recipes import Kind as ModelKind
from hengliang.systems.language_models.recipes import Recipe as Recipe
from hengliang.systems.language_models.recipes import train as train
from hengliang.systems.language_models.regions import Regions as Regions
from hengliang.systems.language_models.regions import RegionScores as RegionScores
from hengliang.systems.language_models.regions import region_scores as region_scores
from hengliang.systems.language_models.regions import sentence_logprobs as sentence_logprobs
from hengliang.systems.language_models.regions import word_regions as word_regions
from hengliang.systems.language_models.sampling import sample as sample
from hengliang.systems.language_models.scores import Numbers as Numbers
from hengliang.systems.language_models.scores import Scores as Scores
from hengliang.systems.language_models.scores import scores_of as scores_of
from hengliang.systems.language_models.structured.architectures import Kind as StructuredKind
from hengliang.systems.language_models.structured.architectures import StructuredArchitecture as StructuredArchitecture
from hengliang.systems.language_models.structured.beam import Found as FoundAnalyses
from hengliang.systems.language_models.structured.beam import next_words as next_words
from hengliang.systems.language_models.structured.beam import search as beam_search
from hengliang.systems.language_models.structured.building import read_structured as read_structured
from hengliang.systems.language_models.structured.enumeration import count_derivations as count_derivations
from hengliang.systems.language_models.structured.enumeration import exact_logprob as exact_logprob
from hengliang.systems.language_models.structured.fringe import Beam as Beam
from hengliang.systems.language_models.structured.model import StructuredModel as StructuredModel
from hengliang.systems.language_models.structured.training import train as train_structured
from hengliang.systems.language_models.structured.transitions import Limits as TransitionLimits
from hengliang.systems.language_models.trained import TrainedModel as TrainedModel
from hengliang.systems.language_models.trained import trained as trained
from hengliang.systems.language_models.unknown_words import unknown_words as unknown_words
from hengliang.systems.language_models.vocabulary import Vocabulary as Vocabulary
from hengliang.systems.language_models.vocabulary import build_vocabulary as build_vocabulary
from hengliang.systems.language_models.vocabulary import word_classes as word_classes
from hengliang.systems.language_models.word_units import words_of_texts as words_of_texts

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "FALLBACK_DISCOUNTS",
    "FoundAnalyses",
    "ModelKind",
    "StructuredKind",
    "TrainingSettings",
    "TransitionLimits",
    "beam_search",
    "estimate_kneser_ney",
    "perplexity_of_models",
    "read_ngram_model",
    "train_structured",
    "write_ngram_model",
]
