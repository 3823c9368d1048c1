-- trace_row keeps the rows that a trace returned. Those it only looked at stand in its body alone: they are many, and every search
-- writes a trace.
DELETE FROM trace_row WHERE returned = 0;
ALTER TABLE trace_row DROP COLUMN returned;
