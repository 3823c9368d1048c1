"""Secrets: how they are recognised, replaced before anything is written, and masked on the way out."""
