"""The nouns, as frozen dataclasses without behaviour beyond their invariants."""
