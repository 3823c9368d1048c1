"""A router whose answers are made into JSON on the thread that found them: a large one would hold the event loop."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Response
from pydantic import TypeAdapter

from onrecord.server.callers import COMMON


class Answering(APIRouter):
    """As ``APIRouter``, with what is common to all routes of the API."""

    def __init__(self, prefix: str, tag: str) -> None:
        super().__init__(prefix=f"/v1{prefix}", responses=COMMON, tags=[tag])

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """Registers a function whose annotation says what it answers."""
        kind = inspect.signature(endpoint, eval_str=True).return_annotation
        if kind is Response:
            return super().add_api_route(path, endpoint, **options)
        adapter = TypeAdapter[Any](kind)

        @functools.wraps(endpoint)
        def answer(*args: Any, **kwargs: Any) -> Response:
            return Response(adapter.dump_json(endpoint(*args, **kwargs)), media_type="application/json")

        return super().add_api_route(path, answer, **{**options, "response_model": kind})
