package sqlstore

// The SQL of the event log, the journal, the search and what belongs to no owner.

const (
	// selectLogEnd returns the id of the next row of the event log, which was never given to a row
	// or run before, and the number of the next run.
	selectLogEnd = `
		SELECT
			max(coalesce((SELECT max(id) FROM event_log), 0) + 1,
				coalesce((SELECT log_from FROM runs WHERE number IS NOT NULL ORDER BY number DESC LIMIT 1), 1)),
			coalesce((SELECT max(number) FROM runs WHERE number IS NOT NULL), 0) + 1`

	insertLog = `
		INSERT INTO event_log (id, at, runs, body) VALUES ($1, $2, $3, $4)`

	// selectLog returns rows and their index, and the body where nearly all of it is one run's.
	selectLog = `
		SELECT id, runs, CASE WHEN length(runs) <= 24 THEN body END FROM event_log
		WHERE id > $1 AND id <= $2
		ORDER BY id LIMIT $3 + 0`

	selectFrames = `
		SELECT substr(body, $2, $3) FROM event_log WHERE id = $1`

	selectLogBackwards = `
		SELECT id, runs FROM event_log WHERE id >= $1 ORDER BY id DESC`

	selectRunLog = `
		SELECT thread_id, status, epoch, number, log_from FROM runs WHERE tenant = $1 AND subject = $2 AND id = $3`

	setRunLog = `
		UPDATE runs SET number = $4, log_from = $5 WHERE tenant = $1 AND subject = $2 AND id = $3`

	// selectLogOf is what a reader of a run's events needs to know.
	selectLogOf = `
		SELECT r.status, r.number, r.log_from, r.log_to, r.last_seq FROM runs r
		WHERE r.tenant = $1 AND r.subject = $2 AND r.id = $3` + notDeleted

	// purgeRuns forgets where the events of up to $2 runs are that ended before $1.
	purgeRuns = `
		UPDATE runs SET number = NULL, log_from = NULL, log_to = NULL
		WHERE number IN (SELECT number FROM runs WHERE number IS NOT NULL AND status <> 'live' AND ended_at < $1 ORDER BY number LIMIT $2 + 0)`

	// purgeLog deletes up to $2 rows of the log before the row $1.
	purgeLog = `
		DELETE FROM event_log WHERE id IN (SELECT id FROM event_log WHERE id < $1 ORDER BY id LIMIT $2 + 0)`

	// selectLogStart returns the first row of the log that a run with events may need.
	selectLogStart = `
		SELECT log_from FROM runs WHERE number IS NOT NULL ORDER BY number LIMIT 1`

	// selectDeleted returns threads that were deleted before $1 and have no live run.
	selectDeleted = `
		SELECT t.tenant, t.subject, t.id, t.number FROM threads t
		WHERE t.deleted_at < $1
			AND NOT EXISTS (SELECT 1 FROM runs r
				WHERE r.tenant = t.tenant AND r.subject = t.subject AND r.thread_id = t.id
					AND r.status = 'live')
		LIMIT $2 + 0`

	deleteThread = `
		DELETE FROM threads WHERE tenant = $1 AND subject = $2 AND id = $3`

	deleteSearch = `
		DELETE FROM search WHERE rowid BETWEEN $1 AND $2`

	// selectLogged returns the runs of a thread that have events in the log.
	selectLogged = `
		SELECT number, log_from, coalesce(log_to, log_from) FROM runs
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND number IS NOT NULL`

	selectRows = `
		SELECT id, runs FROM event_log WHERE id BETWEEN $1 AND $2 ORDER BY id`

	selectBodyOf = `
		SELECT body FROM event_log WHERE id = $1`

	setBodyOf = `
		UPDATE event_log SET body = $2 WHERE id = $1`
)

const (
	insertCall = `
		INSERT INTO tool_calls (tenant, subject, thread_id, run_id, seq, id, tool, effect, args, state,
			created_at, definition, allowed_by, origin)
		VALUES ($1, $2, $3, $4,
			coalesce((SELECT max(seq) FROM tool_calls WHERE tenant = $1 AND subject = $2 AND thread_id = $3), 0) + 1,
			$5, $6, $7, $8, 'planned', $9, $10, $11, $12)
		ON CONFLICT (tenant, subject, thread_id, id, run_id) DO NOTHING`

	startCall = `
		UPDATE tool_calls SET state = 'started'
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $5 AND run_id = $4 AND state <> 'finished'`

	finishCall = `
		UPDATE tool_calls SET state = 'finished', result = $6, payload = $7, is_error = $8, ended_at = $9, sources = $10
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $5 AND run_id = $4 AND state <> 'finished'`

	selectCallState = `
		SELECT state FROM tool_calls WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $5 AND run_id = $4`

	callColumns = `c.id, c.run_id, c.tool, c.effect, c.args, c.state, c.result, c.payload, c.is_error,
		c.created_at, c.ended_at, c.definition, c.allowed_by, c.origin, c.sources`

	selectCalls = `
		SELECT ` + callColumns + ` FROM runs r
			JOIN tool_calls c ON c.tenant = $1 AND c.subject = $2 AND c.thread_id = r.thread_id AND c.run_id = r.id
		WHERE r.tenant = $1 AND r.subject = $2 AND r.id = $3` + notDeleted + `
		ORDER BY c.seq`

	selectCall = `
		SELECT ` + callColumns + ` FROM threads t
			JOIN tool_calls c ON c.tenant = $1 AND c.subject = $2 AND c.thread_id = t.id AND c.id = $4
		WHERE t.tenant = $1 AND t.subject = $2 AND t.id = $3 AND t.deleted_at IS NULL
		ORDER BY c.seq DESC LIMIT 1`
)

const (
	// replaceWords makes a message or title be found by these words and no others.
	replaceWords = `
		REPLACE INTO search (rowid, words) VALUES ($1, $2)`

	deleteWords = `
		DELETE FROM search WHERE rowid = $1`

	insertPending = `
		INSERT INTO search_pending (doc) VALUES ($1) ON CONFLICT (doc) DO NOTHING`

	// selectPending returns the first $1 pending documents with the title and the message that each
	// is about, empty where there is none.
	selectPending = `
		SELECT p.doc, coalesce(t.tenant, ''), coalesce(t.subject, ''), coalesce(t.id, ''), coalesce(t.title, ''), coalesce(m.body, '')
		FROM search_pending p
			LEFT JOIN threads t ON t.number = p.doc >> 24
			LEFT JOIN messages m ON m.tenant = t.tenant AND m.subject = t.subject AND m.thread_id = t.id AND m.seq = p.doc & 16777215
		ORDER BY p.doc LIMIT $1 + 0`

	deletePending = `
		DELETE FROM search_pending WHERE doc <= $1`

	anyPending = `
		SELECT EXISTS (SELECT 1 FROM search_pending)`

	foundThreads = `
		SELECT ` + threadColumns + `, max(s.rowid & 16777215) FROM search s
			JOIN threads t ON t.number = s.rowid >> 24` + listedThreads + ` AND s.search MATCH $6 AND pause(s.rowid)`

	// searchThreads is selectThreads for threads that match $6, with the pinned ones first if $7 is
	// true: it also returns the seq of the message found last.
	searchThreads = foundThreads + `
		GROUP BY t.updated_at, t.id
		ORDER BY t.pinned AND $7 DESC, t.updated_at DESC, t.id DESC LIMIT $3 + 0`

	searchThreadsAfter = foundThreads + `
			AND (t.pinned AND $7, t.updated_at, t.id) < ($8, $9, $10)
		GROUP BY t.updated_at, t.id
		ORDER BY t.pinned AND $7 DESC, t.updated_at DESC, t.id DESC LIMIT $3 + 0`
)

const (
	putInstructions = `
		INSERT INTO instructions (tenant, kind, id, text, updated_at, updated_by)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant, kind, id) DO UPDATE SET
			text = excluded.text, updated_at = excluded.updated_at, updated_by = excluded.updated_by`

	deleteInstructions = `
		DELETE FROM instructions WHERE tenant = $1 AND kind = $2 AND id = $3`

	selectInstructions = `
		SELECT kind, id, text, updated_at, updated_by FROM instructions WHERE tenant = $1 AND kind = $2 AND id = $3`
)

const writeHealth = `
	UPDATE health SET written_at = $1 WHERE id = 1`
