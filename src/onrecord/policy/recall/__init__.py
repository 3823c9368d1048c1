"""From a question to hits: what it asks for, how candidates score, and which of them are returned."""
