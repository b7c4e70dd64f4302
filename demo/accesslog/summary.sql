-- What is made of the events once they are there.
CREATE INDEX by_time ON access_log (timestamp);
CREATE INDEX by_status ON access_log (status);
CREATE INDEX by_path ON access_log (path);

CREATE TABLE error_summary (
	_id INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, status INTEGER NOT NULL, path TEXT, requests INTEGER NOT NULL, clients INTEGER NOT NULL, bytes INTEGER NOT NULL);
INSERT INTO error_summary (timestamp, status, path, requests, clients, bytes)
	SELECT timestamp - timestamp % 3600000, status, path, count(*), count(DISTINCT clientip), coalesce(sum(bytes), 0) FROM access_log WHERE status >= 400
	GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC, 3;
ANALYZE;
