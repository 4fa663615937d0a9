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
from hengliang.language_models.base import Conventions as Conventions
from hengliang.language_models.base import LanguageModel as LanguageModel
from hengliang.language_models.base import NextUnits as NextUnits
from hengliang.language_models.conformance import BeamModel as BeamModel
from hengliang.language_models.conformance import language_model_promises as language_model_promises
from hengliang.language_models.huggingface.causal import HuggingFaceCausal as HuggingFaceCausal
from hengliang.language_models.huggingface.masked import HuggingFaceMasked as HuggingFaceMasked
from hengliang.language_models.measures import log_probability as log_probability
from hengliang.language_models.neural.pretrained_encoder import find_encoder as find_encoder
from hengliang.language_models.neural.settings import Settings as TrainingSettings
from hengliang.language_models.ngram.arpa import read_arpa as read_arpa
from hengliang.language_models.ngram.arpa import write_arpa as write_arpa
from hengliang.language_models.ngram.counting import encode_words as encode_words
from hengliang.language_models.ngram.kenlm import KenlmModel as KenlmModel
from hengliang.language_models.ngram.kneser_ney import FALLBACK as FALLBACK_DISCOUNTS
from hengliang.language_models.ngram.kneser_ney import estimate as estimate_kneser_ney
from hengliang.language_models.ngram.model import ArpaModel as ArpaModel
from hengliang.language_models.ngram.model import NgramModel as NgramModel
from hengliang.language_models.ngram.store import read_model as read_ngram_model
from hengliang.language_models.ngram.store import write_model as write_ngram_model
from hengliang.language_models.opening import model as model
from hengliang.language_models.perplexity import Perplexity as Perplexity
from hengliang.language_models.perplexity import perplexity as perplexity
from hengliang.language_models.perplexity import unknown_words as unknown_words
from hengliang.language_models.perplexity_analysis import perplexity as perplexity_of_models
from hengliang.language_models.preprocessing.preprocessing import Preprocessor as Preprocessor
from hengliang.language_models.preprocessing.preprocessing import preprocessing as preprocessing
from hengliang.language_models.preprocessing.preprocessing import representation as representation
from hengliang.language_models.preprocessing.representation import ReplacedTags as ReplacedTags
from hengliang.language_models.preprocessing.word_classes import WordClasses as WordClasses
from hengliang.language_models.preprocessing.word_classes import exchange_clusters as exchange_clusters
from hengliang.language_models.recipes import Kind as ModelKind
from hengliang.language_models.recipes import Recipe as Recipe
from hengliang.language_models.recipes import train as train
from hengliang.language_models.regions import Regions as Regions
from hengliang.language_models.regions import RegionScores as RegionScores
from hengliang.language_models.regions import region_scores as region_scores
from hengliang.language_models.regions import sentence_logprobs as sentence_logprobs
from hengliang.language_models.regions import word_regions as word_regions
from hengliang.language_models.sampling import sample as sample
from hengliang.language_models.scores import Numbers as Numbers
from hengliang.language_models.scores import Scores as Scores
from hengliang.language_models.scores import scores_of as scores_of
from hengliang.language_models.store import export_arpa as export_arpa
from hengliang.language_models.structured.architectures import Kind as StructuredKind
from hengliang.language_models.structured.architectures import StructuredArchitecture as StructuredArchitecture
from hengliang.language_models.structured.beam_search import Beam as Beam
from hengliang.language_models.structured.beam_search import Found as FoundAnalyses
from hengliang.language_models.structured.beam_search import next_words as next_words
from hengliang.language_models.structured.beam_search import search as beam_search
from hengliang.language_models.structured.building import read_structured as read_structured
from hengliang.language_models.structured.derivations import Limits as TransitionLimits
from hengliang.language_models.structured.enumeration import count_derivations as count_derivations
from hengliang.language_models.structured.enumeration import exact_logprob as exact_logprob
from hengliang.language_models.structured.model import StructuredModel as StructuredModel
from hengliang.language_models.structured.training import train as train_structured
from hengliang.language_models.trained import TrainedModel as TrainedModel
from hengliang.language_models.trained import trained as trained
from hengliang.language_models.training_texts import read_corpus as read_corpus
from hengliang.language_models.vocabulary import Vocabulary as Vocabulary
from hengliang.language_models.vocabulary import build_vocabulary as build_vocabulary
from hengliang.language_models.vocabulary import word_classes as word_classes
from hengliang.language_models.vocabulary import words_of_texts as words_of_texts

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
