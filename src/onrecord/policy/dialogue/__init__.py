"""A thread as messages: what callers pass in, what providers accept, and what of it fits."""
