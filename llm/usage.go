package llm

// Counting says how the counts of a UsagePart relate to the earlier ones of the same call.
type Counting uint8

// The zero Counting is CountsTotal.
const (
	// the call's totals so far: they replace earlier ones
	CountsTotal Counting = iota
	// what came since the last UsagePart: they are added to earlier ones
	CountsDelta
)

// Take takes a UsagePart of the call that u counts. A count that the part lacks stays as it is.
func (u *Usage) Take(p *Part) {
	if p.Usage == nil {
		return
	}
	to, from := u.counts(), p.Usage.counts()
	for i := range from {
		switch {
		case *from[i] == nil:
		case p.Counting == CountsDelta && *to[i] != nil:
			*to[i] = new(**to[i] + **from[i])
		default:
			*to[i] = new(**from[i])
		}
	}
}

func (u *Usage) counts() [6]**int64 {
	return [...]**int64{&u.Input, &u.Output, &u.Total, &u.Reasoning, &u.CacheRead, &u.CacheWrite}
}
