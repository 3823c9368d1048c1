"""Resolvers: what a pointer points at, read live from its system of record."""

from onrecord.providers.resolvers.http import HttpResolver
from onrecord.providers.resolvers.mcp import McpResolver
from onrecord.providers.resolvers.sql import SqlResolver

__all__ = ["HttpResolver", "McpResolver", "SqlResolver"]
