"""What says the same becomes one record, and what keeps happening one general record: changes that can be shown and undone."""
