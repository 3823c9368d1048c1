-- Names of tenants and subjects become small integers, and every other row is reached through them. A row's id is
-- sid << 32 | seq, so that the rows of a subject lie together and a range of ids is a subject. Times are microseconds since 1970.

CREATE TABLE tenant (
  tid INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- epoch grows with every change of a record, turn_epoch with every turn, vector_epoch with every vector set, purges with every
-- row or vector taken away. Caches compare them. records and turns are the seqs given last.
CREATE TABLE subject (
  sid INTEGER PRIMARY KEY,
  tid INTEGER NOT NULL REFERENCES tenant,
  name TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  turn_epoch INTEGER NOT NULL DEFAULT 0,
  vector_epoch INTEGER NOT NULL DEFAULT 0,
  purges INTEGER NOT NULL DEFAULT 0,
  records INTEGER NOT NULL DEFAULT 0,
  turns INTEGER NOT NULL DEFAULT 0,
  UNIQUE (tid, name)
) STRICT;

-- What views filter on, and in state the fields that change often. The words stand in record_text, which such changes leave alone.
-- rev is the subject's epoch at the last change of the row.
CREATE TABLE record (
  id INTEGER PRIMARY KEY,
  tid INTEGER NOT NULL,
  sid INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  said_at INTEGER NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  stated INTEGER NOT NULL,
  length INTEGER NOT NULL,
  uid TEXT NOT NULL,
  status TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT,
  scope TEXT NOT NULL,
  scope_ref TEXT,
  agent TEXT,
  run TEXT,
  thread TEXT,
  state TEXT NOT NULL,
  UNIQUE (tid, uid)
) STRICT;
CREATE INDEX record_rev ON record (sid, rev);

CREATE TABLE record_text (
  id INTEGER PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE record_use (
  id INTEGER PRIMARY KEY,
  reinforced_at INTEGER,
  accesses INTEGER NOT NULL,
  mentions INTEGER NOT NULL
) STRICT;

-- thread is '' for a turn without one. zone is the speaker's offset in microseconds.
CREATE TABLE turn (
  id INTEGER PRIMARY KEY,
  tid INTEGER NOT NULL,
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  zone INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  length INTEGER NOT NULL,
  state TEXT NOT NULL,
  uid TEXT NOT NULL,
  thread TEXT NOT NULL,
  agent TEXT,
  run TEXT,
  client_id TEXT,
  role TEXT NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  payload TEXT NOT NULL,
  metadata TEXT NOT NULL,
  UNIQUE (tid, uid)
) STRICT;
CREATE UNIQUE INDEX turn_seq ON turn (sid, thread, seq);
CREATE UNIQUE INDEX turn_client ON turn (sid, thread, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX turn_pending ON turn (written_at, seq, uid) WHERE state = 'pending';

-- Full text: the terms of policy.text, separated by blanks; each once in terms, and its repetitions in again, so that only rows
-- with repetitions have to be read to count. Every sign that a term may hold is a token character.
CREATE VIRTUAL TABLE record_terms USING fts5(terms, again, tokenize = "ascii tokenchars '.-_/@:''&+#'");
INSERT INTO record_terms (record_terms, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE turn_terms USING fts5(terms, again, tokenize = "ascii tokenchars '.-_/@:''&+#'");
INSERT INTO turn_terms (turn_terms, rank) VALUES ('secure-delete', 1);

CREATE TABLE model (
  mid INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dim INTEGER NOT NULL
) STRICT;

-- Vectors in half precision; those of a subject and model lie together. rev is the subject's vector_epoch when it was set.
CREATE TABLE record_vector (
  sid INTEGER NOT NULL,
  mid INTEGER NOT NULL,
  id INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  v BLOB NOT NULL,
  PRIMARY KEY (sid, mid, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_vector_rev ON record_vector (sid, mid, rev);

CREATE TABLE turn_vector (
  sid INTEGER NOT NULL,
  mid INTEGER NOT NULL,
  id INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  v BLOB NOT NULL,
  PRIMARY KEY (sid, mid, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_vector_rev ON turn_vector (sid, mid, rev);

-- change is the seq of the first event of the same change.
CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  sid INTEGER NOT NULL,
  change INTEGER NOT NULL,
  at INTEGER NOT NULL,
  uid TEXT NOT NULL,
  type TEXT NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  verdict_id TEXT,
  before TEXT,
  after TEXT
) STRICT;
CREATE INDEX event_record ON event (sid, uid, seq);
CREATE INDEX event_change ON event (change);

CREATE TABLE verdict (
  vid INTEGER PRIMARY KEY,
  tid INTEGER NOT NULL,
  sid INTEGER NOT NULL,
  at INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  uid TEXT NOT NULL,
  turn_uid TEXT,
  body TEXT NOT NULL,
  UNIQUE (tid, uid)
) STRICT;
CREATE INDEX verdict_at ON verdict (sid, at, uid);
CREATE INDEX verdict_turn ON verdict (sid, turn_uid);

CREATE TABLE verdict_record (
  tid INTEGER NOT NULL,
  uid TEXT NOT NULL,
  vid INTEGER NOT NULL,
  PRIMARY KEY (tid, uid, vid)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace (
  trid INTEGER PRIMARY KEY,
  tid INTEGER NOT NULL,
  at INTEGER NOT NULL,
  uid TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (tid, uid)
) STRICT;

CREATE TABLE trace_subject (
  sid INTEGER NOT NULL,
  at INTEGER NOT NULL,
  uid TEXT NOT NULL,
  trid INTEGER NOT NULL,
  PRIMARY KEY (sid, at, uid, trid)
) STRICT, WITHOUT ROWID;

-- Rows that a trace returned (returned = 1), or only looked at.
CREATE TABLE trace_row (
  tid INTEGER NOT NULL,
  uid TEXT NOT NULL,
  trid INTEGER NOT NULL,
  returned INTEGER NOT NULL,
  PRIMARY KEY (tid, uid, trid)
) STRICT, WITHOUT ROWID;
CREATE INDEX trace_row_trace ON trace_row (trid);
