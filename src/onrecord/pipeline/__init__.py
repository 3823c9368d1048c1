"""The use cases. Each module reads top to bottom as what happens; decisions are asked of ``policy``, effects of the ports."""
