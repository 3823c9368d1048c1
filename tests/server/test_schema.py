"""The description of the REST server, held against what it answers, by schemathesis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from onrecord import Memory
from onrecord.model.key import Right
from onrecord.pipeline.keys import new_key
from onrecord.server.app import rest_app
from onrecord.server.limits import Limits


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, dict[str, str]]]:
    folder: Path = tmp_path_factory.mktemp("schema")
    with Memory(folder / "memory.db") as memory:
        shown = new_key(memory.engine, "default", "all", Right.ADMIN, "user:ana")[1]
        app = rest_app(memory, local=False, limits=Limits(rate=1e9, burst=10**9))
        yield schemathesis.openapi.from_asgi("/openapi.json", app), {"Authorization": f"Bearer {shown}"}


OPERATIONS = [
    ("POST", "/v1/memories"),
    ("POST", "/v1/memories/remember"),
    ("GET", "/v1/memories"),
    ("GET", "/v1/memories/{id}"),
    ("PATCH", "/v1/memories/{id}"),
    ("POST", "/v1/memories/{id}/retract"),
    ("DELETE", "/v1/memories/{id}"),
    ("GET", "/v1/memories/{id}/history"),
    ("GET", "/v1/memories/{id}/why"),
    ("POST", "/v1/search"),
    ("POST", "/v1/context"),
    ("GET", "/v1/refusals"),
    ("GET", "/v1/sessions"),
    ("GET", "/v1/sessions/{session_id}/turns"),
    ("POST", "/v1/maintain"),
]


def test_every_operation_is_held_against_its_description(served: tuple[Any, dict[str, str]]) -> None:
    schema, _ = served
    described = [(one.ok().method.upper(), one.ok().path) for one in schema.get_all_operations()]
    assert sorted(found for found in described if found[1].startswith("/v1")) == sorted(OPERATIONS)


@pytest.mark.parametrize(("verb", "path"), OPERATIONS)
def test_every_answer_fits_the_description(served: tuple[Any, dict[str, str]], verb: str, path: str) -> None:
    schema, headers = served

    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=schema[path][verb].as_strategy())
    def check(case: Any) -> None:
        # The library refuses more than a schema can say (an empty edit, a name of control characters), so not every body that
        # fits is taken; that nothing fails, and that every answer is as described, is what is asked here.
        case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

    check()
