"""For authors of stores and for users' own tests: the store conformance suite and deterministic doubles."""
