"""Routes about runs: working memory, read and saved step by step, and gone when the task is done."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Response

from onrecord.model.run import RunStatus
from onrecord.run import Run
from onrecord.server.answering import Answering
from onrecord.server.callers import CHANGED, Caller, Reader, Whose, Writer
from onrecord.wire import requests, threads

routes = Answering("/runs", "runs")
Name = Annotated[str, Path(min_length=1, max_length=200, description="The name of a run.", json_schema_extra=requests.NAME)]


@routes.get("/{run_id}", summary="The working memory of a run")
def run(caller: Reader, run_id: Name, whose: Whose) -> threads.Working:
    """At the last step that was saved; empty, at step 0, for a new one."""
    return threads.Working.of(_run(caller, run_id, whose.arguments()))


@routes.put("/{run_id}", summary="Save a step of a run", responses=CHANGED)
def checkpoint(caller: Writer, run_id: Name, asked: requests.Step) -> threads.Working:
    """Durable when this answers. Refused if somebody else went on with the run: read it again then."""
    given = asked.arguments()
    state = {name: getattr(asked, name) for name in ("plan", "values", "results", "retries", "waiting_for")}
    found = _run(caller, run_id, {name: given[name] for name in ("user_id", "agent_id", "subject") if name in given})
    for name, value in {**state, "step": asked.step}.items():
        setattr(found, name, value)
    found.status = RunStatus.WAITING if asked.waiting_for else RunStatus.RUNNING
    found.checkpoint()
    return threads.Working.of(found)


@routes.delete("/{run_id}", summary="Destroy the working memory of a run", status_code=204)
def complete(caller: Writer, run_id: Name, whose: Whose) -> Response:
    """What deserves to last has to be added before."""
    _run(caller, run_id, whose.arguments()).complete()
    return Response(status_code=204)


def _run(caller: Caller, run_id: str, whose: dict[str, Any]) -> Run:
    return caller.memory.run(run_id, **caller.owned(whose))
