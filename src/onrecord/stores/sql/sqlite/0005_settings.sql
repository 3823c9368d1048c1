-- What this file was made with. terms is the version of policy.text that made the full text.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO setting (name, value) VALUES ('terms', 1);
