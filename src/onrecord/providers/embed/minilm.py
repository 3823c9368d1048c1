"""The default embedder: all-MiniLM-L6-v2 in 8 bits, bundled with this package, on the local processor."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onrecord.errors import EmbedderUnavailable, InvalidInput
from onrecord.providers.embed import weights

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2/int8"
DIM = 384
MAX_TOKENS = 256
# English has about 4 characters a token; what lies further out than 16 a token is left out before tokenising, as a text
# of a megabyte would take a second to split and keep 256 tokens.
MAX_CHARACTERS = 16 * MAX_TOKENS


class MiniLmEmbedder:
    """Sentence vectors of all-MiniLM-L6-v2 (384 numbers, English).

    A text gets the same vector, bit for bit, whether it comes alone or among others, since each has a run of its own.
    Only the first 256 tokens of a text count. Nothing is loaded before the first use; safe to share among threads.

    Args:
        threads: how many threads a run may use; None is all processors, at most 4.

    Raises:
        InvalidInput: `threads` is less than 1.
    """

    def __init__(self, *, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise InvalidInput("threads", "must be at least 1")
        self._threads = threads or min(os.cpu_count() or 2, 4)
        self._lock = threading.Lock()
        self._encoder: _Encoder | None = None

    @property
    def name(self) -> str:
        """What the vectors are: model and precision. Vectors under different names must not be compared."""
        return NAME

    @property
    def dim(self) -> int:
        """The length of a vector: 384."""
        return DIM

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, (n, 384), in the order given; an empty text has one as well.

        Raises:
            EmbedderUnavailable: at the first use: onnxruntime or tokenizers is missing, or a bundled file is missing or changed.
        """
        vectors = np.empty((len(texts), DIM), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.embed_query(text)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a text, (384,): the same as for a document. Raises as `embed_documents` does."""
        return (self._encoder or self._load())(text)

    def _load(self) -> _Encoder:
        with self._lock:
            if self._encoder is None:
                self._encoder = _Encoder(self._threads)
            return self._encoder


class _Encoder:
    """A loaded tokenizer and session. Calls return a unit vector, (384,)."""

    def __init__(self, threads: int) -> None:
        try:
            self._tokenizer = load_tokenizer()
            self._session = load_session(weights.read(weights.MODEL_FILE), threads)
        except ImportError as error:
            raise EmbedderUnavailable(
                f"the default embedder needs the package {error.name}; install it with: pip install {error.name}"
            ) from error

    def __call__(self, text: str) -> NDArray[np.float32]:
        # lone surrogates have no UTF-8 form and would be refused by the tokenizer
        text = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        vector: NDArray[np.float32] = self._session.run(None, {"input_ids": ids})[0][0]
        return vector


def load_tokenizer() -> Tokenizer:
    """The bundled tokenizer, which cuts at 256 tokens and never pads. Raises EmbedderUnavailable, ImportError."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(weights.read(weights.TOKENIZER_FILE).decode("utf-8"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def load_session(model: bytes, threads: int) -> InferenceSession:
    """A session that runs a serialised ONNX model on the processor with so many threads."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # threads that wait by spinning take the core from whoever shares it: on a busy machine that halves the speed
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
