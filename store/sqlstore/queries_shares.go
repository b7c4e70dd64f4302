package sqlstore

// The SQL of shares.

const (
	forgetShares = `
		DELETE FROM shares WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND expires_at <= $4`

	countShares = `
		SELECT count(*) FROM shares WHERE tenant = $1 AND subject = $2 AND thread_id = $3`

	insertShare = `
		INSERT INTO shares (tenant, subject, thread_id, id, token_hash, created_at, expires_at, title, messages)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT DO NOTHING`

	// selectShares returns one row for a thread without shares, which tells it from a thread that
	// does not exist.
	selectShares = `
		SELECT s.id, s.title, s.created_at, s.expires_at FROM threads t
			LEFT JOIN shares s
				ON s.tenant = $1 AND s.subject = $2 AND s.thread_id = t.id AND s.expires_at > $4
		WHERE t.tenant = $1 AND t.subject = $2 AND t.id = $3 AND t.deleted_at IS NULL`

	deleteShare = `
		DELETE FROM shares WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $4 AND expires_at > $5
			AND ` + threadShown

	// openShare is about the tenant, not about one owner.
	openShare = `
		SELECT s.tenant, s.subject, s.thread_id, s.id, s.token_hash, s.created_at, s.expires_at,
			s.title, s.messages
		FROM shares s
		WHERE s.token_hash = $2 AND s.tenant = $1 AND s.expires_at > $3
			AND EXISTS (SELECT 1 FROM threads t
				WHERE t.tenant = s.tenant AND t.subject = s.subject AND t.id = s.thread_id
					AND t.deleted_at IS NULL)`

	purgeShares = `
		DELETE FROM shares WHERE rowid IN (SELECT rowid FROM shares WHERE expires_at < $1 LIMIT $2 + 0)`
)
