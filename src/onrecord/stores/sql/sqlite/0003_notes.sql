-- What the caller asked of a turn that is to be kept as it is, as JSON, until it is captured.
ALTER TABLE turn ADD COLUMN note TEXT;
