package sqlstore

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
