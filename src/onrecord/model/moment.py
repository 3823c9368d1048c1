"""Points in time. Every stored time is an aware ``datetime`` in UTC with microseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from onrecord.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Open end of a time axis.
FOREVER = datetime(9999, 12, 31, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def as_utc(moment: datetime, field: str) -> datetime:
    """The same instant in UTC. Raises ``InvalidInput`` for a time without a zone."""
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise InvalidInput(field, "has no time zone", "pass an aware datetime, e.g. datetime.now(timezone.utc)")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, f"{moment.isoformat()} is out of range", "stay within years 1 to 9999") from None


def check_order(start: datetime, end: datetime, fields: tuple[str, str], named: str | None = None) -> None:
    """Raises ``InvalidInput`` for the field ``named`` (the second, if not given) unless ``end`` lies behind ``start``."""
    if end <= start:
        raise InvalidInput(
            named or fields[1],
            f"{fields[1]} {end.isoformat()} does not lie behind {fields[0]} {start.isoformat()}",
            f"name both {fields[0]} and {fields[1]}, the later one second",
        )


def to_us(moment: datetime) -> int:
    """Microseconds since 1970 in UTC."""
    return (moment - EPOCH) // _MICROSECOND


def from_us(us: int) -> datetime:
    """The UTC time of ``to_us``."""
    return EPOCH + timedelta(0, 0, us)
