"""Servers: the memory for other processes. Needs the extra ``onrecord[server]``."""
