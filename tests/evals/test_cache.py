"""The cache of vectors: the same answers as the embedder's own, also after crashes and among processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from onrecord.evals.cache import CachedEmbedder, VectorFile
from onrecord.providers.embed import HashingEmbedder

ROW = 32 + 16 * 4


class Recorder:
    """A hashing embedder that writes down what it was asked for."""

    def __init__(self, name: str = "recorder/16", dim: int = 16) -> None:
        self._inner, self.name, self.dim = HashingEmbedder(dim), name, dim
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.asked.append("query: " + text)
        return self._inner.embed_query("query: " + text)


def file_of(folder: Path, kind: str = "documents") -> Path:
    (path,) = folder.glob(f"*.{kind}-*.f32")
    return path


def test_answers_are_those_of_the_embedder_in_order_first_and_again(tmp_path: Path) -> None:
    texts = ["b", "a", "b", "", "c"]
    expected = HashingEmbedder(16).embed_documents(texts)
    for cache in (CachedEmbedder(Recorder(), tmp_path), CachedEmbedder(Recorder(), tmp_path)):
        for _ in range(2):
            vectors = cache.embed_documents(texts)
            assert vectors.dtype == np.float32
            assert np.array_equal(vectors, expected)


def test_the_embedder_is_asked_once_for_each_text(tmp_path: Path) -> None:
    recorder = Recorder()
    cache = CachedEmbedder(recorder, tmp_path)
    cache.embed_documents(["a", "b", "a"])
    cache.embed_documents(["b", "c"])
    assert recorder.asked == ["a", "b", "c"]
    assert (cache.hits, cache.misses) == (2, 3)


def test_a_new_cache_on_the_folder_asks_for_nothing(tmp_path: Path) -> None:
    CachedEmbedder(Recorder(), tmp_path).embed_documents(["a", "b"])
    recorder = Recorder()
    cache = CachedEmbedder(recorder, tmp_path)
    cache.embed_documents(["b", "a"])
    assert recorder.asked == []
    assert (cache.hits, cache.misses) == (2, 0)


def test_queries_and_documents_are_kept_apart(tmp_path: Path) -> None:
    cache = CachedEmbedder(Recorder(), tmp_path)
    document, query = cache.embed_documents(["a"])[0], cache.embed_query("a")
    again = CachedEmbedder(Recorder(), tmp_path)
    assert not np.array_equal(document, query)
    assert np.array_equal(again.embed_query("a"), query)
    assert np.array_equal(again.embed_documents(["a"])[0], document)
    assert (again.hits, again.misses) == (2, 0)


def test_models_are_kept_apart_even_when_their_names_look_alike_in_a_path(tmp_path: Path) -> None:
    CachedEmbedder(Recorder("model/int8"), tmp_path).embed_documents(["a"])
    for other in (Recorder("model int8"), Recorder("model/int8", dim=8)):
        CachedEmbedder(other, tmp_path).embed_documents(["a"])
        assert other.asked == ["a"]


def test_it_has_the_name_and_dimension_of_the_embedder(tmp_path: Path) -> None:
    cache = CachedEmbedder(Recorder(), tmp_path / "made" / "here")
    assert (cache.name, cache.dim) == ("recorder/16", 16)


def test_no_texts_ask_for_nothing(tmp_path: Path) -> None:
    recorder = Recorder()
    assert CachedEmbedder(recorder, tmp_path).embed_documents([]).shape == (0, 16)
    assert recorder.asked == []


def test_the_caller_may_change_what_it_got(tmp_path: Path) -> None:
    cache = CachedEmbedder(Recorder(), tmp_path)
    expected = cache.embed_query("a").copy()
    cache.embed_query("a")[:] = 0
    cache.embed_documents(["a"])[:] = 0
    assert np.array_equal(cache.embed_query("a"), expected)
    assert cache.embed_documents(["a"]).any()


def test_a_torn_tail_is_ignored_and_the_next_row_is_whole(tmp_path: Path) -> None:
    CachedEmbedder(Recorder(), tmp_path).embed_documents(["a", "b"])
    path = file_of(tmp_path)
    path.write_bytes(path.read_bytes()[:-5])
    second = CachedEmbedder(Recorder(), tmp_path)
    second.embed_documents(["b", "c"])
    assert (second.hits, second.misses) == (0, 2)
    third = CachedEmbedder(Recorder(), tmp_path)
    assert np.array_equal(third.embed_documents(["a", "b", "c"]), HashingEmbedder(16).embed_documents(["a", "b", "c"]))
    assert third.misses == 0
    assert path.stat().st_size == 3 * ROW


def test_long_work_is_kept_as_it_goes(tmp_path: Path) -> None:
    class Failing(Recorder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.asked:
                raise RuntimeError("the power went out")
            return super().embed_documents(texts)

    texts = [str(n) for n in range(600)]
    with pytest.raises(RuntimeError):
        CachedEmbedder(Failing(), tmp_path).embed_documents(texts)
    cache = CachedEmbedder(Recorder(), tmp_path)
    cache.embed_documents(texts)
    assert cache.hits == 256


APPENDER = """
import sys
from pathlib import Path
from onrecord.evals.cache import CachedEmbedder
from onrecord.providers.embed import HashingEmbedder
cache = CachedEmbedder(HashingEmbedder(16), Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for n in range(200):
    cache.embed_documents([f"{sys.argv[2]} {n}", f"both {n}"])
"""


def test_two_processes_append_to_one_file_without_harm(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", APPENDER, str(tmp_path), side] for side in ("left", "right")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(command, **pipes) for command in commands]  # type: ignore[call-overload]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=60)
        assert process.returncode == 0

    texts = [f"{side} {n}" for side in ("left", "right", "both") for n in range(200)]
    cache = CachedEmbedder(HashingEmbedder(16), tmp_path)
    assert np.array_equal(cache.embed_documents(texts), HashingEmbedder(16).embed_documents(texts))
    assert (cache.hits, cache.misses) == (600, 0)
    assert file_of(tmp_path).stat().st_size == 800 * ROW


def test_a_vector_that_was_never_appended_is_a_key_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        VectorFile(tmp_path / "vectors", 4).get([bytes(32)])
