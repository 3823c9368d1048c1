"""What a candidate does to what is on record: restate, extend, replace, stand beside, contradict or take back."""
