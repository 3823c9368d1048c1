"""Embedders, token counters and models behind the ports."""
