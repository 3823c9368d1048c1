-- What was made from a turn or record, by its public id: the way forward that derived_from is backward.
CREATE TABLE record_source (
  tid INTEGER NOT NULL,
  source TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (tid, source, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_source_id ON record_source (id);
INSERT OR IGNORE INTO record_source (tid, source, id)
SELECT r.tid, j.value, r.id
FROM record r, json_each(CASE WHEN json_valid(r.state) THEN r.state ELSE '{}' END, '$.derived_from') j;
INSERT OR IGNORE INTO record_source (tid, source, id)
SELECT r.tid, x.body ->> '$.source[1]', r.id FROM record r JOIN record_text x ON x.id = r.id
WHERE CASE WHEN json_valid(r.state) AND json_valid(x.body)
  THEN json_array_length(r.state, '$.derived_from') = 0 AND x.body ->> '$.source[1]' IS NOT NULL END;
CREATE INDEX verdict_said ON verdict (tid, turn_uid);
