"""The command line. Each command asks the library one thing and shows the answer; ``render`` alone prints."""
