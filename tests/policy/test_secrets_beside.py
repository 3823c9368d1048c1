"""A secret that one field of a statement gives away stands in none of its fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from onrecord.memory import Memory
from onrecord.policy.secrecy.beside import given_away


@pytest.mark.parametrize(
    ("statement", "key", "value", "secret"),
    [
        ("The door of the gym opens with 4417.", "gym_code", "4417", "4417"),
        ("Robin gets online with hunter2.", "wifi_password", "hunter2", "hunter2"),
        ("I get in with 4417", "gym_pin", "4417", "4417"),
        ("The pin of the door is 4417.", "door", "pin 4417", "4417"),
    ],
)
def test_what_the_statement_or_the_key_gives_away_is_in_no_field(
    tmp_path: Path, statement: str, key: str, value: str, secret: str
) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        done = memory.remember(
            statement, user_id="u", key=key, value=value, qualifier=f"with {secret}", metadata={"seen": [secret, f"of {secret}"]}
        )
        (record,) = done.records
        assert "[secret:" in record.statement
        assert "[secret:" in (record.value or "")
        edited = memory.remember("The gate is green.", user_id="u").records[0]
        memory.update(edited.id, user_id="u", statement=statement, key=key, value=value)
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert secret.encode() not in files


@pytest.mark.parametrize(
    ("statement", "key", "value"),
    [
        ("Robin parks in bay 17.", "bay", "bay 17"),
        ("The max token count is 500.", "token", "500"),
        ("The pin is kept in the vault under locker/7.", "pin", "vault:locker/7"),
        ("The dress code is black tie.", "dress_code", "black tie"),
        ("The area code is 0151.", "area_code", "0151"),
    ],
)
def test_what_is_no_secret_stays_in_every_field(statement: str, key: str, value: str) -> None:
    secret = given_away(statement, key, value)
    assert secret.concealed({"statement": statement, "value": value}) == {"statement": statement, "value": value}
