-- moved is when the last thing happened to a record, so that what outlived its retention is found without a look at its events.
ALTER TABLE record ADD COLUMN moved INTEGER NOT NULL DEFAULT 0;
UPDATE record SET moved = ifnull(
  (SELECT e.at FROM event e WHERE e.sid = record.sid AND e.uid = record.uid ORDER BY e.seq DESC LIMIT 1), written_at
);
CREATE INDEX record_out ON record (status, moved) WHERE status NOT IN ('active', 'conflicted');
CREATE INDEX turn_shed ON turn (written_at) WHERE state = 'shed';
CREATE INDEX event_restated ON event (at) WHERE type = 'restated';
CREATE INDEX verdict_record_verdict ON verdict_record (vid);
