from hengliang.experiments import Experiment as Experiment
from hengliang.experiments import Plan as Plan
from hengliang.experiments import Scale as Scale
from hengliang.experiments import answers_frame as answers_frame
from hengliang.experiments import read_experiment as read_experiment
from hengliang.experiments import stimuli_frame as stimuli_frame
from hengliang.experiments import versions_frame as versions_frame
from hengliang.experiments import write_experiment as write_experiment
from hengliang.people.bots.http_bot import HttpBot as HttpBot
from hengliang.people.bots.http_bot import Patience as Patience
from hengliang.people.bots.ledger import Ledger as Ledger
from hengliang.people.bots.ledger import stored_answers as stored_answers
from hengliang.people.bots.response_model import TEMPLATE as RESPONSE_MODEL_TEMPLATE
from hengliang.people.bots.response_model import ResponseModel as ResponseModel
from hengliang.people.bots.response_model import read_model as read_response_model
from hengliang.people.bots.simulated_rater import SimulatedRater as SimulatedRater
from hengliang.people.bots.simulating import Simulation as Simulation
from hengliang.people.bots.simulating import served as served
from hengliang.people.bots.simulating import simulate as simulate
from hengliang.people.collected.datasheet import datasheet as datasheet
from hengliang.people.collected.export import export as export_answers
from hengliang.people.collected.methods import methods_paragraph as methods_paragraph
from hengliang.people.collected.quality import participant_quality as participant_quality
from hengliang.people.collected.reading import collected as collected
from hengliang.people.collected.reading import collected_experiment as collected_experiment
from hengliang.people.collected.run_records import RunRecords as RunRecords
from hengliang.people.collected.run_records import run_records as run_records
from hengliang.people.collected.run_records import write_run as write_run
from hengliang.people.collected.study_facts import StudyFacts as StudyFacts
from hengliang.people.design.item_files import read_items as read_items
from hengliang.people.design.item_order import participant_order as participant_order
from hengliang.people.design.list_proof import check_proof as check_proof
from hengliang.people.design.pair_allocation import Pair as Pair
from hengliang.people.design.pair_allocation import allocate as allocate
from hengliang.people.design.survey_design import Wanted as DesignRequest
from hengliang.people.design.survey_design import design_survey as design_survey
from hengliang.people.pages.addresses import Address as Address
from hengliang.people.pages.addresses import check_address as check_address
from hengliang.people.pages.highlighting import marked_text as marked_text
from hengliang.people.pages.serving import running as running
from hengliang.people.recorded import People as People
from hengliang.people.recorded import people as people
from hengliang.people.sessions.settings import Settings as SurveySettings
from hengliang.people.sessions.survey import Design as SurveyDesign
from hengliang.people.sessions.survey import Survey as Survey
from hengliang.people.sessions.survey import read_survey as read_survey
from hengliang.people.sessions.survey import write_survey as write_survey
from hengliang.people.sessions.texts import CONSENT as CONSENT
from hengliang.people.stimulus_ratings import stimulus_ratings as stimulus_ratings
from hengliang.people.storage.database import Database as Database
from hengliang.people.storage.endings import exclude as exclude
from hengliang.people.storage.endings import withdraw_participant as withdraw_participant
from hengliang.people.storage.engines import database_url as database_url
from hengliang.people.storage.invitations import invitation_of as invitation_of
from hengliang.people.storage.invitations import invitations as invitations
from hengliang.people.storage.invitations import invite as invite
from hengliang.people.storage.migrating import migrate as migrate
from hengliang.people.storage.migrating import revision as revision
from hengliang.people.storage.registration import register as register_participant
from hengliang.people.storage.submission import StoredAnswer as StoredAnswer
from hengliang.people.storage.submission import Submission as Submission
from hengliang.people.storage.submission import submit as submit
from hengliang.people.tasks.base import Screen as Screen
from hengliang.people.tasks.base import Stimulus as Stimulus
from hengliang.people.tasks.base import stimuli_of as stimuli_of
from hengliang.people.tasks.forced_choice import ForcedChoice as ForcedChoice
from hengliang.people.tasks.free_text import FreeText as FreeText
from hengliang.people.tasks.library import TASKS as TASKS
from hengliang.people.tasks.library import task_of as task_of
from hengliang.people.tasks.likert import LikertRating as LikertRating
from hengliang.people.tasks.statement_sets import CLARITY as CLARITY
from hengliang.people.tasks.statement_sets import FLUENCY as FLUENCY
from hengliang.people.tasks.statement_sets import SETS as STATEMENT_SETS
from hengliang.people.tasks.statement_sets import TEMPLATE as STATEMENT_TEMPLATE
from hengliang.people.tasks.statement_sets import statement_set as statement_set

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "RESPONSE_MODEL_TEMPLATE",
    "STATEMENT_SETS",
    "STATEMENT_TEMPLATE",
    "DesignRequest",
    "SurveyDesign",
    "SurveySettings",
    "export_answers",
    "read_response_model",
    "register_participant",
]
