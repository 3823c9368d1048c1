"""What the core asks of the outside, as protocols. Adapters live in ``stores`` and ``providers``; ``build`` chooses them."""

from onrecord.ports.batch import Appended, Batch, Erasure, Health, Pruned, Unembedded
from onrecord.ports.engine import Engine
from onrecord.ports.knowledge import NO_VECTORS, Knowledge, Library
from onrecord.ports.language import Answer, ChatModel, Embedder, Reranker, TokenCounter, Usage, Vector
from onrecord.ports.pointer import Credentials, Pointer, Resolver
from onrecord.ports.runner import Errand, Outcome, Runner
from onrecord.ports.store import UNSEEN, Store
from onrecord.ports.world import Clock, Ids, Secrets

__all__ = [
    "NO_VECTORS",
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
    "Errand",
    "Health",
    "Ids",
    "Knowledge",
    "Library",
    "Outcome",
    "Pointer",
    "Pruned",
    "Reranker",
    "Resolver",
    "Runner",
    "Secrets",
    "Store",
    "TokenCounter",
    "Unembedded",
    "Usage",
    "Vector",
]
