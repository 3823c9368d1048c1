"""Cursors of lists of threads: opaque to who holds one, and refused by name where it is none."""

from __future__ import annotations

import base64
import json
from datetime import datetime

from onrecord.errors import InvalidInput
from onrecord.model.moment import as_utc
from onrecord.model.thread import ThreadInfo


def cursor_of(info: ThreadInfo) -> str:
    """The cursor of the page that begins behind this thread."""
    place = json.dumps([info.last_at.isoformat(), info.id, info.subject], ensure_ascii=False)
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def thread_at(cursor: str, tenant: str) -> ThreadInfo:
    """A thread that stands where the cursor points. Raises ``InvalidInput``."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        at, id, subject = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        last_at = as_utc(datetime.fromisoformat(at), "after")
        if not isinstance(id, str) or not isinstance(subject, str):
            raise TypeError("a name is no string")
    except (ValueError, TypeError, RecursionError):
        raise InvalidInput("after", "is no cursor", "pass the 'next' of the page before, as it is") from None
    return ThreadInfo(id=id, tenant=tenant, subject=subject, turns=0, last_at=last_at)
