"""Keeps vectors on disk, so that an evaluation embeds a text once and not at every run."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onrecord.ports import Embedder

_DIGEST_BYTES = 32
_TEXTS_PER_APPEND = 256

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]


class CachedEmbedder:
    """Answers as `embedder` does, bit for bit, from files in `folder` where it can.

    One file of documents and one of queries for each model name and dimension, as their prefixes may differ. Texts are
    looked up by sha256 and not kept. Several processes may share a folder: each sees what was there when it started.
    Rows are appended every 256 texts, so an interrupted run keeps nearly all its work. Safe to share among threads.

    Attributes:
        hits: how many texts were answered without the embedder.
        misses: how many texts the embedder was asked for.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self.hits = self.misses = 0
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        stem = folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '_', embedder.name)}-{_digest(embedder.name).hex()[:8]}"
        self._documents = VectorFile(Path(f"{stem}.documents"), embedder.dim)
        self._queries = VectorFile(Path(f"{stem}.queries"), embedder.dim)

    @property
    def name(self) -> str:
        """The name of the embedder behind."""
        return self._embedder.name

    @property
    def dim(self) -> int:
        """The dimension of the embedder behind."""
        return self._embedder.dim

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """A unit vector for each text, (n, dim), in the order given. Raises what the embedder raises."""
        return self._cached(self._documents, texts, self._embedder.embed_documents)

    def embed_query(self, text: str) -> Vector:
        """The unit vector of a query, (dim,). Raises what the embedder raises."""
        vectors = self._cached(self._queries, [text], lambda texts: self._embedder.embed_query(texts[0])[None])
        vector: Vector = vectors[0]
        return vector

    def _cached(self, file: VectorFile, texts: Sequence[str], embed: Callable[[list[str]], Matrix]) -> Matrix:
        digests = [_digest(text) for text in texts]
        with self._lock:
            missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in file}
            self.misses += len(missing)
            self.hits += len(texts) - len(missing)
            for batch in _batches(list(missing)):
                file.append(batch, embed([missing[digest] for digest in batch]))
            return file.get(digests)


class VectorFile:
    """An append-only file of rows, each a 32-byte digest and `dim` little-endian float32; read whole at the start.

    Raises:
        OSError: the file cannot be read or written.
    """

    def __init__(self, path: Path, dim: int) -> None:
        self._path = path.with_name(f"{path.name}-{dim}.f32")
        self._row = np.dtype([("digest", np.uint8, _DIGEST_BYTES), ("vector", "<f4", dim)])
        self._dim = dim
        rows = self._read()
        self._vectors: dict[bytes, Vector] = dict(zip(map(bytes, rows["digest"]), rows["vector"], strict=True))

    def __len__(self) -> int:
        return len(self._vectors)

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._vectors

    def get(self, digests: Sequence[bytes]) -> Matrix:
        """The vectors of these digests, (n, dim), in their order, as a new array. Raises KeyError for one not held."""
        vectors = np.empty((len(digests), self._dim), np.float32)
        for row, digest in enumerate(digests):
            vectors[row] = self._vectors[digest]
        return vectors

    def append(self, digests: Sequence[bytes], vectors: Matrix) -> None:
        """Adds rows, in one write; on disk when it returns, as far as the operating system tells."""
        rows = np.empty(len(digests), self._row)
        rows["digest"] = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, _DIGEST_BYTES)
        rows["vector"] = vectors
        self._write(rows.tobytes())
        self._vectors.update(zip(digests, rows["vector"], strict=True))

    def _read(self) -> NDArray[np.void]:
        if not self._path.exists():
            return np.empty(0, self._row)
        content = self._path.read_bytes()
        return np.frombuffer(content, self._row, count=len(content) // self._row.itemsize)

    def _write(self, content: bytes) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # what a killed writer left half done would shift every later row
            size = os.fstat(descriptor).st_size
            if torn := size % self._row.itemsize:
                os.ftruncate(descriptor, size - torn)
            _write_whole(descriptor, content)
        finally:
            os.close(descriptor)


def _write_whole(descriptor: int, content: bytes) -> None:
    written = os.write(descriptor, content)
    if written != len(content):
        raise OSError(f"only {written} of {len(content)} bytes could be written to the cache of vectors")


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _batches(digests: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    for start in range(0, len(digests), _TEXTS_PER_APPEND):
        yield digests[start : start + _TEXTS_PER_APPEND]
