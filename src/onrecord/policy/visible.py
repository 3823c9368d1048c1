"""Which rows a view shows. Stores may narrow in their own language first; this is the meaning."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from onrecord.model.document import Document
from onrecord.model.query import View
from onrecord.model.record import ExpiryBasis, Record
from onrecord.model.scope import Scope
from onrecord.model.turn import Turn
from onrecord.policy.filter import compile_filter, row_fields


def record_test(view: View) -> Callable[[Record], bool]:
    """A predicate that tells whether the view shows a record. Raises ``InvalidInput`` for a malformed filter."""
    admits = compile_filter(view.filters)

    def shows(record: Record) -> bool:
        return (
            record.tenant == view.reach.tenant
            and record.subject in view.reach.subjects
            and record.status in view.statuses
            and (view.kinds is None or record.kind in view.kinds)
            and (view.key is None or record.key == view.key)
            and view.origin.admits(record.origin)
            and (view.every_scope or _in_scope(view, record))
            and _valid(view, record)
            and _between(view, record.said_at)
            and (view.filters is None or admits(row_fields(record)))
        )

    return shows


def turn_test(view: View) -> Callable[[Turn], bool]:
    """A predicate that tells whether the view shows a turn; what only records have (kind, status, key) is passed over."""
    admits = compile_filter(view.filters)

    def shows(turn: Turn) -> bool:
        return (
            turn.tenant == view.reach.tenant
            and turn.subject in view.reach.subjects
            and view.origin.admits(turn.origin)
            and _between(view, turn.at)
            and (view.as_of is None or turn.at <= view.as_of)
            and (view.known_at is None or turn.written_at <= view.known_at)
            and (view.filters is None or admits(row_fields(turn)))
        )

    return shows


def document_test(view: View) -> Callable[[Document], bool]:
    """A predicate that tells whether the view shows a document and its passages."""
    admits = compile_filter(view.filters)

    def shows(document: Document) -> bool:
        return (
            document.tenant == view.reach.tenant
            and document.subject in view.reach.subjects
            and _between(view, document.updated_at)
            and (view.filters is None or admits(row_fields(document)))
        )

    return shows


def is_stale(record: Record, now: datetime) -> bool:
    """Whether a record is past the default end of its kind: shown, but marked."""
    return record.expiry_basis is ExpiryBasis.DEFAULT and now >= record.valid_until


def _in_scope(view: View, record: Record) -> bool:
    if record.scope is Scope.RUN:
        return view.origin.run == record.scope_ref
    if record.scope is Scope.THREAD:
        return view.origin.thread == record.scope_ref
    return True


def _valid(view: View, record: Record) -> bool:
    if view.as_of is not None:
        return record.valid_from <= view.as_of < record.valid_until
    ended = record.expiry_basis is ExpiryBasis.STATED and view.valid_at is not None and view.valid_at >= record.valid_until
    return not ended


def _between(view: View, said: datetime) -> bool:
    return (view.since is None or said >= view.since) and (view.until is None or said < view.until)
