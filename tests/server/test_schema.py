"""The description of the REST server, held against what it answers, by schemathesis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from bench.fuzz_check import taken
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from onrecord import Memory
from onrecord.model.key import Right
from onrecord.pipeline.keys import new_key
from onrecord.server.app import rest_app
from onrecord.server.limits import Limits

#: ``taken`` stands for it, and knows the rules that no schema can say.
REPLACED: Any = [positive_data_acceptance]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, dict[str, str]]]:
    folder: Path = tmp_path_factory.mktemp("schema")
    with Memory(folder / "memory.db") as memory:
        shown = new_key(memory.engine, "default", "all", Right.ADMIN, "user:ana")[1]
        app = rest_app(memory, local=False, limits=Limits(rate=1e9, burst=10**9))
        yield schemathesis.openapi.from_asgi("/openapi.json", app), {"Authorization": f"Bearer {shown}"}


def operations() -> list[tuple[str, str]]:
    """All that the app describes under its version."""
    paths = rest_app(Memory(":memory:"), local=True).openapi()["paths"]
    return [(verb.upper(), path) for path, verbs in paths.items() if path.startswith("/v1") for verb in verbs]


@pytest.mark.parametrize(("verb", "path"), operations())
def test_every_answer_fits_the_description(served: tuple[Any, dict[str, str]], verb: str, path: str) -> None:
    schema, headers = served

    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=schema[path][verb].as_strategy())
    def check(case: Any) -> None:
        case.call_and_validate(headers=headers, additional_checks=[taken], excluded_checks=REPLACED)

    check()


def test_whatever_follows_from_an_answer_fits_the_description(served: tuple[Any, dict[str, str]]) -> None:
    """Goes on from answers by the links: what was written is read, changed, taken back and erased, in any order."""
    schema, headers = served
    machine: Any = schema.as_state_machine()

    class Following(machine):  # type: ignore[misc]
        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"headers": headers}

        def validate_response(self, response: Any, case: Any, **kwargs: Any) -> None:
            case.validate_response(response, additional_checks=[taken], excluded_checks=REPLACED, **kwargs)

    Following.run(
        settings=settings(max_examples=15, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck))
    )


def test_links_lead_to_operations_with_the_parameters_that_these_take() -> None:
    described = rest_app(Memory(":memory:"), local=True).openapi()
    known = {
        one["operationId"]: {parameter["name"] for parameter in one.get("parameters", ())}
        for verbs in described["paths"].values()
        for one in verbs.values()
    }
    found = [
        link
        for verbs in described["paths"].values()
        for one in verbs.values()
        for answer in one["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert len(found) >= 30
    for link in found:
        assert set(link.get("parameters", ())) <= known[link["operationId"]], link
