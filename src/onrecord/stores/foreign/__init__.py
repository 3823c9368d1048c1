"""Readers of what other memory systems leave behind. They read, and write nothing."""
