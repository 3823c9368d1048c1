"""What a message does with its words: whose they are, what they do, whether they speak to a model, how long they bind."""
