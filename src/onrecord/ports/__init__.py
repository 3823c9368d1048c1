"""What the core asks of the outside, as protocols. Adapters live in ``stores`` and ``providers``; ``build`` chooses them."""

from onrecord.ports.batch import Appended, Batch, Erasure, Health, Pruned, Unembedded
from onrecord.ports.engine import Engine
from onrecord.ports.language import ChatModel, Embedder, Reranker, TokenCounter, Vector
from onrecord.ports.pointer import Credentials, Pointer, Resolver
from onrecord.ports.store import UNSEEN, Store
from onrecord.ports.world import Clock, Ids, Secrets

__all__ = [
    "UNSEEN",
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
    "Pruned",
    "Reranker",
    "Resolver",
    "Secrets",
    "Store",
    "TokenCounter",
    "Unembedded",
    "Vector",
]
