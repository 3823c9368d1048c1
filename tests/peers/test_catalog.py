"""The list of peers that are installed: every entry can be run, and what is not exact is refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from bench.peers.catalog import LIST, entries, lock_of, python_of
from bench.peers.install import interpreter, stamp
from bench.peers.registry import LOCAL, names, open_peer, settings


def test_every_peer_of_the_list_has_exact_requirements_settings_and_a_program() -> None:
    found = entries()
    assert {"mem0", "langgraph", "mempalace", "mcp-memory-service"} <= set(found)
    for entry in found.values():
        assert entry.program.is_file(), entry.name
        assert entry.settings[0] == "default"
        assert entry.home.startswith("https://")
    assert names() == (*LOCAL, *found)
    assert settings("mem0") == ("default", "best")


def test_every_environment_has_a_lock_that_holds_what_it_requires() -> None:
    for entry in entries().values():
        for flavour, requires in entry.flavours.items():
            pinned = lock_of(entry, flavour).read_text("utf-8").replace("_", "-").casefold().splitlines()
            for requirement in requires:
                name, _, version = requirement.partition("==")
                assert f"{name.partition('[')[0]}=={version}" in pinned, entry.name


def test_a_setting_with_packages_of_its_own_has_an_environment_of_its_own(tmp_path: Path) -> None:
    found = entries()
    assert python_of(found["mem0"], "best", tmp_path) == tmp_path / "mem0" / "best" / "bin" / "python"
    assert python_of(found["mempalace"], "best", tmp_path) == tmp_path / "mempalace" / "default" / "bin" / "python"


def test_a_requirement_that_is_not_exact_is_refused(tmp_path: Path) -> None:
    listed = tmp_path / "peers.toml"
    listed.write_text('[some]\nrequires = ["some>=1"]\nsettings = ["default"]\n')
    with pytest.raises(ValueError, match=r"some\.requires: 'some>=1' is not exact"):
        entries(listed)
    listed.write_text('[some]\nrequires = ["some==1"]\nsettings = ["fastest"]\n')
    with pytest.raises(ValueError, match=r"some\.settings: there is no 'fastest'"):
        entries(listed)
    listed.write_text('[some]\nsettings = ["default"]\n')
    with pytest.raises(ValueError, match=r"some\.requires: is missing"):
        entries(listed)


def test_a_peer_that_is_not_installed_says_how_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ONRECORD_PEERS", str(tmp_path))
    with pytest.raises(ValueError, match=r"run python -m bench\.peers\.install mem0"):
        open_peer("mem0")


def test_an_environment_is_made_anew_when_its_list_or_its_lock_changes(tmp_path: Path) -> None:
    lock = tmp_path / "lock.txt"
    without = stamp(["a==1"], lock)
    lock.write_text("b==2\n")
    assert len({without, stamp(["a==1"], lock), stamp(["a==2"], lock)}) == 3


def test_an_interpreter_is_found_for_a_peer_without_special_needs() -> None:
    entry = next(entry for entry in entries(LIST).values() if not entry.extensions)
    assert interpreter(entry)


def test_an_interpreter_that_pyenv_keeps_is_found_and_one_that_nobody_has_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    entry = replace(next(iter(entries(LIST).values())), python=(3, 99))
    with pytest.raises(ValueError, match=r"needs Python 3\.99"):
        interpreter(entry)
    kept = tmp_path / "versions" / "3.99.0" / "bin" / "python"
    kept.parent.mkdir(parents=True)
    kept.write_text("#!/bin/sh\n")
    kept.chmod(0o755)
    assert interpreter(entry) == str(kept)
