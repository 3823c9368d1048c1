"""A wall around a chat model of the caller's: whatever it raises becomes ``ModelError``, so that one answer costs no run."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from onrecord.errors import ModelError, OnRecordError
from onrecord.ports import ChatModel

_log = logging.getLogger("onrecord")


class GuardedChat:
    """The same model, which fails in one way only."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The inner model's name."""
        return self._inner.name

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """As the inner model. Raises ``ModelError``, or what else of this package the inner model raises."""
        try:
            return self._inner.complete(system, user, schema)
        except OnRecordError:
            raise
        except Exception as error:  # the boundary to foreign code: a user's model may raise anything
            _log.warning("model %s failed: %s", self.name, type(error).__name__)
            raise ModelError(f"model {self.name} failed: {type(error).__name__}") from error
