"""What can be filled into a Human Evaluation Datasheet from what is known?

HEDS [1] is a list of numbered questions about one experiment in which people judge the output of systems. The numbers
are those of its template of 2022; the questions are in our own words. An answer that follows from the folder or the
database is filled in; every other one is null, with a note on what the researchers have to say there.

[1] Shimorina, A., & Belz, A. (2022). The Human Evaluation Datasheet: a template for recording details of human
    evaluation experiments in NLP. HumEval 2022, 54–75.
"""

from __future__ import annotations

from typing import Any

from hengliang.experiments import Scale
from hengliang.people.collected.methods import SIMULATED, signature
from hengliang.people.collected.study_facts import StudyFacts

SOURCE = "Human Evaluation Datasheet, template of Shimorina and Belz (2022); questions paraphrased"
RESEARCHERS = "for the researchers to fill in"
FORMS = {
    "likert": "agreement or disagreement with a statement",
    "slider": "direct rating of quality",
    "forced_choice": "relative judgement, one of several is chosen",
    "cloze": "other: a gap is filled",
    "free_text": "qualitative answer in words",
    "reconstruction": "measurement of performance at a task: a scene is rebuilt from its description",
    "speeded": "sorting into categories under time pressure, with the reaction time",
}
INSTRUMENTS = {"likert": "multiple choice", "slider": "slider", "forced_choice": "multiple choice", "speeded": "keys"}

Entry = dict[str, Any]


def datasheet(facts: StudyFacts) -> dict[str, Any]:
    """Return the datasheet as a JSON object: questions by number, the ones about criteria once for each scale."""
    return {
        "datasheet": SOURCE,
        "experiment": facts.experiment.name,
        "simulated": facts.simulated,
        **({"warning": SIMULATED.to_json()} if facts.simulated else {}),
        "signature": signature(facts),
        "questions": {**_resources(facts), **_systems(facts), **_sample(facts), **_evaluators(facts), **_design(facts)},
        "criteria": [
            {"criterion": scale.name, "questions": _criterion(facts, scale)} for scale in facts.survey.task.scales()
        ],
        "ethics": _ethics(facts),
    }


def _entry(question: str, answer: object = None, note: str = "") -> Entry:
    """Return a question with its answer; one without an answer says who has to give it."""
    known = None if answer in ("", [], {}) else answer
    return {"question": question, "answer": known, "note": note or ("" if known is not None else RESEARCHERS)}


def _resources(facts: StudyFacts) -> dict[str, Entry]:
    contact = "; ".join(part for part in (facts.survey.settings.contact, facts.survey.settings.institution) if part)
    return {
        "1.1": _entry("Where is the experiment reported?", note="a link, or 'for preregistration'"),
        "1.2": _entry("Where are the materials of the experiment?", note="a link to stimuli, data and software"),
        "1.3": _entry("Who fills in this sheet, and who answers questions?", contact),
    }


def _systems(facts: StudyFacts) -> dict[str, Entry]:
    named = f"the {facts.survey.experiment.compared}s are called {', '.join(facts.systems)}; "
    note = f"{named}{RESEARCHERS}" if facts.systems else RESEARCHERS
    return {
        "2.1": _entry("What do the systems take as input?", note=note),
        "2.2": _entry("What do the systems give as output?", note=note),
        "2.3": _entry("Which task do the systems perform?", note=note),
        "2.4": _entry("In which languages is the input?"),
        "2.5": _entry("In which languages is the output?"),
    }


def _sample(facts: StudyFacts) -> dict[str, Entry]:
    stimuli = facts.survey.experiment.stimuli.explode("systems").drop_nulls("systems")
    targets = {each.about for rows in facts.survey.lists.values() for each in rows if each.role == "target"}
    held = stimuli.filter(stimuli["about"].is_in(list(targets)))
    per_system = dict(held.group_by("systems", maintain_order=True).len().iter_rows())
    kind = facts.survey.experiment.compared
    raters = facts.experiment.plan.raters_per_item
    planned = f"{raters} raters per item were planned; " if raters is not None else ""
    return {
        "3.1.1": _entry(
            f"How many outputs of each {kind} are judged?",
            per_system or facts.roles.get("target", 0),
            f"outputs that several {kind}s share are counted for each of them, and judged once" if per_system else "",
        ),
        "3.1.2": _entry("How were these outputs chosen?"),
        "3.1.3": _entry(
            "What is the statistical power of this sample?", note=f"{planned}state the result of: hengliang power"
        ),
    }


def _evaluators(facts: StudyFacts) -> dict[str, Entry]:
    settings = facts.survey.settings
    paid = settings.payment.en or settings.payment.zh
    practice = facts.roles.get("practice", 0)
    training = f"{settings.instructions.en} Practice items: {practice}."
    known = facts.ages
    told: dict[str, Any] = {
        name: counts for name in ("gender", "education", "native_language") if (counts := facts.told(name))
    }
    if known is not None:
        told["age"] = {
            "n": known.n,
            "mean": round(known.mean, 2),
            "standard deviation": None if known.deviation is None else round(known.deviation, 2),
            "youngest": known.youngest,
            "oldest": known.oldest,
        }
    if facts.languages:
        told["language of the pages"] = facts.languages
    return {
        "3.2.1": _entry(
            "How many people judge?",
            facts.state("finished") if facts.held else None,
            f"finished; consent was given by {facts.began}, {facts.state('withdrawn')} withdrew, "
            f"{facts.state('excluded')} were excluded"
            if facts.held
            else "nobody has taken part yet",
        ),
        "3.2.2": _entry(
            "What kind of people are they: experts, paid, known to the authors, authors?",
            {"paid": paid} if paid else None,
            RESEARCHERS,
        ),
        "3.2.3": _entry("How were they recruited?"),
        "3.2.4": _entry("Which training or practice did they get?", training),
        "3.2.5": _entry("What else is known about them?", told),
    }


def _design(facts: StudyFacts) -> dict[str, Entry]:
    survey, plan = facts.survey, facts.experiment.plan
    checks = [f"{count} {role} items" for role, count in sorted(facts.roles.items()) if role in ("catch", "repeat")]
    checks += [f"exclusion rule: {rule}" for rule in plan.exclusion_rules]
    excluded = facts.state("excluded")
    checks += [f"{excluded} participants were excluded after a look at their answers"] if excluded else []
    decided = "the plan is part of the experiment's folder; say whether and where it is registered"
    return {
        "3.3.1": _entry("Was the design registered beforehand?", note=decided),
        "3.3.2": _entry("How are answers collected?", "pages in the participant's own browser, served by hengliang"),
        "3.3.3": _entry("How is quality assured?", checks, RESEARCHERS if not checks else ""),
        "3.3.4": _entry(
            "What do participants see?",
            f"one stimulus at a time under the task '{survey.task.name}', a progress bar, a box for "
            f"'I did not understand this' and one for a comment; {len(facts.list_sizes)} lists; target words "
            f"highlighted: {survey.settings.highlight}",
            "add a screenshot",
        ),
        "3.3.5": _entry(
            "How free are participants in when and how fast they answer?",
            "no limit on a single page other than the task's own; they may stop and go on later by a link; a place "
            f"on the list is held for {survey.settings.held_minutes(answered=True):g} minutes after the last sign "
            f"of life ({survey.settings.held_minutes(answered=False):g} before the first answer)",
        ),
        "3.3.6": _entry(
            "May participants ask questions and give feedback?",
            "a comment can be left on every item"
            + (f"; questions go to {survey.settings.contact}" * bool(survey.settings.contact)),
        ),
        "3.3.7": _entry(
            "Where do participants answer?", note="in a browser; say whether at home, in a laboratory or elsewhere"
        ),
        "3.3.8": _entry("If not at a place of their own choosing, under which conditions?", note="for a laboratory"),
    }


def _criterion(facts: StudyFacts, scale: Scale) -> dict[str, Entry]:
    task = facts.survey.task
    values = {str(number): option.to_json() for number, option in enumerate(scale.options, 1)}
    is_rated = task.name in INSTRUMENTS
    listed: Any = values or (f"1 to {scale.points}" if scale.points else None)
    said = "quality criteria of this kind are for the researchers to classify"
    is_primary = facts.experiment.plan.primary_outcome == scale.name
    return {
        "4.1.1": _entry("Is it about correctness, goodness, or a feature?", note=said),
        "4.1.2": _entry("Is it about form, content, or both?", note=said),
        "4.1.3": _entry("Is the output judged by itself, against its input, or against something outside?", note=said),
        "4.2.1": _entry(
            "Is the judgement objective or subjective?", "subjective" if task.name in ("likert", "slider") else None
        ),
        "4.2.2": _entry(
            "Are outputs judged one by one or against each other?",
            "relative" if task.name == "forced_choice" else "absolute",
        ),
        "4.2.3": _entry("Is the evaluation intrinsic or extrinsic?"),
        "4.3.1": _entry("What is the criterion called before participants?", "not named: they see the statement only"),
        "4.3.2": _entry(
            "How is it defined for participants?", scale.statement.to_json(), "as shown, in both languages"
        ),
        "4.3.3": _entry("How many different answers are there?", scale.points or len(scale.options) or None),
        "4.3.4": _entry("Which answers are these?", listed),
        "4.3.5": _entry("How is the scale presented?", INSTRUMENTS.get(task.name, "not applicable")),
        "4.3.6": _entry(
            "If there is no scale, what do participants do?", "not applicable" if is_rated else FORMS.get(task.name)
        ),
        "4.3.7": _entry("What are participants asked, word for word?", scale.statement.to_json()),
        "4.3.8": _entry("In which form are answers given?", FORMS.get(task.name)),
        "4.3.9": _entry(
            "How do answers become reported scores?", note="state what the report of hengliang analyse gives"
        ),
        "4.3.10": _entry(
            "How are effect sizes and significance determined?",
            facts.experiment.plan.family if is_primary else None,
            "as planned" if is_primary and facts.experiment.plan.family else "see the report of hengliang analyse",
        ),
        "4.3.11": _entry(
            "How far do participants agree?", note="see the report of hengliang analyse: Krippendorff's α"
        ),
    }


def _ethics(facts: StudyFacts) -> dict[str, Entry]:
    settings = facts.survey.settings
    asked = list(settings.demographics)
    personal = (
        f"participants are asked about {', '.join(asked) or 'nothing'}; each question may be left unanswered. "
        "No names or network addresses are kept; ids of panels are left out of exports. Withdrawal deletes the answers."
    )
    return {
        "5.1": _entry("Did an ethics committee approve the experiment?", settings.ethics),
        "5.2": _entry("Are there personal data, and how are they protected?", personal, "say what the stimuli hold"),
        "5.3": _entry("Are there special categories of personal data?"),
        "5.4": _entry("Were impacts assessed?"),
    }
