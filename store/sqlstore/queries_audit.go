package sqlstore

// The SQL of the audit log. Its rows are the tenant's, not an owner's.

const (
	insertAudit = `
		INSERT INTO audit_log (tenant, day, seq, key_id, prev, hash, body) VALUES ($1, $2, $3, $4, $5, $6, $7)`

	auditColumns = `tenant, day, seq, key_id, prev, hash, body`

	// selectAudit returns rows of a tenant, newest first: those of days from $2 to $3 before the
	// position $4, $5.
	selectAudit = `
		SELECT ` + auditColumns + ` FROM audit_log
		WHERE tenant = $1 AND day >= $2 AND day <= $3 AND (day, seq) < ($4, $5)
			AND seq > coalesce((SELECT purged_seq FROM audit_heads WHERE tenant = $1), 0)
		ORDER BY tenant DESC, day DESC, seq DESC LIMIT $6 + 0`

	// selectAuditAfter returns rows of all tenants after a position.
	selectAuditAfter = `
		SELECT ` + auditColumns + ` FROM audit_log a
		WHERE (tenant, day, seq) > ($1, $2, $3)
			AND seq > coalesce((SELECT purged_seq FROM audit_heads h WHERE h.tenant = a.tenant), 0)
		ORDER BY tenant, day, seq LIMIT $4 + 0`

	// selectAuditOf is selectAuditAfter for one tenant.
	selectAuditOf = `
		SELECT ` + auditColumns + ` FROM audit_log
		WHERE tenant = $1 AND (day, seq) > ($2, $3)
			AND seq > coalesce((SELECT purged_seq FROM audit_heads WHERE tenant = $1), 0)
		ORDER BY tenant, day, seq LIMIT $4 + 0`

	// headColumns are a stored head and, since it may lag behind, the newest row.
	headColumns = `h.tenant, h.day, h.seq, h.key_id, h.hash,
		h.purged_day, h.purged_seq, h.purged_hash, h.purged_key, h.purged_seal,
		coalesce(r.day, ''), coalesce(r.seq, 0), coalesce(r.key_id, ''), r.hash`

	joinNewest = ` LEFT JOIN audit_log r ON r.tenant = h.tenant AND (r.day, r.seq) =
			(SELECT day, seq FROM audit_log WHERE tenant = h.tenant ORDER BY tenant DESC, day DESC, seq DESC LIMIT 1)`

	selectAuditHead = `
		SELECT ` + headColumns + ` FROM audit_heads h` + joinNewest + ` WHERE h.tenant = $1`

	selectAuditHeads = `
		SELECT ` + headColumns + ` FROM audit_heads h` + joinNewest + ` ORDER BY h.tenant`

	putAuditHead = `
		INSERT INTO audit_heads (tenant, day, seq, key_id, hash) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant) DO UPDATE SET
			day = excluded.day, seq = excluded.seq, key_id = excluded.key_id, hash = excluded.hash`

	setAuditPurged = `
		UPDATE audit_heads
		SET purged_day = $2, purged_seq = $3, purged_hash = $4, purged_key = $5, purged_seal = $6
		WHERE tenant = $1`

	// selectAuditLast returns the last row of a tenant before the day $2.
	selectAuditLast = `
		SELECT day, seq, hash FROM audit_log
		WHERE tenant = $1 AND day < $2 ORDER BY tenant DESC, day DESC, seq DESC LIMIT 1`

	// purgeAudit deletes rows that the tenant's checkpoint covers.
	purgeAudit = `
		DELETE FROM audit_log WHERE (tenant, day, seq) IN (
			SELECT tenant, day, seq FROM audit_log WHERE tenant = $1 AND day <= $2 AND seq <= $3 LIMIT $4 + 0)`
)
