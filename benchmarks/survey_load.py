"""Who answers a survey while it is measured, on what, and what is the least that any server must do?

Parts of the benchmark `survey`: a survey of sentences of our own, answers that are already stored, a crowd that answers
for some seconds and leaves, and a bare app as a peer. Each runs in a process of its own (see survey.py).
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from sqlalchemy import Connection, insert
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from hengliang import Bilingual
from hengliang.people.bots.http_bot import Times
from hengliang.people.bots.http_client import Client
from hengliang.people.storage import tables
from hengliang.surveys import (
    Experiment,
    HttpBot,
    Ledger,
    LikertRating,
    Patience,
    ResponseModel,
    SimulatedRater,
    Survey,
    invitation_of,
    read_survey,
    stimuli_frame,
    versions_frame,
    write_experiment,
    write_survey,
)
from hengliang.surveys import SurveyDesign as Design
from hengliang.surveys import SurveySettings as Settings

LISTS, ITEMS = 4, 60
"""Lists, and items on each of them: more than anybody answers while it is measured."""
_NOUNS = ("书", "信", "马", "车", "票", "树", "花", "鱼", "刀", "画", "灯", "伞", "椅子", "桌子", "衣服")
_FRAMES = ("他买了一{}{}。", "桌上放着三{}{}。", "门口有两{}{}。", "我昨天看见一{}{}。")
_CLASSIFIERS = ("个", "张", "条", "把")


def load_survey(folder: Path) -> Survey:
    """Write a survey of 240 short sentences on four lists, and read it."""
    stimuli, versions = [], []
    for number in range(LISTS * ITEMS):
        frame, noun = _FRAMES[number % len(_FRAMES)], _NOUNS[number // 4 % len(_NOUNS)]
        text = frame.format(_CLASSIFIERS[number // 60], noun)
        about = f"s{number:03}"
        stimuli.append({"about": about, "item": about, "text": text, "spans": [], "systems": ["ours"]})
        versions.append({"version": str(number % LISTS + 1), "position": number // LISTS + 1, "about": about})
    task = LikertRating()
    folder.mkdir(parents=True)
    title = Bilingual("Sentences", "句子")
    write_experiment(
        folder,
        Experiment("load", title, task.scales(), stimuli_frame(stimuli), versions=versions_frame(versions)),
    )
    write_survey(folder, task, Design(), Settings(demographics=(), pause_every=0))
    return read_survey(folder)


def preload(connection: Connection, survey: Survey, answers: int, invitation: str, now: float) -> None:
    """Store so many answers of finished participants, with the events that belong to them."""
    held = invitation_of(connection, invitation)
    each = ITEMS * len(survey.task.scales())
    for number in range(-(-answers // each)):
        version = str(number % LISTS + 1)
        order = list(range(ITEMS))
        participant: dict[str, Any] = {
            "id": f"stored{number:010}",
            "kind": "simulated",
            "status": "finished",
            "invitation": held.id if held else None,
            "language": "zh",
            "version": version,
            "number": number // LISTS,
            "seed": 1,
            "order": json.dumps(order),
            "step": ITEMS + 1,
            "steps": ITEMS + 2,
            "consent": "1:0",
            **dict.fromkeys(("since", "consented", "seen", "ended"), now - 1000.0),
        }
        connection.execute(insert(tables.participants), participant)
        rows = list(_answers(survey, version, participant["id"], now))[: max(0, answers - number * each)]
        connection.execute(insert(tables.answers), rows)
        event = {"at": now, "participant": participant["id"], "kind": "trial", "detail": '{"step":1,"answers":2}'}
        connection.execute(insert(tables.events), [event] * ITEMS)


def _answers(survey: Survey, version: str, participant: str, now: float) -> Iterator[dict[str, Any]]:
    for trial, shown in enumerate(survey.lists[version], 1):
        for place, scale in enumerate(survey.task.scales()):
            yield {
                "participant": participant,
                "about": shown.about,
                "occurrence": 1,
                "scale": scale.name,
                "value": float(1 + (trial + place) % 7),
                "status": "ok",
                "language": "zh",
                "role": shown.role,
                "trial": trial,
                "place": place,
                "highlighted": True,
                "answered": now,
                "seconds": 4.0,
                "submission": f"{participant}-{trial}",
            }


def answer_for(
    folder: Path, url: str, invitation: str, participants: int, seconds: float, think: float
) -> dict[str, Any]:
    """Let a crowd answer for some seconds and return what it saw: times of submits, retries, what was acknowledged.

    All enter first, at a steady pace. What is measured begins when the last one has thought once on average.
    """
    return asyncio.run(_answering(read_survey(folder), url, invitation, participants, seconds, think))


async def _answering(
    survey: Survey, url: str, invitation: str, participants: int, seconds: float, think: float
) -> dict[str, Any]:
    ledger, times, patience = Ledger(), Times(), Patience(think)
    # So many a second can enter that most of the machine is left for those who answer.
    entering = participants / 40
    start = time.monotonic() + entering + think
    until = start + seconds
    model = ResponseModel()

    async def one(number: int) -> str:
        await asyncio.sleep(number / 40)
        client = Client(url, patience.timeout)
        rater = SimulatedRater(model, 1, number)
        bot = HttpBot(survey, url, invitation, rater, ledger, times, patience, until)
        ending = await bot.answer(client) if await bot.enter(client) else "refused"
        await client.close()
        return ending

    processor = time.process_time()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(number)) for number in range(participants)]
    measured = [place for place, begun in enumerate(times.begun) if begun >= start]
    endings = [task.result() for task in tasks]
    return {
        "submits": [times.submits[place] for place in measured],
        "turns": [times.turns[place] for place in measured],
        "seconds": seconds,
        "retries": times.retries,
        "endings": {ending: endings.count(ending) for ending in set(endings)},
        "processor": time.process_time() - processor,
        "whole": entering + think + seconds,
        "ledger": [[entry.submission, entry.about, entry.scale, entry.value] for entry in ledger.entries],
    }


def serve_peer(folder: Path, file: Path, port: int) -> None:
    """Serve the least that keeps an answer: a page that never changes, and one durable INSERT for a submit."""
    survey = read_survey(folder)
    first = survey.lists["1"][0].about
    radios = "".join(
        f'<label><input type="radio" name="answer-{scale.name}" value="{point}">{option.zh}</label>'
        for scale in survey.task.scales()
        for point, option in enumerate(scale.options, 1)
    )
    page = (
        f'<!doctype html><html lang="zh"><body><main><form method="post" action="/submit" data-about="{first}" '
        f'data-step="1" data-task="likert"><p>{survey.stimuli[first].text}</p><input type="hidden" name="submission" '
        f'value="1"><input type="hidden" name="seconds" value="">{radios}<button>下一页</button></form></main></body>'
        "</html>"
    )
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    for statement in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE answers (id INTEGER PRIMARY KEY, body TEXT NOT NULL)",
    ):
        connection.execute(statement)

    async def shown(request: Request) -> Response:
        return HTMLResponse(page)

    async def invited(request: Request) -> Response:
        return HTMLResponse('<a href="/consent?language=zh">中文</a><a href="/consent?language=en">English</a>')

    async def asked(request: Request) -> Response:
        return HTMLResponse('<form method="post" action="/consent"></form>')

    async def kept(request: Request) -> Response:
        connection.execute("INSERT INTO answers (body) VALUES (?)", ((await request.body()).decode(),))
        return RedirectResponse("/page", 303)

    async def agreed(request: Request) -> Response:
        return RedirectResponse("/page", 303)

    routes = [
        Route("/i/{token}", invited),
        Route("/consent", asked),
        Route("/consent", agreed, methods=["POST"]),
        Route("/page", shown),
        Route("/submit", kept, methods=["POST"]),
        Route("/health", shown),
    ]
    # Connections are kept as long as ours.
    options = {"http": "httptools", "loop": "uvloop", "ws": "none", "log_config": None, "timeout_keep_alive": 30}
    with suppress(KeyboardInterrupt):
        uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=port, access_log=False, **options)  # type: ignore[arg-type]
