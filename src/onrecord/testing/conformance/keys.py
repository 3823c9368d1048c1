"""Keys to a server: kept, found by digest, taken away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onrecord.errors import InvalidInput, NotFound
from onrecord.model.key import ApiKey, Right
from onrecord.ports import Store
from onrecord.testing.builders import NOW, SUBJECT, TENANT
from onrecord.testing.conformance.base import Conformance

ONE = ApiKey(id="key_1", tenant=TENANT, name="reader", right=Right.READ, digest="a" * 64, created_at=NOW, subject=SUBJECT)
TWO = replace(ONE, id="key_2", tenant="globex", right=Right.ADMIN, digest="b" * 64, subject=None)


class KeyConformance(Conformance):
    """See the module."""

    def test_a_key_is_found_by_its_digest_alone(self, store: Store) -> None:
        store.put_key(TWO)
        store.put_key(ONE)
        assert store.key(ONE.digest) == ONE
        assert store.key(TWO.digest) == TWO
        assert store.key("c" * 64) is None
        assert store.keys() == [ONE, TWO]

    def test_a_key_is_kept_once(self, store: Store) -> None:
        store.put_key(ONE)
        for same in (replace(TWO, id=ONE.id), replace(TWO, digest=ONE.digest)):
            with pytest.raises(InvalidInput):
                store.put_key(same)
        assert store.keys() == [ONE]

    def test_a_key_that_was_taken_away_is_gone(self, store: Store) -> None:
        store.put_key(ONE)
        store.drop_key(ONE.id)
        assert store.key(ONE.digest) is None
        with pytest.raises(NotFound):
            store.drop_key(ONE.id)
