"""Documents: what a text is cut into, so that a passage can be found and read by itself."""
