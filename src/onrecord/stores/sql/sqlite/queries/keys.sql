-- name: add_key
-- A new key.
INSERT INTO api_key (uid, tenant, subject, name, reach, digest, created_at) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: key
-- The key with that digest.
SELECT uid, tenant, subject, name, reach, digest, created_at FROM api_key WHERE digest = ?;

-- name: keys
-- All keys, in order of id.
SELECT uid, tenant, subject, name, reach, digest, created_at FROM api_key ORDER BY uid;

-- name: drop_key
-- Takes a key away.
DELETE FROM api_key WHERE uid = ? RETURNING uid;

-- name: key_there
-- Whether a key has that id or digest.
SELECT uid FROM api_key WHERE uid = ? OR digest = ?;
