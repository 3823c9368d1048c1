"""The chosen parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.formatting import Formatter
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.ports.knowledge import Knowledge
from onrecord.ports.language import ChatModel, Embedder, Reranker, TokenCounter
from onrecord.ports.pointer import Credentials, Resolver
from onrecord.ports.runner import Runner
from onrecord.ports.store import Store
from onrecord.ports.world import Clock, Ids, Secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The chosen parts, as ``build`` puts them together and every use case of ``pipeline`` receives them."""

    store: Store
    embedder: Embedder
    #: The one before, of which rows may still have vectors: where they are not all done anew, questions are put to it.
    previous: Embedder | None = None
    tokens: TokenCounter
    clock: Clock
    ids: Ids
    policy: Policy
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    secret: Secrets
    #: Runs resolvers and other code of the caller's that may never come back.
    runner: Runner
    #: How results of tools are shown to the model, by the tool's name.
    formatters: Mapping[str, Formatter] = field(default_factory=dict)
    #: Writes summaries, which are checked; without one they consist of sentences of the turns.
    chat: ChatModel | None = None
    #: Reads what people say, beside the rules; what it finds goes through the same gate.
    reader: ChatModel | None = None
    #: Looks again at the first rows of a search that asks for it.
    reranker: Reranker | None = None
    #: What reads pointers, by their key, and what gives it the subject's credentials.
    resolvers: Mapping[str, Resolver] = field(default_factory=dict)
    credentials: Credentials | None = None
    #: A base of documents that contexts look at in place of the built-in one.
    knowledge: Knowledge | None = None
