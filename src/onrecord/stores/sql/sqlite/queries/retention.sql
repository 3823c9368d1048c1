-- name: done_by
-- Numbers of the events of what a run of maintenance did to records of a tenant, oldest first, with their subjects and records.
SELECT s.name, e.sid, e.uid, e.seq
FROM event e JOIN subject s ON s.sid = e.sid JOIN tenant n ON n.tid = s.tid
WHERE n.name = ?1 AND e.actor = ?2 AND e.actor GLOB 'upkeep_*' ORDER BY e.seq;

-- name: old_turn_vectors
-- Subject and key of the turns with a vector that were written before a time, oldest first.
SELECT t.sid, t.id FROM turn t WHERE t.written_at < ?1 AND t.mid IS NOT NULL ORDER BY t.written_at, t.tid, t.uid LIMIT ?2;

-- name: aged_turns
-- Key and tenant of the captured turns written before a time, oldest first, behind a time, tenant and public id.
SELECT t.id, n.name FROM turn t JOIN tenant n ON n.tid = t.tid
WHERE t.state = 'done' AND t.written_at < ?1 AND t.written_at >= ?2 AND (t.written_at, n.name, t.uid) > (?2, ?3, ?4)
ORDER BY t.written_at, n.name, t.uid LIMIT ?5;

-- name: shed_turn
-- Takes the words of a captured turn away.
UPDATE turn SET text = '', payload = '{}', note = NULL, state = 'shed', length = ?, mid = NULL WHERE id = ? AND state = 'done';

-- name: drop_turn_sizes
-- Takes the counts of tokens of a turn away.
DELETE FROM turn_size WHERE id = ?;

-- name: told_of_turn
-- When a turn was said, in which zone, and by whom.
SELECT at, zone, author FROM turn WHERE id = ?;

-- name: take_purges
-- Tells every cache of a subject that rows or vectors of turns went.
UPDATE subject SET purges = purges + 1, turn_epoch = turn_epoch + 1 WHERE sid = ?;

-- name: old_traces
-- Tenant and public id of the traces older than a time, oldest first.
SELECT tid, uid FROM trace WHERE at < ? ORDER BY at, tid, uid LIMIT ?;

-- name: old_verdicts
-- The verdicts older than a time on turns whose words are not there, of which no event of a record that is there tells, oldest
-- first.
SELECT v.vid FROM verdict v
WHERE v.at < ?1
  AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.tid = v.tid AND t.uid = v.turn_uid AND t.state != 'shed')
  AND NOT EXISTS (
    SELECT 1 FROM verdict_record x JOIN record r ON r.tid = x.tid AND r.uid = x.uid
    JOIN event e ON e.sid = r.sid AND e.uid = r.uid AND e.verdict_id = v.uid WHERE x.vid = v.vid)
ORDER BY v.at, v.tid, v.uid LIMIT ?2;

-- name: drop_old_tombstones
-- Takes away what is told of records erased before a time, but that they were erased where the words of their turns are there.
DELETE FROM event WHERE seq IN (
  SELECT e.seq FROM event e JOIN subject s ON s.sid = e.sid
  WHERE e.before IS NULL AND e.after IS NULL AND e.at < ?1
    AND NOT EXISTS (SELECT 1 FROM record r WHERE r.tid = s.tid AND r.uid = e.uid)
    AND (e.type != 'erased' OR NOT EXISTS (
      SELECT 1 FROM verdict_record x JOIN verdict v ON v.vid = x.vid JOIN turn t ON t.tid = v.tid AND t.uid = v.turn_uid
      WHERE x.tid = s.tid AND x.uid = e.uid AND t.state != 'shed'))
  ORDER BY e.seq LIMIT ?2);

-- name: used_bytes
-- Bytes of the file that hold something.
SELECT (p.page_count - f.freelist_count) * s.page_size FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s;

-- name: out_of_recall
-- Records not pinned to which nothing happened since the time listed for their status, with that of the last event, oldest first,
-- behind a time, tenant and public id.
SELECT n.name, r.uid, r.moved, r.state, x.body
FROM json_each(?1) j CROSS JOIN record r ON r.status = j.key AND r.moved < j.value AND r.status NOT IN ('active', 'conflicted')
JOIN record_text x ON x.id = r.id JOIN tenant n ON n.tid = r.tid
WHERE NOT r.state ->> '$.pinned' AND (r.moved, n.name, r.uid) > (?2, ?3, ?4)
ORDER BY r.moved, n.name, r.uid LIMIT ?5;

-- name: old_restatements
-- Numbers of two events in a row that may be told together (policy.lifecycle.expiry.told_together), both older than a time, and of
-- which the change did nothing else: the one before and the one after, behind subject and record, in order of the latter.
SELECT e.sid, e.uid, p.seq, e.seq FROM event e JOIN event p
  ON p.seq = (SELECT max(x.seq) FROM event x WHERE x.sid = e.sid AND x.uid = e.uid AND x.seq < e.seq)
WHERE e.at < ?1 AND (e.type = 'restated' OR e.type = 'merged' AND e.actor GLOB 'upkeep_*' OR e.type = 'recomputed' AND e.actor = 'upkeep')
  AND p.at < ?1 AND (p.type = 'restated' OR p.type = 'merged' AND p.actor GLOB 'upkeep_*' OR p.type = 'recomputed' AND p.actor = 'upkeep')
  AND e.before IS NOT NULL AND p.before IS NOT NULL
  AND (SELECT count(*) FROM event o WHERE o.change = e.change) = 1
  AND (SELECT count(*) FROM event o WHERE o.change = p.change) = 1
ORDER BY e.seq LIMIT ?2;

-- name: drop_event
-- Takes an event away.
DELETE FROM event WHERE seq = ?;

-- name: drop_silent_summaries
-- Takes the summaries of threads away of which the last turn has no words any more and was written before a time.
DELETE FROM summary WHERE id IN (
  SELECT s.id FROM summary s JOIN turn t ON t.sid = s.sid AND t.thread = s.thread
  WHERE t.state = 'shed' AND t.written_at < ?1
    AND t.seq = (SELECT max(o.seq) FROM turn o WHERE o.sid = s.sid AND o.thread = s.thread)
  ORDER BY s.at LIMIT ?2);

-- name: old_places
-- Keys, subjects and threads of turns without words that were written before a time, of which nothing is told any more and no record
-- was made: all but the last of a thread that has others, and those that a summary ends with. The oldest first.
SELECT t.id, t.sid, t.thread, NOT EXISTS (SELECT 1 FROM turn o WHERE o.sid = t.sid AND o.thread = t.thread AND o.seq != t.seq) AS alone
FROM turn t
WHERE t.state = 'shed' AND t.written_at < ?1
  AND NOT EXISTS (SELECT 1 FROM record_source m WHERE m.tid = t.tid AND m.source = t.uid)
  AND NOT EXISTS (SELECT 1 FROM verdict v WHERE v.tid = t.tid AND v.turn_uid = t.uid)
  AND NOT EXISTS (SELECT 1 FROM summary s WHERE s.sid = t.sid AND s.thread = t.thread AND s.upto = t.seq)
  AND (alone OR EXISTS (SELECT 1 FROM turn o WHERE o.sid = t.sid AND o.thread = t.thread AND o.seq > t.seq))
ORDER BY t.written_at, t.tid, t.uid LIMIT ?2;
