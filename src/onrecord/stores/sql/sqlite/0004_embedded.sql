-- The embedder of the vector that was set last, so that rows without one are found without a look at every row.
ALTER TABLE record ADD COLUMN mid INTEGER;
ALTER TABLE turn ADD COLUMN mid INTEGER;
UPDATE record SET mid = (
  SELECT max(m.mid) FROM model m
  WHERE EXISTS (SELECT 1 FROM record_vector v WHERE v.sid = record.sid AND v.mid = m.mid AND v.id = record.id)
);
UPDATE turn SET mid = (
  SELECT max(m.mid) FROM model m
  WHERE EXISTS (SELECT 1 FROM turn_vector v WHERE v.sid = turn.sid AND v.mid = m.mid AND v.id = turn.id)
);
CREATE INDEX record_mid ON record (mid, written_at);
CREATE INDEX turn_mid ON turn (mid, written_at);
