"""Settings: a file, then the environment; what isn't known is refused by name."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from onrecord.errors import InvalidInput
from onrecord.model.record import Kind
from onrecord.policy.defaults import Policy
from onrecord.settings import Settings, load


def written(folder: Path, text: str) -> Path:
    path = folder / "onrecord.toml"
    path.write_text(text, "utf-8")
    return path


def test_without_file_and_environment_the_defaults_hold(tmp_path: Path) -> None:
    assert load({}, tmp_path) == Settings()


def test_the_file_in_the_working_directory_is_read(tmp_path: Path) -> None:
    written(tmp_path, 'db = "a.db"\ntenant = "acme"\nuser = "ana"\n')
    found = load({}, tmp_path)
    assert (found.db, found.tenant, found.user) == ("a.db", "acme", "ana")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    written(tmp_path, 'db = "a.db"\ntenant = "acme"\n')
    assert load({"ONRECORD_DB": "b.db"}, tmp_path) == Settings(db="b.db", tenant="acme")


def test_an_empty_variable_says_nothing(tmp_path: Path) -> None:
    assert load({"ONRECORD_DB": "", "ONRECORD_CONFIG": ""}, tmp_path).db == "onrecord.db"


def test_onrecord_config_names_another_file(tmp_path: Path) -> None:
    other = tmp_path / "elsewhere.toml"
    other.write_text('db = "c.db"\n', "utf-8")
    written(tmp_path, 'db = "a.db"\n')
    assert load({"ONRECORD_CONFIG": str(other)}, tmp_path).db == "c.db"


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="ONRECORD_CONFIG"):
        load({"ONRECORD_CONFIG": str(tmp_path / "none.toml")}, tmp_path)


def test_numbers_of_the_policy_can_be_set(tmp_path: Path) -> None:
    written(tmp_path, "[policy]\nsearch_limit = 8\nbm25_k1 = 1\ndefault_lifespan = 30\nlifespan = {preference = 365}\n")
    policy = load({}, tmp_path).policy
    assert (policy.search_limit, policy.bm25_k1, policy.default_lifespan) == (8, 1.0, timedelta(days=30))
    assert policy.lifespan[Kind.PREFERENCE] == timedelta(days=365)
    assert policy.lifespan[Kind.CONSTRAINT] == Policy().lifespan[Kind.CONSTRAINT]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('tennant = "x"', r"tennant: is no setting \(did you mean tenant\?\)"),
        ("zzz = 1", "zzz: is no setting .known are db"),
        ("[policy]\nserch_limit = 3", "policy.serch_limit.*did you mean policy.search_limit"),
        ("[policy]\nlifespan = {preferences = 3}", "policy.lifespan.preferences.*policy.lifespan.preference"),
        ("[policy]\nlifespan = 3", "policy.lifespan: is a int"),
        ('[policy]\nsearch_limit = "8"', "policy.search_limit: is a str"),
        ("[policy]\nsearch_limit = true", "policy.search_limit: is a bool"),
        ("[policy]\nsearch_limit = 2.5", "policy.search_limit: is 2.5 .write a whole number"),
        ("policy = 3", "policy: is a int"),
        ("db = 3", "db: is a int"),
        ("db = ", "is not TOML"),
        ('embedder_key = "sk-1"', "embedder_key: stands in a file .*set ONRECORD_EMBEDDER_KEY"),
        ("embedder = 3", "embedder: is a int"),
    ],
)
def test_what_is_off_is_named_with_the_way_out(tmp_path: Path, text: str, named: str) -> None:
    written(tmp_path, text)
    with pytest.raises(InvalidInput, match=named):
        load({}, tmp_path)


def test_an_embedder_and_a_reranker_are_chosen_by_name_and_the_key_comes_from_the_environment(tmp_path: Path) -> None:
    written(tmp_path, 'embedder = "nomic"\nreranker = "bi-encoder:minilm"\n')
    found = load({"ONRECORD_EMBEDDER": "openai:m", "ONRECORD_EMBEDDER_KEY": "sk-1"}, tmp_path)
    assert (found.embedder, found.reranker, found.embedder_key) == ("openai:m", "bi-encoder:minilm", "sk-1")
    assert "sk-1" not in repr(found)


def test_what_an_embedder_weighs_is_set_by_its_name(tmp_path: Path) -> None:
    written(tmp_path, '[policy]\nvector_weights = {"openai:m" = 0.8}\ncosine_zeros = {"openai:m" = 0.2}\n')
    policy = load({}, tmp_path).policy
    assert dict(policy.vector_weights) == {**Policy().vector_weights, "openai:m": 0.8}
    assert dict(policy.cosine_zeros) == {**Policy().cosine_zeros, "openai:m": 0.2}
