"""Reading a conversation with a model: what it is shown, what it points at, and whether that was said."""
