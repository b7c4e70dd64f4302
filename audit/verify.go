package audit

import (
	"cmp"
	"context"
	"crypto/hmac"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// Source is a log to verify.
type Source interface {
	// AuditHeads returns the heads of all chains.
	AuditHeads(ctx context.Context) ([]Head, error)
	// AuditRows yields all rows by tenant, day and seq, without those that were purged.
	AuditRows(ctx context.Context) iter.Seq2[Row, error]
}

// Problem is a place where the log was changed.
type Problem struct {
	Tenant string `json:"tenant"`
	Day    string `json:"day,omitempty"`
	Seq    int64  `json:"seq"`
	What   string `json:"what"`
}

// String returns the problem as one line.
func (p Problem) String() string {
	at := fmt.Sprintf("row %d", p.Seq)
	if p.Day != "" {
		at += " of " + p.Day
	}
	if p.Tenant != "" {
		at = fmt.Sprintf("tenant %q, %s", p.Tenant, at)
	}
	return at + ": " + p.What
}

// State is what a verification says of a log in a word.
type State string

// States of a log.
const (
	Intact State = "ok" // as it was written, at least to the newest anchor
	// what is there is as it was written; no anchor shows whether the end is
	Unanchored State = "unanchored"
	Tampered   State = "changed" // see Report.Problems
)

// Report is what Verify found.
type Report struct {
	State    State     `json:"state"`
	Tenants  int       `json:"tenants"`
	Rows     int       `json:"rows"`
	Anchors  int       `json:"anchors"`  // that were compared with a row
	Loose    int       `json:"loose"`    // rows after the last anchor of their tenant
	Sealed   bool      `json:"sealed"`   // every tenant's newest row is sealed with a key
	Problems []Problem `json:"problems"` // in the order of the log; at most 1,000
}

const maxProblems = 1000

// Verify checks every row against the one before it, against the heads and against anchors. It
// finds edits, deletions, insertions, changes of the order and a cut-off end, and says where. Rows
// after the last anchor are only as safe as the store; without anchors the state is Unanchored.
// keys are all keys that rows were sealed with; without any, rows that are sealed cannot be checked
// and are reported.
//
// The log may grow meanwhile.
func Verify(ctx context.Context, log Source, anchors []Anchor, keys ...[]byte) (Report, error) {
	chains := map[string]*Chain{"": NewChain(nil)}
	for _, key := range keys {
		c := NewChain(key)
		chains[c.id] = c
	}
	for {
		before, err := headsOf(ctx, log)
		if err != nil {
			return Report{}, err
		}
		v := &verifier{
			chains: chains, heads: before, anchors: byTenant(anchors), seen: map[string]bool{},
			lacks: map[string]bool{}, keyed: len(keys) > 0,
		}
		for r, err := range log.AuditRows(ctx) {
			if err != nil {
				return Report{}, err
			}
			v.row(&r)
		}
		after, err := headsOf(ctx, log)
		if err != nil {
			return Report{}, err
		}
		if purgedMeanwhile(before, after) {
			continue
		}
		v.finish(after)
		v.report.State = v.report.state()
		return v.report, nil
	}
}

func (r *Report) state() State {
	switch {
	case len(r.Problems) > 0:
		return Tampered
	case r.Anchors == 0:
		return Unanchored
	}
	return Intact
}

func headsOf(ctx context.Context, log Source) (map[string]Head, error) {
	list, err := log.AuditHeads(ctx)
	heads := make(map[string]Head, len(list))
	for _, h := range list {
		heads[h.Tenant] = h
	}
	return heads, err
}

func purgedMeanwhile(before, after map[string]Head) bool {
	for tenant, h := range after {
		if was, ok := before[tenant]; ok && was.Purged != h.Purged {
			return true
		}
	}
	return false
}

func byTenant(anchors []Anchor) map[string][]Anchor {
	by := map[string][]Anchor{}
	for _, a := range anchors {
		by[a.Tenant] = append(by[a.Tenant], a)
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(a, b Anchor) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return by
}

// verifier walks the log.
type verifier struct {
	chains  map[string]*Chain
	heads   map[string]Head
	anchors map[string][]Anchor
	keyed   bool
	lacks   map[string]bool // ids of keys that were not given
	seen    map[string]bool // tenants that are done or begun
	report  Report

	// of the current tenant
	at     Head
	sealed bool // a row so far is sealed with a key
	purges map[string]bool
	rest   []Anchor // not yet reached
	ends   []end
}

// end is the end of a tenant's rows.
type end struct {
	Head
	sealed bool
}

func (v *verifier) problem(tenant, day string, seq int64, format string, args ...any) {
	if len(v.report.Problems) < maxProblems {
		v.report.Problems = append(v.report.Problems, Problem{tenant, day, seq, fmt.Sprintf(format, args...)})
	}
}

func (v *verifier) row(r *Row) {
	if len(v.seen) == 0 || v.at.Tenant != r.Tenant {
		v.leave()
		v.enter(r.Tenant)
	}
	v.report.Rows++
	fail := func(format string, args ...any) { v.problem(r.Tenant, r.Day, r.Seq, format, args...) }
	switch {
	case r.Seq > v.at.Seq+1:
		fail("rows %d to %d before it are missing", v.at.Seq+1, r.Seq-1)
	case r.Seq <= v.at.Seq:
		fail("it comes after row %d", v.at.Seq)
	case r.Prev != v.at.Hash:
		fail("it does not follow the row before it")
	}
	if r.Day < v.at.Day {
		fail("its day is before that of the row before it")
	}
	v.checkSeal(r, fail)
	v.checkAnchors(r, fail)
	if e, err := r.Entry(); err == nil && e.Kind == Purge {
		v.purges[e.ArgsHash] = true
	}
	v.at = v.at.Advance(r)
}

// checkSeal checks a row's hash.
func (v *verifier) checkSeal(r *Row, fail func(string, ...any)) {
	c := v.chains[r.Key]
	switch {
	case c == nil && !v.lacks[r.Key]: // once: every row after it would say the same
		v.lacks[r.Key] = true
		fail("it and others are sealed with a key that was not given (id %s)", r.Key)
	case c == nil:
	case r.Key == "" && v.sealed:
		fail("it is not sealed, though rows before it are")
	default:
		if sum := c.sum(r); !hmac.Equal(sum[:], r.Hash[:]) {
			fail("it was changed")
		}
	}
	v.sealed = v.sealed || r.Key != ""
}

// checkAnchors compares a row with the anchors of its number.
func (v *verifier) checkAnchors(r *Row, fail func(string, ...any)) {
	for len(v.rest) > 0 && v.rest[0].Seq <= r.Seq {
		a := v.rest[0]
		v.rest = v.rest[1:]
		if a.Seq < r.Seq {
			continue // missing, which is reported
		}
		v.report.Anchors++
		if a.Hash != r.Hash || a.Day != r.Day {
			fail("it is not the row that was anchored at %s", a.Time.UTC().Format(time.RFC3339))
		}
	}
}

// enter begins a tenant.
func (v *verifier) enter(tenant string) {
	if v.seen[tenant] {
		v.problem(tenant, "", 0, "its rows are not together")
	}
	v.seen[tenant] = true
	v.report.Tenants++
	v.sealed, v.purges, v.rest = false, map[string]bool{}, v.anchors[tenant]
	p := v.heads[tenant].Purged
	v.at = Head{Tenant: tenant, Day: p.Day, Seq: p.Seq, Hash: p.Hash}
	if p.Seq == 0 {
		return
	}
	if c := v.chains[p.Key]; c == nil {
		v.problem(tenant, p.Day, p.Seq,
			"the checkpoint of purged rows is sealed with a key that was not given (id %s)", p.Key)
	} else if c.seal(tenant, &p) != p.Seal {
		v.problem(tenant, p.Day, p.Seq, "the checkpoint of purged rows was changed")
	}
	v.sealed = p.Key != ""
	for len(v.rest) > 0 && v.rest[0].Seq <= p.Seq {
		if a := v.rest[0]; a.Seq == p.Seq && a.Hash != p.Hash {
			v.problem(tenant, p.Day, p.Seq, "the last purged row is not the row that was anchored at %s",
				a.Time.UTC().Format(time.RFC3339))
		}
		v.rest = v.rest[1:]
	}
}

// leave ends the current tenant.
func (v *verifier) leave() {
	if len(v.seen) == 0 {
		return
	}
	h := v.heads[v.at.Tenant]
	if p := h.Purged; p.Seq > 0 && !v.purges[p.Hash.String()] {
		v.problem(v.at.Tenant, p.Day, p.Seq, "rows up to it are gone, and no entry says that they were purged")
	}
	if len(v.rest) > 0 {
		a := v.rest[len(v.rest)-1]
		v.problem(v.at.Tenant, a.Day, a.Seq, "the log ends at row %d, though row %d was anchored at %s",
			v.at.Seq, a.Seq, a.Time.UTC().Format(time.RFC3339))
	}
	if v.keyed && !v.sealed {
		v.problem(v.at.Tenant, v.at.Day, v.at.Seq, "no row is sealed with a key")
	}
	last := int64(0)
	if list := v.anchors[v.at.Tenant]; len(list) > 0 {
		last = list[len(list)-1].Seq
	}
	v.report.Loose += int(max(0, v.at.Seq-max(last, h.Purged.Seq)))
	v.ends = append(v.ends, end{v.at, v.sealed})
}

// finish compares the ends of all chains with the heads that were stored before and after the rows
// were read.
func (v *verifier) finish(after map[string]Head) {
	v.leave()
	v.report.Sealed = len(v.ends) > 0
	for _, e := range v.ends {
		v.compareHead(e.Head, v.heads[e.Tenant], after[e.Tenant])
		v.report.Sealed = v.report.Sealed && e.sealed
	}
	for _, tenant := range slices.Sorted(maps.Keys(v.heads)) {
		if h := v.heads[tenant]; !v.seen[tenant] && h.Seq > 0 {
			v.problem(tenant, h.Day, h.Seq, "all rows of the tenant are missing")
		}
	}
	for _, tenant := range slices.Sorted(maps.Keys(v.anchors)) {
		if _, stored := v.heads[tenant]; !v.seen[tenant] && !stored {
			a := v.anchors[tenant][len(v.anchors[tenant])-1]
			v.problem(tenant, a.Day, a.Seq,
				"all rows of the tenant are missing, though the row was anchored at %s",
				a.Time.UTC().Format(time.RFC3339))
		}
	}
}

func (v *verifier) compareHead(last, before, after Head) {
	switch {
	case last.Seq < before.Seq:
		v.problem(last.Tenant, last.Day, last.Seq, "the log ends here, though %d rows were written", before.Seq)
	case last.Seq > after.Seq:
		v.problem(last.Tenant, last.Day, last.Seq, "it is not the last row that was written, which is row %d",
			after.Seq)
	case last.Seq == before.Seq && last.Hash != before.Hash, last.Seq == after.Seq && last.Hash != after.Hash:
		v.problem(last.Tenant, last.Day, last.Seq, "it is not the last row that was written")
	}
}
