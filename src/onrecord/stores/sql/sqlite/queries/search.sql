-- name: records_holding
-- For each full-text question of a list, the keys of the records of a range that match it, less a number, with commas between.
SELECT (SELECT group_concat(rowid - ?2) FROM record_terms WHERE record_terms MATCH j.value AND rowid BETWEEN ?3 AND ?4)
FROM json_each(?1) j ORDER BY j.key;

-- name: records_repeating
-- Keys and repeated terms of the records of a range whose full text matches.
SELECT rowid, again FROM record_terms WHERE record_terms MATCH ? AND rowid BETWEEN ? AND ?;

-- name: turns_holding
-- For each full-text question of a list, the keys of the turns of a range that match it, less a number, with commas between.
SELECT (SELECT group_concat(rowid - ?2) FROM turn_terms WHERE turn_terms MATCH j.value AND rowid BETWEEN ?3 AND ?4)
FROM json_each(?1) j ORDER BY j.key;

-- name: turns_repeating
-- Keys and repeated terms of the turns of a range whose full text matches.
SELECT rowid, again FROM turn_terms WHERE turn_terms MATCH ? AND rowid BETWEEN ? AND ?;

-- name: model
-- Key and dimension of an embedder.
SELECT mid, dim FROM model WHERE name = ?;

-- name: add_model
-- A new embedder.
INSERT INTO model (name, dim) VALUES (?, ?) RETURNING mid;

-- name: record_vectors
-- Vectors of the records of a subject.
SELECT id, v FROM record_vector WHERE sid = ? AND mid = ? ORDER BY id;

-- name: turn_vectors
-- Vectors of the turns of a subject.
SELECT id, v FROM turn_vector WHERE sid = ? AND mid = ? ORDER BY id;

-- name: record_vectors_since
-- Vectors of the records of a subject set after an epoch.
SELECT id, v FROM record_vector INDEXED BY record_vector_rev WHERE sid = ? AND mid = ? AND rev > ? ORDER BY rev, id;

-- name: turn_vectors_since
-- Vectors of the turns of a subject set after an epoch.
SELECT id, v FROM turn_vector INDEXED BY turn_vector_rev WHERE sid = ? AND mid = ? AND rev > ? ORDER BY rev, id;

-- name: record_vectors_present
-- Keys of the vectors of the records of a subject.
SELECT id FROM record_vector INDEXED BY record_vector_rev WHERE sid = ? AND mid = ?;

-- name: turn_vectors_present
-- Keys of the vectors of the turns of a subject.
SELECT id FROM turn_vector INDEXED BY turn_vector_rev WHERE sid = ? AND mid = ?;

-- name: record_vectors_of
-- Vectors of a list of records of a subject that have one.
SELECT v.id, v.v FROM json_each(?1) j CROSS JOIN record_vector v ON v.sid = ?2 AND v.mid = ?3 AND v.id = j.value;

-- name: turn_vectors_of
-- Vectors of a list of turns of a subject that have one.
SELECT v.id, v.v FROM json_each(?1) j CROSS JOIN turn_vector v ON v.sid = ?2 AND v.mid = ?3 AND v.id = j.value;

-- name: count_record_vectors
-- How many vectors of the records of a subject there are.
SELECT count(*) FROM record_vector INDEXED BY record_vector_rev WHERE sid = ? AND mid = ?;

-- name: count_turn_vectors
-- How many vectors of the turns of a subject there are.
SELECT count(*) FROM turn_vector INDEXED BY turn_vector_rev WHERE sid = ? AND mid = ?;

-- name: first_changed
-- The key of the first record of a subject that changed after an epoch.
SELECT min(id) FROM record INDEXED BY record_rev WHERE sid = ? AND rev > ?;

-- name: record_keys
-- Keys of the records of a subject.
SELECT id FROM record INDEXED BY record_rev WHERE sid = ?;

-- name: turn_keys
-- Keys of the turns of a subject.
SELECT id FROM turn INDEXED BY turn_seq WHERE sid = ?;

-- name: records_keyed
-- Keys of a subject's records, of those in a list of public ids.
SELECT r.id FROM json_each(?1) j CROSS JOIN record r ON r.tid = ?2 AND r.uid = j.value WHERE r.sid = ?3;

-- name: turns_keyed
-- Keys of a subject's turns, of those in a list of public ids.
SELECT t.id FROM json_each(?1) j CROSS JOIN turn t ON t.tid = ?2 AND t.uid = j.value WHERE t.sid = ?3;

-- name: set_record_vector
-- Sets the vector of a record.
INSERT INTO record_vector (sid, mid, id, rev, v) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET rev = excluded.rev, v = excluded.v;

-- name: set_turn_vector
-- Sets the vector of a turn.
INSERT INTO turn_vector (sid, mid, id, rev, v) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET rev = excluded.rev, v = excluded.v;

-- name: drop_record_vectors
-- Takes the vectors of a record away, of every model but one.
DELETE FROM record_vector WHERE sid = ?1 AND mid IN (SELECT mid FROM model WHERE name != ?3) AND id = ?2;

-- name: set_record_model
-- The embedder of the vector that was set last for a record; null if it has none.
UPDATE record SET mid = ? WHERE id = ?;

-- name: set_turn_model
-- The embedder of the vector that was set last for a turn.
UPDATE turn SET mid = ? WHERE id = ?;

-- name: other_models
-- Embedders beside one.
SELECT mid FROM model WHERE mid != ?;

-- name: unembedded_records
-- Records of any tenant without a vector of a model whose last vector is of another given one, or null; oldest first.
SELECT r.written_at, r.uid, n.name, s.name, r.state, x.body
FROM record r INDEXED BY record_mid JOIN subject s ON s.sid = r.sid JOIN tenant n ON n.tid = r.tid JOIN record_text x ON x.id = r.id
WHERE r.mid IS ?2 AND NOT EXISTS (SELECT 1 FROM record_vector v WHERE v.sid = r.sid AND v.mid = ?1 AND v.id = r.id)
  AND (?4 IS NULL OR r.written_at >= ?4)
ORDER BY r.written_at, r.uid, n.name LIMIT ?3;

-- name: unembedded_turns
-- Turns of any tenant without a vector of a model whose last vector is of another given one, or null; oldest first.
SELECT t.written_at, t.uid, n.name, s.name, t.at, t.zone, t.author, t.text
FROM turn t INDEXED BY turn_mid JOIN subject s ON s.sid = t.sid JOIN tenant n ON n.tid = t.tid
WHERE t.mid IS ?2 AND NOT EXISTS (SELECT 1 FROM turn_vector v WHERE v.sid = t.sid AND v.mid = ?1 AND v.id = t.id)
  AND t.state != 'shed' AND (?4 IS NULL OR t.written_at >= ?4)
ORDER BY t.written_at, t.uid, n.name LIMIT ?3;

-- name: unembedded_records_of
-- Records of a subject (a range of keys) without a vector of a model, oldest first.
SELECT r.written_at, r.uid, n.name, s.name, r.state, x.body
FROM record r JOIN subject s ON s.sid = r.sid JOIN tenant n ON n.tid = r.tid JOIN record_text x ON x.id = r.id
WHERE r.id BETWEEN ?2 AND ?3 AND (?5 IS NULL OR r.written_at >= ?5)
  AND NOT EXISTS (SELECT 1 FROM record_vector v WHERE v.sid = r.sid AND v.mid = ?1 AND v.id = r.id)
ORDER BY r.written_at, r.uid LIMIT ?4;

-- name: unembedded_turns_of
-- Turns of a subject (a range of keys) without a vector of a model, oldest first.
SELECT t.written_at, t.uid, n.name, s.name, t.at, t.zone, t.author, t.text
FROM turn t JOIN subject s ON s.sid = t.sid JOIN tenant n ON n.tid = t.tid
WHERE t.id BETWEEN ?2 AND ?3 AND t.state != 'shed' AND (?5 IS NULL OR t.written_at >= ?5)
  AND NOT EXISTS (SELECT 1 FROM turn_vector v WHERE v.sid = t.sid AND v.mid = ?1 AND v.id = t.id)
ORDER BY t.written_at, t.uid LIMIT ?4;

-- name: unembedded_passages_of
-- Passages of a subject (a range of keys) without a vector of a model, oldest first.
SELECT p.written_at, p.uid, n.name, s.name, p.heading, p.text
FROM passage p JOIN subject s ON s.sid = p.sid JOIN tenant n ON n.tid = p.tid
WHERE p.id BETWEEN ?2 AND ?3 AND (?5 IS NULL OR p.written_at >= ?5)
  AND NOT EXISTS (SELECT 1 FROM passage_vector v WHERE v.sid = p.sid AND v.mid = ?1 AND v.id = p.id)
ORDER BY p.written_at, p.uid LIMIT ?4;

-- name: models
-- Every embedder of which a vector was ever set, by name.
SELECT mid, name FROM model ORDER BY name;

-- name: has_vectors
-- Whether a subject has a vector of a model.
SELECT EXISTS (SELECT 1 FROM record_vector WHERE sid = ?1 AND mid = ?2) OR EXISTS (SELECT 1 FROM turn_vector WHERE sid = ?1 AND mid = ?2)
  OR EXISTS (SELECT 1 FROM passage_vector WHERE sid = ?1 AND mid = ?2);

-- name: lacks_vectors
-- Whether a subject (with the range of its keys) has a row without a vector of a model.
SELECT EXISTS (
  SELECT 1 FROM record r WHERE r.id BETWEEN ?3 AND ?4
  AND NOT EXISTS (SELECT 1 FROM record_vector v WHERE v.sid = ?1 AND v.mid = ?2 AND v.id = r.id)
) OR EXISTS (
  SELECT 1 FROM turn t WHERE t.id BETWEEN ?3 AND ?4 AND t.state != 'shed'
  AND NOT EXISTS (SELECT 1 FROM turn_vector v WHERE v.sid = ?1 AND v.mid = ?2 AND v.id = t.id)
) OR EXISTS (
  SELECT 1 FROM passage p WHERE p.id BETWEEN ?3 AND ?4
  AND NOT EXISTS (SELECT 1 FROM passage_vector v WHERE v.sid = ?1 AND v.mid = ?2 AND v.id = p.id)
);

-- name: behind
-- Tenant and name of the subjects that have rows without a vector of a model, or vectors of another, in order of both.
SELECT n.name, s.name FROM subject s JOIN tenant n ON n.tid = s.tid
WHERE EXISTS (SELECT 1 FROM model m JOIN record_vector v ON v.sid = s.sid AND v.mid = m.mid WHERE m.mid != ?1)
  OR EXISTS (SELECT 1 FROM model m JOIN turn_vector v ON v.sid = s.sid AND v.mid = m.mid WHERE m.mid != ?1)
  OR EXISTS (SELECT 1 FROM model m JOIN passage_vector v ON v.sid = s.sid AND v.mid = m.mid WHERE m.mid != ?1)
  OR EXISTS (
    SELECT 1 FROM record r WHERE r.id BETWEEN s.sid << 32 AND (s.sid << 32 | 4294967295)
    AND NOT EXISTS (SELECT 1 FROM record_vector v WHERE v.sid = s.sid AND v.mid = ?1 AND v.id = r.id)
  )
  OR EXISTS (
    SELECT 1 FROM turn t WHERE t.id BETWEEN s.sid << 32 AND (s.sid << 32 | 4294967295) AND t.state != 'shed'
    AND NOT EXISTS (SELECT 1 FROM turn_vector v WHERE v.sid = s.sid AND v.mid = ?1 AND v.id = t.id)
  )
  OR EXISTS (
    SELECT 1 FROM passage p WHERE p.id BETWEEN s.sid << 32 AND (s.sid << 32 | 4294967295)
    AND NOT EXISTS (SELECT 1 FROM passage_vector v WHERE v.sid = s.sid AND v.mid = ?1 AND v.id = p.id)
  )
ORDER BY n.name, s.name;

-- name: drop_other_record_vectors
-- Takes the vectors of other models away from the records of a subject.
DELETE FROM record_vector WHERE sid = ? AND mid != ?;

-- name: forget_record_model
-- The records of a subject (a range of keys) whose last vector was of another model: it may have an older one of this, or none.
UPDATE record SET mid = (SELECT v.mid FROM record_vector v WHERE v.sid = record.sid AND v.mid = ?3 AND v.id = record.id)
WHERE id BETWEEN ?1 AND ?2 AND mid != ?3;

-- name: drop_other_turn_vectors
-- Takes the vectors of other models away from the turns of a subject.
DELETE FROM turn_vector WHERE sid = ? AND mid != ?;

-- name: forget_turn_model
-- The turns of a subject (a range of keys) whose last vector was of another model: it may have an older one of this, or none.
UPDATE turn SET mid = (SELECT v.mid FROM turn_vector v WHERE v.sid = turn.sid AND v.mid = ?3 AND v.id = turn.id)
WHERE id BETWEEN ?1 AND ?2 AND mid != ?3;

-- name: drop_other_passage_vectors
-- Takes the vectors of other models away from the passages of a subject.
DELETE FROM passage_vector WHERE sid = ? AND mid != ?;

-- name: forget_passage_model
-- The passages of a subject (a range of keys) whose last vector was of another model: it may have an older one of this, or none.
UPDATE passage SET mid = (SELECT v.mid FROM passage_vector v WHERE v.sid = passage.sid AND v.mid = ?3 AND v.id = passage.id)
WHERE id BETWEEN ?1 AND ?2 AND mid != ?3;
