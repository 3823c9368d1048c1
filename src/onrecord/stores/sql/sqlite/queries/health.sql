-- name: count_rows
-- The numbers of rows.
SELECT 'records', count(*) FROM record
UNION ALL SELECT 'record_terms', count(*) FROM record_terms
UNION ALL SELECT 'turns', count(*) FROM turn
UNION ALL SELECT 'turn_terms', count(*) FROM turn_terms
UNION ALL SELECT 'events', count(*) FROM event
UNION ALL SELECT 'verdicts', count(*) FROM verdict
UNION ALL SELECT 'traces', count(*) FROM trace
UNION ALL SELECT 'summaries', count(*) FROM summary
UNION ALL SELECT 'checkpoints', count(*) FROM checkpoint
UNION ALL SELECT 'documents', count(*) FROM document
UNION ALL SELECT 'passages', count(*) FROM passage
UNION ALL SELECT 'passage_terms', count(*) FROM passage_terms;

-- name: count_vectors
-- The numbers of vectors for each model.
SELECT 'record_vectors/' || m.name, count(*) FROM record_vector v JOIN model m ON m.mid = v.mid GROUP BY m.mid
UNION ALL SELECT 'turn_vectors/' || m.name, count(*) FROM turn_vector v JOIN model m ON m.mid = v.mid GROUP BY m.mid
UNION ALL SELECT 'passage_vectors/' || m.name, count(*) FROM passage_vector v JOIN model m ON m.mid = v.mid GROUP BY m.mid;

-- name: count_orphans
-- For each kind of difference between rows and indexes how often it occurs.
SELECT 'records without words', count(*) FROM record WHERE id NOT IN (SELECT id FROM record_text)
UNION ALL SELECT 'words without a record', count(*) FROM record_text WHERE id NOT IN (SELECT id FROM record)
UNION ALL SELECT 'records without counters', count(*) FROM record WHERE id NOT IN (SELECT id FROM record_use)
UNION ALL SELECT 'counters without a record', count(*) FROM record_use WHERE id NOT IN (SELECT id FROM record)
UNION ALL SELECT 'records without full text', count(*) FROM record WHERE id NOT IN (SELECT rowid FROM record_terms)
UNION ALL SELECT 'full text without a record', count(*) FROM record_terms WHERE rowid NOT IN (SELECT id FROM record)
UNION ALL SELECT 'turns without full text', count(*) FROM turn WHERE id NOT IN (SELECT rowid FROM turn_terms)
UNION ALL SELECT 'full text without a turn', count(*) FROM turn_terms WHERE rowid NOT IN (SELECT id FROM turn)
UNION ALL SELECT 'passages without full text', count(*) FROM passage WHERE id NOT IN (SELECT rowid FROM passage_terms)
UNION ALL SELECT 'full text without a passage', count(*) FROM passage_terms WHERE rowid NOT IN (SELECT id FROM passage)
UNION ALL SELECT 'passages without a document', count(*) FROM passage WHERE document NOT IN (SELECT id FROM document)
UNION ALL SELECT 'documents with passages missing', count(*) FROM document d
WHERE CASE WHEN json_valid(d.body) THEN d.body ->> '$.passages' != (SELECT count(*) FROM passage p WHERE p.sid = d.sid AND p.document = d.id) END
UNION ALL SELECT 'damaged documents', count(*) FROM document WHERE NOT json_valid(body)
UNION ALL SELECT 'rows of an unknown subject', count(*) FROM document WHERE sid NOT IN (SELECT sid FROM subject)
UNION ALL SELECT 'vectors without a passage', count(*) FROM passage_vector WHERE id NOT IN (SELECT id FROM passage)
UNION ALL SELECT 'vectors of a wrong length', count(*) FROM passage_vector v JOIN model m ON m.mid = v.mid WHERE length(v.v) != 2 * m.dim
UNION ALL SELECT 'passages without the vector they tell of', count(*) FROM passage p
WHERE p.mid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM passage_vector v WHERE v.sid = p.sid AND v.mid = p.mid AND v.id = p.id)
UNION ALL SELECT 'vectors without a record', count(*) FROM record_vector WHERE id NOT IN (SELECT id FROM record)
UNION ALL SELECT 'vectors without a turn', count(*) FROM turn_vector WHERE id NOT IN (SELECT id FROM turn)
UNION ALL SELECT 'vectors of a wrong length', count(*) FROM record_vector v JOIN model m ON m.mid = v.mid WHERE length(v.v) != 2 * m.dim
UNION ALL SELECT 'vectors of a wrong length', count(*) FROM turn_vector v JOIN model m ON m.mid = v.mid WHERE length(v.v) != 2 * m.dim
UNION ALL SELECT 'records without the vector they tell of', count(*) FROM record r
WHERE r.mid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM record_vector v WHERE v.sid = r.sid AND v.mid = r.mid AND v.id = r.id)
UNION ALL SELECT 'turns without the vector they tell of', count(*) FROM turn t
WHERE t.mid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turn_vector v WHERE v.sid = t.sid AND v.mid = t.mid AND v.id = t.id)
UNION ALL SELECT 'rows of an unknown subject', count(*) FROM record WHERE sid NOT IN (SELECT sid FROM subject)
UNION ALL SELECT 'rows of an unknown subject', count(*) FROM turn WHERE sid NOT IN (SELECT sid FROM subject)
UNION ALL SELECT 'summaries without a turn', count(*) FROM summary s
WHERE NOT EXISTS (SELECT 1 FROM turn t WHERE t.sid = s.sid AND t.thread = s.thread AND t.seq = s.upto)
UNION ALL SELECT 'rows of an unknown subject', count(*) FROM checkpoint WHERE sid NOT IN (SELECT sid FROM subject)
UNION ALL SELECT 'turns whose fields are damaged', count(*) FROM turn
WHERE NOT (json_valid(payload) AND json_valid(metadata) AND json_valid(ifnull(note, 'null')))
UNION ALL SELECT 'events whose records are damaged', count(*) FROM event
WHERE NOT (json_valid(ifnull(nullif(before, ''), 'null')) AND json_valid(ifnull(after, 'null')))
UNION ALL SELECT 'damaged verdicts', count(*) FROM verdict WHERE NOT json_valid(body)
UNION ALL SELECT 'damaged traces', count(*) FROM trace WHERE NOT json_valid(body)
UNION ALL SELECT 'damaged summaries', count(*) FROM summary WHERE NOT json_valid(body)
UNION ALL SELECT 'damaged states of runs', count(*) FROM checkpoint WHERE NOT json_valid(state);

-- name: count_misfiled
-- For each kind of difference between what a row says and where it is filed how often it occurs.
WITH returned_rows (tid, uid, trid) AS (
  SELECT t.tid, j.value, t.trid FROM trace t, json_each(iif(json_valid(t.body), t.body, '{}'), '$.returned') j
  UNION SELECT t.tid, j.value, t.trid FROM trace t, json_each(iif(json_valid(t.body), t.body, '{}'), '$.injected') j
), looked_at (sid, at, uid, trid) AS (
  SELECT s.sid, t.at, t.uid, t.trid FROM trace t, json_each(iif(json_valid(t.body), t.body, '{}'), '$.subjects') j
  JOIN subject s ON s.tid = t.tid AND s.name = j.value
), judged (tid, uid, vid) AS (
  SELECT v.tid, j.value, v.vid FROM verdict v, json_each(iif(json_valid(v.body), v.body, '{}'), '$.record_ids') j
), made_of (tid, source, id) AS (
  SELECT r.tid, j.value, r.id FROM record r JOIN record_text x ON x.id = r.id,
    json_each(iif(json_valid(r.state) AND json_valid(x.body), r.state, '{}'), '$.derived_from') j
  UNION SELECT r.tid, x.body ->> '$.source[1]', r.id FROM record r JOIN record_text x ON x.id = r.id
  WHERE CASE WHEN json_valid(r.state) AND json_valid(x.body)
    THEN json_array_length(r.state, '$.derived_from') = 0 AND x.body ->> '$.source[1]' IS NOT NULL END
)
SELECT 'rows that a trace returned, or that the index says it did', count(*) FROM (
  SELECT * FROM (SELECT * FROM returned_rows EXCEPT SELECT tid, uid, trid FROM trace_row)
  UNION ALL SELECT * FROM (SELECT tid, uid, trid FROM trace_row WHERE trid NOT IN (SELECT trid FROM trace WHERE NOT json_valid(body)) EXCEPT SELECT * FROM returned_rows)
)
UNION ALL SELECT 'subjects that a trace looked at, or that the index says it did', count(*) FROM (
  SELECT * FROM (SELECT * FROM looked_at EXCEPT SELECT sid, at, uid, trid FROM trace_subject)
  UNION ALL SELECT * FROM (SELECT sid, at, uid, trid FROM trace_subject WHERE trid NOT IN (SELECT trid FROM trace WHERE NOT json_valid(body)) EXCEPT SELECT * FROM looked_at)
)
UNION ALL SELECT 'records that a verdict names, or that the index says it does', count(*) FROM (
  SELECT * FROM (SELECT * FROM judged EXCEPT SELECT tid, uid, vid FROM verdict_record)
  UNION ALL SELECT * FROM (SELECT tid, uid, vid FROM verdict_record WHERE vid NOT IN (SELECT vid FROM verdict WHERE NOT json_valid(body)) EXCEPT SELECT * FROM judged)
)
UNION ALL SELECT 'sources of a record, or what the index says they are', count(*) FROM (
  SELECT * FROM (SELECT * FROM made_of EXCEPT SELECT tid, source, id FROM record_source)
  UNION ALL SELECT * FROM (SELECT tid, source, id FROM record_source WHERE id NOT IN (
    SELECT r.id FROM record r JOIN record_text x ON x.id = r.id
    WHERE CASE WHEN json_valid(r.state) AND json_valid(x.body) THEN x.body ->> '$.source[1]' IS NULL ELSE 1 END
  ) EXCEPT SELECT * FROM made_of)
)
UNION ALL SELECT 'verdicts that are filed wrongly', count(*) FROM verdict WHERE json_valid(body)
AND (at, accepted, uid, turn_uid) IS NOT (body ->> '$.at', body ->> '$.accepted', body ->> '$.id', body ->> '$.turn_id')
UNION ALL SELECT 'traces that are filed wrongly', count(*) FROM trace WHERE json_valid(body)
AND (at, uid) IS NOT (body ->> '$.at', body ->> '$.id')
UNION ALL SELECT 'subjects that would number a new row like an old one', count(*) FROM subject s
WHERE s.records < (SELECT ifnull(max(r.id), 0) & 4294967295 FROM record r WHERE r.id BETWEEN s.sid << 32 AND (s.sid << 32 | 4294967295))
OR s.turns < (SELECT ifnull(max(t.id), 0) & 4294967295 FROM turn t WHERE t.id BETWEEN s.sid << 32 AND (s.sid << 32 | 4294967295))
UNION ALL SELECT 'changes that caches would not see', count(*) FROM subject s
WHERE s.epoch < (SELECT ifnull(max(rev), 0) FROM record r WHERE r.sid = s.sid)
OR s.vector_epoch < (SELECT ifnull(max(rev), 0) FROM record_vector v WHERE v.sid = s.sid)
OR s.vector_epoch < (SELECT ifnull(max(rev), 0) FROM turn_vector v WHERE v.sid = s.sid)
UNION ALL SELECT 'documents that are filed wrongly', count(*) FROM document WHERE json_valid(body)
AND (uid, collection, name) IS NOT (body ->> '$.id', body ->> '$.collection', body ->> '$.name')
UNION ALL SELECT 'counts of tokens without a turn', count(*) FROM turn_size WHERE id NOT IN (SELECT id FROM turn);

-- name: record_contents
-- Key, stored number of terms, parts and full text of every record.
SELECT r.id, r.length, r.state, x.body, f.terms, f.again
FROM record r JOIN record_text x ON x.id = r.id LEFT JOIN record_terms f ON f.rowid = r.id;

-- name: record_columns_held
-- Key, parts and columns of every record, the columns in the order of ``record_values``; before them when its last event was.
SELECT r.id, x.body, ifnull((SELECT e.at FROM event e WHERE e.sid = r.sid AND e.uid = r.uid ORDER BY e.seq DESC LIMIT 1), r.moved),
  r.rev, r.moved, r.written_at, r.said_at, r.valid_from, r.valid_until, r.stated, r.length, r.status, r.kind, r.key,
  r.scope, r.scope_ref, r.agent, r.run, r.thread, r.state
FROM record r JOIN record_text x ON x.id = r.id;

-- name: turn_contents
-- Key, stored number of terms, what was said by whom and when, and full text of every turn.
SELECT t.id, t.length, t.at, t.zone, t.author, t.text, f.terms, f.again FROM turn t LEFT JOIN turn_terms f ON f.rowid = t.id;

-- name: drop_lost_rows
-- Takes away vectors, full text, words and counters that no row owns, and what rows tell of vectors that are not there.
DELETE FROM record_vector WHERE id NOT IN (SELECT id FROM record);
DELETE FROM turn_vector WHERE id NOT IN (SELECT id FROM turn);
DELETE FROM record_vector WHERE length(v) != 2 * (SELECT dim FROM model m WHERE m.mid = record_vector.mid);
DELETE FROM turn_vector WHERE length(v) != 2 * (SELECT dim FROM model m WHERE m.mid = turn_vector.mid);
UPDATE record SET mid = NULL
WHERE NOT EXISTS (SELECT 1 FROM record_vector v WHERE v.sid = record.sid AND v.mid = record.mid AND v.id = record.id);
UPDATE turn SET mid = NULL
WHERE NOT EXISTS (SELECT 1 FROM turn_vector v WHERE v.sid = turn.sid AND v.mid = turn.mid AND v.id = turn.id);
DELETE FROM passage WHERE document NOT IN (SELECT id FROM document);
DELETE FROM passage_vector WHERE id NOT IN (SELECT id FROM passage);
DELETE FROM passage_vector WHERE length(v) != 2 * (SELECT dim FROM model m WHERE m.mid = passage_vector.mid);
UPDATE passage SET mid = NULL
WHERE NOT EXISTS (SELECT 1 FROM passage_vector v WHERE v.sid = passage.sid AND v.mid = passage.mid AND v.id = passage.id);
DELETE FROM passage_terms WHERE rowid NOT IN (SELECT id FROM passage);
DELETE FROM record_terms WHERE rowid NOT IN (SELECT id FROM record);
DELETE FROM turn_terms WHERE rowid NOT IN (SELECT id FROM turn);
DELETE FROM record_text WHERE id NOT IN (SELECT id FROM record);
DELETE FROM record_use WHERE id NOT IN (SELECT id FROM record);
INSERT INTO record_use (id, reinforced_at, accesses, mentions) SELECT id, NULL, 0, 1 FROM record WHERE id NOT IN (SELECT id FROM record_use);

-- name: file_anew
-- Files traces, verdicts and sources by what their rows say.
DELETE FROM trace_row WHERE trid NOT IN (SELECT trid FROM trace WHERE NOT json_valid(body));
INSERT OR IGNORE INTO trace_row (tid, uid, trid)
SELECT t.tid, j.value, t.trid FROM trace t, json_each(iif(json_valid(t.body), t.body, '{}'), '$.returned') j
UNION SELECT t.tid, j.value, t.trid FROM trace t, json_each(iif(json_valid(t.body), t.body, '{}'), '$.injected') j;
UPDATE trace SET at = body ->> '$.at', uid = body ->> '$.id'
WHERE json_valid(body) AND (at, uid) IS NOT (body ->> '$.at', body ->> '$.id');
DELETE FROM trace_subject WHERE trid NOT IN (SELECT trid FROM trace WHERE NOT json_valid(body));
INSERT OR IGNORE INTO trace_subject (sid, at, uid, trid)
SELECT s.sid, t.at, t.uid, t.trid FROM trace t, json_each(iif(json_valid(t.body), t.body, '{}'), '$.subjects') j
JOIN subject s ON s.tid = t.tid AND s.name = j.value;
DELETE FROM verdict_record WHERE vid NOT IN (SELECT vid FROM verdict WHERE NOT json_valid(body));
INSERT OR IGNORE INTO verdict_record (tid, uid, vid)
SELECT v.tid, j.value, v.vid FROM verdict v, json_each(iif(json_valid(v.body), v.body, '{}'), '$.record_ids') j;
UPDATE verdict SET at = body ->> '$.at', accepted = body ->> '$.accepted', uid = body ->> '$.id', turn_uid = body ->> '$.turn_id'
WHERE json_valid(body)
AND (at, accepted, uid, turn_uid) IS NOT (body ->> '$.at', body ->> '$.accepted', body ->> '$.id', body ->> '$.turn_id');
DELETE FROM turn_size WHERE id NOT IN (SELECT id FROM turn);
UPDATE document SET uid = body ->> '$.id', collection = body ->> '$.collection', name = body ->> '$.name'
WHERE json_valid(body) AND (uid, collection, name) IS NOT (body ->> '$.id', body ->> '$.collection', body ->> '$.name');
DELETE FROM record_source WHERE id NOT IN (
    SELECT r.id FROM record r JOIN record_text x ON x.id = r.id
    WHERE CASE WHEN json_valid(r.state) AND json_valid(x.body) THEN x.body ->> '$.source[1]' IS NULL ELSE 1 END
  );
INSERT OR IGNORE INTO record_source (tid, source, id)
SELECT r.tid, j.value, r.id
FROM record r, json_each(CASE WHEN json_valid(r.state) THEN r.state ELSE '{}' END, '$.derived_from') j;
INSERT OR IGNORE INTO record_source (tid, source, id)
SELECT r.tid, x.body ->> '$.source[1]', r.id FROM record r JOIN record_text x ON x.id = r.id
WHERE CASE WHEN json_valid(r.state) AND json_valid(x.body)
  THEN json_array_length(r.state, '$.derived_from') = 0 AND x.body ->> '$.source[1]' IS NOT NULL END;
UPDATE subject SET
  records = max(records, (SELECT ifnull(max(r.id), 0) & 4294967295 FROM record r WHERE r.id BETWEEN sid << 32 AND (sid << 32 | 4294967295))),
  turns = max(turns, (SELECT ifnull(max(t.id), 0) & 4294967295 FROM turn t WHERE t.id BETWEEN sid << 32 AND (sid << 32 | 4294967295))),
  epoch = max(epoch, (SELECT ifnull(max(rev), 0) FROM record r WHERE r.sid = subject.sid)),
  vector_epoch = max(
    vector_epoch,
    (SELECT ifnull(max(rev), 0) FROM record_vector v WHERE v.sid = subject.sid),
    (SELECT ifnull(max(rev), 0) FROM turn_vector v WHERE v.sid = subject.sid)
  );

-- name: rebuild_terms
-- Makes the full-text indexes anew from the terms they hold.
INSERT INTO record_terms (record_terms) VALUES ('rebuild');
INSERT INTO turn_terms (turn_terms) VALUES ('rebuild');
INSERT INTO passage_terms (passage_terms) VALUES ('rebuild');

-- name: terms_version
-- The version of the terms that made the full text.
SELECT value FROM setting WHERE name = 'terms';

-- name: set_terms_version
-- Sets it.
UPDATE setting SET value = ? WHERE name = 'terms';

-- name: set_record_length
-- The number of terms of a record.
UPDATE record SET length = ? WHERE id = ?;

-- name: set_turn_length
-- The number of terms of a turn.
UPDATE turn SET length = ? WHERE id = ?;

-- name: renew_subjects
-- Tells every cache to begin anew, by the high half of purges.
UPDATE subject SET purges = purges + (1 << 32);
