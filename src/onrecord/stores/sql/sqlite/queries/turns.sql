-- name: turns_by_uid
-- The turns in a list of public ids.
SELECT t.id, t.sid, s.name, t.uid, t.agent, t.run, t.thread, t.role, t.author, t.text, t.at, t.zone, t.written_at, t.seq, t.client_id,
  t.state, t.tries, t.payload, t.metadata, t.note
FROM json_each(?1) j CROSS JOIN turn t ON t.tid = ?2 AND t.uid = j.value JOIN subject s ON s.sid = t.sid ORDER BY j.key;

-- name: turns_by_id
-- The turns in a list of keys.
SELECT t.id, t.sid, s.name, t.uid, t.agent, t.run, t.thread, t.role, t.author, t.text, t.at, t.zone, t.written_at, t.seq, t.client_id,
  t.state, t.tries, t.payload, t.metadata, t.note
FROM json_each(?1) j CROSS JOIN turn t ON t.id = j.value JOIN subject s ON s.sid = t.sid ORDER BY j.key;

-- name: turn_number
-- Subject, thread and number of a turn by its public id.
SELECT sid, thread, seq FROM turn WHERE tid = ? AND uid = ?;

-- name: turn_key
-- Key and subject of a turn by its public id.
SELECT id, sid FROM turn WHERE tid = ? AND uid = ?;

-- name: turns_gone
-- Those of a list of public ids that no turn of the tenant has.
SELECT j.value FROM json_each(?1) j WHERE NOT EXISTS (SELECT 1 FROM turn t WHERE t.tid = ?2 AND t.uid = j.value);

-- name: turn_by_client
-- The key of a turn by its caller's id.
SELECT id FROM turn WHERE sid = ? AND thread = ? AND client_id = ?;

-- name: last_seq
-- The number of the last turn of a thread.
SELECT ifnull(max(seq), 0) FROM turn WHERE sid = ? AND thread = ?;

-- name: thread_keys
-- Keys of the last turns of a thread, the last one first.
SELECT id, seq FROM turn WHERE sid = ? AND thread = ? ORDER BY seq DESC LIMIT ?;

-- name: thread_window
-- Keys of the turns of a thread between two numbers.
SELECT id FROM turn WHERE sid = ? AND thread = ? AND seq BETWEEN ? AND ? ORDER BY seq;

-- name: pending_turns
-- Keys of the turns that wait to be captured, oldest first, with their tenants.
SELECT t.id, n.name FROM turn t JOIN tenant n ON n.tid = t.tid
WHERE t.state = 'pending' ORDER BY t.written_at, t.seq, t.uid, n.name LIMIT ?;

-- name: pending_turns_within
-- Keys of the turns of a list of subjects that wait to be captured, oldest first.
SELECT t.id FROM turn t
WHERE t.state = 'pending' AND t.sid IN (SELECT j.value FROM json_each(?1) j) ORDER BY t.written_at, t.seq, t.uid LIMIT ?2;

-- name: add_turn
-- A new turn.
INSERT INTO turn (
  id, tid, sid, uid, agent, run, thread, role, author, text, at, zone, written_at, seq, client_id, state, tries, payload, metadata,
  note, length
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_turn_terms
-- Full text of a turn.
INSERT INTO turn_terms (rowid, terms, again) VALUES (?, ?, ?);

-- name: drop_turn_terms
-- Takes the full text of a turn away.
DELETE FROM turn_terms WHERE rowid = ?;

-- name: set_capture
-- What became of a turn.
UPDATE turn SET state = ?, tries = ? WHERE id = ?;

-- name: capture_done
-- A turn that needs no more capture, and so no note, unless it is done already; one row if it was not.
UPDATE turn SET state = 'done', note = NULL WHERE id = ? AND state NOT IN ('done', 'quarantined', 'shed') RETURNING 1;

-- name: turn_columns
-- What views filter on, of the turns of a subject behind a key.
SELECT id, uid, length, at, written_at, agent, run, nullif(thread, '')
FROM turn WHERE id > max(?2, ?1 << 32) AND id < (?1 + 1) << 32 ORDER BY id;
