"""What a server is asked: the arguments of the library as models with a published schema. Unknown fields are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from onrecord.model.record import KEY, STATEMENT_LIMIT, Kind, Status

Name = Annotated[str, Field(min_length=1, max_length=200)]
Key = Annotated[str, Field(pattern=f"^{KEY.pattern}$")]
Text = Annotated[str, Field(max_length=1_000_000)]
Limit = Annotated[int, Field(ge=1, le=100)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    def arguments(self) -> dict[str, Any]:
        """What was given, as arguments of the library."""
        return self.model_dump(exclude_unset=True)


class Owner(_Strict):
    """Whose memory: a user, an agent, or any subject. A key that is bound to an owner needs none."""

    user_id: Name | None = None
    agent_id: Name | None = None
    subject: Name | None = Field(None, description="kind:name, e.g. account:acme")


class Place(Owner):
    """Whose memory, and where something is said."""

    run_id: Name | None = None
    session_id: Name | None = None


class Message(BaseModel):
    """A message in the OpenAI or Anthropic shape; ``id`` makes it idempotent, ``name`` says who spoke."""

    model_config = ConfigDict(extra="allow")

    role: str
    content: Any = None
    id: str | None = None


class AddMemories(Place):
    """Messages to take in."""

    messages: Text | Annotated[list[Message], Field(min_length=1, max_length=100)]
    metadata: dict[str, Any] = Field(default_factory=dict)
    infer: bool = Field(True, description="False keeps each message as one record, as it is.")
    at: AwareDatetime | None = Field(None, description="When they were said, with the speaker's zone. Default: now.")
    dry_run: bool = False


class Remember(Place):
    """One statement to keep on purpose."""

    statement: Annotated[str, Field(min_length=1, max_length=STATEMENT_LIMIT)]
    kind: Kind = Kind.STATED_FACT
    key: Key | None = None
    value: str | None = None
    qualifier: str | None = None
    negation: bool | None = None
    valid_from: AwareDatetime | None = None
    valid_until: AwareDatetime | None = None
    pinned: bool = False
    metadata: dict[str, Any] = Field(default_factory=dict)
    dry_run: bool = False


class Search(Place):
    """A question."""

    query: Text
    subjects: list[Name] = Field(default_factory=list, description="Further subjects that may be seen.")
    limit: Limit = 5
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    include: Literal["records", "episodes", "both"] = "both"
    kinds: list[Kind] | None = None
    key: Key | None = None
    filters: dict[str, Any] | None = None
    as_of: AwareDatetime | None = None
    known_at: AwareDatetime | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    history: bool = False


class ContextAsked(Owner):
    """A message to assemble a context for."""

    message: Text
    session_id: Name | None = None
    subjects: list[Name] = Field(default_factory=list)
    system: Text = ""
    budget: Annotated[int, Field(ge=1)] | None = None
    limit: Limit | None = None


class Change(Owner):
    """Fields of a record to change; everything else stays."""

    statement: Annotated[str, Field(min_length=1, max_length=STATEMENT_LIMIT)] | None = None
    version: int | None = Field(None, description="The version you read; refused if it changed since.")
    value: str | None = None
    key: Key | None = None
    qualifier: str | None = None
    negation: bool | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    valid_from: AwareDatetime | None = None
    valid_until: AwareDatetime | None = None
    pinned: bool | None = None
    metadata: dict[str, Any] | None = None


class Listing(Place):
    """A page of records."""

    limit: Limit = 50
    after: str | None = Field(None, description="The 'next' of the page before.")
    status: list[Status] | None = None


class Whose(Owner):
    """Whose rows, and how many at the most."""

    limit: Limit = 50
