-- name: subject
-- Keys and counters of a subject: how its caches tell whether they are fresh.
SELECT s.sid, s.tid, s.name, s.epoch, s.turn_epoch, s.vector_epoch, s.purges, s.records, s.turns
FROM tenant t JOIN subject s ON s.tid = t.tid
WHERE t.name = ? AND s.name = ?;

-- name: add_tenant
-- A tenant, unless it is known.
INSERT INTO tenant (name) VALUES (?) ON CONFLICT DO NOTHING;

-- name: tenant
-- The key of a tenant.
SELECT tid FROM tenant WHERE name = ?;

-- name: add_subject
-- A subject of a known tenant, unless it is known.
INSERT INTO subject (tid, name) VALUES (?, ?) ON CONFLICT DO NOTHING;

-- name: save_subject
-- The counters of a subject after a write.
UPDATE subject SET epoch = ?, turn_epoch = ?, vector_epoch = ?, purges = ?, records = ?, turns = ? WHERE sid = ?;

-- name: subjects
-- Tenant and name of the subjects that have records, behind a pair of them.
SELECT t.name, s.name FROM subject s JOIN tenant t ON t.tid = s.tid
WHERE (t.name, s.name) > (?1, ?2) AND EXISTS (SELECT 1 FROM record r WHERE r.id BETWEEN s.sid << 32 AND (s.sid << 32 | 4294967295))
ORDER BY t.name, s.name LIMIT ?3;
