-- Documents to look things up in, and the passages they are cut into. body is the document without its words.
CREATE TABLE document (
  id INTEGER PRIMARY KEY,
  tid INTEGER NOT NULL,
  sid INTEGER NOT NULL,
  uid TEXT NOT NULL,
  collection TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (tid, uid)
) STRICT;
CREATE UNIQUE INDEX document_name ON document (sid, collection, name);

-- length is the number of terms, mid the embedder of the vector that was set last.
CREATE TABLE passage (
  id INTEGER PRIMARY KEY,
  tid INTEGER NOT NULL,
  sid INTEGER NOT NULL,
  document INTEGER NOT NULL,
  position INTEGER NOT NULL,
  length INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  mid INTEGER,
  uid TEXT NOT NULL,
  digest TEXT NOT NULL,
  heading TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (tid, uid)
) STRICT;
CREATE INDEX passage_document ON passage (sid, document, position, length);
CREATE INDEX passage_mid ON passage (mid, written_at);

CREATE VIRTUAL TABLE passage_terms USING fts5(terms, again, tokenize = "ascii tokenchars '.-_/@:''&+#'");
INSERT INTO passage_terms (passage_terms, rank) VALUES ('secure-delete', 1);

CREATE TABLE passage_vector (
  sid INTEGER NOT NULL,
  mid INTEGER NOT NULL,
  id INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  v BLOB NOT NULL,
  PRIMARY KEY (sid, mid, id)
) STRICT, WITHOUT ROWID;
