-- name: add_event
-- A new event.
INSERT INTO event (seq, sid, change, at, uid, type, actor, reason, verdict_id, before, after)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: last_event
-- The number of the last event of the database.
SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'event';

-- name: events
-- What happened to a record of a subject, oldest first.
SELECT seq, type, at, actor, reason, verdict_id, before, after FROM event WHERE sid = ? AND uid = ? ORDER BY seq;

-- name: empty_reasons
-- Takes the reasons away from every change that touched a record.
UPDATE event SET reason = '' WHERE change IN (SELECT change FROM event WHERE sid = ? AND uid = ?);

-- name: empty_events
-- Takes the rows away from the events of a record.
UPDATE event SET before = NULL, after = NULL WHERE sid = ? AND uid = ?;

-- name: add_verdict
-- A new verdict.
INSERT INTO verdict (tid, sid, at, accepted, uid, turn_uid, body) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING vid;

-- name: has_verdict
-- Whether there is a verdict of that id.
SELECT count(*) FROM verdict WHERE tid = ? AND uid = ?;

-- name: add_verdict_record
-- A record that a verdict names.
INSERT INTO verdict_record (tid, uid, vid) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: verdicts
-- Verdicts of a subject, newest first.
SELECT at, uid, body FROM verdict WHERE sid = ?1 AND (?2 IS NULL OR accepted = ?2) ORDER BY at DESC, uid DESC LIMIT ?3;

-- name: verdicts_of_turn
-- Verdicts on what a turn said, newest first.
SELECT at, uid, body FROM verdict WHERE sid = ?1 AND turn_uid = ?4 AND (?2 IS NULL OR accepted = ?2)
ORDER BY at DESC, uid DESC LIMIT ?3;

-- name: verdicts_on_turns
-- Verdicts of a subject on what the turns of a list said, in no order.
SELECT v.at, v.uid, v.turn_uid, v.body FROM json_each(?1) j CROSS JOIN verdict v ON v.sid = ?2 AND v.turn_uid = j.value;

-- name: verdicts_of_record
-- Verdicts of a subject that name a record, newest first.
SELECT v.at, v.uid, v.body FROM verdict_record r JOIN verdict v ON v.vid = r.vid
WHERE r.tid = ?5 AND r.uid = ?4 AND v.sid = ?1 AND (?2 IS NULL OR v.accepted = ?2) ORDER BY v.at DESC, v.uid DESC LIMIT ?3;

-- name: verdicts_naming
-- Every verdict that names a record.
SELECT v.vid, v.body FROM verdict_record r JOIN verdict v ON v.vid = r.vid WHERE r.tid = ? AND r.uid = ?;

-- name: set_verdict
-- A verdict without its words.
UPDATE verdict SET body = ? WHERE vid = ?;

-- name: trace
-- A trace by its public id.
SELECT trid, at, body FROM trace WHERE tid = ? AND uid = ?;

-- name: add_trace
-- A new trace.
INSERT INTO trace (tid, at, uid, body) VALUES (?, ?, ?, ?) RETURNING trid;

-- name: add_trace_subject
-- A subject that a trace looked at.
INSERT INTO trace_subject (sid, at, uid, trid) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: add_trace_row
-- A row that a trace returned or injected.
INSERT INTO trace_row (tid, uid, trid) VALUES (?, ?, ?);

-- name: drop_trace
-- Takes a trace away.
DELETE FROM trace WHERE trid = ?;

-- name: drop_trace_subject
-- Takes a subject of a trace away.
DELETE FROM trace_subject WHERE sid = ? AND at = ? AND uid = ? AND trid = ?;

-- name: drop_trace_subjects
-- Takes all subjects of a trace away.
DELETE FROM trace_subject WHERE trid = ?;

-- name: drop_trace_rows
-- Takes the rows of a trace away.
DELETE FROM trace_row WHERE trid = ?;

-- name: traces
-- Traces that looked at a subject, newest first.
SELECT x.at, x.uid, t.body FROM trace_subject x JOIN trace t ON t.trid = x.trid WHERE x.sid = ? ORDER BY x.at DESC, x.uid DESC;

-- name: traces_of_record
-- Traces that returned or injected a record, newest first.
SELECT t.at, t.uid, t.body FROM trace_row r JOIN trace t ON t.trid = r.trid
WHERE r.tid = ? AND r.uid = ? ORDER BY t.at DESC, t.uid DESC;

-- name: trace_bodies
-- Every trace that looked at a subject.
SELECT t.trid, t.body FROM trace_subject x JOIN trace t ON t.trid = x.trid WHERE x.sid = ?;

-- name: set_trace
-- A trace without its words.
UPDATE trace SET body = ? WHERE trid = ?;

-- name: events_since_whole
-- The states in the events of a record of a subject from the last one on that is whole, oldest first.
SELECT before, after FROM event WHERE sid = ?1 AND uid = ?2 AND seq >= (
  SELECT seq FROM event WHERE sid = ?1 AND uid = ?2 AND ifnull(before, 'none') != '' ORDER BY seq DESC LIMIT 1
) ORDER BY seq LIMIT ?3;

-- name: set_event
-- The states before and after an event.
UPDATE event SET before = ?, after = ? WHERE seq = ?;

-- name: erased_among
-- Those of a list of public ids whose record, of this subject and tenant, was erased.
SELECT j.value FROM json_each(?1) j
WHERE NOT EXISTS (SELECT 1 FROM record r WHERE r.tid = ?3 AND r.uid = j.value)
  AND EXISTS (SELECT 1 FROM event e WHERE e.sid = ?2 AND e.uid = j.value AND e.type = 'erased');
