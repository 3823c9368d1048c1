-- name: done_by
-- What a run of maintenance did to records of a tenant, oldest first, with their subjects and ids.
SELECT s.name, e.uid, e.seq, e.type, e.at, e.actor, e.reason, e.verdict_id, e.before, e.after
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
-- The verdicts older than a time that name no record that is there, on turns whose words are not there, oldest first.
SELECT v.vid FROM verdict v
WHERE v.at < ?1
  AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.tid = v.tid AND t.uid = v.turn_uid AND t.state != 'shed')
  AND NOT EXISTS (SELECT 1 FROM verdict_record x JOIN record r ON r.tid = x.tid AND r.uid = x.uid WHERE x.vid = v.vid AND x.tid = v.tid)
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
