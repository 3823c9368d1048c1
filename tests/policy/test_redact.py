from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.errors import InvalidInput
from onrecord.policy.secrecy.mask import suspect
from onrecord.policy.secrecy.redact import redact, redact_json
from onrecord.policy.secrecy.signs import KINDS, secret_name

#: Text, the part that must go, and the kind of the placeholder. All invented.
SECRETS = """
use sk-proj-FAKEabcdef1234567890abcdef | sk-proj-FAKEabcdef1234567890abcdef | api_key
sk_live_FAKE9f8e7d6c | sk_live_FAKE9f8e7d6c | api_key
ghp_FAKE0123456789abcdefghij0123456789ab | ghp_FAKE0123456789abcdefghij0123456789ab | api_key
AKIAIOSFODNN7EXAMPLE is it | AKIAIOSFODNN7EXAMPLE | api_key
xoxb-123456789012-FAKEabcdefgh | xoxb-123456789012-FAKEabcdefgh | api_key
AIzaFAKEabcdefghijklmnopqrstuvwxyz01234 | AIzaFAKEabcdefghijklmnopqrstuvwxyz01234 | api_key
glpat-FAKEabcdefghij012345 | glpat-FAKEabcdefghij012345 | api_key
npm_FAKEabcdefghijklmnop0123456789abcd | npm_FAKEabcdefghijklmnop0123456789abcd | api_key
pypi-AgEIcHlwaS5vcmcFAKEabc | pypi-AgEIcHlwaS5vcmcFAKEabc | api_key
hf_FAKEabcdefghijklmnopqrst | hf_FAKEabcdefghijklmnopqrst | api_key
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJGQUtFIn0.FAKEsignature01 | eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJGQUtFIn0.FAKEsignature01 | token
Authorization: Bearer abcDEF123456 | abcDEF123456 | token
curl -u ana:FAKEpw99 https://x.example | FAKEpw99 | password
https://ana:FAKEpw@host.example/path | FAKEpw | password
postgres://app:FAKE/p@ss@db.example:5432/app | FAKE/p@ss | password
https://hooks.slack.com/services/T000/B000/FAKEabcdef | T000/B000/FAKEabcdef | token
password is hunter2-FAKE | hunter2-FAKE | password
my password is swordfish | swordfish | password
the wifi password at home is swordfish! | swordfish | password
password: Tr0ub4dor&3 | Tr0ub4dor&3 | password
I changed my password from hunter1 to hunter2 | hunter1 | password
I changed my password from hunter1 to hunter2 | hunter2 | password
please set the password to Rosebud | Rosebud | password
hunter2! is my password | hunter2! | password
the passphrase is "correct horse battery staple" | correct horse battery staple | password
my passphrase is correct horse battery staple | horse battery | password
login: ana, password hunter2-FAKE | hunter2-FAKE | password
Das Passwort für den Router lautet Sommer-FAKE | Sommer-FAKE | password
mein login fürs portal, bitte nicht merken: radka_b / FAKE-passwort-0000 | FAKE-passwort-0000 | token
mi contraseña es tortuga | tortuga | password
mot de passe : soleil99 | soleil99 | password
パスワードはhunter2です | hunter2 | password
密码是abc123 | abc123 | password
pin: 4471 | 4471 | pin
my PIN is 4471 | 4471 | pin
pin is four four seven one | four four seven one | pin
user twopines, pin 0000-FAKE-pin, log in | 0000-FAKE-pin | pin
the cvv is 123 | 123 | pin
alarm code for the plumber, 0000-FAKE, delete it | 0000-FAKE | code
the code for the gate is 4471 | 4471 | code
backup codes: 1234-5678, 8765-4321 and 1111-2222 | 1111-2222 | code
export API_TOKEN=abc | abc | token
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY | wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY | api_key
{"password": "x y z", "user": "bob"} | x y z | password
"{\\"api_key\\": \\"hello\\"}" | hello | api_key
https://x.example/?token=abc123&y=1 | abc123 | token
--password hunter2 | hunter2 | password
here's the token, paste it in the settings: dlr_FAKE_5e5e5e5e. once | dlr_FAKE_5e5e5e5e | token
supervisor override, you need it for the recount: SUP-FAKE-0000 | SUP-FAKE-0000 | token
sandbox key for the label test: ck_test_FAKE_0001112223 | ck_test_FAKE_0001112223 | api_key
wifi is down, can you set it to FAKEwifi-not-a-pass-42 | FAKEwifi-not-a-pass-42 | token
card 4111 1111 1111 1111 exp 12/28 | 4111 1111 1111 1111 | card
my card number is 378282246310005. | 378282246310005 | card
credit card 503802053770 please | 503802053770 | card
ssn 123-45-6789 | 123-45-6789 | national_id
for the form, her social is 123-45-6789 | 123-45-6789 | national_id
"""
HARMLESS = """
order TB-60412 arrives 2026-03-04
commit 3f2504e04f8911d39a0c0305e82c3301abcdef12 fixes it
run 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed
call me at +49 170 1234567 or 0800 123 456 789
the password is wrong
my password is expired and I need a reset
the password manager is Bitwarden
I use 1Password to store passwords
the password must be 12 characters
enter your password to confirm the change
Das Passwort ist falsch
la contraseña no funciona
database uses password login
pin numpy to 1.26.4
connect pin 13 to ground
the key point is RFC-2119
max_tokens=4096, token_count: 12
the secret is patience
Token: a small disc of metal
token limit for gpt-4o-mini-2024 is high
def login(token: str, password: str = None) -> None
password = request.form['password']
password = db.Column(db.String(80), unique=True)
hashed_password = generate_password_hash(password)
const key = process.env.HALCYON_TOKEN
password=${DB_PASSWORD}
IBAN DE89 3704 0044 0532 0130 00
order number 1234567890123456
version v2.3.1-rc.4 of scikit-learn
api key rotation happens every 90 days
zip code 90210, error code E1234
tracking 1Z999AA10123456784
don't store order TB-60412
the login is at https://portal.example.com/login2024
locker WAW118K, the one by the tram stop
the basic instructions are here, the bearer of this letter too
meeting at 12:30 on 2026-03-04 in room 4471
"""


def lines(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(("text", "secret", "kind"), lines(SECRETS))
def test_a_secret_goes_whole_and_the_rest_stays(text: str, secret: str, kind: str) -> None:
    done = redact(text)
    assert secret not in done.text
    assert f"[secret:{kind}]" in done.text
    assert kind in done.found
    kept = re.split(r"\[secret:\w+\]", done.text)
    assert all(part in text for part in kept)


@pytest.mark.parametrize("text", HARMLESS.strip().splitlines())
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text).text == text


def test_a_private_key_goes_with_all_its_lines() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nFAKE\nabc==\n-----END RSA PRIVATE KEY-----"
    assert redact(f"before\n{key}\nafter").text == "before\n[secret:private_key]\nafter"


def test_a_private_key_that_was_cut_off_goes_to_the_end() -> None:
    assert redact("-----BEGIN PRIVATE KEY-----\nFAKE").text == "[secret:private_key]"


def test_kinds_come_in_reading_order() -> None:
    assert redact("pin: 4471, password: hunter2, AKIAIOSFODNN7EXAMPLE").found == ("pin", "password", "api_key")


def test_a_made_up_placeholder_hides_nothing() -> None:
    assert "hunter2" not in redact("password is [secret:hunter2]").text
    assert "sk-FAKEabcdef123456" not in redact("[secret:sk-FAKEabcdef123456]").text


def test_json_goes_by_names_at_any_depth() -> None:
    clean, found = redact_json(
        {"a": [{"password": "plain", "pin": 4471, "user": "ana"}], "headers": {"Authorization": "x"}, "n": 3, "ok": True}
    )
    assert clean == {
        "a": [{"password": "[secret:password]", "pin": "[secret:pin]", "user": "ana"}],
        "headers": {"Authorization": "[secret:token]"},
        "n": 3,
        "ok": True,
    }
    assert found == ("password", "pin", "token")


def test_json_reads_name_and_value_pairs_and_strings_with_json_in_them() -> None:
    clean, _ = redact_json([{"name": "api_key", "value": "plain"}, {"arguments": json.dumps({"client_secret": "plain"})}])
    assert "plain" not in json.dumps(clean)


def test_json_cards_as_numbers_go_too() -> None:
    assert redact_json({"n": 4111111111111111})[0] == {"n": "[secret:card]"}


def test_json_that_is_nested_too_deep_is_refused() -> None:
    value: Any = "x"
    for _ in range(200):
        value = [value]
    with pytest.raises(InvalidInput):
        redact_json(value)


@pytest.mark.parametrize(
    "name",
    ["password", "dbPassword", "API_KEY", "x-api-key", "access_token", "clientSecret", "HALCYON_TOKEN", "Authorization", "pin"],
)
def test_names_of_secrets(name: str) -> None:
    assert secret_name(name) in KINDS


@pytest.mark.parametrize(
    "name",
    ["max_tokens", "token_count", "next_page_token", "key", "primary_key", "keyboard", "spinning", "author", "password_policy"],
)
def test_names_that_only_look_like_it(name: str) -> None:
    assert secret_name(name) is None


_PIECES = st.sampled_from(
    [cell for row in lines(SECRETS) for cell in row[:2]]
    + HARMLESS.strip().splitlines()
    + ["[secret:pin]", "password", "is", "key:", "/", "\n"]
)
_TEXTS = st.one_of(st.text(), st.lists(st.one_of(_PIECES, st.text(max_size=5)), max_size=7).map(" ".join))


@given(_TEXTS)
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert redact(once.text).found == ()


@given(_TEXTS)
def test_nothing_found_means_nothing_changed(text: str) -> None:
    done = redact(text)
    assert (done.text == text) == (done.found == ())
    assert set(done.found) <= set(KINDS)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(_JSON)
def test_json_keeps_its_shape(value: Any) -> None:
    clean, found = redact_json(value)
    assert type(clean) is type(value) or isinstance(clean, str)
    assert redact_json(clean)[0] == clean
    if not found:
        assert clean == value


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            "1",
            "password is ",
            "key ",
            "eyJ",
            "sk-",
            "a=",
            "a://b:c@",
            "-----BEGIN PRIVATE KEY-----",
            "pin 1 ",
            "DE89 1234 ",
        ),
        *("login ", "wifi is ", "alarm code ", "card 1234 ", "use it to get in ", "a@b.c / "),
    ],
)
def test_a_long_text_takes_time_in_proportion(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = process_time()
        redact(text)
        return process_time() - start

    seconds(1_000)
    assert seconds(160_000) < 20 * max(seconds(20_000), 0.01)


@pytest.mark.data
def test_the_cards_of_a_public_set_go_and_nothing_else(data: Callable[[str], Path]) -> None:
    rows = list(map(json.loads, gzip.decompress(data("components/presidio_pii.jsonl.gz").read_bytes()).decode().split("\n")[:-1]))
    for row in rows:
        done = redact(row["full_text"])
        wanted = [span["entity_value"] for span in row["spans"] if span["entity_type"] in ("CREDIT_CARD", "US_SSN")]
        assert not [value for value in wanted if value in done.text]
        assert len(done.found) <= len(wanted)


@pytest.mark.data
def test_no_invented_secret_of_the_conversations_is_left(data: Callable[[str], Path]) -> None:
    for path in sorted(data("keepsakes/scenarios").glob("*.json")):
        for turn in json.loads(path.read_text())["turns"]:
            assert "FAKE" not in redact(turn["text"]).text


@pytest.mark.parametrize(("text", "secret", "kind"), lines(SECRETS))
def test_the_quick_look_suspects_every_secret(text: str, secret: str, kind: str) -> None:
    assert suspect(text)
    assert suspect(text.upper()) or not redact(text.upper()).found


@given(_TEXTS)
def test_what_the_quick_look_passes_over_holds_no_secret(text: str) -> None:
    assert suspect(text) or not redact(text).found
