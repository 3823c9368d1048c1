"""Language models behind HTTP, against a real server on loopback that speaks each of their dialects, well and badly."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.providers.loopback import Loopback, Reply

from onrecord.build import open_chat, open_reader
from onrecord.errors import InvalidInput, ModelError, ModelUnavailable
from onrecord.memory import Memory
from onrecord.policy.reading.ask import SCHEMA
from onrecord.ports import Answer, Usage
from onrecord.providers.chat import AnthropicChat, GoogleChat, OpenAiChat
from onrecord.providers.chat.base import IN_BACKGROUND, WAITED_FOR, Form, Manner, RemoteChat
from onrecord.providers.chat.pace import Pace
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.endpoint import Patience

pytest.importorskip("httpx2")

KEY = "sk-a-secret-key"
FACTS = {"facts": [{"turn": 1, "quote": "I live in Porto", "statement": "The user lives in Porto.", "about": []}]}


def busy(status: int, **headers: str) -> Reply:
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, {"error": "words of people"}


class Server(Loopback):
    """Answers ``content`` in the dialect of the path.

    It refuses the forms of answer that it does not take with 400, as servers do."""

    def __init__(self) -> None:
        super().__init__()
        self.content: Any = FACTS
        self.takes = set(Form)

    def reply(self, path: str, body: dict[str, Any]) -> Reply:
        form = asked_form(path, body)
        if form not in self.takes:
            return busy(400)
        return 200, {}, _DIALECTS[dialect(path)](self.content, form)


def dialect(path: str) -> str:
    return "openai" if path.endswith("/chat/completions") else "anthropic" if path.endswith("/v1/messages") else "google"


def asked_form(path: str, body: dict[str, Any]) -> Form:
    if "tools" in body:
        return Form.TOOL
    if dialect(path) == "google":
        config = body["generationConfig"]
        return Form.SCHEMA if "responseJsonSchema" in config else Form.JSON if "responseMimeType" in config else Form.WORDS
    kind = body.get("response_format", {}).get("type")
    return {"json_schema": Form.SCHEMA, "json_object": Form.JSON, None: Form.WORDS}[kind]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def _openai(content: Any, form: Form) -> Any:
    message = {"role": "assistant", "content": _text(content)}
    if form is Form.TOOL:
        call = {"id": "c1", "type": "function", "function": {"name": "answer", "arguments": _text(content)}}
        message = {"role": "assistant", "content": "", "tool_calls": [call]}  # type: ignore[dict-item]
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 64}}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}


def _anthropic(content: Any, form: Form) -> Any:
    called = form is Form.TOOL and not isinstance(content, str)
    block = (
        {"type": "tool_use", "id": "t1", "name": "answer", "input": content}
        if called
        else {"type": "text", "text": _text(content)}
    )
    usage = {"input_tokens": 16, "cache_read_input_tokens": 64, "cache_creation_input_tokens": 20, "output_tokens": 20}
    return {"content": [{"type": "thinking", "thinking": '{"facts": 1}'}, block], "usage": usage}


def _google(content: Any, form: Form) -> Any:
    parts = [{"text": "let me think", "thought": True}, {"text": _text(content)}]
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 15, "thoughtsTokenCount": 5, "cachedContentTokenCount": 64}
    return {"candidates": [{"content": {"parts": parts}}], "usageMetadata": usage}


_DIALECTS: Mapping[str, Callable[[Any, Form], Any]] = {"openai": _openai, "anthropic": _anthropic, "google": _google}


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def pauses() -> list[float]:
    """The seconds that were waited; nobody really waits."""
    return []


Open = Callable[..., RemoteChat]


@pytest.fixture(params=["openai", "anthropic", "google"])
def opened(request: pytest.FixtureRequest, server: Server, pauses: list[float]) -> Open:
    """A model of each dialect."""

    def open_(**manner: Any) -> RemoteChat:
        made = Manner(**{"pause": pauses.append, **manner})
        if request.param == "openai":
            return OpenAiChat("m", f"{server.url}/v1", key=KEY, manner=made)
        kind = AnthropicChat if request.param == "anthropic" else GoogleChat
        return kind("m", server.url, key=KEY, manner=made)

    return open_


def ask(model: RemoteChat) -> Mapping[str, Any]:
    return model.complete("the system \ud800", "the user", SCHEMA)


def test_an_answer_comes_back_with_what_it_took(opened: Open, server: Server) -> None:
    found = ask(opened())
    assert isinstance(found, Answer)
    assert found == FACTS
    assert found.usage == Usage(1, 100, 64, 20)
    assert len(server.requests) == 1


def test_the_strictest_form_that_a_server_takes_is_found_once_and_kept(opened: Open, server: Server) -> None:
    model = opened()
    for taken in reversed(model.forms):
        server.takes, server.requests = {taken}, []
        fresh = opened()
        assert [ask(fresh), ask(fresh)] == [FACTS, FACTS]
        assert fresh.form is taken
        assert len(server.requests) == fresh.forms.index(taken) + 2


def test_a_server_that_refuses_every_form_leaves_the_form_as_it_was(opened: Open, server: Server) -> None:
    model = opened()
    server.takes = set()
    with pytest.raises(ModelError, match="answered 400"):
        ask(model)
    assert model.form is model.forms[0]
    assert len(server.requests) == len(model.forms)


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{json.dumps(FACTS)}\n```",
        f'<think>{{"facts": []}}</think>{json.dumps(FACTS)}',
        f"Sure! {json.dumps(FACTS)} Anything else?",
        json.dumps(FACTS).replace('"', "'"),
    ],
)
def test_words_around_an_answer_are_read_past(opened: Open, server: Server, content: str) -> None:
    server.content = content
    assert ask(opened()) == FACTS


@pytest.mark.parametrize(("content", "why"), [("I cannot help.", "no JSON"), ("", "empty"), ("<think>hm {", "without an end")])
def test_an_answer_that_says_nothing_is_an_error_and_is_not_asked_for_again(
    opened: Open, server: Server, content: str, why: str
) -> None:
    server.content = content
    with pytest.raises(ModelError, match=why):
        ask(opened())
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": [{}]}, [], "text", {"content": 3, "candidates": [3]}, b"<html>", b"\xff"]
)
def test_an_answer_that_is_not_of_the_protocol_is_an_error_that_says_what_to_check(
    opened: Open, server: Server, body: Any
) -> None:
    server.due = [(200, {}, body)]
    with pytest.raises(ModelError):
        ask(opened())


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_a_busy_server_is_asked_three_times_on_one_ladder(opened: Open, server: Server, pauses: list[float], status: int) -> None:
    server.due = [busy(status)] * 9
    with pytest.raises(ModelError, match=f"answered {status}") as error:
        ask(opened(patience=WAITED_FOR))
    assert isinstance(error.value, ModelUnavailable) == (status not in (500, 502, 504))
    assert len(server.requests) == 3
    assert pauses == [1.0, 4.0]


def test_in_the_background_a_server_is_asked_once(opened: Open, server: Server, pauses: list[float]) -> None:
    server.due = [busy(503)] * 9
    with pytest.raises(ModelUnavailable):
        ask(opened(patience=IN_BACKGROUND))
    assert (len(server.requests), pauses) == (1, [])


def test_a_server_gets_the_wait_that_it_asks_for(opened: Open, server: Server, pauses: list[float]) -> None:
    server.due = [busy(429, Retry_After="7")]
    assert ask(opened(patience=WAITED_FOR)) == FACTS
    assert pauses == [7.0]


def test_a_server_that_asks_for_too_long_a_wait_is_given_up(opened: Open, server: Server, pauses: list[float]) -> None:
    server.due = [busy(429, Retry_After="3600")]
    with pytest.raises(ModelUnavailable, match="asks to wait 3600 s"):
        ask(opened(patience=WAITED_FOR))
    assert (len(server.requests), pauses) == (1, [])


def test_silence_ends_with_the_time_that_is_given(opened: Open, server: Server) -> None:
    server.due = [None]
    with pytest.raises(ModelError, match=r"no answer within 0.2 s"):
        ask(opened(patience=Patience(timeout=0.2, waits=(), longest=0.0)))


def test_a_server_that_is_not_there_is_unavailable(opened: Open, server: Server) -> None:
    model = opened(patience=IN_BACKGROUND)
    server.close()
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        ask(model)


@pytest.mark.parametrize(("status", "advice"), [(401, "check the key"), (403, "check the key"), (404, "model's name")])
def test_a_caller_who_is_refused_is_told_what_to_check(opened: Open, server: Server, status: int, advice: str) -> None:
    server.due = [busy(status)]
    with pytest.raises(ModelUnavailable, match=advice):
        ask(opened())
    assert len(server.requests) == 1


def test_neither_words_nor_key_reach_an_error_or_the_log(opened: Open, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "onrecord")
    server.due = [(500, {}, {"error": "words of people"})] * 3
    server.content = "words of people"
    for _ in range(2):
        with pytest.raises(ModelError) as error:
            ask(opened())
        assert "words of people" not in str(error.value) + caplog.text
        assert KEY not in str(error.value) + caplog.text


def test_each_dialect_sends_the_key_and_what_it_is_asked(opened: Open, server: Server) -> None:
    ask(opened())
    ((path, body, headers),) = server.requests
    match dialect(path):
        case "openai":
            assert headers["authorization"] == f"Bearer {KEY}"
            assert [message["content"] for message in body["messages"]] == ["the system ?", "the user"]
            assert body["response_format"]["json_schema"]["schema"] == SCHEMA
            assert (body["temperature"], body["max_tokens"]) == (0, 2048)
        case "anthropic":
            assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
            (system,) = body["system"]
            assert system == {"type": "text", "text": "the system ?", "cache_control": {"type": "ephemeral"}}
            assert body["tools"][0]["input_schema"] == SCHEMA
            assert body["tool_choice"] == {"type": "tool", "name": "answer"}
        case _:
            assert headers["x-goog-api-key"] == KEY
            assert path == "/v1beta/models/m:generateContent"
            assert body["generationConfig"]["responseJsonSchema"] == SCHEMA


def test_a_model_that_chooses_its_own_temperature_is_told_none(server: Server) -> None:
    for model in ("gpt-5-mini", "openai/o3"):
        ask(OpenAiChat(model, f"{server.url}/v1"))
    assert all("temperature" not in body for _, body, _ in server.requests)


def test_a_server_may_want_headers_of_its_own(server: Server) -> None:
    ask(OpenAiChat("m", server.url, headers={"HTTP-Referer": "https://example.org"}))
    assert server.requests[0][2]["http-referer"] == "https://example.org"


def test_a_prompt_that_google_blocks_gives_no_answer(server: Server) -> None:
    server.due = [(200, {}, {"promptFeedback": {"blockReason": "SAFETY"}})]
    with pytest.raises(ModelError, match="empty"):
        ask(GoogleChat("m", server.url))


@pytest.mark.parametrize(
    ("choice", "path", "name"),
    [
        ("openai:m@{url}/v1", "/v1/chat/completions", "openai:m"),
        ("{url}/v1#m", "/v1/chat/completions", "openai:m"),
        ("ollama:m:7b@{url}/v1", "/v1/chat/completions", "openai:m:7b"),
        ("anthropic:m@{url}", "/v1/messages", "anthropic:m"),
        ("google:m@{url}", "/v1beta/models/m:generateContent", "google:m"),
    ],
)
def test_a_model_is_chosen_in_one_string(server: Server, choice: str, path: str, name: str) -> None:
    for open_ in (open_chat, open_reader):
        model = open_(choice.format(url=server.url), key=KEY)
        assert model.complete("s", "u", SCHEMA) == FACTS
        assert model.name == name
    assert {asked for asked, _, _ in server.requests} == {path}


@pytest.mark.parametrize(
    "choice", ["", "gpt-5", "openai", "http://localhost:8080/v1", "openai:m@ftp://x", "http://me:pw@x/v1#m", "grok:m"]
)
def test_what_is_no_choice_is_refused_with_the_form(choice: str) -> None:
    with pytest.raises(InvalidInput, match=r"chat"):
        open_chat(choice)


def test_a_memory_reads_with_a_model_that_is_named(server: Server) -> None:
    """The whole path over HTTP: what is said waits, is read in the background, and is kept in the person's words."""
    with Memory(":memory:", embedder=HashingEmbedder(), reader=f"{server.url}/v1#m") as memory:
        memory.engine = replace(memory.engine, policy=replace(memory.engine.policy, reading_turns=1))
        memory.add("Anyway, I live in Porto, and the tram was late.", user_id="ana")
        report = memory.maintain()
        assert (report.captured, report.calls) == (1, 1)
        assert [record.statement for record in memory.get_all(user_id="ana")] == ["I live in Porto"]


def test_a_pace_spreads_calls_over_the_minute() -> None:
    now, waited = [100.0], list[float]()

    def pause(seconds: float) -> None:
        waited.append(seconds)
        now[0] += seconds

    pace = Pace(30, clock=lambda: now[0], pause=pause)
    for _ in range(4):
        pace()
    assert waited == [2.0, 2.0, 2.0]
    now[0] += 60
    pace()
    assert len(waited) == 3


def test_a_pace_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="per_minute"):
        Pace(0)
