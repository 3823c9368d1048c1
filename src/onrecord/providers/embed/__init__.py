"""Embedders: what turns texts into vectors."""

from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.embed.minilm import MiniLmEmbedder
from onrecord.providers.embed.nomic import NomicEmbedder

__all__ = ["HashingEmbedder", "MiniLmEmbedder", "NomicEmbedder"]
