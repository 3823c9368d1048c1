-- What a run of maintenance did, so that it can be undone; and what is old, so that it can be taken away without a look at every row.
CREATE INDEX event_run ON event (actor, seq) WHERE actor GLOB 'upkeep_*';
CREATE INDEX event_empty ON event (at) WHERE before IS NULL AND after IS NULL;
CREATE INDEX trace_at ON trace (at);
CREATE INDEX turn_written ON turn (written_at) WHERE state = 'done';
