"""Measuring: public data sets, metrics as their papers define them, baselines in the same run."""
