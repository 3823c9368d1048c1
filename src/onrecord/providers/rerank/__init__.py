"""Rerankers: what scores a small set of texts against a question, beside the ranking."""

from onrecord.providers.rerank.bi_encoder import BiEncoderReranker
from onrecord.providers.rerank.cross_encoder import FastEmbedReranker, SentenceTransformersReranker

__all__ = ["BiEncoderReranker", "FastEmbedReranker", "SentenceTransformersReranker"]
