"""How does an analysis of ratings become a report?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hengliang.analyses.ratings.battery import Battery
from hengliang.analyses.ratings.comparisons import (
    BESIDE,
    COPIED,
    MAIN,
    RATINGS,
    SHARE,
    TITLES,
    UNIQUE,
    Comparison,
    comparisons_of,
    too_few_clusters,
)
from hengliang.analyses.ratings.design import independence, levels_within
from hengliang.analyses.ratings.equivalences import TEST
from hengliang.analyses.ratings.parts import ADJUSTED, MEASURE, Part
from hengliang.analyses.ratings.roles import HOW
from hengliang.analyses.ratings.splits import MEANS
from hengliang.analyses.ratings.table import Ratings
from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual, Language, both
from hengliang.report import words
from hengliang.report.content import MaterialEntry, MeasureEntry, ReportContent, SystemEntry
from hengliang.report.statistics import StatisticsSection, section_of_models, section_of_results, statistics_content
from hengliang.statistics.equivalence import BY_INTERVAL
from hengliang.statistics.inter_rater.ratings import AgreementResult
from hengliang.statistics.models.results import ModelFit
from hengliang.statistics.multiple_testing import CORRECTIONS
from hengliang.statistics.results import (
    DASH,
    Effect,
    TestResult,
    p_remark,
    write_bounded,
    write_p,
    write_percent_level,
    write_statistic,
)

# --- ratings ----------------------------------------------------------------------------------------------------------


FACTORS = {
    **TITLES,
    "measure": Bilingual("Measure", "测量"),
    "measures": Bilingual("Measures", "测量"),
    "rater": Bilingual("Rater", "评分者"),
    "raters": Bilingual("Raters", "评分者"),
    "cutoff": Bilingual("Cut-off ≤", "分界点 ≤"),
}


def ratings_content(
    battery: Battery, *, simulated: bool = False, titles: Mapping[str, Bilingual] | None = None
) -> ReportContent:
    """Return the report of a battery; `simulated` marks every figure of it, `titles` say what the measures asked."""
    ratings = battery.ratings
    columns = ratings.columns
    measures = " and ".join(columns.measures)
    return statistics_content(
        ratings.file.path.name,
        Bilingual(
            f"How do the levels of {columns.by} differ in {measures}?",
            f"各“{columns.by}”在{'、'.join(f'“{name}”' for name in columns.measures)}上有何差异？",
        ),
        [_section(part) for part in battery.parts],
        materials=[_material(battery)],
        systems=_levels(battery),
        measures=[MeasureEntry(name, (titles or {}).get(name, both(name)), "person") for name in columns.measures],
        notes=battery.notes,
        simulated=simulated,
    )


def _section(part: Part) -> StatisticsSection:
    if part.fits or not (part.results or part.estimates):
        made = section_of_models(part.name, part.title, part.explanation, part.fits)
        return replace(made, sentences=(*made.sentences, *part.sentences))
    return section_of_results(
        part.name,
        part.title,
        part.explanation,
        part.results,
        extra=part.estimates,
        statistics=part.statistics,
        factors=FACTORS,
        levels=part.levels,
        figure=part.figure,
        figure_statistics=part.figure_statistics,
        further=part.sentences,
    )


def _levels(battery: Battery) -> list[SystemEntry]:
    ratings = battery.ratings
    first = ratings.columns.measures[0]
    return [
        SystemEntry(
            level,
            both(level),
            n_responses=len(ratings.values(first, level)),
            n_missing=ratings.n_missing(first, level),
        )
        for level in ratings.levels
    ]


def _material(battery: Battery) -> MaterialEntry:
    ratings = battery.ratings
    columns = ratings.columns
    facts = [
        (Bilingual("Read as", "读取方式"), ratings.file.form),
        (Bilingual("Rows", "行数"), f"{ratings.frame.height:,}"),
        (Bilingual("Scale", "量表"), str(ratings.scale)),
        (Bilingual("Compared by", "比较因素"), f"{columns.by}: {', '.join(ratings.levels)}"),
    ]
    facts += [
        (Bilingual("Paired within", "配对单位"), f"{name} ({ratings.frame[name].n_unique():,})")
        for name in columns.pair
    ]
    facts += _roles(ratings)
    options = ((Bilingual("Split", "分组"), columns.split), (Bilingual("Response", "回答"), columns.response))
    facts += [(title, name) for title, name in options if name]
    signature = Signature.of(hengliang=version(), file=ratings.file.checksum, data=ratings.checksum)
    return MaterialEntry(
        ratings.file.path.name,
        Bilingual("Ratings", "评分"),
        _items(ratings),
        signature=str(signature),
        facts=tuple(facts),
    )


def _roles(ratings: Ratings) -> list[tuple[Bilingual, str]]:
    """Return which column names items and which raters; the title says how that is known, and what the design is."""
    by = ratings.columns.by
    roles = ((Bilingual("Item", "条目"), ratings.roles.item), (Bilingual("Rater", "评分者"), ratings.roles.rater))
    facts = []
    for title, role in roles:
        if role is not None:
            how = HOW[role.how]
            nested = levels_within(ratings, role.name).max() == 1
            crossed = Bilingual(f"crossed with '{by}'", f"与“{by}”交叉")
            lies = Bilingual(f"nested in '{by}'", f"嵌套于“{by}”") if nested else crossed
            told = Bilingual(f"{title.en}, {lies.en} ({how.en})", f"{title.zh}，{lies.zh}（{how.zh}）")
            facts.append((told, f"{role.name} ({ratings.frame[role.name].n_unique():,})"))
    return facts


def _items(ratings: Ratings) -> int:
    name = ratings.columns.item or next(iter(ratings.columns.pair), None)
    return ratings.frame[name].n_unique() if name else ratings.frame.height


# --- ratings brief ----------------------------------------------------------------------------------------------------
# What does an analysis of ratings say in one screenful?
#
# One line a comparison: the corrected p and the effect size of the main test, and beside them those of the test that
# respects items and raters. Everything else of the battery is a line at most; the report has all of it.

SIGNIFICANT, DISPUTED = "*", "†"
_SHORT: Mapping[str, Bilingual] = {
    "signed ranks": Bilingual("Wilcoxon", "Wilcoxon"),
    "mann-whitney": Bilingual("Mann–Whitney", "Mann–Whitney"),
    "clustered": Bilingual("clustered", "聚类"),
}


def ratings_brief(battery: Battery, language: Language = "en", *, simulated: bool = False) -> list[RenderableType]:
    """Return what a terminal shows: the file, each measure with its comparisons, and what the marks mean."""
    shown: list[RenderableType] = [Text(words.SIMULATED[language], "bold red")] if simulated else []
    shown += [Text(line[language]) for line in (_file(battery), *_warnings(battery))]
    for measure in battery.ratings.columns.measures:
        shown += [Text(""), Text.assemble((measure, "bold"), Text(f"  {_means(battery, measure)}"))]
        shown.append(_comparisons(battery, measure, language))
        shown += [Text(line[language]) for line in _lines(battery, measure)]
    return [*shown, Text(""), *(Text(line[language]) for line in (*_correlations(battery), _marks(battery)))]


# --- the file ---------------------------------------------------------------------------------------------------------


def _file(battery: Battery) -> Bilingual:
    ratings = battery.ratings
    units = [f"{name} {ratings.frame[name].n_unique():,}" for name in ratings.columns.pair or ratings.clusters]
    inferred = Bilingual(" (inferred; --scale states it)", "（推断所得，可用 --scale 指定）")
    inferred = inferred if ratings.scale.inferred else Bilingual("", "")
    name, rows = ratings.file.path.name, f"{ratings.frame.height:,}"
    return Bilingual(
        f"{name}: {'; '.join([f'{rows} rows', *units])}; scale {ratings.scale}{inferred.en}",
        f"{name}：{'；'.join([f'{rows} 行', *units])}；量表 {ratings.scale}{inferred.zh}",
    )


def _warnings(battery: Battery) -> Iterator[Bilingual]:
    """Give the notes that not every analysis has: what is missing, copies, ratings that are no steps."""
    usual = battery.notes[-2:]
    for note in battery.notes:
        is_scale = note == battery.ratings.scale.note() and battery.ratings.scale.steps
        if note not in usual and not is_scale:
            yield Bilingual(f"- {note.en}", f"- {note.zh}")


def _means(battery: Battery, measure: str) -> str:
    by = battery.ratings.columns.by
    rows = [row for row in battery.part("middles").estimates if row.statistic == "mean" and row.by[MEASURE] == measure]
    ordered = sorted(rows, key=lambda row: -(row.value or 0.0))
    return ", ".join(f"{row.by[by]} {write_statistic(row.value or 0.0)}" for row in ordered)


# --- comparisons ------------------------------------------------------------------------------------------------------


def _tests(battery: Battery) -> list[Part]:
    """Return the main test and, where there are pairs, the clustered one; the means of raters beside those of items."""
    return [part for part in battery.parts if part.name in (*MAIN, "clustered", BESIDE)]


def _place(battery: Battery, asked: Comparison, part: Part) -> dict[str, str]:
    kind = {RATINGS: UNIQUE} if battery.ratings.columns.response and part.name in MAIN else {}
    return {**asked.place(battery.ratings), **kind}


def _found(part: Part, place: Mapping[str, str]) -> tuple[TestResult | None, float | None]:
    """Return the test of one place, and its corrected p."""
    result = next((held for by, held in part.results if dict(by) == place and isinstance(held, TestResult)), None)
    corrected = (row.value for row in part.estimates if row.statistic == ADJUSTED and dict(row.by) == place)
    return result, next(corrected, None)


def _comparisons(battery: Battery, measure: str, language: Language) -> Table:
    level = write_percent_level(battery.questions.level)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("")
    title, tests = _corrected(battery)[language], _tests(battery)
    # A screen is wide enough for two effect sizes.
    told = tests if len(tests) < 3 else tests[:1]
    for part in tests:
        symbol = next((held.effects[0].symbol for _, held in part.results if isinstance(held, TestResult)), "")
        name = (part.short or _SHORT[part.name])[language]
        table.add_column(Text(f"{name}\n{title}"), no_wrap=True)
        if part in told:
            below = "\n" * (name.count("\n") + 1)
            table.add_column(Text(f"{below}{symbol} [{level} CI]"), no_wrap=True)
    for asked in _asked(battery, measure):
        cells = [asked.label]
        for part in tests:
            result, p = _found(part, _place(battery, asked, part))
            cells += [_p(result, p), *([_effect(result)] if part in told else [])]
        table.add_row(*map(Text, cells))
    return table


def _corrected(battery: Battery) -> Bilingual:
    if len(comparisons_of(battery.ratings, battery.questions)) == len(battery.ratings.columns.measures):
        return Bilingual("p", "p")
    name = CORRECTIONS[battery.questions.family]
    return Bilingual(f"p, {name.en.removesuffix(' correction')}", f"p，{name.zh}")


def _asked(battery: Battery, measure: str) -> list[Comparison]:
    return [asked for asked in comparisons_of(battery.ratings, battery.questions) if asked.measure == measure]


def _p(result: TestResult | None, p: float | None) -> str:
    """Write the p of one unit; the mark is that of the decision, which may rest on two."""
    if result is None or p is None:
        return DASH
    return write_p(p) + (SIGNIFICANT if result.is_significant else "") + (DISPUTED if result.variants else "")


def _effect(result: TestResult | None) -> str:
    return DASH if result is None or not result.effects else _interval(result.effects[0])


def _interval(effect: Effect) -> str:
    write = write_bounded if effect.bounded else write_statistic
    if effect.low is None or effect.high is None:
        return write(effect.value)
    return f"{write(effect.value)} [{write(effect.low)}, {write(effect.high)}]"


# --- lines of a measure -----------------------------------------------------------------------------------------------


def _lines(battery: Battery, measure: str) -> Iterator[Bilingual]:
    few = too_few_clusters(battery.ratings, battery.questions) if battery.ratings.is_paired else None
    yield from [few] if few else _disputes(battery, measure)
    if measure == battery.ratings.columns.measures[0]:
        yield from dict.fromkeys(told for part in _tests(battery) for told in part.warnings)
    equivalences = [part for part in battery.parts if part.name.startswith("equivalence")]
    if equivalences:
        yield _equivalence(battery, equivalences, measure)
    for part in battery.parts:
        if part.name == "split median":
            own = (held for by, held in part.results if _is_of(by, measure))
            yield from (_split(battery, measure, held) for held in own if isinstance(held, TestResult))
        elif part.name.startswith(f"model of {measure}") and not part.name.endswith(COPIED):
            yield from (_model(battery, fit) for fit in part.fits.values())
            # What is to be said of a model is the same for all measures; why there is none is not.
            if not part.fits or measure == battery.ratings.columns.measures[0]:
                yield from part.sentences
    yield from _raters(battery, measure)


def _is_of(by: Mapping[str, str], measure: str) -> bool:
    return by.get(MEASURE, measure) == measure and by.get(RATINGS) != COPIED


def _split(battery: Battery, measure: str, result: TestResult) -> Bilingual:
    """Say what the median test found, and what becomes of it on the means of items and of raters."""
    said = result.significant if result.is_significant else result.otherwise
    mark, numbers = DISPUTED if result.variants else "", result.statistic_text()
    means = [
        (part.short, p_remark(held.p))
        for part in battery.parts
        if part.name.startswith(MEANS)
        for by, held in part.results
        if by[MEASURE] == measure and isinstance(held, TestResult) and held.p is not None and part.short
    ]
    english = "".join(f", {short.en.splitlines()[-1]} {p}" for short, p in means)
    chinese = "".join(f"，{short.zh.splitlines()[-1]} {p}" for short, p in means)
    return Bilingual(
        f"{said.en}{mark} ({result.title.en}: {numbers}; ratings taken for independent"
        f"{'; on means' if means else ''}{english})",
        f"{said.zh}{mark}（{result.title.zh}：{numbers}；假定评分相互独立{'；以均值计' if means else ''}{chinese}）",
    )


def _disputes(battery: Battery, measure: str) -> Iterator[Bilingual]:
    """Name what only the test finds that takes pairs for independent."""
    main, *others = _tests(battery)
    alpha = battery.questions.alpha
    for other in others:
        lone = []
        for asked in _asked(battery, measure):
            result, found = _found(main, _place(battery, asked, main))
            _, beside = _found(other, _place(battery, asked, other))
            if result is None or found is None or beside is None:
                continue
            if other.name == BESIDE:
                # The means of items and of raters must agree, unless raters are too few to show anything.
                if min(found, beside) <= alpha and not result.is_significant:
                    lone.append(asked.label)
            elif found <= alpha < beside:
                lone.append(asked.label)
        if lone and other.name == BESIDE:
            yield Bilingual(
                f"Found by items or by raters alone, so that it may not hold for others, and not marked: "
                f"{', '.join(lone)}",
                f"仅按条目或仅按评分者才发现差异，未必适用于其他条目或评分者，因此不作标记：{'、'.join(lone)}",
            )
        elif lone:
            yield Bilingual(
                f"Not found by the clustered test, which is the one to believe: {', '.join(lone)}",
                f"聚类检验未发现差异（应以其为准）：{'、'.join(lone)}",
            )


def _equivalence(battery: Battery, parts: Sequence[Part], measure: str) -> Bilingual:
    margin = battery.questions.margin or 0.0
    shown: dict[bool, list[str]] = {True: [], False: []}
    for asked in _asked(battery, measure):
        place = asked.place(battery.ratings).items()
        inside = []
        for part in parts:
            # Of pairs only the interval that respects items and raters decides, also where there is none.
            pairs = battery.ratings.is_paired and not part.name.endswith(BESIDE)
            decides = {*place, (TEST, BY_INTERVAL)} if pairs else set(place)
            rows = (row for row in part.estimates if row.statistic == "difference" and decides <= row.by.items())
            row = next(rows, None)
            inside.append(
                row is not None and None not in (row.low, row.high) and -margin < row.low and row.high < margin  # type: ignore[operator]
            )
        shown[all(inside)].append(asked.label)
    none = Bilingual("none", "无")
    equal, other = (", ".join(shown[side]) for side in (True, False))
    return Bilingual(
        f"Equivalent within ±{margin:g} points: {equal or none.en}; not shown for: {other or none.en}",
        f"±{margin:g} 分以内等效：{equal or none.zh}；未能证明等效：{other or none.zh}",
    )


def _model(battery: Battery, fit: ModelFit) -> Bilingual:
    reference = battery.ratings.reference(battery.questions.reference)
    told = []
    for held in fit.coefficients:
        level = held.name[held.name.index("[") + 1 : -1] if held.name.endswith("]") else held.name.removeprefix(SHARE)
        estimate, low, high = (write_statistic(number, 3) for number in (held.estimate, held.low, held.high))
        told.append(f"{level} {estimate} [{low}, {high}]")
    warned = Bilingual(" (with a warning: see the report)", "（有警告，见报告）") if fit.warnings else Bilingual("", "")
    return Bilingual(
        f"Ordinal mixed model, log-odds against {reference}: {', '.join(told)}{warned.en}",
        f"有序混合模型，相对于 {reference} 的对数优势：{'，'.join(told)}{warned.zh}",
    )


def _raters(battery: Battery, measure: str) -> Iterator[Bilingual]:
    for part in battery.parts:
        if part.name == "agreement":
            for by, held in part.results:
                if _is_of(by, measure) and isinstance(held, AgreementResult):
                    flagged = _flagged(battery, measure)
                    yield Bilingual(
                        f"{held.raters} raters, {held.title.en}: {held.main}{flagged.en}",
                        f"{held.raters} 名评分者，{held.title.zh}：{held.main}{flagged.zh}",
                    )


def _flagged(battery: Battery, measure: str) -> Bilingual:
    rows = [row for part in battery.parts if part.name == "raters" for row in part.estimates]
    names = [
        row.by["rater"] for row in rows if row.statistic == "flags" and row.by[MEASURE] == measure and (row.value or 0)
    ]
    if not names:
        return Bilingual("", "")
    return Bilingual(f"; to be looked at: {', '.join(names)}", f"；需要查看：{'、'.join(names)}")


# --- the end ----------------------------------------------------------------------------------------------------------


def _correlations(battery: Battery) -> Iterator[Bilingual]:
    for part in battery.parts:
        if part.name == "correlation":
            for by, held in part.results:
                if by.get(RATINGS) != COPIED and isinstance(held, TestResult):
                    effect = held.effects[0]
                    told = f"{effect.symbol} = {_interval(effect)}"
                    yield Bilingual(f"Spearman, {by['measures']}: {told}", f"Spearman 相关，{by['measures']}：{told}")


def _marks(battery: Battery) -> Bilingual:
    alpha = f"α = {battery.questions.alpha:g}"
    marked = [part for part in battery.parts if part.name in (*MAIN, "clustered", "split median")]
    disputed = any(isinstance(held, TestResult) and held.variants for part in marked for _, held in part.results)
    english = f"{SIGNIFICANT} significant at {alpha}; a difference is the first minus the second"
    chinese = f"{SIGNIFICANT} 在 {alpha} 下显著；差值为前者减后者"
    if disputed:
        english += f"; {DISPUTED} without correction another common convention decides otherwise"
        chinese += f"；{DISPUTED} 未校正时，另一常用惯例会得出不同结论"
    if battery.ratings.is_paired and independence(battery.ratings, pairs=True).en:
        english += "; Wilcoxon takes pairs of one item or rater for independent"
        chinese += "；Wilcoxon 检验假定同一条目或评分者的配对相互独立"
    return Bilingual(f"{english}. All sentences: --verbose", f"{chinese}。全部语句：--verbose")
