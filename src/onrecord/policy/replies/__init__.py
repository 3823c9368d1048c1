"""What a language model answered, read with patience and without guessing."""
