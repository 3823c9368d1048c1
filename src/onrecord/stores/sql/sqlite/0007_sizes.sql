-- Tokens of a turn as messages, by the name of the counter. They go with their turn.
CREATE TABLE turn_size (
  id INTEGER NOT NULL,
  counter TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (id, counter)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER turn_size_gone AFTER DELETE ON turn BEGIN
  DELETE FROM turn_size WHERE id = old.id;
END;
