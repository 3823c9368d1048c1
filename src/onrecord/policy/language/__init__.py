"""Words and what they say: terms, numbers, values, polarity, and the vocabulary of attributes. Knows nothing of records."""
