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
UNION ALL SELECT 'sources without a record', count(*) FROM record_source WHERE id NOT IN (SELECT id FROM record)
UNION ALL SELECT 'records without sources', count(*) FROM record WHERE id NOT IN (SELECT id FROM record_source)
UNION ALL SELECT 'summaries without a turn', count(*) FROM summary s
WHERE NOT EXISTS (SELECT 1 FROM turn t WHERE t.sid = s.sid AND t.thread = s.thread AND t.seq = s.upto)
UNION ALL SELECT 'rows of an unknown subject', count(*) FROM checkpoint WHERE sid NOT IN (SELECT sid FROM subject)
UNION ALL SELECT 'turns whose fields are damaged', count(*) FROM turn
WHERE NOT (json_valid(payload) AND json_valid(metadata) AND json_valid(ifnull(note, 'null')))
UNION ALL SELECT 'events whose records are damaged', count(*) FROM event
WHERE NOT (json_valid(ifnull(before, 'null')) AND json_valid(ifnull(after, 'null')))
UNION ALL SELECT 'damaged verdicts', count(*) FROM verdict WHERE NOT json_valid(body)
UNION ALL SELECT 'damaged traces', count(*) FROM trace WHERE NOT json_valid(body)
UNION ALL SELECT 'damaged summaries', count(*) FROM summary WHERE NOT json_valid(body)
UNION ALL SELECT 'damaged states of runs', count(*) FROM checkpoint WHERE NOT json_valid(state);

-- name: record_contents
-- Key, stored number of terms, parts and full text of every record.
SELECT r.id, r.length, r.state, x.body, f.terms, f.again
FROM record r JOIN record_text x ON x.id = r.id LEFT JOIN record_terms f ON f.rowid = r.id;

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
DELETE FROM record_source WHERE id NOT IN (SELECT id FROM record);
INSERT OR IGNORE INTO record_source (tid, source, id)
SELECT r.tid, j.value, r.id
FROM record r, json_each(CASE WHEN json_valid(r.state) THEN r.state ELSE '{}' END, '$.derived_from') j;
INSERT OR IGNORE INTO record_source (tid, source, id)
SELECT r.tid, x.body ->> '$.source[1]', r.id FROM record r JOIN record_text x ON x.id = r.id
WHERE CASE WHEN json_valid(r.state) AND json_valid(x.body)
  THEN json_array_length(r.state, '$.derived_from') = 0 AND x.body ->> '$.source[1]' IS NOT NULL END;
INSERT INTO record_use (id, reinforced_at, accesses, mentions) SELECT id, NULL, 0, 1 FROM record WHERE id NOT IN (SELECT id FROM record_use);

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
