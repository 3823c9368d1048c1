"""What the core asks of the outside, as protocols. Adapters live in ``stores`` and ``providers``; ``build`` chooses them."""

from onrecord.ports.batch import Appended, Batch, Erasure, Health, Unembedded
from onrecord.ports.engine import Engine
from onrecord.ports.language import Answer, ChatModel, Embedder, Reranker, TokenCounter, Usage, Vector
from onrecord.ports.pointer import Credentials, Pointer, Resolver
from onrecord.ports.store import UNSEEN, Store
from onrecord.ports.world import Clock, Ids, Secrets

__all__ = [
    "UNSEEN",
    "Answer",
    "Appended",
    "Batch",
    "ChatModel",
    "Clock",
    "Credentials",
    "Embedder",
    "Engine",
    "Erasure",
    "Health",
    "Ids",
    "Pointer",
    "Reranker",
    "Resolver",
    "Secrets",
    "Store",
    "TokenCounter",
    "Unembedded",
    "Usage",
    "Vector",
]
