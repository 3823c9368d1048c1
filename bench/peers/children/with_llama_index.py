"""LlamaIndex's ``VectorMemoryBlock``, the long-term block of its ``Memory``, on a Chroma collection on disk.

A message is put by itself, as it is when it leaves the short-term buffer; ``session_id``, by which the block filters, is the
subject. What comes back is one text of all that was found, each message in the block's own tags, and is taken apart at these. It
carries no ids: messages are known by their words.
"""

import asyncio
import re
from importlib.metadata import version
from pathlib import Path

import chromadb
import wire
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.memory import VectorMemoryBlock
from llama_index.vector_stores.chroma import ChromaVectorStore

_MESSAGE = re.compile(r"<message role='\w+'>(.*?)</message>(?=\n\n<message role='|\s*\Z)", re.DOTALL)
_ROLES = {"user": "user", "assistant": "assistant", "tool": "tool"}


class Served(BaseEmbedding):
    """The embedder behind the endpoint, as LlamaIndex wants one."""

    endpoint: str

    def _get_text_embedding(self, text):
        return wire.embed(self.endpoint, [text])[0]

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_text_embedding(self, text):
        return self._get_text_embedding(text)


class LlamaIndex(wire.Child):
    def open(self, folder, setting, endpoint):
        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(Path(folder, "chroma")), settings=settings)
        self._collection = client.get_or_create_collection("memory", metadata={"hnsw:space": "cosine"})
        self._store = ChromaVectorStore(chroma_collection=self._collection)
        self._embedder, self._loop = Served(endpoint=endpoint), asyncio.new_event_loop()
        can = ["add", "search", "everything", "erase"]
        return {"version": version("llama-index-core"), "embedder": "endpoint", "can": can}

    def add(self, subject, messages):
        block = self._block(1)
        for one in messages:
            said = ChatMessage(role=_ROLES[one["role"]], content=wire.told(one), additional_kwargs={"session_id": subject})
            self._loop.run_until_complete(block.aput([said]))

    def search(self, subject, query, limit):
        asked = [ChatMessage(role="user", content=query)]
        found = self._loop.run_until_complete(self._block(limit).aget(asked, session_id=subject))
        return [wire.hit(text) for text in _MESSAGE.findall(found)]

    def everything(self, subject):
        found = self._collection.get(where={"session_id": subject})
        return [wire.hit(text) for document in found["documents"] for text in _MESSAGE.findall(document)]

    def erase(self, subject):
        self._collection.delete(where={"session_id": subject})

    def _block(self, limit):
        return VectorMemoryBlock(vector_store=self._store, embed_model=self._embedder, similarity_top_k=limit)


if __name__ == "__main__":
    wire.serve(LlamaIndex())
