-- Keys to a server, by the digest of their secret. They are few, and name their tenant and owner in words.
CREATE TABLE api_key (
  uid TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  subject TEXT,
  name TEXT NOT NULL,
  reach TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
