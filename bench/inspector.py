"""The MCP inspector's command line against the program, over the standard streams and over HTTP.

    python -m bench.inspector [--inspector "npx -y @modelcontextprotocol/inspector"]

Needs Node. Asks for tools, resources, templates and prompts, calls a tool well and badly, and reads a resource. Prints a line for
each; leaves with 1 if one did not go as it has to.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.server.mcp_calls import serving

_CALL = ("--method", "tools/call", "--tool-name")
#: What is asked, and a word that has to stand in the answer.
_ASKED = (
    (("--method", "tools/list"), "add_memory"),
    (("--method", "resources/list"), "memory://profile"),
    (("--method", "resources/templates/list"), "memory://sessions/{session_id}"),
    (("--method", "prompts/list"), "write_policy"),
    (("--method", "prompts/get", "--prompt-name", "write_policy"), "messages"),
    (("--method", "resources/read", "--uri", "memory://profile"), "contents"),
    ((*_CALL, "add_memory", "--tool-arg", "text=I never eat pork.", "--tool-arg", "said_by=user"), "added"),
    ((*_CALL, "search_memories", "--tool-arg", "query=What do I never eat?"), "pork"),
    ((*_CALL, "add_memory", "--tool-arg", "said_by=nobody"), "isError"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inspector", default="npx -y @modelcontextprotocol/inspector", help="the command that runs it")
    inspector = shlex.split(parser.parse_args().inspector)
    with tempfile.TemporaryDirectory() as folder:
        program = (sys.executable, "-m", "onrecord", "--db", str(Path(folder) / "streams.db"), "mcp", "--user", "ana")
        failed = sum(not fine for fine in _ask(inspector, "stdio", program))
        with serving(Path(folder) / "http.db") as url:
            failed += sum(not fine for fine in _ask(inspector, "http", (url, "--transport", "http")))
    raise SystemExit(1 if failed else 0)


def _ask(inspector: list[str], name: str, server: tuple[str, ...]) -> Iterator[bool]:
    for asked, word in _ASKED:
        command = [*inspector, "--cli", *server, *asked]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ, timeout=120)
        fine = word in done.stdout and isinstance(_json(done.stdout), dict)
        print(f"{name} {' '.join(asked[1:])[:70]}: {'fine' if fine else done.stdout[-300:] + done.stderr[-300:]}", flush=True)
        yield fine


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


if __name__ == "__main__":
    main()
