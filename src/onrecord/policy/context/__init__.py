"""What of everything at hand is sent to the model, in which order, and what it costs."""
