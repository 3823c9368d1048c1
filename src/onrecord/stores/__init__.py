"""Databases behind ``ports.Store``. All SQL and every driver is here and nowhere else."""
