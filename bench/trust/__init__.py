"""Whether a memory can be trusted, asked of every peer alike: hand-written scenarios, each held, failed, or "no" such thing."""
