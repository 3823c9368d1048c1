"""Keeps the vectors of the last texts in this process, so that the same question is not embedded, or paid for, twice."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from onrecord.errors import InvalidInput
from onrecord.ports import Embedder, Vector
from onrecord.providers.embed.guard import GuardedEmbedder

#: Vectors kept. At 768 numbers that is 6 MB.
SIZE = 2_000
_QUERY, _DOCUMENT = b"q", b"d"


class VectorCache:
    """Answers as ``inner`` does, from the last ``size`` vectors where it can; the least lately used one goes first.

    Texts are known by their sha256 and by whether they ask or tell; they are not kept. The name is part of the key, so that an
    embedder that changes what it is gets no vectors of before. Failures are not kept; what comes back is checked before it is.
    Safe to share among threads.

    Raises:
        InvalidInput: `size` is less than 1.
    """

    def __init__(self, inner: Embedder, *, size: int = SIZE) -> None:
        if size < 1:
            raise InvalidInput("size", "must be at least 1")
        self._inner, self._size = inner if isinstance(inner, GuardedEmbedder) else GuardedEmbedder(inner), size
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, Vector] = OrderedDict()

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dim(self) -> int:
        """The inner embedder's dimension."""
        return self._inner.dim

    def embed_documents(self, texts: Sequence[str]) -> Vector:
        """As the inner embedder, which is asked once for what is missing, each text once. Raises what it raises."""
        return self._answered(_DOCUMENT, texts, self._inner.embed_documents)

    def embed_query(self, text: str) -> Vector:
        """As the inner embedder. Raises what it raises."""
        vector: Vector = self._answered(_QUERY, [text], lambda texts: self._inner.embed_query(texts[0])[None])[0]
        return vector

    def _answered(self, kind: bytes, texts: Sequence[str], embed: Callable[[list[str]], Vector]) -> Vector:
        keys = [self._key(kind, text) for text in texts]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            vectors = np.array(embed(list(missing.values())), np.float32)
            found |= {key: vector.copy() for key, vector in zip(missing, vectors, strict=True)}  # a row would keep the batch
        self._keep({key: found[key] for key in keys})
        return np.array([found[key] for key in keys], np.float32).reshape(len(keys), -1 if keys else self.dim)

    def _keep(self, used: dict[bytes, Vector]) -> None:
        with self._lock:
            for key, vector in used.items():
                self._kept[key] = vector
                self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def _key(self, kind: bytes, text: str) -> bytes:
        named = f"{self._inner.name}\0{text}".encode("utf-8", "surrogatepass")
        return kind + hashlib.sha256(named).digest()
