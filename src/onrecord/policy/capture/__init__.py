"""From a turn to candidate facts, by rules and without a model."""
