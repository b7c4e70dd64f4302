package sqlstore

// The SQL of this package. Every statement about an owner's data names tenant and subject; a test
// checks that.
//
// A limit is an expression: SQLite plans with the value of a parameter that stands there alone, and
// plans the statement again whenever one is bound.

const (
	selectHead = `
		SELECT head, number, deleted_at IS NOT NULL FROM threads
		WHERE tenant = $1 AND subject = $2 AND id = $3`

	// upsertThread creates the thread if it is missing, reserves $5 seqs, and makes the run $9 its
	// head.
	upsertThread = `
		INSERT INTO threads (tenant, subject, id, agent, last_seq, created_at, updated_at, title, history, head, number)
		VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, coalesce((SELECT max(number) FROM threads), 0) + 1)
		ON CONFLICT (tenant, subject, id) DO UPDATE SET last_seq = threads.last_seq + excluded.last_seq, head = excluded.head,
			branched = CASE WHEN $10 THEN TRUE ELSE threads.branched END
		RETURNING last_seq, history, number`

	// reserve reserves $4 seqs of a thread that gets messages at $5.
	reserve = `
		UPDATE threads
		SET last_seq = last_seq + $4, updated_at = CASE WHEN updated_at < $5 THEN $5 ELSE updated_at END
		WHERE tenant = $1 AND subject = $2 AND id = $3
		RETURNING last_seq, history, number`

	// reserveLive is reserve for the live run $6 of the thread; it finds no row where there is
	// none.
	reserveLive = `
		UPDATE threads
		SET last_seq = last_seq + $4, updated_at = CASE WHEN updated_at < $5 THEN $5 ELSE updated_at END
		WHERE tenant = $1 AND subject = $2 AND id = $3
			AND EXISTS (SELECT 1 FROM runs WHERE tenant = $1 AND subject = $2 AND id = $6 AND thread_id = $3 AND status = 'live')
		RETURNING last_seq, history, number`

	// threadShown is a condition: the thread $3 of the owner is there and not deleted.
	threadShown = `EXISTS (SELECT 1 FROM threads t
			WHERE t.tenant = $1 AND t.subject = $2 AND t.id = $3 AND t.deleted_at IS NULL)`

	threadColumns = `t.id, t.title, t.agent, t.archived, t.pinned, t.head, t.created_at, t.updated_at, t.deleted_at`

	selectThread = `
		SELECT ` + threadColumns + ` FROM threads t
		WHERE t.tenant = $1 AND t.subject = $2 AND t.id = $3`

	// In these, $4 says whether the threads are deleted and $5 whether they are archived, NULL for
	// either.
	listedThreads = `
		WHERE t.tenant = $1 AND t.subject = $2
			AND (t.deleted_at IS NOT NULL) = $4 AND t.archived = coalesce($5, t.archived)`

	allThreads = `
		SELECT ` + threadColumns + `, 0 FROM threads t` + listedThreads

	selectThreads = allThreads + `
		ORDER BY t.updated_at DESC, t.id DESC LIMIT $3 + 0`

	selectThreadsAfter = allThreads + `
			AND (t.updated_at, t.id) < ($6, $7)
		ORDER BY t.updated_at DESC, t.id DESC LIMIT $3 + 0`

	// selectPinnedFirst is selectThreads with the pinned threads before the others.
	selectPinnedFirst = allThreads + `
		ORDER BY t.pinned DESC, t.updated_at DESC, t.id DESC LIMIT $3 + 0`

	selectPinnedFirstAfter = allThreads + `
			AND (t.pinned, t.updated_at, t.id) < ($6, $7, $8)
		ORDER BY t.pinned DESC, t.updated_at DESC, t.id DESC LIMIT $3 + 0`

	updateThread = `
		UPDATE threads SET title = $4, archived = $5, head = $6, deleted_at = $7, pinned = $9,
			branched = CASE WHEN $8 THEN TRUE ELSE branched END
		WHERE tenant = $1 AND subject = $2 AND id = $3
		RETURNING number`

	// selectLiveRun finds a live run of the thread.
	selectLiveRun = `
		SELECT id FROM runs WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND status = 'live' LIMIT 1`

	// selectVisible is what a reader needs to know of a thread before it reads messages.
	selectVisible = `
		SELECT history, branched, head, last_seq FROM threads
		WHERE tenant = $1 AND subject = $2 AND id = $3 AND deleted_at IS NULL`
)

const (
	// insertRun stores a run. It is tainted if $15 is, or the run it continues.
	insertRun = `
		INSERT INTO runs (tenant, subject, id, thread_id, seq, agent, parent_run_id, fingerprint, status, created_at, input, first_user, first_preview,
			number, log_from, tainted)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'live', $9, $10, $11, $12, $13, $14,
			CASE WHEN $15 THEN TRUE ELSE EXISTS (SELECT 1 FROM runs p WHERE p.tenant = $1 AND p.subject = $2 AND p.id = $7 AND p.tainted) END)
		ON CONFLICT (tenant, subject, id) DO NOTHING`

	// insertState stores a version of a thread's state and returns its seq.
	insertState = `
		INSERT INTO states (tenant, subject, thread_id, seq, body)
		VALUES ($1, $2, $3, coalesce((SELECT max(seq) FROM states WHERE tenant = $1 AND subject = $2 AND thread_id = $3), 0) + 1, $4)
		RETURNING seq`

	// selectState returns the version of the state that a run has now.
	selectState = `
		SELECT s.seq, s.body FROM runs r
			JOIN states s ON s.tenant = $1 AND s.subject = $2 AND s.thread_id = r.thread_id AND s.seq = r.state
		WHERE r.tenant = $1 AND r.subject = $2 AND r.id = $3`

	setStartState = `
		UPDATE runs SET start_state = $4, state = $4 WHERE tenant = $1 AND subject = $2 AND id = $3`

	setState = `
		UPDATE runs SET state = $4 WHERE tenant = $1 AND subject = $2 AND id = $3`

	setFirstUser = `
		UPDATE runs SET first_user = $4, first_preview = $5 WHERE tenant = $1 AND subject = $2 AND id = $3`

	selectRunState = `
		SELECT thread_id, status FROM runs WHERE tenant = $1 AND subject = $2 AND id = $3`

	endRun = `
		UPDATE runs SET status = $5, pending = $6, error = $7, usage = $8, ended_at = $9,
			interrupts = $10, last_seq = $11, log_to = $12, input = NULL
		WHERE tenant = $1 AND subject = $2 AND id = $3 AND thread_id = $4 AND status = 'live'`

	setUsage = `
		UPDATE runs SET usage = $4 WHERE tenant = $1 AND subject = $2 AND id = $3`

	nextEpoch = `
		UPDATE runs SET epoch = epoch + 1
		WHERE tenant = $1 AND subject = $2 AND id = $3 AND status = 'live'
		RETURNING epoch`

	taintRun = `
		UPDATE runs SET tainted = TRUE WHERE tenant = $1 AND subject = $2 AND id = $3 AND status = 'live'`

	runColumns = `r.id, r.thread_id, r.agent, r.parent_run_id, r.fingerprint, r.status, r.pending, r.error, r.usage, r.interrupts, r.input, r.epoch,
		coalesce(r.last_seq, 0), r.tainted, r.created_at, r.ended_at`

	// stateColumns are the run's versions of the state.
	stateColumns = `
		(SELECT s.body FROM states s WHERE s.tenant = r.tenant AND s.subject = r.subject AND s.thread_id = r.thread_id AND s.seq = r.start_state),
		(SELECT s.body FROM states s WHERE s.tenant = r.tenant AND s.subject = r.subject AND s.thread_id = r.thread_id AND s.seq = r.state)`

	notDeleted = `
			AND EXISTS (SELECT 1 FROM threads t
				WHERE t.tenant = $1 AND t.subject = $2 AND t.id = r.thread_id AND t.deleted_at IS NULL)`

	selectRun = `
		SELECT ` + runColumns + `, ` + stateColumns + ` FROM runs r
		WHERE r.tenant = $1 AND r.subject = $2 AND r.id = $3` + notDeleted

	selectLastRun = `
		SELECT ` + runColumns + `, ` + stateColumns + ` FROM threads t JOIN runs r ON r.tenant = $1 AND r.subject = $2 AND r.id = t.head
		WHERE t.tenant = $1 AND t.subject = $2 AND t.id = $3 AND t.deleted_at IS NULL`

	selectRuns = `
		SELECT ` + runColumns + `, coalesce(r.first_user, ''), coalesce(r.first_preview, '') FROM runs r
		WHERE r.tenant = $1 AND r.subject = $2 AND r.thread_id = $3` + notDeleted + `
		ORDER BY r.seq`

	// recentRuns are summaries. A run that waits is passed by the first that continues it.
	recentRuns = `
		SELECT r.id, r.thread_id, r.status, r.status = 'finished' AND coalesce(r.pending, r.interrupts) IS NOT NULL AS waits,
			CASE WHEN r.status = 'finished' AND coalesce(r.pending, r.interrupts) IS NOT NULL THEN (
				SELECT min(n.created_at) FROM runs n
				WHERE n.tenant = $1 AND n.subject = $2 AND n.thread_id = r.thread_id AND n.parent_run_id = r.id) END AS passed_at,
			coalesce(r.ended_at, r.created_at) AS at
		FROM runs r
		WHERE r.tenant = $1 AND r.subject = $2 AND r.agent = coalesce($3, r.agent)` + notDeleted

	newestFirst = `
		SELECT id, thread_id, status, waits, passed_at IS NOT NULL, max(at, coalesce(passed_at, at)) AS changed_at FROM recent
		WHERE changed_at >= $4 ORDER BY changed_at DESC, id DESC LIMIT $5 + 0`

	selectRecentRuns = `WITH recent AS MATERIALIZED (` + recentRuns + `)` + newestFirst

	// selectRecentRunsOf is selectRecentRuns for the thread $6.
	selectRecentRunsOf = `WITH recent AS MATERIALIZED (` + recentRuns + ` AND r.thread_id = $6)` + newestFirst

	selectLiveRuns = `
		SELECT ` + runColumns + `, ` + stateColumns + `, r.tenant, r.subject FROM runs r
		WHERE r.status = 'live'
		ORDER BY r.created_at, r.tenant, r.subject, r.id`

	// runsOfBranch begins a query about the branch that ends with the run $4.
	runsOfBranch = `
		WITH RECURSIVE branch (id, parent) AS (
			SELECT id, parent_run_id FROM runs
			WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $4
			UNION ALL
			SELECT r.id, r.parent_run_id FROM branch b JOIN runs r ON r.tenant = $1 AND r.subject = $2 AND r.id = b.parent
		)
		`

	selectBranch = runsOfBranch + `SELECT id FROM branch`
)

const (
	insertMessage = `
		INSERT INTO messages (tenant, subject, thread_id, seq, id, run_id, created_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant, subject, thread_id, id) DO NOTHING`

	// upsertMessage returns the seq of the message.
	upsertMessage = `
		INSERT INTO messages (tenant, subject, thread_id, seq, id, run_id, created_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant, subject, thread_id, id) DO UPDATE SET body = excluded.body
		RETURNING seq`

	// selectTranscript selects what a thread got after the seq $4.
	selectTranscript = `
		SELECT seq, run_id, body FROM messages
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND seq > $4
		ORDER BY seq`

	selectMessagesBefore = `
		SELECT seq, run_id, created_at, body FROM messages
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND seq < $4
		ORDER BY seq DESC LIMIT $5 + 0`

	selectBranchBefore = runsOfBranch + `
		SELECT seq, run_id, created_at, body FROM messages
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND seq < $5 AND run_id IN (SELECT id FROM branch)
		ORDER BY seq DESC LIMIT $6 + 0`

	selectMessage = `
		SELECT seq, run_id, created_at, body FROM messages
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $4`

	selectMessageRun = `
		SELECT run_id FROM messages
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $4`

	selectMessageAt = `
		SELECT body FROM messages
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND seq = $4`

	setBody = `
		UPDATE messages SET body = $5 WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $4`
)

const (
	insertHistory = `
		INSERT INTO histories (tenant, subject, thread_id, run_id, created_at, ids, bodies)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`

	// replaceHistory puts a message at the seq $4 of the thread's history.
	replaceHistory = `
		INSERT INTO messages (tenant, subject, thread_id, seq, id, run_id, created_at, body)
		SELECT tenant, subject, thread_id, $4, $5, run_id, created_at, $6 FROM histories
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3
		ON CONFLICT (tenant, subject, thread_id, id) DO UPDATE SET body = excluded.body`

	selectHistoryIDs = `
		SELECT run_id, ids FROM histories WHERE tenant = $1 AND subject = $2 AND thread_id = $3`

	selectHistory = `
		SELECT run_id, created_at, bodies FROM histories
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3`

	// noteHistory notes that the thread's history is not in the search index.
	noteHistory = `
		INSERT INTO search_histories (tenant, subject, thread_id) VALUES ($1, $2, $3)`

	anyHistories = `
		SELECT count(*) > 0 FROM search_histories WHERE tenant = $1 AND subject = $2`

	selectHistories = `
		SELECT h.thread_id, t.number, t.history FROM search_histories h
			JOIN threads t ON t.tenant = $1 AND t.subject = $2 AND t.id = h.thread_id
		WHERE h.tenant = $1 AND h.subject = $2
		ORDER BY h.thread_id LIMIT $3 + 0`

	deleteHistory = `
		DELETE FROM search_histories WHERE tenant = $1 AND subject = $2 AND thread_id = $3`
)

const (
	putFeedback = `
		INSERT INTO feedback (tenant, subject, thread_id, message_id, rating, reason, comment, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant, subject, thread_id, message_id) DO UPDATE SET
			rating = excluded.rating, reason = excluded.reason, comment = excluded.comment, at = excluded.at`

	deleteFeedback = `
		DELETE FROM feedback WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND message_id = $4`

	selectFeedback = `
		SELECT message_id, rating, reason, comment, at FROM feedback WHERE tenant = $1 AND subject = $2 AND thread_id = $3`
)
