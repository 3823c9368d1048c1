"""Schemathesis over a running server: every check, every phase (examples, coverage, fuzzing, stateful by the links).

    python -m bench.fuzz --examples 100

Prints what schemathesis prints, and leaves with its exit code: 0 where no answer was a 5xx or other than described.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.processes import rest_server

from onrecord import Memory
from onrecord.model.key import Right
from onrecord.pipeline.keys import new_key

#: ``bench.fuzz_check.taken`` stands for it, and knows the rules that no schema can say.
REPLACED = "positive_data_acceptance"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=100, help="examples for each operation")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.db"
        with Memory(db) as memory:
            secret = new_key(memory.engine, "default", "fuzz", Right.ADMIN, "user:ana")[1]
        with rest_server(db, "--rate", "0") as url:
            raise SystemExit(_run(url, secret, given.examples, given.seed, folder))


def _run(url: str, secret: str, examples: int, seed: int, folder: str) -> int:
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json"]
    command += ["--header", f"Authorization: Bearer {secret}", "--max-examples", str(examples), "--seed", str(seed)]
    command += [
        "--checks",
        "all",
        "--exclude-checks",
        REPLACED,
        "--continue-on-failure",
        "--phases",
        "examples,coverage,fuzzing,stateful",
    ]
    hooks = {"SCHEMATHESIS_HOOKS": "bench.fuzz_check", "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    return subprocess.run(command, env={**os.environ, **hooks}, cwd=folder, check=False).returncode


if __name__ == "__main__":
    main()
