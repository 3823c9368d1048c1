"""Embedders: what turns texts into vectors."""

from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.embed.minilm import MiniLmEmbedder

__all__ = ["HashingEmbedder", "MiniLmEmbedder"]
