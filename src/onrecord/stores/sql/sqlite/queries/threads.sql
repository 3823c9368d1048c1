-- name: thread_names
-- The threads of a subject, each with the number of its last turn.
SELECT thread, max(seq) FROM turn WHERE sid = ? AND thread != '' GROUP BY thread;

-- name: thread_at
-- The key of a turn by its number.
SELECT id FROM turn WHERE sid = ? AND thread = ? AND seq = ?;

-- name: last_seq_of
-- The greatest number among turns of a thread that are given by their public ids, as JSON.
SELECT ifnull(max(t.seq), 0) FROM turn t
WHERE t.tid = ?1 AND t.uid IN (SELECT value FROM json_each(?2)) AND t.sid = ?3 AND t.thread = ?4;

-- name: thread_mark
-- Title, state and origin of a thread.
SELECT title, archived, forked_from, forked_upto FROM thread WHERE sid = ? AND name = ?;

-- name: set_thread_mark
-- Sets them.
INSERT INTO thread (sid, name, title, archived, forked_from, forked_upto) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET title = excluded.title, archived = excluded.archived;

-- name: wake_thread
-- Takes a thread out of the archive.
UPDATE thread SET archived = 0 WHERE sid = ? AND name = ? AND archived;

-- name: idle_threads
-- Threads of any tenant, not archived, whose last turn was written before a time, the longest idle first.
SELECT n.name, s.name, x.thread, x.last
FROM (SELECT sid, thread, max(seq) AS last FROM turn WHERE thread != '' GROUP BY sid, thread) x
JOIN turn t ON t.sid = x.sid AND t.thread = x.thread AND t.seq = x.last
JOIN subject s ON s.sid = x.sid JOIN tenant n ON n.tid = s.tid
LEFT JOIN thread m ON m.sid = x.sid AND m.name = x.thread
WHERE t.written_at < ?1 AND NOT ifnull(m.archived, 0) ORDER BY t.written_at, n.name, s.name, x.thread LIMIT ?2;

-- name: set_turn_size
-- The tokens of a turn of a subject by its public id.
INSERT INTO turn_size (id, counter, tokens) SELECT id, ?1, ?2 FROM turn WHERE tid = ?3 AND uid = ?4 AND sid = ?5
ON CONFLICT DO UPDATE SET tokens = excluded.tokens;

-- name: turn_sizes
-- The tokens of the turns of a thread, by public id.
SELECT t.uid, z.tokens FROM turn t JOIN turn_size z ON z.id = t.id WHERE t.sid = ?1 AND t.thread = ?2 AND z.counter = ?3;

-- name: summary
-- The summary of a thread.
SELECT body FROM summary WHERE sid = ? AND thread = ?;

-- name: summary_upto
-- The number of the last turn that the summary of a thread covers.
SELECT upto FROM summary WHERE sid = ? AND thread = ?;

-- name: set_summary
-- Sets the summary of a thread.
INSERT INTO summary (sid, thread, upto, at, body) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET upto = excluded.upto, at = excluded.at, body = excluded.body;

-- name: checkpoint
-- The last step of a run.
SELECT step, state, status, at FROM checkpoint WHERE sid = ? AND run = ?;

-- name: set_checkpoint
-- Sets the last step of a run.
INSERT INTO checkpoint (sid, run, step, status, at, state) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET step = excluded.step, status = excluded.status, at = excluded.at, state = excluded.state;

-- name: drop_checkpoint
-- Takes a run's working memory away; one row for each that was there.
DELETE FROM checkpoint WHERE sid = ? AND run = ? RETURNING 1;
