"""Masks: rows without secrets on their way out.

What is written was redacted before; this is for rows that an older version, which did not know a pattern yet, left behind. A
quick look passes over what can't hold a secret."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch
from hashlib import blake2b
from typing import Any, TypeVar, cast

from onrecord.model.change import Event
from onrecord.model.record import Record
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.policy.language.shorten import shortened
from onrecord.policy.secrecy.confided import confided
from onrecord.policy.secrecy.logins import logins
from onrecord.policy.secrecy.openers import opened
from onrecord.policy.secrecy.redact import redact, redact_json

RowT = TypeVar("RowT", bound=Record | Turn | Event | Verdict)

#: Parts of the words that announce a secret, case folded. A text with none of them, and without a word that may be a key by its
#: shape, is not read further. That every rule of ``policy.secrets`` is covered is held by a test.
_CUES = tuple(
    """pass pwd mdp wort contrase senha parola wachtwoord lösenord hasło heslo пароль パスワード パスフレーズ 合言葉
    密码 密碼 口令 비밀번호 암호 pin geheimzahl 暗証 cvv cvc otp 2fa mfa code código codice combination combo key schlüssel clé
    clave chiave キー 密钥 token secret cred login log-in zugangsdaten anmeldedaten identifiants wi-fi wifi wlan override トークン
    auth session cookie bearer basic sas seed mnemonic phrase webhook connection dsn :// -u --user hooks. ssn social""".split()
)
#: The shortest words that a rule takes for a key by their shape: with digits, with a sign in it, and of letters alone.
_ODD, _JOINED, _LONG = 8, 10, 12
#: The fewest digits of a card.
_CARD_DIGITS = 12
#: Texts in which no secret was found, by digest, the last so many: rows that are shown again and again are read once. None of
#: their words is kept.
_CLEAN: OrderedDict[bytes, None] = OrderedDict()
_CLEAN_LIMIT, _DIGEST_BYTES = 20_000, 16


def suspect(text: str) -> bool:
    """Whether ``text`` may hold a secret; ``False`` only where ``redact`` would find none."""
    low = text.casefold()
    if not low.isascii():
        if any(char.isdigit() for char in low if char > "\x7f"):
            return True
        low = low.replace("ı", "i")  # which the rules take for an i, case aside
    if any(cue in low for cue in _CUES) or _many_digits(low) or any(_odd(word) for word in low.split() if len(word) >= _ODD):
        return True
    return any(next(find(text), None) is not None for find in (confided, opened, logins))


def masked(row: RowT) -> RowT:
    """``row`` without secrets; the same object where there is none."""
    return cast("RowT", _masked(row))


@singledispatch
def _masked(row: Any) -> Any:
    raise TypeError(f"a {type(row).__name__} is no row")


@_masked.register
def _(row: Record) -> Record:
    clean = _cleaned(row, ("statement", "value", "qualifier", "quote", "author"), ("metadata",))
    if "statement" in clean:
        clean["statement"] = shortened(clean["statement"])  # a placeholder may be longer than what it stands for
    return replace(row, **clean) if clean else row


@_masked.register
def _(row: Turn) -> Turn:
    clean = _cleaned(row, ("text", "author"), ("payload", "metadata"))
    return replace(row, **clean) if clean else row


@_masked.register
def _(row: Verdict) -> Verdict:
    clean = _cleaned(row, ("statement", "detail"), ())
    return replace(row, **clean) if clean else row


@_masked.register
def _(row: Event) -> Event:
    clean = _cleaned(row, ("reason",), ())
    for name in ("before", "after"):
        side = getattr(row, name)
        if side is not None and (other := masked(side)) is not side:
            clean[name] = other
    return replace(row, **clean) if clean else row


def _cleaned(row: Any, texts: tuple[str, ...], objects: tuple[str, ...]) -> dict[str, Any]:
    """The fields of ``row`` in which there was a secret, without it."""
    clean: dict[str, Any] = {}
    for name in texts:
        text = getattr(row, name)
        if text and (done := _redacted(text)) is not None:
            clean[name] = done
    for name in objects:
        value: Mapping[str, Any] = getattr(row, name)
        if value and (done_value := _redacted_object(value)) is not None:
            clean[name] = done_value
    return clean


def _redacted(text: str) -> str | None:
    """``text`` without secrets; ``None`` where there is none."""
    digest = _digest(text)
    if digest in _CLEAN:
        return None
    if suspect(text) and (done := redact(text)).found:
        return done.text
    _is_clean(digest)
    return None


def _redacted_object(value: Mapping[str, Any]) -> Any:
    """The same for an object."""
    told = repr(value)
    digest = _digest("\0" + told)  # no text: what is no secret in one may be one in the other
    if digest in _CLEAN:
        return None
    if suspect(told):
        done, found = redact_json(value)
        if found:
            return done
    _is_clean(digest)
    return None


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def _is_clean(digest: bytes) -> None:
    _CLEAN[digest] = None
    if len(_CLEAN) > _CLEAN_LIMIT:
        _CLEAN.popitem(last=False)


def _odd(word: str) -> bool:
    if len(word) >= _LONG or (len(word) >= _JOINED and ("-" in word or "_" in word)):
        return True
    return not word.isalpha() and sum(char.isdigit() for char in word) >= 2


def _many_digits(text: str) -> bool:
    return sum(text.count(digit) for digit in "0123456789") >= _CARD_DIGITS
