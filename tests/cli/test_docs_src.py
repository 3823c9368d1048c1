"""The programs of the documentation do what the documentation says."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from types import ModuleType

from onrecord import Memory

PLACE = Path(__file__).parents[2] / "docs_src"


def loaded(name: str) -> ModuleType:
    """A program of the documentation."""
    spec = importlib.util.spec_from_file_location(name, PLACE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_quickstart_tells_asks_corrects_and_explains(tmp_path: Path) -> None:
    quickstart = loaded("quickstart")
    with Memory(tmp_path / "memory.db") as memory:
        assert quickstart.tell(memory)[0] == "added: I am allergic to walnuts."
        assert quickstart.ask(memory) == ["I am allergic to walnuts."]
        (record,) = quickstart.correct(memory)
        assert record.value == "Porto"
        assert quickstart.why(memory, record)[0].startswith("added: ")


def test_several_requests_on_one_event_loop_are_each_answered_with_what_they_said(tmp_path: Path) -> None:
    contexts = asyncio.run(loaded("event_loop").serve(tmp_path / "memory.db"))
    assert "allergic to walnuts" in contexts[0]
    assert "sit outside" in contexts[1]
