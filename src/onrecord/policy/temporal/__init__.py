"""Times in text: the ways of naming one, and the stretch that each means when it is read at the moment it was said."""
