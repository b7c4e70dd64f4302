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
