"""``RemoteRun``: the working memory of one task on a REST server, durable step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onrecord.client.line import Line, part
from onrecord.errors import InvalidInput
from onrecord.model.run import RunStatus
from onrecord.wire import threads


class RemoteRun:
    """A handle on one run; ``Client.run`` makes it. The verbs and attributes of ``Run``."""

    def __init__(self, line: Line, run_id: str, owner: Mapping[str, Any]) -> None:
        self._line, self._owner, self.id = line, dict(owner), run_id
        self._path = f"/runs/{part(run_id)}"
        self.completed = False
        self.reload()

    def reload(self) -> None:
        """Goes back to the last step that was saved."""
        self._take(self._line.one(threads.Working, "GET", self._path, query=self._owner))

    @property
    def state(self) -> dict[str, Any]:
        """Everything the run knows, as one object."""
        return {
            "plan": self.plan,
            "values": self.values,
            "results": self.results,
            "retries": self.retries,
            "waiting_for": self.waiting_for,
        }

    def retry(self, name: str) -> int:
        """How often ``name`` was tried again, this time included."""
        self.retries[name] = self.retries.get(name, 0) + 1
        return self.retries[name]

    def checkpoint(self) -> int:
        """The number of the step, which is durable when this returns. Raises ``VersionConflict`` when somebody else went on."""
        return self._save(self.state)

    def pause(self, waiting_for: str) -> int:
        """Saves the run as one that waits for a person, a webhook or whatever ``waiting_for`` names."""
        return self._save({**self.state, "waiting_for": waiting_for})

    def resume(self, answer: Any = None) -> int:
        """Saves the run as one that goes on, with the answer among its results. Raises ``InvalidInput`` when it does not wait."""
        if self.status is not RunStatus.WAITING or self.waiting_for is None:
            raise InvalidInput("run", f"{self.id} does not wait for anything", "resume it once, after pause")
        return self._save({**self.state, "results": {**self.results, self.waiting_for: answer}, "waiting_for": None})

    def complete(self) -> None:
        """Destroys the working memory. What deserves to last has to be added to the memory before."""
        self._line.send("DELETE", self._path, query=self._owner, harmless=True)
        self.completed = True

    def _save(self, state: Mapping[str, Any]) -> int:
        if self.completed:
            raise InvalidInput("run", f"{self.id} is complete", "start another run")
        self._take(self._line.one(threads.Working, "PUT", self._path, {**self._owner, "step": self.step, **state}))
        return self.step

    def _take(self, saved: threads.Working) -> None:
        self.step, self.status = saved.step, RunStatus(saved.status)
        self.plan, self.values, self.results = saved.plan, saved.values, saved.results
        self.retries, self.waiting_for = saved.retries, saved.waiting_for
