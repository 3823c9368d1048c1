"""``Moving``: the verbs by which memory moves: into a file and back, under another embedder. ``Memory`` has them too."""

from __future__ import annotations

from pathlib import Path

from onrecord.build import read_foreign
from onrecord.errors import InvalidInput
from onrecord.model.parcel import Extent
from onrecord.model.scope import Reach
from onrecord.model.transfer import Exported, Imported
from onrecord.pipeline.adopt import Owner, adopt
from onrecord.pipeline.progress import quiet
from onrecord.pipeline.reembed import Reembedded, reembed
from onrecord.pipeline.transfer import export, import_from
from onrecord.policy.arguments import checked, flag, string
from onrecord.ports import Health
from onrecord.upkeep import Upkeep


class Moving(Upkeep):
    """What needs a tenant and the parts that ``build`` chose."""

    @checked(all_tenants=flag, vectors=flag)
    def export_to(
        self,
        path: str | Path,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        all_tenants: bool = False,
        vectors: bool = False,
    ) -> Exported:
        """The file at ``path``, JSON lines that hold everything of one owner, or of the tenant, or of ``all_tenants``.

        Records of every status with their events and counters, erased ones without words, verdicts, turns, threads, summaries,
        runs and traces, with ids, times and lineage; vectors if asked for. The first line names the format;
        ``policy.portable.schema`` is the JSON Schema of every line. The same memory gives the same bytes, and the file appears
        whole. Not in it: what is worked out anew (full text, counts of tokens), and keys to a server. Raises ``InvalidInput``."""
        named = any(name is not None for name in (user_id, agent_id, subject))  # an empty name is a mistake, and not everybody
        reach = self._address(user_id, agent_id, None, None, subject).reach if named else None
        return export(self.engine, path, extent_of(self.tenant, reach, all_tenants, vectors))

    @checked(all_tenants=flag, strict=flag, source=string)
    def import_from(
        self,
        path: str | Path,
        *,
        source: str = "onrecord",
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        all_tenants: bool = False,
        strict: bool = False,
    ) -> Imported:
        """What became of the lines of an export: into an empty store or a used one, under the ids they have.

        Rows that are there already are recognised, so an import may be repeated, also one that was killed. A row whose earlier
        state is here is brought up to date; where something else is here it stays, and the conflict is told; what was erased here
        does not come back. A line that cannot be read is told by its number and the others are taken in, or with ``strict`` it
        ends the import. Lines of other tenants are refused, unless ``all_tenants`` are meant. Rows without vectors get them from
        ``maintain``. Raises ``InvalidInput``, also for a format of a newer version.

        With a ``source`` of ``mem0`` (its history, or what ``get_all`` gives as JSON), ``langgraph`` (its SQLite store) or
        ``mcp-memory`` (JSON lines of a graph) the file is that of another system. Its memories become facts with the trust of
        a document, in the memory of the owner named, or of the users that the file names; times are kept."""
        named = any(name is not None for name in (user_id, agent_id, subject))
        if named:
            self._address(user_id, agent_id, None, None, subject)  # what is no name is told as that
        owner = Owner(tenant=self.tenant, user_id=user_id, agent_id=agent_id, subject=subject)
        if source != "onrecord":
            if all_tenants or strict:
                raise InvalidInput("source", f"is {source}", "all_tenants and strict are for exports of this package")
            return adopt(self.engine, read_foreign(source, path), source, owner, quiet)
        if named:
            raise InvalidInput("user_id", "is named, and the file says whose rows they are", "leave the owner out")
        return import_from(self.engine, path, tenant=None if all_tenants else self.tenant, strict=strict)

    @checked(force=flag)
    def backup(self, path: str | Path, *, force: bool = False) -> Health:
        """What stands in the copy of the whole database made at ``path``, while others read and write; it was checked.

        ``restore`` of this package puts it back. Raises ``InvalidInput`` if something is there, unless an older backup may be
        replaced (``force``), ``StoreError`` for a store that is in no file."""
        return self.engine.store.backup(str(path), force=force)

    @checked()
    def reembed(self) -> Reembedded:
        """What giving every row of every tenant a vector of this memory's embedder did, after another one was in use.

        Others may read and write meanwhile. Where a memory was opened with the ``previous`` embedder, a subject that is not done
        is searched by that one; else by words and the vectors it has already. Vectors of other embedders go once a subject is
        done. Safe to kill and repeat. Raises ``StoreError``."""
        return reembed(self.engine, quiet)


def extent_of(tenant: str, reach: Reach | None, all_tenants: bool, vectors: bool) -> Extent:
    """What an export holds: rows of a reach, else of a tenant, or of all. Raises ``InvalidInput``."""
    if reach is None:
        return Extent(tenant=None if all_tenants else tenant, vectors=vectors)
    if all_tenants:
        raise InvalidInput("all_tenants", "are meant, and one owner", "name an owner, or nobody")
    return Extent(tenant=reach.tenant, subjects=reach.subjects, vectors=vectors)
