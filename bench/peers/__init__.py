"""Other memories beside this one: the same conversations, the same embedder, the same machine, one after the other."""
