-- name: every_subject
-- Keys and names of the subjects that were not erased, in order of tenant and name.
SELECT s.sid, s.tid, t.name, s.name FROM subject s JOIN tenant t ON t.tid = s.tid
WHERE substr(s.name, 1, 1) != char(0) ORDER BY t.name, s.name;

-- name: turns_in_order
-- Keys of the turns of a subject, by public id.
SELECT id FROM turn WHERE id BETWEEN ? AND ? ORDER BY uid;

-- name: records_in_order
-- Keys of the records of a subject, by public id.
SELECT id FROM record WHERE id BETWEEN ? AND ? ORDER BY uid;

-- name: records_filed
-- The content and the counters of the records in a list of keys.
SELECT r.uid, r.state, x.body, u.reinforced_at, u.accesses, u.mentions
FROM json_each(?1) j CROSS JOIN record r ON r.id = j.value JOIN record_text x ON x.id = r.id JOIN record_use u ON u.id = r.id
ORDER BY j.key;

-- name: changes_of
-- The events of a record of a subject, oldest first, each behind the number of its change.
SELECT change, seq, type, at, actor, reason, verdict_id, before, after FROM event WHERE sid = ? AND uid = ? ORDER BY seq;

-- name: beside
-- The other events of a change in a subject: their records, and their numbers among the events of those.
SELECT e.uid, (SELECT count(*) FROM event o WHERE o.sid = e.sid AND o.uid = e.uid AND o.seq <= e.seq) AS nth
FROM event e WHERE e.change = ?1 AND e.sid = ?2 AND e.seq != ?3 ORDER BY e.uid, nth;

-- name: nth_change
-- The change of an event of a record of a subject, by its number from 0 on.
SELECT change FROM event WHERE sid = ? AND uid = ? ORDER BY seq LIMIT 1 OFFSET ?;

-- name: erased_records
-- The records of a subject of which nothing but events is there, by public id.
SELECT DISTINCT e.uid FROM event e
WHERE e.sid = ?1 AND NOT EXISTS (SELECT 1 FROM record r WHERE r.tid = ?2 AND r.uid = e.uid AND r.sid = ?1) ORDER BY e.uid;

-- name: was_erased
-- Whether a record of any subject of a tenant was erased and is not there.
SELECT EXISTS (
  SELECT 1 FROM subject s JOIN event e ON e.sid = s.sid WHERE s.tid = ?1 AND e.uid = ?2 AND e.type = 'erased'
) AND NOT EXISTS (SELECT 1 FROM record WHERE tid = ?1 AND uid = ?2);

-- name: verdict_keys
-- Keys of the verdicts of a subject, by public id.
SELECT vid FROM verdict WHERE sid = ? ORDER BY uid;

-- name: verdict_body
-- A verdict by its key.
SELECT body FROM verdict WHERE vid = ?;

-- name: verdict_by_uid
-- A verdict by its public id.
SELECT body FROM verdict WHERE tid = ? AND uid = ?;

-- name: trace_keys
-- Keys of the traces that looked at a subject, by public id.
SELECT x.trid FROM trace_subject x WHERE x.sid = ? ORDER BY x.uid;

-- name: trace_body
-- A trace by its key.
SELECT body FROM trace WHERE trid = ?;

-- name: thread_marks
-- What is known of the threads of a subject beside their turns.
SELECT name, title, archived, forked_from, forked_upto FROM thread WHERE sid = ? ORDER BY name;

-- name: add_thread_mark
-- What is known of a thread, with where it was copied from.
INSERT INTO thread (sid, name, title, archived, forked_from, forked_upto) VALUES (?, ?, ?, ?, ?, ?);

-- name: summaries_of
-- The summaries of a subject.
SELECT thread, at, body FROM summary WHERE sid = ? ORDER BY thread;

-- name: summary_at
-- The summary of a thread, with its time and the last turn it covers.
SELECT upto, at, body FROM summary WHERE sid = ? AND thread = ?;

-- name: runs_of
-- The runs of a subject.
SELECT run FROM checkpoint WHERE sid = ? ORDER BY run;

-- name: record_vectors_in_order
-- The vectors of the records of a subject, by model and public id.
SELECT m.name, r.uid, v.v FROM model m CROSS JOIN record_vector v ON v.sid = ?1 AND v.mid = m.mid JOIN record r ON r.id = v.id
ORDER BY m.name, r.uid;

-- name: turn_vectors_in_order
-- The vectors of the turns of a subject, by model and public id.
SELECT m.name, t.uid, v.v FROM model m CROSS JOIN turn_vector v ON v.sid = ?1 AND v.mid = m.mid JOIN turn t ON t.id = v.id
ORDER BY m.name, t.uid;

-- name: passage_vectors_in_order
-- The vectors of the passages of a subject, by model and public id.
SELECT m.name, p.uid, v.v FROM model m CROSS JOIN passage_vector v ON v.sid = ?1 AND v.mid = m.mid JOIN passage p ON p.id = v.id
ORDER BY m.name, p.uid;

-- name: documents_in_order
-- Key and content of the documents of a subject, by public id.
SELECT id, body FROM document WHERE sid = ? ORDER BY uid;

-- name: passage_vector_at
-- Whether a passage has a vector of a model.
SELECT 1 FROM passage_vector WHERE sid = ? AND mid = ? AND id = ?;

-- name: record_vector_at
-- Whether a record has a vector of a model.
SELECT 1 FROM record_vector WHERE sid = ? AND mid = ? AND id = ?;

-- name: turn_vector_at
-- Whether a turn has a vector of a model.
SELECT 1 FROM turn_vector WHERE sid = ? AND mid = ? AND id = ?;

-- name: turn_in_thread
-- The numbers and client ids that a new turn of a thread could clash with.
SELECT seq, client_id FROM turn WHERE sid = ?1 AND thread = ?2 AND (seq = ?3 OR client_id = ?4);

-- name: set_turn_state
-- What became of a turn, with what was asked of it.
UPDATE turn SET state = ?, tries = ?, note = ? WHERE id = ?;

-- name: set_record_use
-- The counters of a record.
UPDATE record_use SET reinforced_at = ?, accesses = ?, mentions = ? WHERE id = ?;
