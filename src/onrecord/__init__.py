"""Long-term memory for LLM agents, kept as records you can read."""
