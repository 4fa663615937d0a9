from hengliang.analysis.base import Analysis as Analysis
from hengliang.bilingual import Bilingual as Bilingual
from hengliang.errors import UserError as UserError
from hengliang.materials.base import Material as Material
from hengliang.measures.base import Measure as Measure
from hengliang.records import Estimate as Estimate
from hengliang.records import Item as Item
from hengliang.records import Judgement as Judgement
from hengliang.records import Response as Response
from hengliang.records import Span as Span
from hengliang.registry import register as register
from hengliang.runs import Tables as Tables
from hengliang.signature import Signature as Signature
from hengliang.study import Run as Run
from hengliang.study import Study as Study
from hengliang.study import open_run as open_run
from hengliang.systems.base import System as System
from hengliang.systems.classifier_choosers.base import chooser as chooser
from hengliang.systems.describers.base import describer as describer
from hengliang.systems.language_models.opening import model as model
from hengliang.systems.readers.base import reader as reader
from hengliang.systems.taggers.base import tagger as tagger

__all__: list[str]
