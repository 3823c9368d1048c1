"""The programs of the documentation do what the documentation says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from onrecord import Memory

PLACE = Path(__file__).parents[2] / "docs_src"


@pytest.fixture
def quickstart() -> ModuleType:
    """The program, loaded."""
    spec = importlib.util.spec_from_file_location("quickstart", PLACE / "quickstart.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_quickstart_tells_asks_corrects_and_explains(quickstart: ModuleType, tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        assert quickstart.tell(memory)[0] == "added: I am allergic to walnuts."
        assert quickstart.ask(memory) == ["I am allergic to walnuts."]
        (record,) = quickstart.correct(memory)
        assert record.value == "Porto"
        assert quickstart.why(memory, record)[0].startswith("added: ")
