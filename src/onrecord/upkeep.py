"""``Upkeep``: the verbs that look after what is kept: erase, trace and take back, review, maintain. ``Memory`` has them too."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from onrecord.errors import InvalidInput
from onrecord.model.erasure import Erased
from onrecord.model.lineage import Lineage, Recall
from onrecord.model.moment import as_utc
from onrecord.model.record import Record
from onrecord.model.undo import Undone
from onrecord.pipeline.distrust import quarantine, retract
from onrecord.pipeline.erase import Target, erase_target
from onrecord.pipeline.lineage import lineage
from onrecord.pipeline.maintain import Report, drain
from onrecord.pipeline.review import expire, renew, waiting
from onrecord.pipeline.undo import undo
from onrecord.policy.address import Address, address
from onrecord.policy.arguments import checked, moment, names, words
from onrecord.ports import Engine
from onrecord.telemetry import traced


class Upkeep:
    """What needs a tenant and the parts that ``build`` chose."""

    tenant: str
    engine: Engine

    @traced("delete_memory")
    @checked(ids=names)
    def erase(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        subject: str | None = None,
        ids: Sequence[str] = (),
        verify: bool = False,
        dry_run: bool = False,
    ) -> Erased:
        """The receipt of erasing everything of the owner, the thread ``session_id``, or the records and turns ``ids``.

        Unlike ``delete`` it takes the dialogue too: turns, summaries, working memory, verdicts, traces, and what was made from
        them in any subject of the tenant; of an owner not even the name stays. A turn that other records rest on stays with
        them and is named in the receipt. ``verify`` writes the files anew and reads every byte of them; it takes as long as
        that does, and writers wait. Raises ``NotFound``, ``ErasureIncomplete``, ``InvalidInput`` for a thread with ``ids``."""
        if session_id is not None and ids:
            raise InvalidInput("ids", "are given with a session_id", "erase the thread, or rows of it")
        where = self._address(user_id, agent_id, None, session_id, subject)
        target = Target(where.reach, session_id, tuple(dict.fromkeys(ids)))
        return erase_target(self.engine, target, verify=verify, dry_run=dry_run)

    @checked()
    def lineage(self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None) -> Lineage:
        """Where a record or turn comes from, and everything it reached. Raises ``NotFound``."""
        return lineage(self.engine, self._address(user_id, agent_id, None, None, subject).reach, id)

    @traced("update_memory")
    @checked(ids=names)
    def quarantine(
        self,
        ids: Sequence[str],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        dry_run: bool = False,
    ) -> Recall:
        """What was taken out of recall: turns and records that are not to be trusted, everything that was made from them, and
        what was said after them in nearly the same words.

        Records that rest on more go back to what they were before; what a taken record had replaced is true again; summaries of
        the threads are made anew, without those turns; no model sees the turns. History keeps all of it, so a person can restore
        what was right. Raises ``NotFound``."""
        reach = self._address(user_id, agent_id, None, None, subject).reach
        return quarantine(self.engine, reach, ids, dry_run=dry_run)

    @traced("update_memory")
    @checked(ids=names)
    def retract(
        self,
        ids: Sequence[str],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        dry_run: bool = False,
    ) -> Recall:
        """What was taken back: records, and what was made from them. The dialogue stays, and so does history. Raises
        ``NotFound``."""
        return retract(self.engine, self._address(user_id, agent_id, None, None, subject).reach, ids, dry_run=dry_run)

    @traced("maintain_memory")
    @checked()
    def maintain(self, *, limit: int = 1_000, dry_run: bool = False) -> Report:
        """What a run over queued turns, missing vectors, idle threads, and records that faded, ended, say the same, or outlived
        their retention did.

        At most ``limit`` of each. Safe to repeat, from any process, and to kill. A dry run tells what would become of records."""
        return drain(self.engine, self.tenant, limit=limit, dry_run=dry_run)

    @checked(run=words)
    def undo(self, run: str, *, dry_run: bool = False) -> Undone:
        """What a run of ``maintain`` (``Report.run``) merged, as it was before; it is not merged again.

        What was said again since is captured anew. What changed otherwise since stays, with what went into it; what was put back
        before is passed over, so that it is safe to repeat. Raises ``NotFound`` for a run that merged nothing here."""
        return undo(self.engine, self.tenant, run, dry_run=dry_run)

    @checked()
    def review(
        self, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None, limit: int = 100
    ) -> list[Record]:
        """Records past the default end of their kind, the longest first: offered as stale until somebody looks at them."""
        return waiting(self.engine, self._address(user_id, agent_id, None, None, subject).reach, limit)

    @traced("update_memory")
    @checked(until=moment)
    def renew(
        self,
        id: str,
        *,
        until: datetime | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
    ) -> Record:
        """The record, which holds on until that time, or for another lifespan. Raises ``NotFound``, ``InvalidInput``."""
        return renew(
            self.engine,
            self._address(user_id, agent_id, None, None, subject).reach,
            id,
            None if until is None else as_utc(until, "until"),
        )

    @traced("update_memory")
    @checked()
    def expire(self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None) -> Record:
        """The record, which holds no longer: out of recall, kept in history. Raises ``NotFound``, ``InvalidInput``."""
        return expire(self.engine, self._address(user_id, agent_id, None, None, subject).reach, id)

    def _told(self) -> tuple[str, str | None, Engine]:
        return self.tenant, None, self.engine

    def _address(
        self,
        user_id: str | None,
        agent_id: str | None,
        run_id: str | None,
        session_id: str | None,
        subject: str | None,
        subjects: Sequence[str] = (),
    ) -> Address:
        return address(
            self.tenant,
            subject=subject,
            user_id=user_id,
            agent_id=agent_id,
            run_id=run_id,
            session_id=session_id,
            subjects=subjects,
        )
