from hengliang.analysis.descriptions.beside_describers import describer_completeness as describer_completeness
from hengliang.analysis.descriptions.corpus import corpus_report as corpus_report
from hengliang.analysis.descriptions.findings import description_findings as description_findings
from hengliang.analysis.reconstruction.answers import Answer as Answer
from hengliang.analysis.reconstruction.answers import reconstructions as reconstructions
from hengliang.analysis.reconstruction.battery import Settings as ReconstructionSettings
from hengliang.analysis.reconstruction.battery import analyse_reconstructions as analyse_reconstructions
from hengliang.analysis.reconstruction.hypotheses import answer_hypotheses as answer_hypotheses
from hengliang.analysis.reconstruction.published_swaps import published_swaps as published_swaps
from hengliang.analysis.reconstruction.spread import spread_tests as spread_tests
from hengliang.analysis.reconstruction.study_analyses import algorithms_and_people as algorithms_and_people
from hengliang.analysis.reconstruction.study_analyses import expert_scores_on_swaps as expert_scores_on_swaps
from hengliang.analysis.reconstruction.study_analyses import spread_of_answers as spread_of_answers
from hengliang.analysis.reconstruction.study_analyses import swaps_by_size as swaps_by_size
from hengliang.materials.elicited_descriptions import elicited_descriptions as elicited_descriptions
from hengliang.materials.elicited_descriptions import read_descriptions as read_descriptions
from hengliang.materials.quantified_expressions import Description as Description
from hengliang.materials.quantified_expressions import Expression as Expression
from hengliang.materials.quantified_expressions import consistent as consistent
from hengliang.materials.quantified_expressions import denotation as denotation
from hengliang.materials.quantified_expressions import discriminatory_power as discriminatory_power
from hengliang.materials.quantified_expressions import is_complete as is_complete
from hengliang.materials.quantified_expressions import is_true as is_true
from hengliang.materials.quantified_expressions import read_expression as read_expression
from hengliang.materials.quantified_expressions import taken_together as taken_together
from hengliang.materials.quantified_properties import OBJECT as OBJECT
from hengliang.materials.quantified_properties import Property as Property
from hengliang.materials.quantified_properties import single_properties as single_properties
from hengliang.materials.quantifiers import Reading as Reading
from hengliang.materials.quantifiers import quantifier as quantifier
from hengliang.materials.scene_domains import DEFAULT_DOMAIN as DEFAULT_DOMAIN
from hengliang.materials.scene_domains import Attribute as Attribute
from hengliang.materials.scene_domains import Domain as Domain
from hengliang.materials.scene_domains import Value as Value
from hengliang.materials.scene_domains import read_domain as read_domain
from hengliang.materials.scene_drawing import draw_scene as draw_scene
from hengliang.materials.scene_sets import scenes as scenes
from hengliang.materials.scenes import Scene as Scene
from hengliang.materials.scenes import read_scene as read_scene
from hengliang.materials.scenes import scene_space as scene_space
from hengliang.materials.vague_quantifiers import fitted_meanings as fitted_meanings
from hengliang.materials.vague_quantifiers import membership as membership
from hengliang.measures.description_quality import DescriptionQuality as DescriptionQuality
from hengliang.measures.description_quality import description_quality as description_quality
from hengliang.measures.reconstruction import Swaps as Swaps
from hengliang.measures.reconstruction import greatest_swaps as greatest_swaps
from hengliang.measures.reconstruction import spread_of_answers as answer_spread
from hengliang.measures.reconstruction import swap_percentage as swap_percentage
from hengliang.measures.reconstruction import swap_percentage_of_maximum as swap_percentage_of_maximum
from hengliang.measures.reconstruction import swaps as swaps
from hengliang.measures.reconstruction import swaps_between as swaps_between
from hengliang.people.scene_experiment import rating_experiment as rating_experiment
from hengliang.people.scene_experiment import reconstruction_experiment as reconstruction_experiment
from hengliang.people.scene_pairs import ScenePair as ScenePair
from hengliang.people.scene_pairs import pairs_frame as pairs_frame
from hengliang.people.scene_pairs import read_pairs as read_scene_pairs
from hengliang.people.scene_plans import PLANS as PLANS
from hengliang.people.scene_plans import planned_scenes as planned_scenes
from hengliang.people.tasks.reconstruction import Reconstruction as Reconstruction
from hengliang.systems.describers.base import Described as Described
from hengliang.systems.describers.base import Describer as Describer
from hengliang.systems.describers.base import describer as describer
from hengliang.systems.describers.candidates import candidates as candidate_expressions
from hengliang.systems.describers.described_scenes import described_scenes as described_scenes
from hengliang.systems.describers.english import realise_english as realise_english
from hengliang.systems.describers.generation import LONGEST as LONGEST_DESCRIPTION
from hengliang.systems.describers.generation import QuantifiedDescriber as QuantifiedDescriber
from hengliang.systems.describers.greedy import Greedy as Greedy
from hengliang.systems.describers.incremental import Incremental as Incremental
from hengliang.systems.describers.mandarin import realise_mandarin as realise_mandarin
from hengliang.systems.describers.preference_learning import preferences_of as preferences_of
from hengliang.systems.describers.preferences import learn_preferences as learn_preferences
from hengliang.systems.describers.preferences import shipped_preferences as shipped_preferences
from hengliang.systems.describers.realisation import realise as realise
from hengliang.systems.readers.base import Reader as Reader
from hengliang.systems.readers.base import ReadText as ReadText
from hengliang.systems.readers.base import reader as reader
from hengliang.systems.readers.mandarin_grammar import parse_mandarin as parse_mandarin
from hengliang.systems.readers.model_reader import ModelReader as ModelReader
from hengliang.systems.readers.parsing import parse_description as parse_description
from hengliang.systems.readers.reading_coverage import parse_coverage as parse_coverage
from hengliang.systems.readers.reading_coverage import parsed_texts as parsed_texts
from hengliang.systems.readers.understanding import expected_swaps as expected_swaps
from hengliang.systems.readers.understanding import swap_distribution as swap_distribution
from hengliang.systems.readers.understanding import understand as understand

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "LONGEST_DESCRIPTION",
    "ReconstructionSettings",
    "answer_spread",
    "candidate_expressions",
    "read_scene_pairs",
]
