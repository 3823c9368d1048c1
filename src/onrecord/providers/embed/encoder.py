"""A sentence encoder on onnxruntime: one text a run, so that a vector does not depend on what is embedded beside it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onrecord.errors import EmbedderUnavailable, InvalidInput

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

#: English has about 4 characters a token; what lies further out than 16 a token is left out before tokenising, as a text of a
#: megabyte would take a second to split and keep a few hundred tokens.
CHARACTERS_A_TOKEN = 16


class Encoder:
    """A tokenizer and a session, loaded at the first use and safe to share among threads. Calls return a unit vector.

    ``what`` names it in errors. ``tokenizer`` is the content of a ``tokenizer.json``, ``model`` that of an ONNX file.
    """

    def __init__(
        self, what: str, tokenizer: Callable[[], bytes], model: Callable[[], bytes], *, max_tokens: int, threads: int | None
    ) -> None:
        if threads is not None and threads < 1:
            raise InvalidInput("threads", "must be at least 1")
        self._what, self._max_tokens = what, max_tokens
        self._sources = (tokenizer, model)
        self._threads = threads or min(os.cpu_count() or 2, 4)
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None

    def __call__(self, text: str) -> NDArray[np.float32]:
        """The vector of a text. Raises EmbedderUnavailable at the first use: a package or a file is missing, or was changed."""
        tokenizer, session = self._loaded or self._load()
        # lone surrogates have no UTF-8 form and would be refused by the tokenizer
        text = text[: CHARACTERS_A_TOKEN * self._max_tokens].encode("utf-8", "replace").decode("utf-8")
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        vector: NDArray[np.float32] = session.run(None, {"input_ids": ids})[0][0]
        return vector

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        tokenizer, model = self._sources
        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = load_tokenizer(tokenizer(), self._max_tokens), load_session(model(), self._threads)
                except ImportError as error:
                    raise EmbedderUnavailable(
                        f"{self._what} needs the package {error.name}; install it with: pip install {error.name}"
                    ) from error
            return self._loaded


def load_tokenizer(content: bytes, max_tokens: int) -> Tokenizer:
    """A tokenizer that cuts at so many tokens and never pads. Raises ImportError."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(content.decode("utf-8"))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    return tokenizer


def load_session(model: bytes, threads: int) -> InferenceSession:
    """A session that runs a serialised ONNX model on the processor with so many threads. Raises ImportError."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # threads that wait by spinning take the core from whoever shares it: on a busy machine that halves the speed
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
