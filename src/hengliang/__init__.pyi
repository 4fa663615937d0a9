from hengliang.core.base_classes import Analysis as Analysis
from hengliang.core.base_classes import Material as Material
from hengliang.core.base_classes import Measure as Measure
from hengliang.core.base_classes import System as System
from hengliang.core.errors import UserError as UserError
from hengliang.core.labelling.taggers import tagger as tagger
from hengliang.core.records import Estimate as Estimate
from hengliang.core.records import Item as Item
from hengliang.core.records import Judgement as Judgement
from hengliang.core.records import Response as Response
from hengliang.core.records import Span as Span
from hengliang.core.registry import register as register
from hengliang.core.runs import Tables as Tables
from hengliang.core.signature import Signature as Signature
from hengliang.core.terms import Bilingual as Bilingual
from hengliang.language_models.opening import model as model
from hengliang.study.study import Run as Run
from hengliang.study.study import Study as Study
from hengliang.study.study import open_run as open_run
from hengliang.systems.classifier_choosers.base import chooser as chooser
from hengliang.systems.describers.base import describer as describer
from hengliang.systems.readers.base import reader as reader

__all__: list[str]
