"""Summaries that are checked: what must not be lost, what was chosen, and whether it survived."""
