-- What is known of a thread beside its turns; a thread without a row has no title and is not archived.
CREATE TABLE thread (
  sid INTEGER NOT NULL,
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  archived INTEGER NOT NULL,
  forked_from TEXT,
  forked_upto INTEGER NOT NULL,
  PRIMARY KEY (sid, name)
) STRICT, WITHOUT ROWID;

-- The newest summary of a thread. upto is the seq of the last turn it covers.
CREATE TABLE summary (
  id INTEGER PRIMARY KEY,
  sid INTEGER NOT NULL,
  thread TEXT NOT NULL,
  upto INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (sid, thread)
) STRICT;

-- The last step of every run that is not complete.
CREATE TABLE checkpoint (
  id INTEGER PRIMARY KEY,
  sid INTEGER NOT NULL,
  run TEXT NOT NULL,
  step INTEGER NOT NULL,
  status TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL,
  UNIQUE (sid, run)
) STRICT;
