"""What time and distrust do to records: what fades, what ends, what is left when a source goes."""
