"""What language models are asked, as data files with a version."""
