-- name: records_by_uid
-- Keys, subjects and content of the records in a list of public ids.
SELECT r.id, r.uid, r.sid, r.state, x.body
FROM json_each(?1) j CROSS JOIN record r ON r.tid = ?2 AND r.uid = j.value JOIN record_text x ON x.id = r.id ORDER BY j.key;

-- name: records_by_id
-- The content of the records in a list of keys.
SELECT r.state, x.body
FROM json_each(?1) j CROSS JOIN record r ON r.id = j.value JOIN record_text x ON x.id = r.id ORDER BY j.key;

-- name: record_key
-- Key and subject of a record by its public id.
SELECT id, sid FROM record WHERE tid = ? AND uid = ?;

-- name: record_version
-- The version of a record.
SELECT state ->> '$.version' FROM record WHERE id = ?;

-- name: add_record
-- A new record.
INSERT INTO record (
  rev, moved, written_at, said_at, valid_from, valid_until, stated, length, status, kind, key, scope, scope_ref, agent, run, thread,
  state, id, tid, sid, uid
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: set_record
-- A changed record.
UPDATE record SET
  rev = ?, moved = ?, written_at = ?, said_at = ?, valid_from = ?, valid_until = ?, stated = ?, length = ?, status = ?, kind = ?, key = ?,
  scope = ?, scope_ref = ?, agent = ?, run = ?, thread = ?, state = ?
WHERE id = ?;

-- name: drop_record
-- Takes a record away.
DELETE FROM record WHERE id = ?;

-- name: add_record_text
-- The words of a record.
INSERT INTO record_text (id, body) VALUES (?, ?);

-- name: drop_record_text
-- Takes the words of a record away.
DELETE FROM record_text WHERE id = ?;

-- name: add_record_terms
-- Full text of a record.
INSERT INTO record_terms (rowid, terms, again) VALUES (?, ?, ?);

-- name: drop_record_terms
-- Takes the full text of a record away.
DELETE FROM record_terms WHERE rowid = ?;

-- name: add_record_use
-- Counters of a new record.
INSERT INTO record_use (id, reinforced_at, accesses, mentions) VALUES (?, ?, 0, ?);

-- name: mention_record
-- Mentions more, the last at some time.
UPDATE record_use SET reinforced_at = max(ifnull(reinforced_at, ?1), ?1), mentions = mentions + ?2 WHERE id = ?3;

-- name: touch_record
-- One use more.
UPDATE record_use SET reinforced_at = max(ifnull(reinforced_at, ?1), ?1), accesses = accesses + 1 WHERE id = ?2;

-- name: drop_record_use
-- Takes the counters of a record away.
DELETE FROM record_use WHERE id = ?;

-- name: records_use
-- The counters of the records in a list of public ids.
SELECT r.uid, r.sid, u.reinforced_at, u.accesses, u.mentions
FROM json_each(?1) j CROSS JOIN record r ON r.tid = ?2 AND r.uid = j.value JOIN record_use u ON u.id = r.id;

-- name: record_columns
-- What views filter on, of the records of a subject that changed after an epoch.
SELECT id, uid, length, said_at, valid_from, valid_until, stated, status, kind, scope, key, scope_ref, agent, run, thread
FROM record WHERE sid = ? AND rev > ? ORDER BY id;

-- name: records_then
-- For each record of a subject that changed after a time: the first such change, and how it stood before.
SELECT e.uid, e.seq, e.before
FROM event e JOIN (SELECT uid, min(seq) AS seq FROM event WHERE sid = ?1 AND at > ?2 GROUP BY uid) f ON f.seq = e.seq;
