"""The write test: which candidates last, and the reason of every refusal."""
