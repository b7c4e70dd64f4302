package sqlstore

// The SQL of allowances and suggested actions.

const (
	allowanceValues = `thread_id, id, run_id, agent, tool, definition, args, open_args, args_hash,
			created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

	// Columns of an allowance in a list, and of one that is found by its tool, without arguments.
	allowanceListed = `a.id, a.run_id, a.agent, a.tool, a.definition, a.args, ` + allowanceRest
	allowanceFound  = `a.id, a.run_id, a.agent, a.tool, a.definition, NULL, ` + allowanceRest
	allowanceRest   = `a.open_args, a.args_hash, a.created_at, a.expires_at, `

	forgetAllowances = `
		DELETE FROM allowances WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND expires_at <= $4`

	insertAllowance = `
		INSERT INTO allowances (tenant, subject, ` + allowanceValues + `
		ON CONFLICT (tenant, subject, thread_id, id) DO NOTHING`

	// selectAllowances returns one row for a thread without allowances, which tells it from a
	// thread that does not exist.
	selectAllowances = `
		SELECT ` + allowanceListed + `t.id FROM threads t
			LEFT JOIN allowances a ON a.tenant = $1 AND a.subject = $2 AND a.thread_id = t.id AND a.expires_at > $4
		WHERE t.tenant = $1 AND t.subject = $2 AND t.id = $3 AND t.deleted_at IS NULL`

	// findAllowances is selectAllowances for those of one tool, without their arguments.
	findAllowances = `
		SELECT ` + allowanceFound + `t.id FROM threads t
			LEFT JOIN allowances a ON a.tenant = $1 AND a.subject = $2 AND a.thread_id = t.id AND a.expires_at > $4
				AND a.agent = $5 AND a.tool = $6 AND a.definition = $7
		WHERE t.tenant = $1 AND t.subject = $2 AND t.id = $3 AND t.deleted_at IS NULL`

	deleteAllowance = `
		DELETE FROM allowances WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND id = $4 AND expires_at > $5
			AND ` + threadShown
)

const (
	forgetUserAllowances = `
		DELETE FROM user_allowances WHERE tenant = $1 AND subject = $2 AND expires_at <= $3`

	insertUserAllowance = `
		INSERT INTO user_allowances (tenant, subject, ` + allowanceValues + `
		ON CONFLICT (tenant, subject, id) DO NOTHING`

	selectUserAllowances = `
		SELECT ` + allowanceListed + `a.thread_id FROM user_allowances a
		WHERE a.tenant = $1 AND a.subject = $2 AND a.expires_at > $3`

	// findUserAllowances is selectUserAllowances for those of one tool, without their arguments.
	findUserAllowances = `
		SELECT ` + allowanceFound + `a.thread_id FROM user_allowances a
		WHERE a.tenant = $1 AND a.subject = $2 AND a.expires_at > $3
			AND a.agent = $4 AND a.tool = $5 AND a.definition = $6`

	deleteUserAllowance = `
		DELETE FROM user_allowances WHERE tenant = $1 AND subject = $2 AND id = $3 AND expires_at > $4`
)

const (
	forgetActions = `
		DELETE FROM actions WHERE tenant = $1 AND subject = $2 AND expires_at <= $3`

	selectAction = `
		SELECT fingerprint, result, created_at, expires_at FROM actions
		WHERE tenant = $1 AND subject = $2 AND key = $3`

	insertAction = `
		INSERT INTO actions (tenant, subject, key, fingerprint, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6)`

	endAction = `
		UPDATE actions SET result = $4 WHERE tenant = $1 AND subject = $2 AND key = $3`

	forgetApprovals = `
		DELETE FROM action_approvals WHERE tenant = $1 AND subject = $2 AND expires_at <= $3`

	insertApproval = `
		INSERT INTO action_approvals (tenant, subject, id, fingerprint, expires_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, subject, id) DO NOTHING`

	useApproval = `
		DELETE FROM action_approvals
		WHERE tenant = $1 AND subject = $2 AND id = $3 AND fingerprint = $4 AND expires_at > $5`
)

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

// What model calls used. A sum that would be too large for its type stays at the largest value.
const (
	addAmount = ` DO UPDATE SET
			tokens = CASE WHEN tokens > 9223372036854775807 - excluded.tokens
				THEN 9223372036854775807 ELSE tokens + excluded.tokens END,
			micro_dollars = CASE WHEN micro_dollars > 9223372036854775807 - excluded.micro_dollars
				THEN 9223372036854775807 ELSE micro_dollars + excluded.micro_dollars END`

	addUserUsage = `
		INSERT INTO usage_users (tenant, subject, day, tokens, micro_dollars)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, subject, day)` + addAmount

	addTenantUsage = `
		INSERT INTO usage_tenants (tenant, day, tokens, micro_dollars) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant, day)` + addAmount

	forgetUserUsage = `
		DELETE FROM usage_users WHERE tenant = $1 AND subject = $2 AND day <= $3`

	forgetTenantUsage = `
		DELETE FROM usage_tenants WHERE tenant = $1 AND day <= $2`

	selectUserUsage = `
		SELECT tokens, micro_dollars FROM usage_users WHERE tenant = $1 AND subject = $2 AND day = $3`

	selectTenantUsage = `
		SELECT tokens, micro_dollars FROM usage_tenants WHERE tenant = $1 AND day = $2`

	// selectHolds returns the holds of a whole tenant: they are as many as its runs that are live.
	selectHolds = `
		SELECT subject, run_id, day, tokens, micro_dollars, until FROM usage_holds WHERE tenant = $1`

	putHold = `
		INSERT INTO usage_holds (tenant, subject, run_id, day, tokens, micro_dollars, until)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (tenant, subject, run_id) DO UPDATE SET
			day = excluded.day, until = excluded.until,
			tokens = excluded.tokens, micro_dollars = excluded.micro_dollars`

	deleteHold = `
		DELETE FROM usage_holds WHERE tenant = $1 AND subject = $2 AND run_id = $3`
)
