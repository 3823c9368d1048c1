"""Messages of all kinds to the MCP server, over both transports: each is answered or refused, and the next one is served.

What the MCP inspector checks is asked here by the official client; ``just inspect-mcp`` asks it itself."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx2
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, METHOD_NOT_FOUND
from tests.server.mcp_calls import ask, called, program, refused, serving

HELLO = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
_methods = st.sampled_from(
    "initialize ping tools/list tools/call resources/list resources/read resources/templates/list prompts/list prompts/get "
    "completion/complete logging/setLevel notifications/initialized notifications/cancelled subscriptions/listen nonsense".split()
)
_params = st.dictionaries(
    st.sampled_from("name arguments uri cursor level ref argument _meta requestId protocolVersion capabilities".split()),
    _json | st.sampled_from(["add_memory", "search_memories", "get_memory", "memory://profile", "memory://sessions/x"]),
    max_size=4,
)
_messages = st.fixed_dictionaries(
    {},
    optional={"jsonrpc": st.just("2.0") | _json, "id": st.integers() | st.text(max_size=5) | _json, "method": _methods | _json}
    | {"params": _params | _json, "result": _json, "error": _json},
)
_lines = st.one_of(
    st.binary(max_size=60).filter(lambda line: b"\n" not in line and b"\r" not in line),
    _messages.map(lambda message: json.dumps(message).encode()),
    _json.map(lambda message: json.dumps(message).encode()),
)
#: A server is started once for each transport; a fuzz that breaks it fails the test that did.
BOUNDED = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


class Streams:
    """A program that speaks over its standard streams."""

    def __init__(self, write: IO[bytes], read: IO[bytes]) -> None:
        self._write, self._read, self._next = write, read, 0

    def send(self, line: bytes) -> None:
        self._write.write(line + b"\n")
        self._write.flush()

    def asked(self, method: str, **params: Any) -> Any:
        """The answer to a sound request; whatever comes before it is read as JSON and passed over."""
        self._next += 1
        id = f"sound-{self._next}"
        self.send(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode())
        while True:
            line = self._read.readline()
            assert line, "the program left"
            answer = json.loads(line)
            assert answer["jsonrpc"] == "2.0"
            if answer.get("id") == id:
                return answer


@contextmanager
def streams(db: Path) -> Iterator[Streams]:
    parameters = program(db)
    command = [parameters.command, *parameters.args]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=parameters.env, **pipes) as server:  # type: ignore[call-overload]
        opened = Streams(server.stdin, server.stdout)
        opened.send(json.dumps(HELLO).encode())
        opened.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield opened
        server.stdin.close()
        assert server.wait(timeout=60) == 0


def test_no_message_over_the_streams_ends_the_program(tmp_path: Path) -> None:
    with streams(tmp_path / "memory.db") as server:

        @BOUNDED
        @given(lines=st.lists(_lines, min_size=1, max_size=6))
        def check(lines: list[bytes]) -> None:
            for line in lines:
                server.send(line)
            assert server.asked("tools/list")["result"]["tools"]

        check()
        assert server.asked("tools/call", name="list_memories", arguments={})["result"]["isError"] is False


def test_no_request_over_http_ends_the_program(tmp_path: Path) -> None:
    heads = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with serving(tmp_path / "memory.db") as url, httpx2.Client(timeout=60) as http:
        session = {"Mcp-Session-Id": http.post(url, json=HELLO, headers=heads).headers["mcp-session-id"]}

        @BOUNDED
        @given(
            verb=st.sampled_from(["POST", "POST", "POST", "DELETE", "PUT", "OPTIONS"]),
            body=_lines,
            headers=st.dictionaries(
                st.sampled_from(["Accept", "Content-Type", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id"]),
                st.sampled_from(["", "*/*", "application/json", "text/event-stream", "x", "2025-06-18", "null"]),
                max_size=3,
            ),
            known=st.booleans(),
        )
        def check(verb: str, body: bytes, headers: dict[str, str], known: bool) -> None:
            named = session if known and verb != "DELETE" else {}
            with http.stream(verb, url, content=body, headers={**heads, **named, **headers}) as answer:
                assert answer.status_code < 500, (verb, body, headers)

        check()

        async def goes_on(client: Client) -> None:
            assert (await called(client, "list_memories"))["memories"] == []

        ask(url, goes_on)


# -- what the inspector checks


@pytest.fixture(params=["streams", "http"])
def reached(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """The program, by either transport."""
    if request.param == "streams":
        yield program(tmp_path / "memory.db")
    else:
        with serving(tmp_path / "memory.db") as url:
            yield url


def test_it_introduces_itself_and_lists_what_it_has(reached: Any) -> None:
    async def asking(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.name == "onrecord"
        assert client.server_capabilities is not None
        assert client.server_capabilities.tools is not None
        assert client.instructions
        assert len({tool.name for tool in (await client.list_tools()).tools}) >= 15
        assert {str(one.uri) for one in (await client.list_resources()).resources} == {"memory://profile", "memory://sessions"}
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["memory://sessions/{session_id}"]
        assert [one.name for one in (await client.list_prompts()).prompts] == ["write_policy"]
        assert (await client.get_prompt("write_policy")).messages

    ask(reached, asking)


def test_what_is_not_there_or_not_as_described_is_refused_and_the_next_call_is_served(reached: Any) -> None:
    async def asking(client: Client) -> None:
        assert "said_by" in await refused(client, "add_memory", text="I like tea.")
        assert "said_by" in await refused(client, "add_memory", text="I like tea.", said_by="nobody")
        assert "limit" in await refused(client, "search_memories", query="tea", limit=1_000)
        assert "query" in await refused(client, "search_memories", query="x" * 1_000_000)  # B214
        for what in (client.get_prompt("nonsense"), client.read_resource("memory://nonsense")):
            with pytest.raises(MCPError):
                await what
        assert "nonsense" in str(await client.call_tool("nonsense", {}))
        assert (await called(client, "list_memories"))["memories"] == []

    ask(reached, asking)


def test_every_schema_is_sound_and_plain(tmp_path: Path) -> None:
    """Objects at the top, each parameter described, no union that a client may not write; every answer fits its schema."""

    async def asking(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            for schema in (tool.input_schema, tool.output_schema):
                jsonschema.validators.validator_for(schema).check_schema(schema)
                assert schema is not None
                assert schema["type"] == "object"
            assert all("anyOf" not in one and "type" in one for one in tool.input_schema["properties"].values()), tool.name
            assert "\n    " not in (tool.description or ""), tool.name

    ask(program(tmp_path / "memory.db"), asking)


# -- cases


@pytest.mark.parametrize("arguments", [None, [], "x", 7])  # B215
def test_arguments_of_a_wrong_type_are_invalid_and_absent_ones_are_none(tmp_path: Path, arguments: Any) -> None:
    with streams(tmp_path / "memory.db") as server:
        answer = server.asked("tools/call", name="list_memories", arguments=arguments)
        if arguments is None:
            assert answer["result"]["isError"] is False
        else:
            assert answer["error"]["code"] == INVALID_PARAMS
        assert server.asked("tools/call", name="list_memories")["result"]["isError"] is False
        missing = server.asked("tools/call", name="get_memory")["result"]
        assert missing["isError"]
        assert "id" in missing["content"][0]["text"]
        assert server.asked("nonsense")["error"]["code"] == METHOD_NOT_FOUND


#: What is given for parameters that are required.
GIVEN: dict[str, Any] = {
    **dict.fromkeys(("text", "query", "message", "statement"), "I like tea."),
    "said_by": "user",
    "session_id": "s",
    "id": "rec_1",
    "holds": True,
}


@pytest.mark.parametrize("nothing", ["absent", "", "null", None])  # B218
def test_what_is_optional_may_be_written_as_nothing_in_every_way(tmp_path: Path, nothing: str | None) -> None:
    async def asking(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            needed = tool.input_schema.get("required", ())
            optional = [name for name in tool.input_schema["properties"] if name not in needed]
            given = {} if nothing == "absent" else dict.fromkeys(optional, nothing)
            told = str((await client.call_tool(tool.name, {**{name: GIVEN[name] for name in needed}, **given})).content)
            assert "validation error" not in told, (tool.name, told)

    ask(program(tmp_path / "memory.db"), asking)
