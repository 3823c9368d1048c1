"""``Run``: the working memory of one task in progress, durable step by step and gone when the task is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.model.run import RunStatus
from onrecord.policy.address import Address
from onrecord.policy.arguments import checked
from onrecord.policy.secrecy.redact import redact_json
from onrecord.ports import Engine

__all__ = ["Run", "drive"]


class Run:
    """A handle on one run; ``Memory.run`` makes it, at the last step that was saved. Any process can go on from there.

    ``plan``, ``values`` (scratch), ``results`` (of tools, by call) and ``retries`` (counts, by name) are yours to change and hold
    plain JSON values. What was changed since the last ``checkpoint`` is lost with the process. Secrets are replaced in what is
    stored.
    """

    def __init__(self, engine: Engine, where: Address) -> None:
        if where.origin.run is None:
            raise InvalidInput("run_id", "is missing", "name the run, e.g. run_id='order-4417'")
        self._engine, self._reach = engine, where.reach
        self.id: str = where.origin.run
        self.reload()

    def reload(self) -> None:
        """Goes back to the last step that was saved."""
        last = self._engine.store.checkpoint(self._reach, self.id)
        state = last.state if last else {}
        self.step = last.step if last else 0
        self.status = last.status if last else RunStatus.RUNNING
        self.completed = False
        self.plan: list[Any] = state.get("plan", [])
        self.values: dict[str, Any] = state.get("values", {})
        self.results: dict[str, Any] = state.get("results", {})
        self.retries: dict[str, int] = state.get("retries", {})
        self.waiting_for: str | None = state.get("waiting_for")

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

    @checked()
    def retry(self, name: str) -> int:
        """How often ``name`` was tried again, this time included."""
        self.retries[name] = self.retries.get(name, 0) + 1
        return self.retries[name]

    def checkpoint(self) -> int:
        """The number of the step, which is durable when this returns. Safe to repeat after an error.

        Raises ``VersionConflict`` when another process went on with the run: ``reload`` then.
        """
        return self._save(self.status)

    @checked()
    def pause(self, waiting_for: str) -> int:
        """Saves the run as one that waits for a person, a webhook or whatever ``waiting_for`` names; the number of the step."""
        if not waiting_for:
            raise InvalidInput("waiting_for", "is empty", "name what the run waits for")
        self.waiting_for = waiting_for
        return self._save(RunStatus.WAITING)

    def resume(self, answer: Any = None) -> int:
        """Saves the run as one that goes on, with the answer among its results under what it waited for.

        Raises ``InvalidInput`` when it does not wait: an answer that comes twice counts once."""
        if self.status is not RunStatus.WAITING or self.waiting_for is None:
            raise InvalidInput("run", f"{self.id} does not wait for anything", "resume it once, after pause")
        self.results[self.waiting_for] = answer
        self.waiting_for = None
        return self._save(RunStatus.RUNNING)

    def complete(self) -> None:
        """Destroys the working memory. What deserves to last has to be added to the memory before."""
        self._engine.store.drop_run(self._reach, self.id)
        self.completed = True

    def _save(self, status: RunStatus) -> int:
        if self.completed:
            raise InvalidInput("run", f"{self.id} is complete", "start another run")
        state, step = redact_json(self.state)[0], self.step + 1
        self._engine.store.put_checkpoint(self._reach, self.id, step, state, status=status, at=self._engine.clock())
        self.step, self.status = step, status
        return step


def drive(run: Run, step: Callable[[Run], bool]) -> bool:
    """Load, step, save, again and again; whether there is nothing left to do (``False``: the run waits).

    ``step`` does one thing and returns ``True``, or finds nothing left to do, changes nothing and returns ``False``; it may also
    complete the run. It reads all it needs from the run, so a process that dies anywhere is replaced by one that calls ``drive``
    again: a step that was not saved is done once more, one that was saved is not.
    """
    run.reload()
    while run.status is RunStatus.RUNNING:
        if not step(run) or run.completed:
            return True
        if run.status is RunStatus.RUNNING:
            run.checkpoint()
    return False
