package tool

// Asks reports whether a person must agree before a call of the tool runs. tainted says whether the
// model that wrote the call has read what others may have written, or whether that is unknown:
//
//	effect               asks
//	read, page           never
//	idempotent, write    on tainted branches
//	exfil, destructive   on every branch
//
// The tool's own approval wins over its effect. Packages agent and policy know what adds to this
// rule and what lifts it.
func (t *Tool) Asks(tainted bool) bool {
	switch t.Policy.Approval {
	case ApprovalAlways:
		return true
	case ApprovalNever:
		return false
	}
	switch t.Effect {
	case Read, Page:
		return false
	case Idempotent, Write, "":
		return tainted
	}
	return true
}
