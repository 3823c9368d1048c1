"""What can go wrong, as one tree.

OnRecordError
 ├─ InvalidInput        the caller's argument is off; ``field`` names it, ``fix`` says what to do
 │   └─ SecretRefused   an explicit write holds nothing but a secret
 ├─ NotFound            no such record, turn, thread or trace for this caller (also when it is somebody else's)
 ├─ VersionConflict     the record or run changed since it was read
 ├─ StoreError          the database refused or failed
 │   ├─ StoreBusy       another writer holds the database for longer than the timeout
 │   ├─ StaleRead       the subject changed between reading and writing; the pipeline retries this
 │   ├─ ErasureIncomplete  the rows are gone, and something of them was still found
 │   ├─ SchemaMismatch  the file was written by another, newer version
 │   └─ StoreClosed     used after ``close``
 ├─ EmbedderError       an embedder failed
 │   ├─ EmbedderUnavailable   its package, weights or endpoint is not there
 │   └─ EmbedderMismatch      vectors of another model or dimension
 ├─ RerankerError       a reranker failed
 ├─ ResolverError       what a pointer points at could not be read
 ├─ ModelError          a chat model failed or answered nonsense
 │   └─ ModelUnavailable   nothing was asked of it: it is not there, will not be asked now, or its budget is used up
 └─ BudgetTooSmall      the system text and the last message alone exceed the token budget
"""

from __future__ import annotations


class OnRecordError(Exception):
    """Base of every error raised on purpose by this package."""


class InvalidInput(OnRecordError, ValueError):
    """An argument is off. ``field`` is its name as the caller wrote it, ``fix`` the way out."""

    def __init__(self, field: str, problem: str, fix: str = "") -> None:
        self.field, self.problem, self.fix = field, problem, fix
        super().__init__(f"{field}: {problem}" + (f" ({fix})" if fix else ""))


class SecretRefused(InvalidInput):
    """The text holds a secret and nothing else worth keeping."""


class NotFound(OnRecordError, KeyError):
    """Nothing by that id is visible to this caller. Says the same for a foreign id and a made-up one."""

    def __init__(self, what: str, id: str) -> None:
        self.what, self.id = what, id
        super().__init__(f"no {what} {id!r} here")

    def __str__(self) -> str:
        return str(self.args[0])


class VersionConflict(OnRecordError):
    """The record (or run) is no longer at the version (or step) that was expected; read it again and repeat."""

    def __init__(self, id: str, expected: int, found: int, *, what: str = "record", count: str = "version") -> None:
        self.id, self.expected, self.found = id, expected, found
        super().__init__(f"{what} {id} is at {count} {found}, not {expected}: read it again and repeat the change")


class StoreError(OnRecordError):
    """The database refused or failed; nothing of the call was written."""


class StoreBusy(StoreError):
    """Another writer held the database for longer than the timeout."""


class StaleRead(StoreError):
    """The subject changed between reading its neighbours and writing; decide again on fresh ones."""


class ErasureIncomplete(StoreError):
    """The rows of an erasure are gone, but something of them was still found: ``places`` says what and where."""

    def __init__(self, places: tuple[str, ...]) -> None:
        self.places = places
        super().__init__("erased, but something is left: " + "; ".join(places))


class SchemaMismatch(StoreError):
    """The database was written by a newer version of this package."""


class StoreClosed(StoreError):
    """The store was used after ``close``."""


class EmbedderError(OnRecordError):
    """An embedder failed; the rows are written without vectors and embedded later."""


class EmbedderUnavailable(EmbedderError):
    """The embedder's package, weights or endpoint is not there."""


class EmbedderMismatch(EmbedderError):
    """Vectors of another model or dimension than the store holds."""


class RerankerError(OnRecordError):
    """A reranker failed; the order without it stands, and the trace says so."""


class ModelError(OnRecordError):
    """A chat model failed or answered something that cannot be used."""


class ModelUnavailable(ModelError):
    """Nothing was asked of a chat model: it cannot be reached, refuses the caller, has no time now, or its budget is used up.

    That says nothing about what it was to be asked, which keeps its tries."""


class ResolverError(OnRecordError):
    """What a pointer points at could not be read; the words say why, and are shown in the context."""


class BudgetTooSmall(OnRecordError, ValueError):
    """What may never be dropped (system text, last user message) exceeds the token budget alone."""
