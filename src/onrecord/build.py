"""The one place that chooses adapters, and the only one that reads the clock or draws random numbers."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from onrecord.errors import InvalidInput
from onrecord.model.foreign import Foreign, Unread
from onrecord.policy.arguments import place
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.formatting import Formatter
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.ports import (
    ChatModel,
    Clock,
    Credentials,
    Embedder,
    Engine,
    Health,
    Ids,
    Knowledge,
    Reranker,
    Resolver,
    Store,
    TokenCounter,
)
from onrecord.providers.chat import (
    ANTHROPIC_URL,
    GOOGLE_URL,
    OLLAMA_CHAT_URL,
    OPENAI_CHAT_URL,
    AnthropicChat,
    GoogleChat,
    OpenAiChat,
)
from onrecord.providers.chat.base import IN_BACKGROUND, WAITED_FOR, Manner
from onrecord.providers.chat.guard import GuardedChat
from onrecord.providers.choice import BI_ENCODER, CHATS, EMBEDDERS, RERANKERS, Choice, parse
from onrecord.providers.embed import MiniLmEmbedder
from onrecord.providers.embed.cache import VectorCache
from onrecord.providers.embed.fastembed import FastEmbedEmbedder
from onrecord.providers.embed.guard import GuardedEmbedder
from onrecord.providers.embed.nomic import NomicEmbedder
from onrecord.providers.embed.remote import OLLAMA_URL, OPENAI_URL, OllamaEmbedder, OpenAiEmbedder
from onrecord.providers.embed.sentence_transformers import SentenceTransformersEmbedder
from onrecord.providers.embed.static import model2vec, wordllama
from onrecord.providers.errands import ThreadRunner
from onrecord.providers.rerank import BiEncoderReranker, FastEmbedReranker, SentenceTransformersReranker
from onrecord.providers.rerank.guard import GuardedReranker
from onrecord.providers.tokens import EstimateCounter
from onrecord.stores.foreign import langgraph, mcp_memory, mem0
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.stores.sqlite.backup import restore as restore_file

_FOREIGN = {"mem0": mem0.read, "langgraph": langgraph.read, "mcp-memory": mcp_memory.read}
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u


def system_clock() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


class SortableIds:
    """Ids ``prefix_`` + 26 characters: 48 bits of milliseconds, then 80 random bits, growing within one process.

    The layout is that of ULID (github.com/ulid/spec), in lower case.
    """

    def __init__(self, clock: Clock = system_clock) -> None:
        self._clock, self._lock, self._last, self._pid = clock, threading.Lock(), 0, os.getpid()

    def __call__(self, prefix: str) -> str:
        """A new id."""
        with self._lock:
            if self._pid != os.getpid():  # after a fork both sides would go on from the same number
                self._pid, self._last = os.getpid(), 0
            fresh = (int(self._clock().timestamp() * 1000) << 80) | secrets.randbits(80)
            # Within one millisecond the next id is a small random step above the last, so that order is kept.
            self._last = fresh if fresh >> 80 > self._last >> 80 else self._last + 1 + secrets.randbits(32)
            number = self._last
        return f"{prefix}_" + "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -5, -5))


def build(
    path: str | Path = "onrecord.db",
    *,
    store: Store | None = None,
    embedder: Embedder | str | None = None,
    previous: Embedder | str | None = None,
    tokens: TokenCounter | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    policy: Policy | None = None,
    vocabulary: Vocabulary | None = None,
    formatters: Mapping[str, Formatter] | None = None,
    chat: ChatModel | str | None = None,
    reader: ChatModel | str | None = None,
    reranker: Reranker | str | None = None,
    resolvers: Mapping[str, Resolver] | None = None,
    credentials: Credentials | None = None,
    knowledge: Knowledge | None = None,
) -> Engine:
    """The parts put together: SQLite at ``path`` (``":memory:"`` keeps everything in this process) unless a store is given.

    ``embedder``, ``previous``, ``reranker``, ``chat`` and ``reader`` may be named as ``open_embedder``, ``open_reranker``,
    ``open_chat`` and ``open_reader`` read them.
    """
    clock = clock or system_clock
    return Engine(
        store=store or open_store(path),
        embedder=_embedder(embedder or "minilm"),
        previous=None if previous is None else _embedder(previous),
        tokens=tokens or EstimateCounter(),
        clock=clock,
        ids=ids or SortableIds(clock),
        policy=policy or Policy(),
        vocabulary=vocabulary or Vocabulary(),
        formatters=dict(formatters or {}),
        chat=open_chat(chat) if isinstance(chat, str) else chat and GuardedChat(chat),
        reader=open_reader(reader) if isinstance(reader, str) else reader and GuardedChat(reader),
        secret=new_secret,
        runner=ThreadRunner((policy or Policy()).errands),
        reranker=open_reranker(reranker) if isinstance(reranker, str) else reranker and GuardedReranker(reranker),
        resolvers=dict(resolvers or {}),
        credentials=credentials,
        knowledge=knowledge,
    )


def _embedder(given: Embedder | str) -> Embedder:
    return open_embedder(given) if isinstance(given, str) else _guarded(given)


def open_embedder(choice: str, *, key: str = "") -> Embedder:
    """The embedder of a choice such as ``nomic`` or ``openai:MODEL@URL`` (``providers.choice`` lists them), with the vectors of
    the last texts kept in memory.

    Nothing is loaded or asked before the first use. ``key`` is for ``openai:``. Raises ``InvalidInput`` for what is no choice.
    """
    return VectorCache(_chosen(parse(choice, EMBEDDERS, "embedder"), key))


def _chosen(choice: Choice, key: str) -> Embedder:
    match choice.kind:
        case "nomic":
            return NomicEmbedder(choice.where or None)
        case "wordllama":
            return wordllama()
        case "model2vec":
            return model2vec(choice.model)
        case "fastembed":
            return FastEmbedEmbedder(choice.model, choice.where or None)
        case "sentence-transformers":
            return SentenceTransformersEmbedder(choice.model)
        case "openai":
            return OpenAiEmbedder(choice.model, choice.where or OPENAI_URL, key=key, dim=choice.dim)
        case "ollama":
            return OllamaEmbedder(choice.model, choice.where or OLLAMA_URL, dim=choice.dim)
    return MiniLmEmbedder()


def open_reranker(choice: str, *, key: str = "") -> Reranker:
    """The reranker of a choice such as ``bi-encoder:nomic`` or ``fastembed:MODEL`` (``providers.choice`` lists them).

    Nothing is loaded or asked before the first use. Raises ``InvalidInput`` for a choice that is none.
    """
    if choice.startswith(BI_ENCODER):
        return GuardedReranker(BiEncoderReranker(open_embedder(choice.removeprefix(BI_ENCODER), key=key)))
    named = parse(choice, RERANKERS, "reranker")
    if named.kind == "fastembed":
        return GuardedReranker(FastEmbedReranker(named.model, named.where or None))
    return GuardedReranker(SentenceTransformersReranker(named.model))


def open_chat(choice: str, *, key: str = "", per_minute: int | None = None) -> ChatModel:
    """The language model of a choice such as ``openai:MODEL@URL`` or ``URL#MODEL`` (``providers.choice`` lists them), for whoever
    waits for its answer: one that is busy is asked three times at most.

    Nothing is asked before the first use. ``per_minute`` bounds its calls. Raises ``InvalidInput`` for what is no choice.
    """
    return _talking(choice, key, Manner(WAITED_FOR, per_minute))


def open_reader(choice: str, *, key: str = "", per_minute: int | None = None) -> ChatModel:
    """As ``open_chat``, for reading in the background: asked once, with five minutes to answer; the queue tries again."""
    return _talking(choice, key, Manner(IN_BACKGROUND, per_minute))


def _talking(choice: str, key: str, manner: Manner) -> ChatModel:
    if choice.startswith(("http://", "https://")):
        url, _, model = choice.partition("#")
        return OpenAiChat(model, url, key=key, manner=manner)
    named = parse(choice, CHATS, "chat")
    match named.kind:
        case "anthropic":
            return AnthropicChat(named.model, named.where or ANTHROPIC_URL, key=key, manner=manner)
        case "google":
            return GoogleChat(named.model, named.where or GOOGLE_URL, key=key, manner=manner)
    default = OLLAMA_CHAT_URL if named.kind == "ollama" else OPENAI_CHAT_URL
    return OpenAiChat(named.model, named.where or default, key=key, manner=manner)


def _guarded(embedder: Embedder) -> Embedder:
    """An embedder of the caller's, behind the wall that a cache has already."""
    return embedder if isinstance(embedder, VectorCache) else GuardedEmbedder(_sound(embedder))


def _sound(embedder: Embedder) -> Embedder:
    """``embedder`` if its vectors can be told from others', else ``InvalidInput``: they are kept under its name."""
    name, dim = embedder.name, embedder.dim
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput("embedder", f"has the name {name!r}", "name it after its model and precision, such as minilm-int8")
    if not isinstance(dim, int) or isinstance(dim, bool) or dim < 1:
        raise InvalidInput("embedder", f"has the dimension {dim!r}", "give the length of its vectors, 1 or more")
    return embedder


def open_store(path: str | Path, *, synchronous: str = "FULL") -> Store:
    """The store at ``path``; ``synchronous`` is as ``SQLiteStore`` takes it. Raises ``StoreError`` if it can't be opened."""
    return InMemoryStore() if str(path) == ":memory:" else SQLiteStore(path, synchronous=synchronous)


def restore(source: str | Path, path: str | Path = "onrecord.db", *, force: bool = False) -> Health:
    """What stands in the database at ``path`` once the backup ``source``, checked, is in its place; in one step, or not at all.

    What was erased after the backup was made is back then: erase it again. Raises ``InvalidInput`` if a database is there and is
    not to be replaced (``force``), ``SchemaMismatch`` if a newer version wrote the backup, ``StoreError`` if it is damaged,
    ``StoreBusy`` if somebody has open what is there."""
    return restore_file(Path(place(source, "source")), Path(place(path, "path")), force=force)


def read_foreign(source: str, path: str | Path) -> Iterator[Foreign | Unread]:
    """The rows of a file that another memory system left. Raises ``InvalidInput`` for a system that nobody knows here."""
    if source not in _FOREIGN:
        raise InvalidInput("source", f"{source!r} is unknown", f"use onrecord, {', '.join(_FOREIGN)}")
    return _FOREIGN[source](Path(path))


def new_secret() -> str:
    """A secret for a key: 256 random bits, safe in a URL."""
    return secrets.token_urlsafe(32)
