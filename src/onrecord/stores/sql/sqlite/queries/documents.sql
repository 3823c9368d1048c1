-- name: document
-- Key, subject and content of a document by its public id.
SELECT id, sid, body FROM document WHERE tid = ? AND uid = ?;

-- name: document_named
-- Key and content of a subject's document by its collection and name.
SELECT id, body FROM document WHERE sid = ? AND collection = ? AND name = ?;

-- name: documents_behind
-- The content of the documents of a subject behind a public id, in order.
SELECT body FROM document WHERE sid = ? AND uid > ? ORDER BY uid LIMIT ?;

-- name: documents_by_uid
-- Subject and content of the documents in a list of public ids.
SELECT d.sid, d.body FROM json_each(?1) j CROSS JOIN document d ON d.tid = ?2 AND d.uid = j.value ORDER BY j.key;

-- name: documents_of
-- Key and content of the documents of a subject.
SELECT id, body FROM document WHERE sid = ?;

-- name: add_document
-- A new document.
INSERT INTO document (tid, sid, uid, collection, name, body) VALUES (?, ?, ?, ?, ?, ?) RETURNING id;

-- name: set_document
-- A document that was replaced.
UPDATE document SET collection = ?, name = ?, body = ? WHERE id = ?;

-- name: drop_document
-- Takes a document away.
DELETE FROM document WHERE id = ?;

-- name: passage_key
-- Key and subject of a passage by its public id.
SELECT id, sid FROM passage WHERE tid = ? AND uid = ?;

-- name: passages_by_uid
-- Key, subject and content of the passages in a list of public ids.
SELECT p.id, p.sid, p.uid, n.name, s.name, d.uid, p.position, p.heading, p.text, p.digest, p.written_at
FROM json_each(?1) j CROSS JOIN passage p ON p.tid = ?2 AND p.uid = j.value
JOIN document d ON d.id = p.document JOIN subject s ON s.sid = p.sid JOIN tenant n ON n.tid = p.tid ORDER BY j.key;

-- name: passages_of
-- Key, subject and content of the passages of a document, in order.
SELECT p.id, p.sid, p.uid, n.name, s.name, d.uid, p.position, p.heading, p.text, p.digest, p.written_at
FROM passage p JOIN document d ON d.id = p.document JOIN subject s ON s.sid = p.sid JOIN tenant n ON n.tid = p.tid
WHERE p.sid = ? AND p.document = ? ORDER BY p.position;

-- name: last_passage
-- The largest key of a passage in a range.
SELECT max(id) FROM passage WHERE id BETWEEN ? AND ?;

-- name: add_passage
-- A new passage.
INSERT INTO passage (id, tid, sid, document, position, length, written_at, uid, digest, heading, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: move_passage
-- The position of a passage.
UPDATE passage SET position = ? WHERE id = ?;

-- name: drop_passage
-- Takes a passage away.
DELETE FROM passage WHERE id = ?;

-- name: drop_passage_vectors
-- Takes the vectors of a passage away, of every model.
DELETE FROM passage_vector WHERE sid = ? AND id = ?;

-- name: add_passage_terms
-- The full text of a passage.
INSERT INTO passage_terms (rowid, terms, again) VALUES (?, ?, ?);

-- name: drop_passage_terms
-- Takes the full text of a passage away.
DELETE FROM passage_terms WHERE rowid = ?;

-- name: passage_sizes
-- The number of passages of a subject and of their terms, in a list of documents if there is one.
SELECT count(*), ifnull(sum(length), 0) FROM passage INDEXED BY passage_document
WHERE sid = ?1 AND (?2 IS NULL OR document IN (SELECT value FROM json_each(?2)));

-- name: passages_holding
-- Public id, number of terms, and full text of the passages of a range that match a full-text question; as above.
SELECT p.uid, p.length, f.terms, f.again FROM passage_terms f CROSS JOIN passage p ON p.id = f.rowid
WHERE passage_terms MATCH ?1 AND f.rowid BETWEEN ?2 AND ?3 AND (?4 IS NULL OR p.document IN (SELECT value FROM json_each(?4)));

-- name: passage_vectors
-- Public ids and vectors of the passages of a subject; as above.
SELECT p.uid, v.v FROM passage_vector v JOIN passage p ON p.id = v.id
WHERE v.sid = ?1 AND v.mid = ?2 AND (?3 IS NULL OR p.document IN (SELECT value FROM json_each(?3)));

-- name: recent_passages
-- Time and public id of the passages of a subject that were written last; as above.
SELECT p.written_at, p.uid FROM passage p
WHERE p.sid = ?1 AND (?2 IS NULL OR p.document IN (SELECT value FROM json_each(?2))) ORDER BY p.written_at DESC, p.uid DESC LIMIT ?3;

-- name: set_passage_vector
-- Sets the vector of a passage.
INSERT INTO passage_vector (sid, mid, id, rev, v) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET rev = excluded.rev, v = excluded.v;

-- name: set_passage_model
-- The embedder of the vector that was set last for a passage.
UPDATE passage SET mid = ? WHERE id = ?;

-- name: unembedded_passages
-- Passages of any tenant without a vector of a model whose last vector is of another given one, or null; oldest first.
SELECT p.written_at, p.uid, n.name, s.name, p.heading, p.text
FROM passage p INDEXED BY passage_mid JOIN subject s ON s.sid = p.sid JOIN tenant n ON n.tid = p.tid
WHERE p.mid IS ?2 AND (?4 IS NULL OR p.written_at >= ?4)
  AND NOT EXISTS (SELECT 1 FROM passage_vector v WHERE v.sid = p.sid AND v.mid = ?1 AND v.id = p.id)
ORDER BY p.written_at, p.uid, n.name LIMIT ?3;

-- name: passage_contents
-- Key, stored number of terms, words and full text of every passage.
SELECT p.id, p.length, p.heading, p.text, f.terms, f.again FROM passage p LEFT JOIN passage_terms f ON f.rowid = p.id;

-- name: set_passage_length
-- The number of terms of a passage.
UPDATE passage SET length = ? WHERE id = ?;

-- name: drop_document_of
-- Takes the rows of a subject away.
DELETE FROM document WHERE sid = ?;

-- name: drop_passage_of
-- Takes the rows of a subject away.
DELETE FROM passage WHERE sid = ?;

-- name: drop_passage_vector_of
-- Takes the rows of a subject away.
DELETE FROM passage_vector WHERE sid = ?;

-- name: drop_passage_terms_between
-- Takes the rows of a range of keys away.
DELETE FROM passage_terms WHERE rowid BETWEEN ? AND ?;

-- name: count_document_of
-- How many rows a subject has.
SELECT count(*) FROM document WHERE sid = ?;

-- name: count_passage_of
-- How many rows a subject has.
SELECT count(*) FROM passage WHERE sid = ?;

-- name: count_passage_vector_of
-- How many rows a subject has.
SELECT count(*) FROM passage_vector WHERE sid = ?;

-- name: count_passage_terms_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM passage_terms WHERE rowid BETWEEN ? AND ?;
