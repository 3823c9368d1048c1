-- name: add_record_source
-- A turn or record that a record was made from.
INSERT INTO record_source (tid, source, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: drop_record_sources
-- Forgets what a record was made from.
DELETE FROM record_source WHERE id = ?;

-- name: made_from
-- The records that were made from a turn or record, with their subjects.
SELECT s.name, r.state, x.body
FROM record_source m JOIN record r ON r.id = m.id JOIN record_text x ON x.id = r.id JOIN subject s ON s.sid = r.sid
WHERE m.tid = ?1 AND m.source = ?2 ORDER BY r.uid;

-- name: source_in
-- Whether a turn, record or passage of that public id is of a subject.
SELECT EXISTS (SELECT 1 FROM turn WHERE tid = ?1 AND uid = ?2 AND sid = ?3)
  OR EXISTS (SELECT 1 FROM record WHERE tid = ?1 AND uid = ?2 AND sid = ?3)
  OR EXISTS (SELECT 1 FROM passage WHERE tid = ?1 AND uid = ?2 AND sid = ?3);

-- name: made_from_subject
-- The records of other subjects that were made from turns or records of a subject.
SELECT DISTINCT s.name, r.state, x.body
FROM record_source m JOIN record r ON r.id = m.id JOIN record_text x ON x.id = r.id JOIN subject s ON s.sid = r.sid
WHERE m.tid = ?1 AND r.sid != ?2
  AND (m.source IN (SELECT uid FROM turn WHERE sid = ?2) OR m.source IN (SELECT uid FROM record WHERE sid = ?2))
ORDER BY r.uid;

-- name: turn_place
-- Key, subject and thread of a turn by its public id.
SELECT id, sid, thread FROM turn WHERE tid = ? AND uid = ?;

-- name: drop_turn
-- Takes a turn away.
DELETE FROM turn WHERE id = ?;

-- name: drop_turn_vectors
-- Takes the vectors of a turn away, of every model.
DELETE FROM turn_vector WHERE sid = ? AND id = ?;

-- name: withhold_turn
-- Marks a turn as one whose words are not to be trusted.
UPDATE turn SET state = 'quarantined', tries = 0, note = NULL WHERE id = ?;

-- name: reread_turn
-- Lets a turn be captured again.
UPDATE turn SET state = 'pending', tries = 0 WHERE id = ? AND state = 'done';

-- name: verdicts_on_turn
-- The verdicts on what a turn said, of any subject.
SELECT vid FROM verdict WHERE tid = ? AND turn_uid = ?;

-- name: drop_verdict
-- Takes a verdict away.
DELETE FROM verdict WHERE vid = ?;

-- name: drop_verdict_records
-- Takes away which records a verdict names.
DELETE FROM verdict_record WHERE vid = ?;

-- name: drop_summary
-- Takes the summary of a thread away.
DELETE FROM summary WHERE sid = ? AND thread = ?;

-- name: drop_thread
-- Takes away what is known of a thread beside its turns.
DELETE FROM thread WHERE sid = ? AND name = ?;

-- name: orphan_forks
-- Forgets where forks of a thread come from.
UPDATE thread SET forked_from = NULL, forked_upto = 0 WHERE sid = ? AND forked_from = ?;

-- name: drop_subject_verdict_records
-- Takes away which records the verdicts of a subject name.
DELETE FROM verdict_record WHERE vid IN (SELECT vid FROM verdict WHERE sid = ?);

-- name: drop_subject_sources
-- Forgets what the records of a range were made from.
DELETE FROM record_source WHERE id BETWEEN ? AND ?;

-- name: retire_subject
-- Takes the name of a subject away. Its number stays, so that it is never given again and no cache takes another for it.
UPDATE subject SET name = char(0) || sid, epoch = epoch + 1, turn_epoch = turn_epoch + 1, vector_epoch = vector_epoch + 1,
  purges = purges + 1 WHERE sid = ?;

-- name: ordinary_tables
-- The tables that hold values, those of the full text included, and the columns of each.
SELECT l.name, group_concat(i.name) FROM pragma_table_list l JOIN pragma_table_info(l.name) i
WHERE l.schema = 'main' AND (l.type = 'table' OR (l.type = 'shadow' AND (l.name LIKE '%\_content' ESCAPE '\' OR l.name LIKE '%\_config' ESCAPE '\')))
GROUP BY l.name ORDER BY l.name;

-- name: words_left
-- Events with content of a record up to one by number.
SELECT count(*) FROM event WHERE sid = ? AND uid = ? AND seq <= ? AND (before IS NOT NULL OR after IS NOT NULL OR reason != '');

-- name: optimize_terms
-- Merges the segments of the full text, which leaves no deleted term behind.
INSERT INTO record_terms (record_terms) VALUES ('optimize');
INSERT INTO turn_terms (turn_terms) VALUES ('optimize');
INSERT INTO passage_terms (passage_terms) VALUES ('optimize');

-- name: drop_record_of
-- Takes the rows of a subject away.
DELETE FROM record WHERE sid = ?;

-- name: drop_record_vector_of
-- Takes the rows of a subject away.
DELETE FROM record_vector WHERE sid = ?;

-- name: drop_turn_of
-- Takes the rows of a subject away.
DELETE FROM turn WHERE sid = ?;

-- name: drop_turn_vector_of
-- Takes the rows of a subject away.
DELETE FROM turn_vector WHERE sid = ?;

-- name: drop_event_of
-- Takes the rows of a subject away.
DELETE FROM event WHERE sid = ?;

-- name: drop_verdict_of
-- Takes the rows of a subject away.
DELETE FROM verdict WHERE sid = ?;

-- name: drop_thread_of
-- Takes the rows of a subject away.
DELETE FROM thread WHERE sid = ?;

-- name: drop_summary_of
-- Takes the rows of a subject away.
DELETE FROM summary WHERE sid = ?;

-- name: drop_checkpoint_of
-- Takes the rows of a subject away.
DELETE FROM checkpoint WHERE sid = ?;

-- name: count_record_of
-- How many rows a subject has.
SELECT count(*) FROM record WHERE sid = ?;

-- name: count_record_vector_of
-- How many rows a subject has.
SELECT count(*) FROM record_vector WHERE sid = ?;

-- name: count_turn_of
-- How many rows a subject has.
SELECT count(*) FROM turn WHERE sid = ?;

-- name: count_turn_vector_of
-- How many rows a subject has.
SELECT count(*) FROM turn_vector WHERE sid = ?;

-- name: count_event_of
-- How many rows a subject has.
SELECT count(*) FROM event WHERE sid = ?;

-- name: count_verdict_of
-- How many rows a subject has.
SELECT count(*) FROM verdict WHERE sid = ?;

-- name: count_thread_of
-- How many rows a subject has.
SELECT count(*) FROM thread WHERE sid = ?;

-- name: count_summary_of
-- How many rows a subject has.
SELECT count(*) FROM summary WHERE sid = ?;

-- name: count_checkpoint_of
-- How many rows a subject has.
SELECT count(*) FROM checkpoint WHERE sid = ?;

-- name: count_trace_subject_of
-- How many rows a subject has.
SELECT count(*) FROM trace_subject WHERE sid = ?;

-- name: drop_record_text_between
-- Takes the rows of a range of keys away.
DELETE FROM record_text WHERE id BETWEEN ? AND ?;

-- name: drop_record_use_between
-- Takes the rows of a range of keys away.
DELETE FROM record_use WHERE id BETWEEN ? AND ?;

-- name: drop_record_terms_between
-- Takes the rows of a range of keys away.
DELETE FROM record_terms WHERE rowid BETWEEN ? AND ?;

-- name: drop_turn_terms_between
-- Takes the rows of a range of keys away.
DELETE FROM turn_terms WHERE rowid BETWEEN ? AND ?;

-- name: drop_turn_size_between
-- Takes the rows of a range of keys away.
DELETE FROM turn_size WHERE id BETWEEN ? AND ?;

-- name: count_record_text_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM record_text WHERE id BETWEEN ? AND ?;

-- name: count_record_use_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM record_use WHERE id BETWEEN ? AND ?;

-- name: count_record_terms_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM record_terms WHERE rowid BETWEEN ? AND ?;

-- name: count_turn_terms_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM turn_terms WHERE rowid BETWEEN ? AND ?;

-- name: count_turn_size_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM turn_size WHERE id BETWEEN ? AND ?;

-- name: count_record_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM record WHERE id BETWEEN ? AND ?;

-- name: count_turn_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM turn WHERE id BETWEEN ? AND ?;

-- name: count_record_source_between
-- How many rows there are in a range of keys.
SELECT count(*) FROM record_source WHERE id BETWEEN ? AND ?;

-- name: count_record_vector_at
-- How many vectors a row has, of any model.
SELECT count(*) FROM record_vector WHERE sid = ? AND id = ?;

-- name: count_turn_vector_at
-- How many vectors a row has, of any model.
SELECT count(*) FROM turn_vector WHERE sid = ? AND id = ?;

-- name: count_verdicts_on_turn
-- How many verdicts there are on what a turn of a subject's tenant said.
SELECT count(*) FROM verdict v JOIN subject s ON s.tid = v.tid WHERE v.turn_uid = ?1 AND s.sid = ?2;

-- name: count_summaries_naming
-- How many summaries of a subject name a turn.
SELECT count(*) FROM summary WHERE sid = ?1 AND instr(body, ?2);

-- name: count_verdicts_with_words
-- How many verdicts that name a record of a subject's tenant still hold words.
SELECT count(*) FROM verdict_record r JOIN verdict v ON v.vid = r.vid JOIN subject s ON s.tid = r.tid
WHERE s.sid = ?1 AND r.uid = ?2 AND (v.body ->> '$.statement' != '' OR v.body ->> '$.detail' != '');
