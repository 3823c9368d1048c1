"""What a server is asked: the arguments of the library as models with a published schema. Unknown fields are refused."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict

from onrecord.model.record import KEY, STATEMENT_LIMIT, Kind, Status
from onrecord.policy.dialogue.messages import ROLES

_NUMBER = re.compile(r"\s*[+-]?[\d_.]+(e[+-]?\d+)?\s*", re.IGNORECASE)
#: What a name is (``model.scope.checked_name``), for the schema: no control characters, no blank at either end. It is checked by
#: the library, which says what is off; here stands what a caller may know before.
_CONTROL = r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
_EDGE = rf"[^{_CONTROL}\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
NAME: JsonDict = {"pattern": rf"^{_EDGE}(?:[^{_CONTROL}]*{_EDGE})?$"}
_SUBJECT: JsonDict = {"pattern": rf"^[a-z][a-z0-9_]{{0,31}}:(?:[^{_CONTROL}]*{_EDGE})$"}
Name = Annotated[str, Field(min_length=1, max_length=200, json_schema_extra=NAME)]


def _written(value: object) -> object:
    """A time as it is written. A number would be taken for seconds or milliseconds, whichever fits."""
    if isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.fullmatch(value)):
        raise ValueError("write it in ISO 8601, e.g. 2026-03-03T11:42:05+01:00")
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_written)]
Key = Annotated[str, Field(pattern=f"^{KEY.pattern}$")]
#: Characters of a message, and of a question: what is asked is no document.
TEXT_LIMIT, QUESTION_LIMIT = 1_000_000, 100_000
Text = Annotated[str, Field(max_length=TEXT_LIMIT)]
Question = Annotated[str, Field(max_length=QUESTION_LIMIT)]
Limit = Annotated[int, Field(ge=1, le=100)]
#: In a body 0 is no flag, and ``false`` no number.
Flag = Annotated[bool, Field(strict=True)]
Share = Annotated[float, Field(ge=0, le=1, strict=True)]
RowId = Annotated[str, Field(min_length=1, max_length=200)]
Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    def arguments(self) -> dict[str, Any]:
        """What was given, as arguments of the library."""
        return self.model_dump(exclude_unset=True)


class Owner(_Strict):
    """Whose memory: a user, an agent, or any subject. A key that is bound to an owner needs none."""

    user_id: Name | None = None
    agent_id: Name | None = None
    subject: Annotated[str, Field(min_length=1, max_length=200, json_schema_extra=_SUBJECT)] | None = Field(
        None, description="kind:name, e.g. account:acme"
    )


class Place(Owner):
    """Whose memory, and where something is said."""

    run_id: Name | None = None
    session_id: Name | None = None


class Message(BaseModel):
    """A message in the OpenAI or Anthropic shape; ``id`` makes it idempotent, ``name`` says who spoke."""

    model_config = ConfigDict(extra="allow")

    role: Annotated[str, Field(json_schema_extra={"enum": sorted(ROLES)})]
    content: Any = None
    id: str | None = None


Messages: TypeAlias = Text | Annotated[list[Message], Field(min_length=1, max_length=100)]


class AddMemories(Place):
    """Messages to take in."""

    messages: Messages
    metadata: dict[str, Any] = Field(default_factory=dict)
    infer: Flag = Field(True, description="False keeps each message as one record, as it is.")
    at: Moment | None = Field(None, description="When they were said, with the speaker's zone. Default: now.")
    dry_run: Flag = False


class Remember(Place):
    """One statement to keep on purpose."""

    statement: Annotated[str, Field(min_length=1, max_length=STATEMENT_LIMIT)]
    kind: Kind = Kind.STATED_FACT
    key: Key | None = None
    value: str | None = None
    qualifier: str | None = None
    negation: Flag | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    pinned: Flag = False
    metadata: dict[str, Any] = Field(default_factory=dict)
    at: Moment | None = Field(None, description="When it was said. Default: now.")
    dry_run: Flag = False


class Reading(_Strict):
    """What narrows a search. ``limit`` is the most hits."""

    subjects: list[Name] = Field(default_factory=list, max_length=100, description="Further subjects that may be seen.")
    limit: Limit = 5
    threshold: Share | None = None
    include: Literal["records", "episodes", "both"] = "both"
    kinds: list[Kind] | None = None
    key: Key | None = None
    filters: dict[str, Any] | None = None
    as_of: Moment | None = None
    known_at: Moment | None = None
    since: Moment | None = None
    until: Moment | None = None
    history: Flag = False
    rerank: Flag = Field(False, description="Have the server's reranker look again at the first hits.")


class Search(Place, Reading):
    """A question."""

    query: Question


class SearchInThread(Owner, Reading):
    """What is said next in a thread; ``query`` names something else to look for."""

    message: Text
    query: Question | None = None


class Framed(_Strict):
    """How a context is to be made."""

    subjects: list[Name] = Field(default_factory=list, max_length=100)
    system: Text = ""
    budget: Tokens | None = None
    tools: list[dict[str, Any]] = Field(default_factory=list, max_length=1_000, description="Tool schemas that are sent too.")
    shape: Literal["openai", "anthropic", "alternating", "single"] = "openai"
    preset: Literal["assistant", "support", "coding", "research"] = "assistant"
    limit: Limit | None = Field(None, description="At most so many records.")
    query: Question | None = Field(None, description="What to look for, if not for the message.")
    run_id: Name | None = Field(None, description="The run whose state goes in.")
    window: Tokens | None = Field(None, description="The model's window; without a budget at most half of it is used.")


class ContextAsked(Owner, Framed):
    """A message to assemble a context for."""

    message: Text
    session_id: Name | None = None


class ThreadContextAsked(Owner, Framed):
    """What is said next in a thread; without it the dialogue ends in what is to be answered."""

    message: Text = ""


def _one_of(**given: str) -> ConfigDict:
    """The configuration of a model of which one field at least is to be given, of its type of JSON (empty: of any)."""
    some = [{"required": [name], "properties": {name: {"type": type}} if type else {}} for name, type in given.items()]
    return ConfigDict(extra="forbid", json_schema_extra={"anyOf": some})  # type: ignore[dict-item]


class Change(Owner):
    """Fields of a record to change; everything else stays. Null takes value, key or qualifier away, and changes nothing else."""

    model_config = _one_of(
        statement="string",
        **dict.fromkeys(("value", "key", "qualifier"), ""),
        **dict.fromkeys(("negation", "pinned"), "boolean"),
        confidence="number",
        **dict.fromkeys(("valid_from", "valid_until"), "string"),
        metadata="object",
    )
    statement: Annotated[str, Field(min_length=1, max_length=STATEMENT_LIMIT)] | None = None
    version: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(
        None, description="The version you read; refused if it changed since."
    )
    value: str | None = None
    key: Key | None = None
    qualifier: str | None = None
    negation: Flag | None = None
    confidence: Share | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    pinned: Flag | None = None
    metadata: dict[str, Any] | None = None

    def arguments(self) -> dict[str, Any]:
        """What was given; without the nulls of fields that are never without a value."""
        given = super().arguments()
        return {name: value for name, value in given.items() if value is not None or name in ("value", "key", "qualifier")}


class Listing(Place):
    """A page of records."""

    limit: Limit = 50
    after: str | None = Field(None, max_length=200, description="The 'next' of the page before.")
    status: list[Status] | None = None
    subjects: list[Name] = Field(default_factory=list, max_length=100)
    filters: Annotated[str, Field(max_length=10_000)] | None = Field(None, description='A JSON object, as "filters" of a search.')


class Whose(Owner):
    """Whose rows, and how many at the most."""

    limit: Limit = 50


class ThreadList(Whose):
    """A page of threads."""

    archived: bool = Field(False, description="Those that were put away.")
    after: str | None = Field(None, max_length=2_000, description="The 'next' of the page before.")


class Misses(Whose):
    """Which misses."""

    subjects: list[Name] = Field(default_factory=list, max_length=100)
    since: Moment | None = None


class Rows(Owner):
    """Ids of records or turns."""

    ids: Annotated[list[RowId], Field(min_length=1, max_length=1_000)]
    dry_run: Flag = False


class Erase(Owner):
    """What is to be erased: rows, a thread, or (neither named) everything of the owner. There is no way back."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "not": {
                "required": ["ids", "session_id"],
                "properties": {"ids": {"type": "array"}, "session_id": {"type": "string"}},
            }
        },
    )
    ids: Annotated[list[RowId], Field(min_length=1, max_length=1_000)] | None = None
    session_id: Name | None = None
    verify: Flag = Field(False, description="Write the files anew and read every byte of them. Writers wait meanwhile.")
    dry_run: Flag = False


class Renew(Owner):
    """Until when a record holds; left out for another lifespan of its kind."""

    until: Moment | None = None


class Maintain(_Strict):
    """How much a maintenance run may do of each part."""

    limit: Annotated[int, Field(ge=1, le=100_000)] = 1_000
    dry_run: Flag = False


class Undo(_Strict):
    """The maintenance run whose merges are to be undone."""

    run: Name
    dry_run: Flag = False


class AddTurns(Owner):
    """Messages that were said in a thread."""

    messages: Messages
    metadata: dict[str, Any] = Field(default_factory=dict)
    infer: Flag = True
    at: Moment | None = None


class Compact(Owner):
    """How many tokens a thread may take."""

    budget: Tokens | None = None


class Fork(Owner):
    """The name of the new thread, and up to which turn it is copied (all if not given)."""

    new: Name
    upto: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class ThreadChange(Owner):
    """What is to change about a thread."""

    model_config = _one_of(title="string", archived="boolean")
    title: Annotated[str, Field(max_length=1_000)] | None = Field(None, description="An empty one takes it away.")
    archived: Flag | None = None


class Said(Owner):
    """Turns as messages of a provider."""

    shape: Literal["openai", "anthropic"] = "openai"
    last: Annotated[int, Field(ge=0, le=100_000)] | None = None


class Step(Owner):
    """The state of a run after a step. ``step`` is the last one that the caller knows, 0 for a new run."""

    step: Annotated[int, Field(ge=0, le=2**31 - 1)]
    plan: list[Any] = Field(default_factory=list)
    values: dict[str, Any] = Field(default_factory=dict)
    results: dict[str, Any] = Field(default_factory=dict)
    retries: dict[str, int] = Field(default_factory=dict)
    waiting_for: Annotated[str, Field(min_length=1, max_length=1_000)] | None = Field(
        None, description="What it waits for; a run that waits for nothing goes on."
    )


class AddDocument(Owner):
    """A document; without an owner it is for all of the tenant. One of the same name in its collection is replaced."""

    text: Text
    name: Name
    collection: Name = "default"
    metadata: dict[str, Any] = Field(default_factory=dict)


class _Documents(Owner):
    """Which documents: the owner's and those of ``subjects``, if any, and what all share."""

    subjects: list[Name] = Field(default_factory=list, max_length=100)
    collection: Name | None = None


class SearchDocuments(_Documents):
    """A question to documents."""

    query: Question
    filters: dict[str, Any] | None = None
    limit: Limit = 5
    threshold: Share | None = None


class DocumentList(_Documents):
    """A page of documents."""

    limit: Limit = 50
    after: str | None = Field(None, max_length=200, description="The 'next' of the page before.")
    filters: Annotated[str, Field(max_length=10_000)] | None = Field(None, description="A JSON object.")
