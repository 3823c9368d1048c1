"""Decisions as pure functions: data (and ``now``) in, data out. Nothing here reads a clock, a file or a database."""
