"""The files of the default embedder, which lie in this package; ``tools/build_minilm.py`` makes them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import resources

from onrecord.errors import EmbedderUnavailable

MODEL_FILE, TOKENIZER_FILE = "model.onnx", "tokenizer.json"

SHA256: Mapping[str, str] = {
    MODEL_FILE: "e53b874397d68d8d6432bb359cf950f822a92034957e10bf262fbb3016071a52",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""A changed model must have another name, as its vectors differ: see ``MiniLmEmbedder.name``."""

FIX = "install onrecord afresh: pip install --force-reinstall --no-deps onrecord"


def read(name: str) -> bytes:
    """The content of one of the files named in ``SHA256``.

    Raises:
        EmbedderUnavailable: the file is missing, cannot be read, or was changed.
    """
    file = resources.files("onrecord.providers.embed").joinpath("data", name)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise EmbedderUnavailable(f"the embedder's file {name} cannot be read ({error}); {FIX}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256[name]:
        raise EmbedderUnavailable(f"the embedder's file {name} was changed: its sha256 is {found}, not {SHA256[name]}; {FIX}")
    return content
