package sqlstore

// The SQL of this package. Every statement about somebody's data names tenant and subject; a test sees to it.

const (
	// upsertThread makes the thread where it is missing, reserves $5 places in its order, and holds it until COMMIT.
	upsertThread = `
		INSERT INTO threads (tenant, subject, id, agent, last_seq, created_at, updated_at, title, history)
		VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)
		ON CONFLICT (tenant, subject, id) DO UPDATE SET last_seq = threads.last_seq + excluded.last_seq
		RETURNING last_seq, history`

	// reserve reserves $4 places in the order of a thread that gets messages at $5.
	reserve = `
		UPDATE threads
		SET last_seq = last_seq + $4, updated_at = CASE WHEN updated_at < $5 THEN $5 ELSE updated_at END
		WHERE tenant = $1 AND subject = $2 AND id = $3
		RETURNING last_seq, history`

	// reserveLive is reserve for the live run $6 of the thread; it finds no row where there is none.
	reserveLive = `
		UPDATE threads
		SET last_seq = last_seq + $4, updated_at = CASE WHEN updated_at < $5 THEN $5 ELSE updated_at END
		WHERE tenant = $1 AND subject = $2 AND id = $3
			AND EXISTS (SELECT 1 FROM runs WHERE tenant = $1 AND subject = $2 AND id = $6 AND thread_id = $3 AND status = 'live')
		RETURNING last_seq, history`

	setTitle = `
		UPDATE threads SET title = $4 WHERE tenant = $1 AND subject = $2 AND id = $3`

	selectThread = `
		SELECT id, title, agent, archived, created_at, updated_at FROM threads
		WHERE tenant = $1 AND subject = $2 AND id = $3`

	selectThreads = `
		SELECT id, title, agent, archived, created_at, updated_at FROM threads
		WHERE tenant = $1 AND subject = $2
		ORDER BY updated_at DESC, id DESC LIMIT $3`

	selectThreadsAfter = `
		SELECT id, title, agent, archived, created_at, updated_at FROM threads
		WHERE tenant = $1 AND subject = $2 AND (updated_at, id) < ($4, $5)
		ORDER BY updated_at DESC, id DESC LIMIT $3`
)

const (
	insertRun = `
		INSERT INTO runs (tenant, subject, id, thread_id, seq, agent, parent_run_id, fingerprint, status, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'live', $9)
		ON CONFLICT (tenant, subject, id) DO NOTHING`

	selectRunState = `
		SELECT thread_id, status FROM runs WHERE tenant = $1 AND subject = $2 AND id = $3`

	endRun = `
		UPDATE runs SET status = $5, pending = $6, error = $7, usage = $8, ended_at = $9
		WHERE tenant = $1 AND subject = $2 AND id = $3 AND thread_id = $4 AND status = 'live'`

	runColumns = `id, thread_id, agent, parent_run_id, fingerprint, status, pending, error, usage, created_at, ended_at`

	selectRun = `
		SELECT ` + runColumns + ` FROM runs
		WHERE tenant = $1 AND subject = $2 AND id = $3`

	selectLastRun = `
		SELECT ` + runColumns + ` FROM runs
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3
		ORDER BY seq DESC LIMIT 1`

	selectLiveRuns = `
		SELECT tenant, subject, ` + runColumns + ` FROM runs
		WHERE status = 'live'
		ORDER BY created_at, tenant, subject, id`
)

const (
	insertMessage = `
		INSERT INTO messages (tenant, subject, thread_id, seq, id, run_id, created_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant, subject, thread_id, id) DO NOTHING`

	upsertMessage = `
		INSERT INTO messages (tenant, subject, thread_id, seq, id, run_id, created_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant, subject, thread_id, id) DO UPDATE SET body = excluded.body`

	selectTranscript = `
		SELECT seq, body FROM messages
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3
		ORDER BY seq`

	selectMessagesBefore = `
		SELECT seq, run_id, created_at, body FROM messages
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND seq < $4
		ORDER BY seq DESC LIMIT $5`
)

const (
	insertHistory = `
		INSERT INTO histories (tenant, subject, thread_id, run_id, created_at, ids, bodies)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`

	// replaceHistory puts a message at the place $4 of the thread's history.
	replaceHistory = `
		INSERT INTO messages (tenant, subject, thread_id, seq, id, run_id, created_at, body)
		SELECT tenant, subject, thread_id, $4, $5, run_id, created_at, $6 FROM histories
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3
		ON CONFLICT (tenant, subject, thread_id, id) DO UPDATE SET body = excluded.body`

	selectHistoryIDs = `
		SELECT ids FROM histories WHERE tenant = $1 AND subject = $2 AND thread_id = $3`

	selectHistory = `
		SELECT run_id, created_at, bodies FROM histories
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3`

	selectHistorySize = `
		SELECT history FROM threads WHERE tenant = $1 AND subject = $2 AND id = $3`
)

const writeHealth = `
	UPDATE health SET written_at = $1 WHERE id = 1`
